"""Dual-numbers reverse AD (Smeding and Vákár), stage by stage."""
