"""Measurements of labelled images of ``scipy.ndimage`` as plain Python that the front end compiles.
Labels and distances are SciPy's own, and have no derivative; sums and means have one."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.asked_values import library_value
from pullback.frontend.library.text.domains import Array
from pullback.frontend.library.text_helpers import unsupported


def label(input: Array, structure: Any = None, output: Any = None) -> Any:
    """Return the number of the piece to which each item belongs, 0 for those that are 0, and how
    many pieces there are."""
    if structure is not None or output is not None:
        unsupported("label with structure or output", "leave them away")
    x = np.asarray(input)
    mask = np.where(x != 0, 1.0, 0.0)
    found = library_value("label", mask, x.shape, x.size + 1)
    return found[1:].astype(np.int32).reshape(x.shape), int(found[0])


def distance_transform_edt(input: Array, sampling: Any = None, return_distances: bool = True,
                           return_indices: bool = False, distances: Any = None,
                           indices: Any = None) -> Array:  # fmt: skip
    """Return how far each item is from the next one that is 0."""
    if sampling is not None or return_indices or not return_distances:
        unsupported("distance_transform_edt with sampling or indices", "leave them away")
    if distances is not None or indices is not None:
        unsupported("distance_transform_edt with arrays for its results", "leave them away")
    x = np.asarray(input)
    mask = np.where(x != 0, 1.0, 0.0)
    return library_value("distances", mask, x.shape, x.size).reshape(x.shape)


def _share(input: Any, labels: Any, index: Any) -> Array:
    """Return 1 for the items that count, and 0 for others."""
    x = np.asarray(input)
    if labels is None:
        return np.ones(x.shape)
    chosen = np.asarray(labels) > 0 if index is None else np.asarray(labels) == index
    return np.where(np.broadcast_to(chosen, x.shape), 1.0, 0.0)


def _one_index(index: Any) -> None:
    if index is not None and np.ndim(index) > 0:
        unsupported("a measurement for several indices", "call it for each of them")


def sum_labels(input: Array, labels: Any = None, index: Any = None) -> float:
    _one_index(index)
    total: float = np.sum(np.asarray(input) * _share(input, labels, index))
    return total


def mean(input: Array, labels: Any = None, index: Any = None) -> float:
    _one_index(index)
    share = _share(input, labels, index)
    found: float = np.sum(np.asarray(input) * share) / np.sum(share)
    return found


def variance(input: Array, labels: Any = None, index: Any = None) -> float:
    _one_index(index)
    share, x = _share(input, labels, index), np.asarray(input)
    count = np.sum(share)
    off = x - np.sum(x * share) / count
    found: float = np.sum(off * off * share) / count
    return found


def standard_deviation(input: Array, labels: Any = None, index: Any = None) -> float:
    found: float = np.sqrt(variance(input, labels, index))
    return found
