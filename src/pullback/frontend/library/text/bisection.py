"""``bisect`` as plain Python that the front end compiles (``compiled_text``)."""

from __future__ import annotations

from typing import Any


def bisect_left(a: Any, x: Any, lo: int = 0, hi: Any = None, *, key: Any = None) -> int:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    end = len(a) if hi is None else hi
    while lo < end:
        middle = (lo + end) // 2
        item = a[middle] if key is None else key(a[middle])
        if item < x:
            lo = middle + 1
        else:
            end = middle
    return lo


def bisect_right(a: Any, x: Any, lo: int = 0, hi: Any = None, *, key: Any = None) -> int:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    end = len(a) if hi is None else hi
    while lo < end:
        middle = (lo + end) // 2
        item = a[middle] if key is None else key(a[middle])
        if x < item:
            end = middle
        else:
            lo = middle + 1
    return lo


def insort_left(a: list[Any], x: Any) -> None:
    a.insert(bisect_left(a, x), x)


def insort_right(a: list[Any], x: Any) -> None:
    a.insert(bisect_right(a, x), x)
