"""``np.partition`` and ``np.argpartition`` as plain Python that the front end compiles: where the
items come is NumPy's answer, and a derivative moves with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.asked_values import library_value
from pullback.frontend.library.text.domains import Array


def _sort(lines: Array) -> int:
    """Return the number of the type of an array (``core/partial_orders.py``)."""
    if lines.dtype == np.float64:
        return 0
    if lines.dtype == np.float32:
        return 1
    if lines.dtype == np.int64:
        return 2
    return 3 if lines.dtype == np.int32 else 4


def _places(name: str, lines: Array, kth: Any) -> Array:
    """Return the places of the items along the last axis."""
    n, items = lines.shape[-1], np.ravel(lines)
    at = np.atleast_1d(np.asarray(kth))
    for k in at:
        if k < -n or k >= n:
            raise ValueError(f"kth(={k + n if k < 0 else k}) out of bounds ({n})")
    if lines.dtype == np.int64 and np.any(np.abs(items) > 2**53):
        raise NotImplementedError(f"np.{name} of ints beyond 2**53")
    words = np.concatenate((np.array([n, _sort(lines)]), at))
    found = library_value(name, items.astype(float), words, items.size)
    return np.reshape(found.astype(np.int64), lines.shape)


def _lines(a: Any, axis: Any) -> Array:
    items = np.asarray(a)
    return np.ravel(items) if axis is None else np.moveaxis(items, axis, -1)


def partition(a: Array, kth: Any, axis: Any = -1, kind: str = "introselect",
              order: None = None) -> Array:  # fmt: skip
    """Return the items, of which the ones at the places ``kth`` are where sorting would put them,
    and none is on the wrong side of these."""
    lines = _lines(a, axis)
    made = np.take_along_axis(lines, _places("partition", lines, kth), -1)
    return made if axis is None else np.moveaxis(made, -1, axis)


def argpartition(a: Array, kth: Any, axis: Any = -1, kind: str = "introselect",
                 order: None = None) -> Array:  # fmt: skip
    """Return the places that the items of such an order have."""
    made = _places("argpartition", _lines(a, axis), kth)
    return made if axis is None else np.moveaxis(made, -1, axis)
