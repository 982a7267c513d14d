"""What Python says: source text, syntax, annotations, classes and the types of values."""
