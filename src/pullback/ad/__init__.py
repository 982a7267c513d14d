"""Differentiation in production, Core to Core."""
