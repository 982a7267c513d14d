"""Functions of ``scipy.integrate`` as plain Python that the front end compiles."""

from __future__ import annotations

import numpy as np

from pullback.frontend.library.text.domains import Array, Axis, Growing


def trapezoid(y: Array, x: Growing | None = None, dx: float = 1.0, axis: Axis = -1) -> Array:
    return np.trapezoid(y, x, dx, axis)


def cumulative_trapezoid(y: Array, x: Growing | None = None, dx: float = 1.0, axis: Axis = -1,
                         initial: float | None = None) -> Array:  # fmt: skip
    """Return the integrals from the first point to every later one by the trapezoidal rule."""
    heights = np.moveaxis(np.asarray(y), axis, -1)
    steps = dx if x is None else np.diff(np.asarray(x))
    sums = np.cumsum(steps * (heights[..., 1:] + heights[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        if initial != 0:
            raise ValueError("`initial` must be `None` or `0`.")
        sums = np.concatenate((np.zeros_like(1.0 * heights[..., :1]), sums), axis=-1)
    return np.moveaxis(sums, -1, axis)


def simpson(y: Array, x: Growing | None = None, *, dx: float = 1.0, axis: Axis = -1) -> Array:
    """The integral by Simpson's rule. Of an even number of points the last part is that of the
    parabola through the last three (Cartwright, "Simpson's rule cumulative integration with MS
    Excel and irregularly-spaced data", 2017)."""
    heights = np.moveaxis(1.0 * np.asarray(y), axis, -1)
    n = heights.shape[-1]
    steps = np.full(max(n - 1, 0), dx) if x is None else np.diff(1.0 * np.asarray(x))
    if n == 2:
        return 0.5 * steps[0] * (heights[..., 1] + heights[..., 0])
    last = n - 1 if n % 2 == 1 else n - 2
    result = _parabolas(heights[..., : last + 1], steps[:last])
    if n % 2 == 1:
        return result
    h, k = steps[n - 3], steps[n - 2]
    alpha = (2.0 * k**2 + 3.0 * h * k) / (6.0 * (k + h))
    beta = (k**2 + 3.0 * h * k) / (6.0 * h)
    eta = k**3 / (6.0 * h * (h + k))
    end = alpha * heights[..., n - 1] + beta * heights[..., n - 2] - eta * heights[..., n - 3]
    return result + end


def _parabolas(y: Array, steps: Array) -> Array:
    """Return the integral over pairs of intervals."""
    h, k = steps[0::2], steps[1::2]
    both = h + k
    parts = y[..., :-2:2] * (2.0 - k / h) + y[..., 1:-1:2] * (both**2 / (h * k))
    return np.sum(both / 6.0 * (parts + y[..., 2::2] * (2.0 - h / k)), axis=-1)


def romb(y: Array, dx: float = 1.0, axis: Axis = -1) -> Array:
    """The integral by Romberg's method, of one plus a power of 2 points."""
    heights = np.moveaxis(1.0 * np.asarray(y), axis, 0)
    n, count, m = heights.shape[0] - 1, 0, 1
    while m < n:
        m, count = 2 * m, count + 1
    if m != n:
        raise ValueError("Number of samples must be one plus a non-negative power of 2.")
    h, step = n * dx, n
    row = [(heights[0] + heights[n]) / 2.0 * h]
    for i in range(1, count + 1):
        better = [0.5 * (row[0] + h * np.sum(heights[np.arange(step // 2, n, step)], axis=0))]
        for j in range(1, i + 1):
            better.append(better[j - 1] + (better[j - 1] - row[j - 1]) / (4.0**j - 1.0))
        row, h, step = better, h / 2.0, step // 2
    return row[count]


def cumulative_simpson(y: Array, *, x: Growing | None = None, dx: float = 1.0, axis: Axis = -1,
                       initial: float | None = None) -> Array:  # fmt: skip
    """Return the integrals from the first point to every later one, of the parabola through each
    two and the next (the last one: through the last three)."""
    heights = np.moveaxis(1.0 * np.asarray(y), axis, -1)
    if heights.shape[-1] < 3:
        return cumulative_trapezoid(y, x, dx, axis, initial)
    n = heights.shape[-1]
    steps = np.full(n - 1, dx) if x is None else np.diff(1.0 * np.asarray(x))
    if np.any(steps <= 0.0) and x is not None:
        raise ValueError("Input x must be strictly increasing.")
    ahead = _first_parts(heights, steps)
    behind = _first_parts(heights[..., ::-1], steps[::-1])[..., ::-1]
    at = np.arange(n - 1)
    parts = np.where(
        (at % 2 == 0) & (at < n - 2),
        ahead[..., np.minimum(at, n - 3)],
        behind[..., np.maximum(at - 1, 0)],
    )
    sums = np.cumsum(parts, axis=-1)
    if initial is not None:
        first = np.zeros_like(sums[..., :1]) + initial
        sums = np.concatenate((first, sums + initial), axis=-1)
    return np.moveaxis(sums, -1, axis)


def _first_parts(y: Array, steps: Array) -> Array:
    """Return the integral over the first of each two intervals, of the parabola through three."""
    h, k = steps[:-1], steps[1:]
    one, two = h / (h + k), h / k
    both = one * two
    middle = (3.0 + both + one) * y[..., 1:-1]
    return h / 6.0 * ((3.0 - one) * y[..., :-2] + middle - both * y[..., 2:])
