"""``minimize`` of ``scipy.optimize`` as plain Python that the front end compiles: the method of
Broyden, Fletcher, Goldfarb and Shanno (J. Nocedal and S. J. Wright, *Numerical Optimization*,
section 6.1) with the line search of J. J. More and D. J. Thuente, "Line search algorithms with
guaranteed sufficient decrease" (1994); and J. A. Nelder and R. Mead, "A simplex method for function
minimization" (1965), with the parameters of F. Gao and L. Han (2012) if they are asked for.

The place is the value that the iteration gives; without ``jac`` the search takes gradients by
differences, as SciPy does. Its derivative is that of the minimum, where the exact gradient is 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant, least_of, with_slope
from pullback.frontend.library.text.domains import Matrix, Vector
from pullback.frontend.library.text_helpers import unsupported

_STEP = float(np.finfo(float).eps) ** 0.5

Function = Callable[[Vector], float]
Sloped = Callable[[Vector], tuple[float, Vector]]
Found = tuple[Vector, int, int, int]
"""The place, the number of rounds, how often the function was called, how it ended."""
Ends = tuple[float, float, float, float, float, float, float, bool]
"""Of a line search: the best step with value and slope, the other end, the trial, and whether they
enclose the minimum."""


class MinimizeResult:
    """What ``minimize`` gives."""

    def __init__(
        self, x: Vector, fun: Function, nit: int, calls: int, status: int, slopes: bool, each: int
    ) -> None:
        self.x = x
        self.nit = nit
        self.nfev = calls * each
        self.status = status
        self.success = status == 0
        self._objective = fun
        self._slopes = slopes
        self._calls = calls

    @property
    def fun(self) -> float:
        """The value at the minimum."""
        return self._objective(self.x)

    @property
    def jac(self) -> Vector:
        """The gradient there."""
        if not self._slopes:
            raise AttributeError("jac")
        return with_slope(self._objective)(self.x)[1]

    @property
    def njev(self) -> int:
        """How often the gradient was computed."""
        if not self._slopes:
            raise AttributeError("njev")
        return self._calls

    @property
    def message(self) -> str:
        """How it ended."""
        if self.status == 0:
            return "Optimization terminated successfully."
        if self.status == 3:
            return "NaN result encountered."
        if self.status == 2 and self._slopes:
            return "Desired error not necessarily achieved due to precision loss."
        if self.status == 1 and not self._slopes:
            return "Maximum number of function evaluations has been exceeded."
        return "Maximum number of iterations has been exceeded."

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


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


def _line(pair: Sloped, start: Vector, way: Vector, f0: float, d0: float, t: float, c1: float,
          c2: float) -> tuple[bool, float, float, Vector, int]:  # fmt: skip
    """Return whether a step was found at which the value and the slope are small enough; the
    step, the value, the gradient, and the number of calls."""
    x: float = np.float64(0.0)
    y: float = np.float64(0.0)
    fx, fy, dx, dy = f0, f0, d0, d0
    enclosed, first, wanted = False, True, c1 * d0
    width, before, least, most = 1e100, 2e100, 0.0, 5.0 * t
    ft, gradient = f0, 0.0 * way
    for k in range(99):
        ft, gradient = pair(start + t * way)
        dt, bound = gradient @ way, f0 + t * wanted
        if first and ft <= bound and dt >= 0.0:
            first = False
        good = ft <= bound and abs(dt) <= c2 * -d0
        stuck = enclosed and (t <= least or t >= most or most - least <= 1e-14 * most)
        if good or stuck or (t == 1e-100 and (ft > bound or dt >= wanted)) or (
            t == 1e100 and ft <= bound and dt <= wanted
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
        t = min(max(t, 1e-100), 1e100)
        if enclosed and (t <= least or t >= most or most - least <= 1e-14 * most):
            t = x
        if not np.isfinite(t):
            return False, t, ft, gradient, k + 1
    return False, t, ft, gradient, 99


def _bfgs(pair: Sloped, x: Vector, gtol: float, most: int, c1: float, c2: float,
          xrtol: float) -> Found:  # fmt: skip
    """The method of Broyden, Fletcher, Goldfarb and Shanno."""
    value, slope = pair(x)
    inverse, calls, status, k = np.eye(x.size), 1, 0, 0
    before = value + math.sqrt(slope @ slope) / 2.0
    largest = np.max(np.abs(slope))
    while largest > gtol and k < most:
        way = -(inverse @ slope)
        along = slope @ way
        t = min(1.0, 2.02 * (value - before) / along)
        t = 1.0 if t < 0.0 else t
        found, new, gradient, more = False, value, slope, 0
        if along < 0.0 and t >= 1e-100:
            found, t, new, gradient, more = _line(pair, x, way, value, along, t, c1, c2)
        calls += more
        if not found:
            status = 2
            break
        step, change = t * way, gradient - slope
        x, slope, before, value = x + step, gradient, value, new
        k += 1
        largest = np.max(np.abs(slope))
        length = t * math.sqrt(way @ way)
        if largest <= gtol or length <= xrtol * (xrtol + math.sqrt(x @ x)):
            break
        if not np.isfinite(value):
            status = 2
            break
        bend = change @ step
        rho = 1000.0 if bend == 0.0 else 1.0 / bend
        left = np.eye(x.size) - np.outer(step, change) * rho
        inverse = left @ (inverse @ left.T) + rho * np.outer(step, step)
    if status == 0 and k >= most:
        status = 1
    elif status == 0 and (np.isnan(largest) or np.isnan(value) or np.any(np.isnan(x))):
        status = 3
    return x, k, calls, status


def _simplex(f: Function, start: Vector, xatol: float, fatol: float, most_rounds: float,
             most: float, adaptive: bool) -> Found:  # fmt: skip
    """The method of Nelder and Mead."""
    n = start.size
    grow, shrink = (1.0 + 2.0 / n, 1.0 - 1.0 / n) if adaptive else (2.0, 0.5)
    inward = 0.75 - 1.0 / (2.0 * n) if adaptive else 0.5
    corners, values, calls = np.zeros((n + 1, n)), np.full(n + 1, np.inf), 0
    for k in range(n + 1):
        corners[k] = start
        if k > 0:
            corners[k, k - 1] = 1.05 * start[k - 1] if start[k - 1] != 0.0 else 0.00025
        if calls < most:
            values[k] = f(corners[k])
            calls += 1
    order = np.argsort(values)
    corners, values, rounds = corners[order], values[order], 1
    while calls < most and rounds < most_rounds:
        wide = np.max(np.abs(corners[1:] - corners[0]))
        if wide <= xatol and np.max(np.abs(values[0] - values[1:])) <= fatol:
            break
        center, worst = np.sum(corners[:-1], axis=0) / n, corners[-1]
        trial = 2.0 * center - worst
        value = f(trial)
        calls += 1
        best = value < values[0]
        outside = value < values[-1]
        if best or not value < values[-2]:
            by = grow if best else inward if outside else -inward
            if calls >= most:
                break
            other = (1.0 + by) * center - by * worst
            second = f(other)
            calls += 1
            better = second < value if best else second <= value if outside else (
                second < values[-1]
            )
            if better:
                trial, value = other, second
            elif not best:
                corners, values, more = _shrunk(f, corners, values, shrink, most - calls)
                calls += more
                if calls >= most:
                    order = np.argsort(values)
                    corners, values = corners[order], values[order]
                    break
                trial, value = corners[-1].copy(), values[-1]
        corners[-1], values[-1] = trial, value
        rounds += 1
        order = np.argsort(values)
        corners, values = corners[order], values[order]
    return corners[0], rounds, calls, 1 if calls >= most else 2 if rounds >= most_rounds else 0


def _shrunk(f: Function, corners: Matrix, values: Vector, by: float,
            left: float) -> tuple[Matrix, Vector, int]:  # fmt: skip
    """Return all corners moved to the best one."""
    moved, found, calls = corners.copy(), values.copy(), 0
    for j in range(1, values.size):
        moved[j] = corners[0] + by * (corners[j] - corners[0])
        if calls >= left:
            break
        found[j] = f(moved[j])
        calls += 1
    return moved, found, calls


def _option(options: Any, name: str, default: Any) -> Any:
    return default if options is None or name not in options else options[name]


def _objective(fun: Callable[..., Any], args: Any, pair: bool) -> Function:
    """Return the function of a vector that is made least."""
    given = args if isinstance(args, tuple) else (args,)

    def f(x: Vector) -> float:
        y = np.asarray(fun(x, *given)[0] if pair else fun(x, *given))
        if y.size != 1:
            raise ValueError("The user-provided objective function must return a scalar value.")
        return np.float64(np.ravel(y)[0])

    return f


def _by_differences(jac: Any) -> bool:
    return jac is None or (isinstance(jac, bool) and not jac)


def _differences(f: Function, x: Vector) -> tuple[float, Vector]:
    """Return the value and the gradient by differences."""
    value, slope = f(x), np.zeros(x.size)
    for j in range(x.size):
        y = x.copy()
        y[j] += _STEP
        if y[j] == x[j]:
            y[j] += _STEP * (1.0 if x[j] >= 0.0 else -1.0) * max(1.0, abs(x[j]))
        slope[j] = (f(y) - value) / (y[j] - x[j])
    return value, slope


def _sloped(f: Function, fun: Callable[..., Any], args: Any, jac: Any) -> Sloped:
    """Return the function that gives the value and the gradient."""
    given = args if isinstance(args, tuple) else (args,)
    if isinstance(jac, str):
        unsupported("minimize with jac as a text", "leave it away")
    if _by_differences(jac):
        return lambda x: _differences(f, x)
    if isinstance(jac, bool):

        def both(x: Vector) -> tuple[float, Vector]:
            y, slope = fun(x, *given)
            return np.float64(np.ravel(np.asarray(y))[0]), np.asarray(slope).astype(float)

        return both
    return lambda x: (f(x), np.asarray(jac(x, *given)).astype(float))


def minimize(fun: Callable[..., Any], x0: Any, args: Any = (), method: Any = None,
             jac: Any = None, hess: Any = None, hessp: Any = None, bounds: Any = None,
             constraints: Any = (), tol: Any = None, callback: Any = None,
             options: Any = None) -> MinimizeResult:  # fmt: skip
    how = "bfgs" if method is None else method.lower()
    if bounds is not None or len(constraints) > 0:
        unsupported(
            "minimize with bounds or constraints",
            "minimise over u, with x = low + (high - low) / (1 + np.exp(-u))",
        )
    if how != "bfgs" and how != "nelder-mead":
        unsupported("minimize by this method", "take BFGS, the default, or Nelder-Mead")
    if hess is not None or hessp is not None or callback is not None:
        unsupported("minimize with hess, hessp or callback", "leave them away")
    known = ("gtol", "maxiter", "c1", "c2", "xrtol")
    if how == "nelder-mead":
        known = ("xatol", "fatol", "maxiter", "maxfev", "adaptive")
    for name in {} if options is None else options:
        if name not in known:
            unsupported("minimize with this option", "leave it away")
    start = np.ravel(np.atleast_1d(np.asarray(x0)))
    if start.dtype == np.float32:
        unsupported("minimize in float32", "convert the starting point to float64")
    pair = isinstance(jac, bool) and jac
    f, x = _objective(fun, args, pair), constant(start.astype(float))
    if how == "bfgs":
        x, nit, nfev, status = _bfgs(
            constant(_sloped(f, fun, args, jac)), x,
            _option(options, "gtol", 1e-5 if tol is None else tol),
            _option(options, "maxiter", 200 * x.size), _option(options, "c1", 1e-4),
            _option(options, "c2", 0.9), _option(options, "xrtol", 0.0),
        )  # fmt: skip
    else:
        near = 1e-4 if tol is None else tol
        rounds, most = _option(options, "maxiter", None), _option(options, "maxfev", None)
        many = 200 * x.size if rounds is None and most is None else np.inf
        x, nit, nfev, status = _simplex(
            constant(f), x, _option(options, "xatol", near), _option(options, "fatol", near),
            many if rounds is None else rounds, many if most is None else most,
            _option(options, "adaptive", False),
        )  # fmt: skip
    far = np.max(np.abs(x)) + np.max(np.abs(x - constant(start.astype(float))))
    y = least_of(f, x, 1e-4 * far + 10.0 * constant(1e-5 if tol is None else tol))
    each = x.size + 1 if how == "bfgs" and _by_differences(jac) else 1
    return MinimizeResult(y, f, nit, nfev, status, how == "bfgs", each)
