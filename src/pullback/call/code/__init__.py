"""The compiled conversions: what is printed around the code of the shapes."""
