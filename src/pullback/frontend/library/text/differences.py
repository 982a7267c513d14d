"""Differences and integrals of sampled functions, as plain Python that the front end compiles."""

from __future__ import annotations

import numpy as np

from pullback.frontend.library.text.domains import Array, Axis, Growing, Vector
from pullback.frontend.library.text_helpers import times, unsupported


def unwrap(
    p: Array, discont: float | None = None, axis: Axis = -1, *, period: float = 2.0 * np.pi
) -> Array:
    """Return angles without jumps: a step of more than half a period is replaced by the small one
    that differs by whole periods."""
    angles, half = np.moveaxis(np.asarray(p), axis, -1), period / 2.0
    step = np.diff(angles)
    small = np.mod(step + half, period) - half
    small = np.where((small == -half) & (step > 0.0), half, small)
    jumps = np.abs(step) >= (half if discont is None else discont)
    turns = np.cumsum(np.where(jumps, small - step, 0.0), axis=-1)
    turned = np.concatenate((np.zeros_like(angles[..., :1]), turns), axis=-1)
    return np.moveaxis(angles + turned, -1, axis)


def diff(
    a: Array, n: int = 1, axis: Axis = -1, prepend: Array | None = None, append: Array | None = None
) -> Array:
    """Return a[1:] - a[:-1] along an axis, n times."""
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    steps = np.moveaxis(np.asarray(a), axis, -1)
    if prepend is not None:
        steps = np.concatenate((np.moveaxis(np.asarray(prepend), axis, -1), steps), axis=-1)
    if append is not None:
        steps = np.concatenate((steps, np.moveaxis(np.asarray(append), axis, -1)), axis=-1)
    for _ in times(n):
        steps = steps[..., 1:] - steps[..., :-1]
    return np.moveaxis(steps, -1, axis)


def ediff1d(ary: Array) -> Vector:
    """Return the differences of neighbours in the flat array."""
    return np.diff(np.ravel(ary))


def trapezoid(y: Array, x: Growing | None = None, dx: float = 1.0, axis: Axis = -1) -> Array:
    """The integral by the trapezoidal rule."""
    heights = np.moveaxis(np.asarray(y), axis, -1)
    steps = dx if x is None else np.diff(np.asarray(x))
    return np.sum(steps * (heights[..., 1:] + heights[..., :-1]) / 2.0, axis=-1)


def gradient(f: Array, spacing: float = 1.0, /, *, axis: Axis | None = None) -> Array:
    """Return central differences, and one-sided ones at the ends."""
    values = np.asarray(f)
    if np.ndim(spacing) > 0:
        unsupported("np.gradient with places of the points", "give a number")
    if axis is not None or values.ndim == 1:
        return _slopes(values, spacing, 0 if axis is None else axis)
    if values.ndim > 2:
        unsupported("np.gradient along more than two axes at once", "np.gradient(f, h, axis=0)")
    return _slopes(values, spacing, 0), _slopes(values, spacing, 1)


def _slopes(values: Array, spacing: float, axis: Axis) -> Array:
    f = np.moveaxis(values, axis, 0)
    if len(f) < 2:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, "
            "at least (edge_order + 1) elements are required."
        )
    inside = (f[2:] - f[: len(f) - 2]) / (2.0 * spacing)
    first, last = (f[1] - f[0]) / spacing, (f[len(f) - 1] - f[len(f) - 2]) / spacing
    return np.moveaxis(np.concatenate((np.array([first]), inside, np.array([last]))), 0, axis)


def ptp(
    a: Array, axis: Axis | None = None, out: None = None, keepdims: bool = False
) -> Array:
    """Return the largest minus the smallest element."""
    return np.max(a, axis, out, keepdims) - np.min(a, axis, None, keepdims)
