"""Derivative operators inside of compiled functions."""
