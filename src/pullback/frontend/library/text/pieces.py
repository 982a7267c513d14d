"""``np.split`` and its relatives as plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array, Axis
from pullback.frontend.library.text_helpers import times


def array_split(ary: Array, indices_or_sections: Any, axis: Axis = 0) -> list[Array]:
    """Return the pieces of an array: so many, of which the first may be one item longer than the
    last, or those between the indices."""
    items, start = np.moveaxis(np.asarray(ary), axis, 0), 0
    pieces: tuple[Array, ...] = ()
    if isinstance(indices_or_sections, int):
        if indices_or_sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        size, longer = divmod(len(items), indices_or_sections)
        for _ in times(indices_or_sections):
            stop = start + size + (1 if len(pieces) < longer else 0)
            pieces = (*pieces, np.moveaxis(items[start:stop], 0, axis))
            start = stop
        return list(pieces)
    left = tuple(indices_or_sections)
    for _ in times(len(left)):
        pieces = (*pieces, np.moveaxis(items[start : left[0]], 0, axis))
        start, left = left[0], left[1:]
    return list((*pieces, np.moveaxis(items[start:], 0, axis)))


def split(ary: Array, indices_or_sections: Any, axis: Axis = 0) -> list[Array]:
    """Return as many pieces of one size, or those between the indices."""
    if isinstance(indices_or_sections, int) and np.shape(ary)[axis] % indices_or_sections != 0:
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def hsplit(ary: Array, indices_or_sections: Any) -> list[Array]:
    """Return the pieces along the columns; of a vector, along its items."""
    if np.ndim(ary) == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if np.ndim(ary) > 1 else 0)


def vsplit(ary: Array, indices_or_sections: Any) -> list[Array]:
    """Return the pieces along the rows."""
    if np.ndim(ary) < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def dsplit(ary: Array, indices_or_sections: Any) -> list[Array]:
    """Return the pieces along the third axis."""
    if np.ndim(ary) < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)
