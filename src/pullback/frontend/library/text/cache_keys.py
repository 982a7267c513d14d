"""What a function that keeps its results asks of its arguments."""

from __future__ import annotations


def has_no_key(*values: object) -> bool:
    """Return whether one of these values is no key of a table: a float, or what holds one."""
    return any(map(_is_float, values))


def checked(*values: object) -> None:
    """Check that equal values, as arguments of a function that keeps its results, have equal
    results, also the derivatives."""


def _is_float(value: object) -> bool:
    if isinstance(value, tuple):
        return any(map(_is_float, value))
    return isinstance(value, (float, complex))
