"""Objects that are shared: rows of columns, and references to them."""
