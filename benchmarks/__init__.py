"""Measure what Pullback costs, beside JAX in the same run: ``make bench``."""
