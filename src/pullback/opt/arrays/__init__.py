"""Passes over arrays: how they are made, indexed and laid out."""
