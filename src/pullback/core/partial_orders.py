"""The places of the items of rows as NumPy's ``partition`` and ``argpartition`` put them, for texts
of the library (``library_values``). In which order those come that are smaller, or larger, is
NumPy's choice and differs from machine to machine."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.core.called_python import Floats, Words

_DTYPES = (np.float64, np.float32, np.int64, np.int32, np.bool_)
"""The types of what is ordered, as texts number them (``text/partitions``)."""


def argpartition(reals: Floats, words: Words) -> Any:
    """``words``: how long a row is, of which type, and which items come to their places."""
    rows = reals.reshape(-1, words[0]).astype(_DTYPES[words[1]])
    return np.argpartition(rows, words[2:], axis=1).ravel()


def partition(reals: Floats, words: Words) -> Any:
    """Return where each item was; of equal ones the first ones come first."""
    rows = reals.reshape(-1, words[0]).astype(_DTYPES[words[1]])
    parted = np.partition(rows, words[2:], axis=1)
    places = np.empty(rows.shape, np.int64)
    first, then = (np.argsort(x, axis=1, kind="stable") for x in (rows, parted))
    np.put_along_axis(places, then, first, 1)
    return places.ravel()


__all__ = ["argpartition", "partition"]
