"""Searches along a line for a place that is low and flat enough, as plain Python that the front end
compiles: J. J. More and D. J. Thuente, "Line search algorithms with guaranteed sufficient decrease"
(1994), and algorithms 3.5 and 3.6 of J. Nocedal and S. J. Wright, *Numerical Optimization* (1999).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from pullback.frontend.library.text.domains import Vector

Sloped = Callable[[Vector], tuple[float, Vector]]
Accepts = Callable[[float, Vector], bool]
Searched = tuple[bool, float, float, Vector, int, int]
"""Whether there is a step; the step, the value and the gradient there, and how often the function
and its gradient were called."""


def _cubic(x: float, fx: float, dx: float, y: float, fy: float, dy: float,
           kept: bool) -> tuple[float, float]:  # fmt: skip
    """Return theta and gamma of the cubic through two places with these slopes."""
    theta = 3.0 * (fx - fy) / (y - x) + dx + dy
    s = max(abs(theta), abs(dx), abs(dy))
    inner = (theta / s) ** 2 - (dx / s) * (dy / s)
    return theta, s * np.sqrt(max(0.0, inner) if kept else inner)


def _trial(x: float, fx: float, dx: float, y: float, fy: float, dy: float, t: float, ft: float,
           dt: float, enclosed: bool, least: float, most: float) -> tuple[float, bool]:  # fmt: skip
    """Return the next step, and whether the minimum is enclosed (section 4 of the article)."""
    turned = np.sign(dt) * np.sign(dx) < 0.0
    flat = not ft > fx and not turned and abs(dt) < abs(dx)
    if not ft > fx and not turned and not flat and not enclosed:
        return most if t > x else least, enclosed
    if not ft > fx and not turned and not flat:
        theta, gamma = _cubic(t, ft, dt, y, fy, dy, False)
        gamma = -gamma if t > y else gamma
        return t + ((gamma - dt) + theta) / (((gamma - dt) + gamma) + dy) * (y - t), enclosed
    theta, gamma = _cubic(x, fx, dx, t, ft, dt, flat)
    if ft > fx:
        gamma = -gamma if t < x else gamma
        r = ((gamma - dx) + theta) / (((gamma - dx) + gamma) + dt)
        cubic = x + r * (t - x)
        square = x + ((dx / ((fx - ft) / (t - x) + dx)) / 2.0) * (t - x)
        near = abs(cubic - x) < abs(square - x)
        return cubic if near else cubic + (square - cubic) / 2.0, True
    gamma = -gamma if t > x else gamma
    square = t + (dt / (dt - dx)) * (x - t)
    if turned:
        r = ((gamma - dt) + theta) / (((gamma - dt) + gamma) + dx)
        cubic = t + r * (x - t)
        return cubic if abs(cubic - t) > abs(square - t) else square, True
    r = ((gamma - dt) + theta) / ((gamma + (dx - dt)) + gamma)
    cubic = t + r * (x - t) if r < 0.0 and gamma != 0.0 else most if t > x else least
    near = abs(cubic - t) < abs(square - t)
    if not enclosed:
        return min(max(square if near else cubic, least), most), False
    step = cubic if near else square
    limit = t + 0.66 * (y - t)
    return min(limit, step) if t > x else max(limit, step), True


def first_search(pair: Sloped, start: Vector, way: Vector, f0: float, d0: float, t: float,
                 c1: float, c2: float, xtol: float, low: float, high: float,
                 rounds: int) -> tuple[bool, float, float, Vector, int]:  # fmt: skip
    """Return whether a step was found at which the value and the slope are small enough; the
    step, the value, the gradient, and the number of calls."""
    x: float = np.float64(0.0)
    y: float = np.float64(0.0)
    fx, fy, dx, dy = f0, f0, d0, d0
    enclosed, first, wanted = False, True, c1 * d0
    width, before, least, most = high - low, 2.0 * (high - low), 0.0, 5.0 * t
    ft, gradient = f0, 0.0 * way
    for k in range(rounds):
        ft, gradient = pair(start + t * way)
        dt, bound = gradient @ way, f0 + t * wanted
        if first and ft <= bound and dt >= 0.0:
            first = False
        good = ft <= bound and abs(dt) <= c2 * -d0
        stuck = enclosed and (t <= least or t >= most or most - least <= xtol * most)
        if good or stuck or (t == low and (ft > bound or dt >= wanted)) or (
            t == high and ft <= bound and dt <= wanted
        ):
            return good, t, ft, gradient, k + 1
        by = wanted if first and ft <= fx and ft > bound else 0.0
        ft, fx, fy, dt, dx, dy = ft - t * by, fx - x * by, fy - y * by, dt - by, dx - by, dy - by
        step, enclosed = _trial(x, fx, dx, y, fy, dy, t, ft, dt, enclosed, least, most)
        if ft > fx:
            y, fy, dy = t, ft, dt
        else:
            if np.sign(dt) * np.sign(dx) < 0.0:
                y, fy, dy = x, fx, dx
            x, fx, dx = t, ft, dt
        fx, fy, dx, dy, t = fx + x * by, fy + y * by, dx + by, dy + by, step
        if enclosed:
            if abs(y - x) >= 0.66 * before:
                t = x + 0.5 * (y - x)
            before, width = width, abs(y - x)
            least, most = min(x, y), max(x, y)
        else:
            least, most = t + 1.1 * (t - x), t + 4.0 * (t - x)
        t = min(max(t, low), high)
        if enclosed and (t <= least or t >= most or most - least <= xtol * most):
            t = x
        if not np.isfinite(t):
            return False, t, ft, gradient, k + 1
    return False, t, ft, gradient, rounds


def _between(a: float, fa: float, da: float, b: float, fb: float, c: float, fc: float,
             first: bool) -> float:  # fmt: skip
    """Return a place between a and b: where the cubic through the last three is least, or the
    parabola, or the middle."""
    low, high, wide = min(a, b), max(a, b), b - a
    if not first:
        db, dc = b - a, c - a
        below = (db * dc) ** 2 * (db - dc)
        u, v = fb - fa - da * db, fc - fa - da * dc
        p = (dc**2 * u - db**2 * v) / below if below != 0.0 else math.nan
        q = (-(dc**3) * u + db**3 * v) / below if below != 0.0 else math.nan
        inner = q * q - 3.0 * p * da
        root = math.sqrt(inner) if inner >= 0.0 else math.nan
        t = a + (-q + root) / (3.0 * p) if p != 0.0 else math.nan
        if math.isfinite(t) and not t > high - 0.2 * wide and not t < low + 0.2 * wide:
            return t
    bend = (fb - fa - da * wide) / (wide * wide) if wide != 0.0 else math.nan
    t = a - da / (2.0 * bend) if bend != 0.0 else math.nan
    if math.isfinite(t) and not t > high - 0.1 * wide and not t < low + 0.1 * wide:
        return t
    return a + 0.5 * wide


def _zoomed(pair: Sloped, start: Vector, way: Vector, f0: float, d0: float, a: float, b: float,
            fa: float, fb: float, da: float, c1: float, c2: float,
            accepts: Accepts) -> Searched:  # fmt: skip
    """Return a step between a, the better end, and b."""
    c, fc, slopes, gradient = 0.0, f0, 0, 0.0 * way
    t, ft = a, fa
    for k in range(11):
        t = _between(a, fa, da, b, fb, c, fc, k == 0)
        ft, gradient = pair(start + t * way)
        if ft > f0 + c1 * t * d0 or ft >= fa:
            c, fc, b, fb = b, fb, t, ft
            continue
        dt = gradient @ way
        slopes += 1
        if abs(dt) <= -c2 * d0 and accepts(t, gradient):
            return True, t, ft, gradient, k + 1, slopes
        c, fc = (b, fb) if dt * (b - a) >= 0.0 else (a, fa)
        if dt * (b - a) >= 0.0:
            b, fb = a, fa
        a, fa, da = t, ft, dt
    return False, t, ft, gradient, 11, slopes


def second_search(pair: Sloped, start: Vector, way: Vector, f0: float, d0: float, t: float,
                  c1: float, c2: float, high: float, accepts: Accepts,
                  rounds: int = 10) -> Searched:  # fmt: skip
    """Look for a step from t on, by doubling it and by interpolation."""
    before, f_before, d_before, slopes = 0.0, f0, d0, 0
    t = min(t, high)
    ft, gradient = pair(start + t * way)
    for k in range(rounds):
        if t == 0.0 or before > high:
            return False, t, ft, gradient, k + 1, slopes
        if ft > f0 + c1 * t * d0 or (ft >= f_before and k > 0):
            found, t, ft, gradient, more, sloped = _zoomed(
                pair, start, way, f0, d0, before, t, f_before, ft, d_before, c1, c2, accepts
            )
            return found, t, ft, gradient, k + 1 + more, slopes + sloped
        dt = gradient @ way
        slopes += 1
        if abs(dt) <= -c2 * d0 and accepts(t, gradient):
            return True, t, ft, gradient, k + 1, slopes
        if dt >= 0.0:
            found, t, ft, gradient, more, sloped = _zoomed(
                pair, start, way, f0, d0, t, before, ft, f_before, dt, c1, c2, accepts
            )
            return found, t, ft, gradient, k + 1 + more, slopes + sloped
        before, f_before, d_before = t, ft, dt
        t = min(2.0 * t, high)
        ft, gradient = pair(start + t * way)
    return True, t, ft, gradient, rounds + 1, slopes + 1


def searched(pair: Sloped, start: Vector, way: Vector, f0: float, d0: float, t: float, c1: float,
             c2: float, low: float, high: float, accepts: Accepts) -> Searched:  # fmt: skip
    """Look for a step by the first method, and by the second one if that does not find it."""
    found, calls, step, value, gradient = False, 0, t, f0, 0.0 * way
    if d0 < 0.0 and t >= low:
        found, step, value, gradient, calls = first_search(
            pair, start, way, f0, d0, min(t, high), c1, c2, 1e-14, low, high, 99
        )
        if found and not accepts(step, gradient):
            found = False
    if found:
        return True, step, value, gradient, calls, calls
    found, step, value, gradient, more, slopes = second_search(
        pair, start, way, f0, d0, t, c1, c2, high, accepts
    )
    return found, step, value, gradient, calls + more, calls + slopes
