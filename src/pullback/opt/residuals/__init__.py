"""Passes over residuals, which the forward sweep keeps for the reverse sweep."""
