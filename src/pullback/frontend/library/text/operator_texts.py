"""Functions of ``operator`` as plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any


def concat(a: Any, b: Any, /) -> Any:
    return a + b


def countOf(a: Any, b: Any, /) -> int:
    return list(a).count(b)


def indexOf(a: Any, b: Any, /) -> int:
    items = list(a)
    if b not in items:
        raise ValueError("sequence.index(x): x not in sequence")
    return items.index(b)
