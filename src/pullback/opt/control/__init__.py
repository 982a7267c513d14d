"""Passes over branches, sums, calls and what may leave a loop."""
