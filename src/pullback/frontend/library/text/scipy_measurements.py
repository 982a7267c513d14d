"""Measurements of labelled images of ``scipy.ndimage`` as plain Python that the front end compiles.
Labels are SciPy's own, and have no derivative; what is measured has one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Array, Vector
from pullback.frontend.library.text.solver_answers import packed, told
from pullback.frontend.library.text_helpers import known, unsupported


def label(input: Array, structure: Any = None, output: Any = None) -> Any:
    """Return the number of the piece to which each item belongs, 0 for those that are 0, and how
    many pieces there are."""
    if output is not None:
        unsupported("label with output", "leave it away")
    x = np.asarray(input)
    near = _cross(x.ndim) if structure is None else np.asarray(structure) != 0
    numbers = [np.array([1.0 * n for n in x.shape]), np.where(x != 0, 1.0, 0.0),
               np.array([1.0 * n for n in near.shape]), np.where(near, 1.0, 0.0)]  # fmt: skip
    found = told(described("labels"), packed(numbers))
    return found[:-1].astype(np.int32).reshape(x.shape), int(found[-1])


def find_objects(input: Array, max_label: int = 0) -> Any:
    """Return the least slices with all items of each label, None for a label that nothing has."""
    x = np.asarray(input)
    if x.dtype not in (np.int64, np.int32):
        unsupported("find_objects of other labels than ints", "convert the labels to ints")
    most = max_label if max_label >= 1 else int(np.max(x))
    low, high = np.zeros((most, x.ndim), dtype=int), np.zeros((most, x.ndim), dtype=int)
    there = (x > 0) & (x <= most)
    places, marks = np.argwhere(there), np.ravel(x)[np.flatnonzero(there)]
    for i in range(len(marks)):
        k = marks[i] - 1
        for d in range(x.ndim):
            at = places[i, d]
            if high[k, d] == 0 or at < low[k, d]:
                low[k, d] = at
            if at >= high[k, d]:
                high[k, d] = at + 1
    return [_bounds(low[k], high[k], x.ndim) for k in range(most)]


def _bounds(low: Vector, high: Vector, rank: int) -> Any:
    if high[0] == 0:
        return None
    first = slice(int(low[0]), int(high[0]))
    if rank == 1:
        return (first,)
    second = slice(int(low[1]), int(high[1]))
    if rank == 2:
        return first, second
    if rank > 3:
        unsupported("find_objects of more than three axes", "find the items of each label")
    return first, second, slice(int(low[2]), int(high[2]))


def _cross(rank: int) -> Array:
    return np.sum(np.abs(np.indices((3,) * known(rank)) - 1), axis=0) <= 1


# --- what is measured -----------------------------------------------------------------------------


def _share(x: Array, labels: Any, index: Any) -> Array:
    """Return whether items count."""
    chosen = np.asarray(labels) > 0 if index is None else np.asarray(labels) == index
    return np.broadcast_to(chosen, x.shape)


def _measured(f: Callable[[Vector], Any], input: Any, labels: Any, index: Any) -> Any:
    """Return what a function makes of all items, of those with a label, or of those with each of
    several labels."""
    x = np.asarray(input)
    if labels is None:
        if index is not None:
            raise ValueError("`labels` must be given if `index` is")
        return f(np.ravel(x))
    if index is None or np.ndim(index) == 0:
        return f(x[_share(x, labels, index)])
    every = np.ravel(np.asarray(index))
    found = np.array([f(x[_share(x, labels, k)]) for k in every])
    return found.reshape(np.asarray(index).shape)


def _total(x: Vector) -> Any:
    return np.sum(x * 1.0)


def _mean(x: Vector) -> Any:
    return np.sum(x * 1.0) / np.float64(x.size)


def _variance(x: Vector) -> Any:
    off = x - _mean(x)
    return np.sum(off * off) / np.float64(x.size)


def _deviation(x: Vector) -> Any:
    return np.sqrt(_variance(x))


def _most(x: Vector) -> Any:
    if x.size == 0:
        raise NotImplementedError("the largest or least item of a label that nothing has")
    return np.max(x)


def _least(x: Vector) -> Any:
    return -_most(-x)


def _middle(x: Vector) -> Any:
    if x.size == 0:
        raise NotImplementedError("the median of a label that nothing has")
    return np.median(x)


def sum_labels(input: Array, labels: Any = None, index: Any = None) -> Any:
    if index is None:
        return _measured(np.sum, input, labels, index)
    return _measured(_total, input, labels, index)


def sum(input: Array, labels: Any = None, index: Any = None) -> Any:
    return sum_labels(input, labels, index)


def mean(input: Array, labels: Any = None, index: Any = None) -> Any:
    return _measured(_mean, input, labels, index)


def variance(input: Array, labels: Any = None, index: Any = None) -> Any:
    return _measured(_variance, input, labels, index)


def standard_deviation(input: Array, labels: Any = None, index: Any = None) -> Any:
    return _measured(_deviation, input, labels, index)


def maximum(input: Array, labels: Any = None, index: Any = None) -> Any:
    return _measured(_most, input, labels, index)


def minimum(input: Array, labels: Any = None, index: Any = None) -> Any:
    return _measured(_least, input, labels, index)


def median(input: Array, labels: Any = None, index: Any = None) -> Any:
    return _measured(_middle, input, labels, index)


def labeled_comprehension(input: Array, labels: Any, index: Any, func: Any, out_dtype: Any,
                          default: Any, pass_positions: bool = False) -> Any:  # fmt: skip
    if pass_positions or labels is None or index is None:
        unsupported("labeled_comprehension with positions, or without labels", "a comprehension")

    def one(items: Vector) -> Any:
        return np.float64(default if items.size == 0 else func(items))

    made = _measured(one, input, labels, index)
    return np.asarray(made).astype(out_dtype)


def _place(at: int, shape: Any) -> Any:
    """Return the indices of an item, a number for each axis."""
    left, places = at, []
    for n in shape[::-1]:
        places.append(left % n)
        left = left // n
    return tuple(int(k) for k in places[::-1])


def maximum_position(input: Array, labels: None = None, index: None = None) -> Any:
    x = np.asarray(input)
    return _place(int(np.argmax(x)), x.shape)


def minimum_position(input: Array, labels: None = None, index: None = None) -> Any:
    x = np.asarray(input)
    return _place(int(np.argmin(x)), x.shape)


def extrema(input: Array, labels: None = None, index: None = None) -> Any:
    x = np.asarray(input)
    return np.min(x), np.max(x), minimum_position(x), maximum_position(x)


def histogram(input: Array, min: float, max: float, bins: int, labels: None = None,
              index: None = None) -> Vector:  # fmt: skip
    return np.histogram(np.ravel(np.asarray(input)), np.linspace(min, max, bins + 1))[0]
