"""Optimisation, Core to Core: one file per pass."""
