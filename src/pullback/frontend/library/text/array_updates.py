"""Methods that change their array, as plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array
from pullback.frontend.library.text_helpers import unsupported


def fill(a: Array, value: Any, /) -> None:
    """Set all items to a number."""
    if np.ndim(value) > 0:
        unsupported(".fill() with an array", "assign to it: a[...] = value")
    a[...] = value


def sort(a: Array, axis: int = -1, kind: Any = None, order: Any = None) -> None:
    """Sort the items along an axis."""
    if axis is None:
        raise TypeError("'NoneType' object cannot be interpreted as an integer")
    a[...] = np.sort(a, axis=axis, kind=kind, order=order)


def partition(a: Array, kth: Any, axis: int = -1, kind: str = "introselect",
              order: None = None) -> None:  # fmt: skip
    """Put the items at the places ``kth`` along an axis to where sorting would put them."""
    a[...] = np.partition(a, kth, axis)


def put(a: Array, indices: Any, values: Any, mode: Any = "raise") -> None:
    """Set the items at places in C order to values, which are repeated."""
    np.put(a, indices, values, mode)
