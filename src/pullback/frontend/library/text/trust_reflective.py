"""Sums of squares between bounds, as plain Python that the front end compiles: M. A. Branch, T. F.
Coleman and Y. Li, "A subspace, interior, and conjugate gradient method for large-scale
bound-constrained minimization problems" (1999), with steps of the length of the trust region by J.
J. More, "The Levenberg-Marquardt algorithm: implementation and theory" (1978), on singular values.
Scales, rules for the radius and ends are those of SciPy, so that the same place is found.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant
from pullback.frontend.library.text.domains import Matrix, Vector

_EPS = float(np.finfo(float).eps)

Residuals = Callable[[Vector], Vector]
Slopes = Callable[[Vector, Vector], Matrix]
Losses = Callable[[Vector], tuple[float, Vector, Vector]]
"""The cost of residuals; by what the rows of the Jacobian and the residuals are multiplied."""
Found = tuple[Vector, float, int, int, int]
"""The place, how far the gradient is from 0, how it ended, how often the function and its Jacobian
were called."""


class GivenBounds:
    """What ``Bounds`` gives."""

    def __init__(self, lb: Any, ub: Any) -> None:
        self.lb = lb
        self.ub = ub


def are_given(bounds: Any) -> bool:
    """Return whether these are a ``Bounds``."""
    return isinstance(bounds, GivenBounds)


def between(bounds: Any, n: int) -> tuple[Vector, Vector]:
    """Return the bounds of each number."""
    if bounds is None:
        return np.full(n, -np.inf), np.full(n, np.inf)
    is_object = are_given(bounds)
    if is_object:
        low, high = np.asarray(bounds.lb), np.asarray(bounds.ub)
    else:
        if len(bounds) != 2:
            raise ValueError("`bounds` must contain 2 elements.")
        low, high = np.asarray(bounds[0]), np.asarray(bounds[1])
    one_low, one_high = low.ndim == 0 or is_object, high.ndim == 0 or is_object
    if (not one_low and low.shape[0] != n) or (not one_high and high.shape[0] != n):
        raise ValueError("Inconsistent shapes between bounds and `x0`.")
    return np.zeros(n) + low, np.zeros(n) + high


def _length(x: Vector) -> float:
    n: float = np.sqrt(np.sum(x * x))
    return n


def sides(x: Vector, low: Vector, high: Vector, rtol: float) -> Vector:
    """Return -1 where x is at its lower bound, 1 at its upper one, and 0 elsewhere."""
    down, up = x - low, high - x
    near_low = np.isfinite(low) & (down <= np.minimum(up, rtol * np.maximum(1.0, np.abs(low))))
    near_high = np.isfinite(high) & (up <= np.minimum(down, rtol * np.maximum(1.0, np.abs(high))))
    return np.where(near_high, 1, np.where(near_low, -1, 0))


def moved_inside(x: Vector, low: Vector, high: Vector, rtol: float) -> Vector:
    """Return a place between the bounds, a little away from them."""
    side = sides(x, low, high, rtol)
    if rtol == 0.0:
        side = np.where(x >= high, 1, np.where(x <= low, -1, 0))
        by_low = np.maximum(0.75 * _EPS * np.abs(low), 5e-324)
        by_high = np.maximum(0.75 * _EPS * np.abs(high), 5e-324)
    else:
        by_low = rtol * np.maximum(1.0, np.abs(low))
        by_high = rtol * np.maximum(1.0, np.abs(high))
    y = np.where(side == -1, low + by_low, np.where(side == 1, high - by_high, x))
    return np.where((y < low) | (y > high), 0.5 * (low + high), y)


def _longest(n: int, m: int, along: Vector, s: Vector, v: Matrix, radius: float,
             damping: float) -> tuple[Vector, float]:  # fmt: skip
    """Return the step to the least sum of squares of the linear problem inside of the radius, and
    the parameter of Levenberg and Marquardt that belongs to it."""
    scaled = s * along
    full = m >= n and s[-1] > _EPS * m * s[0]
    if full:
        step = -(v @ (along / s))
        if _length(step) <= radius:
            return step, 0.0
    high, low = _length(scaled) / radius, 0.0
    if full:
        wide = _length(scaled / s**2)
        low = -(wide - radius) / (-np.sum(scaled**2 / s**6) / wide)
    if not full and damping == 0.0:
        damping = max(0.001 * high, math.sqrt(low * high))
    for _ in range(10):
        if damping < low or damping > high:
            damping = max(0.001 * high, math.sqrt(low * high))
        below = s**2 + damping
        wide = _length(scaled / below)
        over, slope = wide - radius, -np.sum(scaled**2 / below**3) / wide
        if over < 0.0:
            high = damping
        low = max(low, damping - over / slope)
        damping -= (over + radius) * (over / slope) / radius
        if abs(over) < 0.01 * radius:
            break
    step = -(v @ (scaled / (s**2 + damping)))
    return step * (radius / _length(step)), damping


def _square(jacobian: Matrix, g: Vector, step: Vector, bend: Vector) -> float:
    """The change of the quadratic model along a step."""
    moved = jacobian @ step
    q: float = 0.5 * (moved @ moved + (step * bend) @ step) + step @ g
    return q


def _least_along(a: float, b: float, c: float, low: float, high: float) -> tuple[float, float]:
    """Return where a t^2 + b t + c is least between bounds, and what it is there."""
    t = low
    if high * (a * high + b) < low * (a * low + b):
        t = high
    if a != 0.0:
        middle = -0.5 * b / a
        if low < middle < high and middle * (a * middle + b) < t * (a * t + b):
            t = middle
    return t, t * (a * t + b) + c


def _to_bounds(x: Vector, way: Vector, low: Vector, high: Vector) -> Vector:
    """Return how far each number may go."""
    divided = np.where(way == 0.0, 1.0, way)
    reached = np.maximum((low - x) / divided, (high - x) / divided)
    return np.where(way == 0.0, np.inf, reached)


def _chosen(x: Vector, jacobian: Matrix, bend: Vector, g: Vector, step: Vector, d: Vector,
            radius: float, low: Vector, high: Vector, theta: float) -> tuple[Vector, float]:
    """Return the best of three steps in scaled numbers, and the change that it promises: that of
    the trust region, cut at the first bound, or reflected there, or down the gradient."""
    if np.all((x + d * step >= low) & (x + d * step <= high)):
        return step, -_square(jacobian, g, step, bend)
    free = _to_bounds(x, d * step, low, high)
    stride = np.min(free)
    back = np.where(free == stride, -step, step)
    step = stride * step
    a, b, c = back @ back, step @ back, step @ step - radius**2
    q = -(b + math.copysign(math.sqrt(b * b - a * c), b))
    to_edge = max(q / a, c / q)
    to_bound = np.min(_to_bounds(x + d * step, d * back, low, high))
    reach = min(to_bound, to_edge)
    least, most = 0.0, -1.0
    if reach > 0.0:
        least = (1.0 - theta) * stride / reach
        most = theta * to_bound if reach == to_bound else to_edge
    reflected, promised = step, np.inf
    if least <= most:
        u, v = jacobian @ step, jacobian @ back
        a = 0.5 * (v @ v + (back * bend) @ back)
        b = g @ back + u @ v + (step * bend) @ back
        c = 0.5 * (u @ u) + g @ step + 0.5 * ((step * bend) @ step)
        t, promised = _least_along(a, b, c, least, most)
        reflected = step + t * back
    step = theta * step
    value = _square(jacobian, g, step, bend)
    down = -g
    to_edge = radius / _length(down)
    to_bound = np.min(_to_bounds(x, d * down, low, high))
    v = jacobian @ down
    a, b = 0.5 * (v @ v + (down * bend) @ down), g @ down
    t, steep = _least_along(a, b, 0.0, 0.0, theta * to_bound if to_bound < to_edge else to_edge)
    if value < promised and value < steep:
        return step, -value
    if promised < value and promised < steep:
        return reflected, -promised
    return t * down, -steep


def _scaling(x: Vector, g: Vector, low: Vector, high: Vector) -> tuple[Vector, Vector]:
    """Return how far the bounds are to which the gradient drives, and the derivative of that."""
    up, down = (g < 0.0) & np.isfinite(high), (g > 0.0) & np.isfinite(low)
    v = np.where(up, high - x, np.where(down, x - low, 1.0))
    return v, np.where(up, -1.0, np.where(down, 1.0, 0.0))


def _by_columns(jacobian: Matrix, before: Vector | None) -> Vector:
    """Return the lengths of the columns of the Jacobian."""
    sizes = np.sqrt(np.sum(jacobian * jacobian, axis=0))
    if before is None:
        return np.where(sizes == 0.0, 1.0, sizes)
    return np.maximum(sizes, before)


def _judged(gained: float, promised: float, size: float, radius: float) -> tuple[float, float]:
    """Return how much of what was promised was gained, and how far the next step may go."""
    ratio = gained / promised if promised > 0.0 else 0.0
    if promised == 0.0 and gained == 0.0:
        ratio = 1.0
    if ratio < 0.25:
        return ratio, 0.25 * size
    return ratio, 2.0 * radius if ratio > 0.75 and size > 0.95 * radius else radius


def least_within(f: Residuals, slopes: Slopes, losses: Losses, x: Vector, low: Vector,
                 high: Vector, ftol: float, xtol: float, gtol: float, most: int,
                 scales: Vector | None) -> Found:  # fmt: skip
    """Return where the cost of the residuals is least, and how it was found; without ``scales``
    numbers are scaled by the columns of the Jacobian."""
    fx = f(x)
    if not np.all(np.isfinite(fx)):
        raise ValueError("Residuals are not finite in the initial point.")
    jacobian, calls, jacobians, status = constant(slopes(x, fx)), 1, 1, -1
    cost, rows, factor = losses(fx)
    jacobian, fx = jacobian * rows[:, None], fx * factor
    g, m, n = fx @ jacobian, fx.size, x.size
    inverse = _by_columns(jacobian, None) if scales is None else 1.0 / scales
    v, dv = _scaling(x, g, low, high)
    radius = _length(x * inverse / np.sqrt(np.where(dv != 0.0, v * inverse, v)))
    if radius == 0.0:
        radius = 1.0
    damping = steepest = 0.0
    while True:
        v, dv = _scaling(x, g, low, high)
        steepest = np.max(np.abs(g * v))
        if steepest < gtol:
            status = 1
        if status >= 0 or calls == most:
            break
        v = np.where(dv != 0.0, v * inverse, v)
        d = np.sqrt(v) / inverse
        bend, slope, wide = g * dv / inverse, d * g, jacobian * d
        stacked = np.concatenate((wide, np.diag(np.sqrt(bend))))
        u, s, vt = constant(np.linalg.svd(stacked, full_matrices=False))
        inward, gained = fx @ u[:m], -1.0
        theta = max(0.995, 1.0 - steepest)
        after, f_after, cost_after = x, fx, cost
        while gained <= 0.0 and calls < most:
            step, damping = _longest(n, m, inward, s, vt.T, radius, damping)
            step, promised = _chosen(x, wide, bend, slope, step, d, radius, low, high, theta)
            after = moved_inside(x + d * step, low, high, 0.0)
            f_after = f(after)
            calls += 1
            size = _length(step)
            if not np.all(np.isfinite(f_after)):
                radius = 0.25 * size
                continue
            cost_after = losses(f_after)[0]
            gained = cost - cost_after
            before = radius
            ratio, radius = _judged(gained, promised, size, radius)
            flat, moved = gained < ftol * cost and ratio > 0.25, _length(d * step)
            short = moved < xtol * (xtol + _length(x))
            if flat or short:
                status = 4 if flat and short else 2 if flat else 3
                radius = before
                break
            damping *= before / radius
        if gained > 0.0:
            x, fx, cost = after, f_after, cost_after
            jacobian = constant(slopes(x, fx))
            jacobians += 1
            rows, factor = losses(fx)[1:]
            jacobian, fx = jacobian * rows[:, None], fx * factor
            g = fx @ jacobian
            if scales is None:
                inverse = _by_columns(jacobian, inverse)
    return x, steepest, max(status, 0), calls, jacobians
