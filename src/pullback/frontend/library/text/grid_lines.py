"""The lines of ``np.mgrid``, ``np.r_`` and ``np.c_``, as plain Python that the front end compiles
(``library/numpy/brackets.py``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array, Matrix, Vector


def steps(start: Any, stop: Any, step: Any) -> Vector:
    """Return the numbers of one axis of ``np.mgrid``."""
    n = int(np.ceil((stop - start) / step))
    if n < 0:
        raise ValueError("negative dimensions are not allowed")
    places = np.arange(n) * step + start
    return places.astype(float) if np.asarray(stop).dtype == np.float64 else places


def points(start: Any, stop: Any, number: Any) -> Vector:
    """Return so many numbers of an axis of ``np.mgrid``, up to the stop."""
    n = int(np.abs(number))
    places = np.arange(n).astype(float)
    return places * ((stop - start) / (n - 1)) + start if n != 1 else places + start


def between(start: Any, stop: Any, number: Any) -> Vector:
    return np.linspace(start, stop, int(np.abs(number)))


def column(x: Array) -> Matrix:
    """Return a part of ``np.c_``: vectors are columns."""
    items = np.asarray(x)
    if items.ndim == 0:
        return np.reshape(items, (1, 1))
    return items[:, None] if items.ndim == 1 else items
