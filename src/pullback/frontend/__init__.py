"""Translate a Python function to Core."""
