"""Slopes of tables of values (``np.gradient``), as plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array, Axis, Vector
from pullback.frontend.library.text_helpers import known, times


def gradient(f: Array, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Return central differences, and one-sided ones at the ends, along each axis. The points are
    at equal distances, or at places that are given."""
    values = np.asarray(f)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    axes: tuple[int, ...] = ()
    if axis is None:
        for _ in times(values.ndim):
            axes = (*axes, len(axes))
    else:
        axes = (axis,) if isinstance(axis, int) else tuple(axis)
    if len(varargs) > 1 and len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    slopes: tuple[Array, ...] = ()
    for _ in times(len(axes)):
        k = len(slopes)
        spacing = 1.0 if len(varargs) == 0 else varargs[k if len(varargs) > 1 else 0]
        slopes = (*slopes, _slopes(values, spacing, known(axes[k]), edge_order))
    return slopes[0] if len(axes) == 1 else slopes


def _slopes(values: Array, spacing: Any, axis: Axis, edge_order: int) -> Array:
    f = np.moveaxis(values, axis, 0)
    if f.dtype == np.bool_:
        raise TypeError(
            "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the "
            "`^` operator, or the logical_xor function instead."
        )
    if f.dtype != np.float64 and f.dtype != np.float32:
        f = f.astype(np.float64)
    n = len(f)
    if n < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, "
            "at least (edge_order + 1) elements are required."
        )
    if np.ndim(spacing) > 0:
        return np.moveaxis(_uneven_slopes(f, np.asarray(spacing), edge_order), 0, axis)
    inside = (f[2:] - f[: n - 2]) / (2.0 * spacing)
    if edge_order == 1:
        first, last = (f[1] - f[0]) / spacing, (f[n - 1] - f[n - 2]) / spacing
    else:
        first = -1.5 / spacing * f[0] + 2.0 / spacing * f[1] - 0.5 / spacing * f[2]
        last = 0.5 / spacing * f[n - 3] - 2.0 / spacing * f[n - 2] + 1.5 / spacing * f[n - 1]
    return np.moveaxis(np.concatenate((np.array([first]), inside, np.array([last]))), 0, axis)


def _uneven_slopes(f: Array, places: Vector, edge_order: int) -> Array:
    """Return the slopes along the first axis at places of unequal distances."""
    n = len(f)
    if places.ndim != 1:
        raise ValueError("distances must be either scalars or 1d")
    if len(places) != n:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    h = np.diff(places)
    if np.all(h[1:] == h[:-1]):
        return _slopes(f, h[0], 0, edge_order)
    steps = h
    for _ in times(f.ndim - 1):
        steps = steps[..., None]
    before, behind = steps[: n - 2], steps[1:]
    inside = (
        -behind / (before * (before + behind)) * f[: n - 2]
        + (behind - before) / (before * behind) * f[1 : n - 1]
        + before / (behind * (before + behind)) * f[2:]
    )
    if edge_order == 1:
        first, last = (f[1] - f[0]) / h[0], (f[n - 1] - f[n - 2]) / h[n - 2]
    else:
        a, b = h[0], h[1]
        first = (
            -(2.0 * a + b) / (a * (a + b)) * f[0]
            + (a + b) / (a * b) * f[1]
            - a / (b * (a + b)) * f[2]
        )
        a, b = h[n - 3], h[n - 2]
        last = (
            b / (a * (a + b)) * f[n - 3]
            - (b + a) / (a * b) * f[n - 2]
            + (2.0 * b + a) / (b * (a + b)) * f[n - 1]
        )
    return np.concatenate((np.array([first]), inside, np.array([last])))
