"""The accumulators of data in the store of a call."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pullback.core.types import Array, Real
from pullback.core.values import make_array


class Cells(NamedTuple):
    """An accumulator of this shape (C order) whose first cell has this offset in the store."""

    offset: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many cells it has."""
        return math.prod(self.shape)


def beside(space: str, t: Array, where: object) -> object:
    """What stands beside an array of reals in data: its accumulators, or ("ids") the numbers of
    their cells, from 1 on."""
    if space != "ids":
        return where
    if isinstance(where, Cells):
        first = where.offset + 1
        return np.arange(first, first + where.size).reshape(where.shape)
    assert isinstance(where, np.ndarray) and isinstance(t.elem, Array)
    parts = [beside(space, t.elem, w) for w in where.ravel()]
    return make_array(t.elem, parts, where.shape)


def of_argument(space: str, t: Array, where: object) -> object:
    """What stands beside an array of arrays of reals that is an argument: the accumulators, or
    ("ids") the first id of each."""
    if space != "ids":
        return where
    assert isinstance(where, np.ndarray) and isinstance(t.elem, Array)
    if isinstance(t.elem.elem, Real):
        firsts = [cells.offset + 1 for cells in where.ravel()]
        return np.array(firsts, np.int64).reshape(where.shape)
    parts = [of_argument(space, t.elem, w) for w in where.ravel()]
    return make_array(t.elem, parts, where.shape)


def read(cells: np.ndarray, where: Cells) -> np.ndarray:
    """What is in the cells of an accumulator."""
    return cells[where.offset : where.offset + where.size].reshape(where.shape)


def accumulated(cells: np.ndarray, t: Array, where: object) -> np.ndarray:
    """What was accumulated for an array of reals, or for an array of such arrays."""
    if isinstance(where, Cells):
        assert isinstance(t.elem, Real)
        return read(cells, where).astype(np.float64 if t.elem.bits == 64 else np.float32)
    assert isinstance(where, np.ndarray) and isinstance(t.elem, Array)
    parts = [accumulated(cells, t.elem, w) for w in where.ravel()]
    return make_array(t.elem, parts, where.shape)
