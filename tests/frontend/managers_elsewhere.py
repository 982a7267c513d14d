"""Managers of another module, with names that mean something else where they are used."""

from __future__ import annotations

import math as SCALE  # a name that is a number where it is used
from collections.abc import Iterator
from contextlib import contextmanager as made
from typing import Any

CONST = 0.5


def helper(v: Any) -> Any:
    return v * CONST


@made
def tempo(x: Any) -> Iterator[Any]:
    z = helper(x)
    with inner(z) as q:
        yield q + CONST + SCALE.sin(x)


@made
def inner(z: Any) -> Iterator[Any]:
    try:
        yield z * CONST
    finally:
        print("inner", CONST)
