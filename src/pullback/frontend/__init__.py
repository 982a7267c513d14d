"""A Python function to typed terms."""
