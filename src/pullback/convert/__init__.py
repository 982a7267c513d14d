"""Closures to data, tuples to variables, ownership of updated arrays."""
