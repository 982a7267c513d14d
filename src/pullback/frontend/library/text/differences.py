"""Differences and integrals of sampled functions, as plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array, Axis, Growing, Vector
from pullback.frontend.library.text_helpers import times


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
        steps = np.concatenate((_beside(prepend, axis, steps), steps), axis=-1)
    if append is not None:
        steps = np.concatenate((steps, _beside(append, axis, steps)), axis=-1)
    for _ in times(n):
        steps = steps[..., 1:] - steps[..., :-1]
    return np.moveaxis(steps, -1, axis)


def ediff1d(ary: Array, to_end: Any = None, to_begin: Any = None) -> Vector:
    """Return the differences of neighbours in the flat array, between other items."""
    steps = np.diff(np.ravel(ary))
    if to_begin is not None:
        steps = np.concatenate((_in_type_of(steps, to_begin, "to_begin"), steps))
    if to_end is not None:
        steps = np.concatenate((steps, _in_type_of(steps, to_end, "to_end")))
    return steps


def _in_type_of(steps: Vector, more: Any, name: str) -> Vector:
    items = np.ravel(more)
    real = steps.dtype == np.float64 or steps.dtype == np.float32
    if not real and (items.dtype == np.float64 or items.dtype == np.float32):
        raise TypeError(
            f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
        )
    return items.astype(steps.dtype)


def _beside(more: Any, axis: Axis, steps: Array) -> Array:
    """Return what stands before or behind the items of an axis, as the last axis: a number is one
    item everywhere."""
    if np.ndim(more) == 0:
        return np.zeros_like(steps[..., :1]) + more
    return np.moveaxis(np.asarray(more), axis, -1)


def trapezoid(y: Array, x: Growing | None = None, dx: float = 1.0, axis: Axis = -1) -> Array:
    """The integral by the trapezoidal rule."""
    heights = np.moveaxis(np.asarray(y), axis, -1)
    steps = dx if x is None else np.diff(np.asarray(x))
    return np.sum(steps * (heights[..., 1:] + heights[..., :-1]) / 2.0, axis=-1)


def ptp(
    a: Array, axis: Axis | None = None, out: None = None, keepdims: bool = False
) -> Array:
    """Return the largest minus the smallest element."""
    return np.max(a, axis, out, keepdims) - np.min(a, axis, None, keepdims)
