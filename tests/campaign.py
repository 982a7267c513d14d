"""Tests over the whole corpus that are too long for every run: a part of it by default, all of it
with ``PULLBACK_CAMPAIGN=1`` (``make campaign``)."""

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

FULL = "PULLBACK_CAMPAIGN" in os.environ


def part(items: Sequence[T], every: int, first: int = 0) -> list[T]:
    """Every so many-th of the items, or all of them."""
    return list(items) if FULL else list(items[first::every])


def count(some: int, many: int) -> int:
    """How many random programs there are."""
    return many if FULL else some
