"""Closures to data, tuples to variables, ownership: before and after mean the same."""
