"""Core: the typed language that every other room of the house speaks. It knows nobody."""
