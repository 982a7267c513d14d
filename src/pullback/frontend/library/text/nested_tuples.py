"""How tuples compare that lie in tuples, as deep as the run has made them, as plain Python that the
front end compiles. Each function gets what it compares in a tuple of one item."""

from __future__ import annotations

from typing import Any


def equal(one: tuple[Any], other: tuple[Any]) -> bool:
    (a,), (b,) = one, other
    return bool(a == b)


def less(one: tuple[Any], other: tuple[Any]) -> bool:
    (a,), (b,) = one, other
    return bool(a < b)


def at_most(one: tuple[Any], other: tuple[Any]) -> bool:
    (a,), (b,) = one, other
    return bool(a <= b)


def greater(one: tuple[Any], other: tuple[Any]) -> bool:
    (a,), (b,) = one, other
    return bool(a > b)


def at_least(one: tuple[Any], other: tuple[Any]) -> bool:
    (a,), (b,) = one, other
    return bool(a >= b)
