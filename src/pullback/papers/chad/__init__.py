"""Efficient CHAD (Smeding and Vákár)."""
