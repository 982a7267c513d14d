"""Who owns arrays, lists and dicts, and what an update changes."""
