"""Passes over scalar operations and their checks."""
