"""Functions of ``numpy.polynomial``, as plain Python that the front end compiles. The coefficient
of the lowest degree comes first. The values follow Clenshaw's recurrences, as NumPy has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array
from pullback.frontend.library.text_helpers import times


def _prepared(x: Any, c: Array, tensor: bool) -> tuple[Any, Array]:
    """Return the places and the coefficients as floats; of a matrix, those of each column stand
    beside all places."""
    coefficients = np.atleast_1d(c) + 0.0
    if len(coefficients) == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    places = x if np.ndim(x) == 0 else np.asarray(x)
    if tensor and coefficients.ndim > 1:
        for _ in times(np.ndim(x)):
            coefficients = coefficients[..., None]
    return places, coefficients


def polyval(x: Any, c: Array, tensor: bool = True) -> Any:
    places, c = _prepared(x, c, tensor)
    n = len(c)
    c0 = c[n - 1] + places * 0
    for i in range(2, n + 1):
        c0 = c[n - i] + c0 * places
    return c0


def chebval(x: Any, c: Array, tensor: bool = True) -> Any:
    places, c = _prepared(x, c, tensor)
    n = len(c)
    if n == 1:
        return c[0] + places * 0
    c0, c1 = c[n - 2] + places * 0, c[n - 1] + places * 0
    for i in range(3, n + 1):
        c0, c1 = c[n - i] - c1, c0 + c1 * (2 * places)
    return c0 + c1 * places


def legval(x: Any, c: Array, tensor: bool = True) -> Any:
    places, c = _prepared(x, c, tensor)
    n = len(c)
    if n == 1:
        return c[0] + places * 0
    c0, c1 = c[n - 2] + places * 0, c[n - 1] + places * 0
    d = n
    for i in range(3, n + 1):
        d = d - 1
        c0, c1 = c[n - i] - c1 * ((d - 1) / d), c0 + c1 * places * ((2 * d - 1) / d)
    return c0 + c1 * places


def hermval(x: Any, c: Array, tensor: bool = True) -> Any:
    places, c = _prepared(x, c, tensor)
    n = len(c)
    if n == 1:
        return c[0] + places * 0
    c0, c1 = c[n - 2] + places * 0, c[n - 1] + places * 0
    d = n
    for i in range(3, n + 1):
        d = d - 1
        c0, c1 = c[n - i] - c1 * (2 * (d - 1)), c0 + c1 * (2 * places)
    return c0 + c1 * (2 * places)


def hermeval(x: Any, c: Array, tensor: bool = True) -> Any:
    places, c = _prepared(x, c, tensor)
    n = len(c)
    if n == 1:
        return c[0] + places * 0
    c0, c1 = c[n - 2] + places * 0, c[n - 1] + places * 0
    d = n
    for i in range(3, n + 1):
        d = d - 1
        c0, c1 = c[n - i] - c1 * (d - 1), c0 + c1 * places
    return c0 + c1 * places


def lagval(x: Any, c: Array, tensor: bool = True) -> Any:
    places, c = _prepared(x, c, tensor)
    n = len(c)
    if n == 1:
        return c[0] + places * 0
    c0, c1 = c[n - 2] + places * 0, c[n - 1] + places * 0
    d = n
    for i in range(3, n + 1):
        d = d - 1
        c0, c1 = (
            c[n - i] - (c1 * (d - 1)) / d,
            c0 + (c1 * ((2 * d - 1) - places)) / d,
        )
    return c0 + c1 * (1 - places)
