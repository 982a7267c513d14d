"""Methods of Python's numbers, as plain Python that the front end compiles."""

from __future__ import annotations


def is_integer(x: float) -> bool:
    """Whether a float is a whole number."""
    return x % 1.0 == 0.0


def bit_length(n: int) -> int:
    """Return how many bits an int has, without its sign."""
    size = 0
    while n != 0:
        n = n // 2 if n > 0 else (n + 1) // 2
        size += 1
    return size


def bit_count(n: int) -> int:
    """Return how many of the bits of an int, without its sign, are 1."""
    ones = 0
    while n != 0:
        ones += n % 2
        n = n // 2 if n > 0 else (n + 1) // 2
    return ones


__all__ = ["bit_count", "bit_length", "is_integer"]
