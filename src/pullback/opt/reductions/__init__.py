"""Passes over reductions."""
