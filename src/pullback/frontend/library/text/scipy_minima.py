"""``minimize`` of ``scipy.optimize`` as plain Python that the front end compiles: the method of
Broyden, Fletcher, Goldfarb and Shanno (J. Nocedal and S. J. Wright, *Numerical Optimization*,
section 6.1), its form with a limited memory between bounds (``limited_memory``), conjugate
gradients (``conjugate_gradients``); and J. A. Nelder and R. Mead, "A simplex method for function
minimization" (1965), with the parameters of F. Gao and L. Han (2012) if they are asked for.

The place is the value that the iteration gives; without ``jac`` the search takes gradients by
differences, as SciPy does. Its derivative is that of the minimum, where the exact gradient is 0; a
number that lies on a bound moves with the bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import (
    constant,
    least_of,
    root_of,
    slope_of,
    with_slope,
)
from pullback.frontend.library.text.conjugate_gradients import (
    Descended,
    by_conjugates,
    by_newton,
    first_length,
)
from pullback.frontend.library.text.constrained_minima import (
    CONSTRAINED,
    SEARCHES,
    UNBOUNDED,
    SearchResult,
    conditions_of,
    pressed_within,
    searched_by_scipy,
)
from pullback.frontend.library.text.domains import Constraints, Matrix, Vector
from pullback.frontend.library.text.limited_memory import by_limited_memory
from pullback.frontend.library.text.line_searches import searched
from pullback.frontend.library.text.search_callbacks import STOPPED, Told, teller
from pullback.frontend.library.text.trust_reflective import are_given
from pullback.frontend.library.text_helpers import unsupported

_STEP = float(np.finfo(float).eps) ** 0.5

Function = Callable[[Vector], float]
Sloped = Callable[[Vector], tuple[float, Vector]]
Found = tuple[Vector, int, int, int]
"""The place, the number of rounds, how often the function was called, how it ended."""


class MinimizeResult:
    """What ``minimize`` gives."""

    def __init__(
        self, x: Vector, fun: Function, nit: int, nfev: int, njev: int, status: int, how: str,
        reason: int,
    ) -> None:  # fmt: skip
        self.x = x
        self.nit = nit
        self.nfev = nfev
        self.status = status
        self.success = status == 0
        self._objective = fun
        self._slopes = how != "nelder-mead"
        self._njev = njev
        self._how = how
        self._reason = reason

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
        return self._njev

    @property
    def message(self) -> str:
        """How it ended."""
        if self.status == STOPPED:
            return "`callback` raised `StopIteration`."
        if self._how == "l-bfgs-b":
            return _limited(self._reason)
        if self.status == 0:
            return "Optimization terminated successfully."
        if self._how == "newton-cg":
            return _of_newton(self.status)
        if self.status == 3:
            return "NaN result encountered."
        if self.status == 2 and self._slopes:
            return "Desired error not necessarily achieved due to precision loss."
        if self.status == 1 and not self._slopes:
            return "Maximum number of function evaluations has been exceeded."
        return "Maximum number of iterations has been exceeded."

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def _limited(reason: int) -> str:
    if reason == 401:
        return "CONVERGENCE: NORM OF PROJECTED GRADIENT <= PGTOL"
    if reason == 402:
        return "CONVERGENCE: RELATIVE REDUCTION OF F <= FACTR*EPSMCH"
    if reason == 502:
        return "STOP: TOTAL NO. OF F,G EVALUATIONS EXCEEDS LIMIT"
    return "STOP: TOTAL NO. OF ITERATIONS REACHED LIMIT" if reason == 504 else "ABNORMAL: "


def _of_newton(status: int) -> str:
    if status == 1:
        return "Warning: Maximum number of iterations has been exceeded."
    if status == 2:
        return "Warning: Desired error not necessarily achieved due to precision loss."
    return "Warning: CG iterations didn't converge. The Hessian is not positive definite."


def _bfgs(pair: Sloped, x: Vector, gtol: float, most: int, c1: float, c2: float,
          xrtol: float, tell: Told) -> Descended:  # fmt: skip
    """The method of Broyden, Fletcher, Goldfarb and Shanno."""
    value, slope = pair(x)
    inverse, calls, slopes, status, k = np.eye(x.size), 1, 1, 0, 0
    before = value + math.sqrt(slope @ slope) / 2.0
    largest = np.max(np.abs(slope))
    while largest > gtol and k < most:
        way = -(inverse @ slope)
        along = slope @ way
        found, t, new, gradient, more, sloped = searched(
            pair, x, way, value, along, first_length(value, before, along), c1, c2, 1e-100, 1e100,
            lambda t, g: True,
        )  # fmt: skip
        calls, slopes = calls + more, slopes + sloped
        if not found:
            status = 2
            break
        step, change = t * way, gradient - slope
        x, slope, before, value = x + step, gradient, value, new
        k += 1
        if tell(x, value):
            status = STOPPED
            break
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
    return x, k, calls, slopes, status


def _simplex(f: Function, start: Vector, xatol: float, fatol: float, most_rounds: float,
             most: float, adaptive: bool, low: Any, high: Any, tell: Told) -> Found:  # fmt: skip
    """The method of Nelder and Mead."""
    n = start.size
    grow, shrink = (1.0 + 2.0 / n, 1.0 - 1.0 / n) if adaptive else (2.0, 0.5)
    inward = 0.75 - 1.0 / (2.0 * n) if adaptive else 0.5
    corners, values, calls = np.zeros((n + 1, n)), np.full(n + 1, np.inf), 0
    for k in range(n + 1):
        corners[k] = start
        if k > 0:
            corners[k, k - 1] = 1.05 * start[k - 1] if start[k - 1] != 0.0 else 0.00025
        if low is not None:
            above = np.where(corners[k] > high, 2.0 * high - corners[k], corners[k])
            corners[k] = _clipped(above, low, high)
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
        trial = _clipped(2.0 * center - worst, low, high)
        value = f(trial)
        calls += 1
        best = value < values[0]
        outside = value < values[-1]
        if best or not value < values[-2]:
            by = grow if best else inward if outside else -inward
            if calls >= most:
                tell(corners[0], values[0])
                break
            other = _clipped((1.0 + by) * center - by * worst, low, high)
            second = f(other)
            calls += 1
            better = second < value if best else second <= value if outside else (
                second < values[-1]
            )
            if better:
                trial, value = other, second
            elif not best:
                corners, values, more = _shrunk(
                    f, corners, values, shrink, most - calls, low, high
                )
                calls += more
                if calls >= most:
                    order = np.argsort(values)
                    corners, values = corners[order], values[order]
                    tell(corners[0], values[0])
                    break
                trial, value = corners[-1].copy(), values[-1]
        corners[-1], values[-1] = trial, value
        rounds += 1
        order = np.argsort(values)
        corners, values = corners[order], values[order]
        if tell(corners[0], values[0]):
            return corners[0].copy(), rounds, calls, STOPPED
    return corners[0], rounds, calls, 1 if calls >= most else 2 if rounds >= most_rounds else 0


def _clipped(x: Vector, low: Any, high: Any) -> Vector:
    return x if low is None else np.minimum(np.maximum(x, low), high)


def _shrunk(f: Function, corners: Matrix, values: Vector, by: float,
            left: float, low: Any, high: Any) -> tuple[Matrix, Vector, int]:  # fmt: skip
    """Return all corners moved to the best one."""
    moved, found, calls = corners.copy(), values.copy(), 0
    for j in range(1, values.size):
        moved[j] = _clipped(corners[0] + by * (corners[j] - corners[0]), low, high)
        if calls >= left:
            break
        found[j] = f(moved[j])
        calls += 1
    return moved, found, calls


def _option(options: Any, name: str, default: Any) -> Any:
    if options is None or name not in options or options[name] is None:
        return default
    return options[name]


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


def _differences(f: Function, x: Vector, eps: float, low: Any,
                 high: Any) -> tuple[float, Vector]:  # fmt: skip
    """Return the value and the gradient by differences."""
    value, slope = f(x), np.zeros(x.size)
    for j in range(x.size):
        h = eps
        if x[j] + h == x[j]:
            h = _STEP * (1.0 if x[j] >= 0.0 else -1.0) * max(1.0, abs(x[j]))
        if low is not None and x[j] + h > high[j]:
            down, up = x[j] - low[j], high[j] - x[j]
            h = -h if h <= down else up if up >= down else -down
        y = x.copy()
        y[j] += h
        slope[j] = (f(y) - value) / (y[j] - x[j])
    return value, slope


def _sloped(f: Function, fun: Callable[..., Any], args: Any, jac: Any, eps: float, low: Any,
            high: Any) -> Sloped:  # fmt: skip
    """Return the function that gives the value and the gradient."""
    given = args if isinstance(args, tuple) else (args,)
    if isinstance(jac, str):
        unsupported("minimize with jac as a text", "leave it away")
    if _by_differences(jac):
        return lambda x: _differences(f, x, eps, low, high)
    if isinstance(jac, bool):

        def both(x: Vector) -> tuple[float, Vector]:
            y, slope = fun(x, *given)
            return np.float64(np.ravel(np.asarray(y))[0]), np.asarray(slope).astype(float)

        return both
    return lambda x: (f(x), np.asarray(jac(x, *given)).astype(float))


_OPTIONS: Any = {
    "bfgs": ("gtol", "maxiter", "c1", "c2", "xrtol", "eps"),
    "cg": ("gtol", "maxiter", "c1", "c2", "eps"),
    "newton-cg": ("xtol", "maxiter", "c1", "c2", "eps"),
    "l-bfgs-b": ("ftol", "gtol", "maxiter", "maxfun", "maxcor", "maxls", "eps"),
    "nelder-mead": ("xatol", "fatol", "maxiter", "maxfev", "adaptive"),
}


def minimize(fun: Callable[..., Any], x0: Any, args: Any = (), method: Any = None,
             jac: Any = None, hess: Any = None, hessp: Any = None, bounds: Any = None,
             constraints: Constraints = (), tol: Any = None, callback: Any = None,
             options: Any = None) -> Any:  # fmt: skip
    if np.ndim(x0) > 1:
        raise ValueError("'x0' must only have one dimension.")
    how = ("bfgs" if bounds is None else "l-bfgs-b") if method is None else method.lower()
    if method is None and len(conditions_of(constraints)) > 0:
        how = "slsqp"
    if how in SEARCHES:
        return _by_scipy(fun, x0, args, how, jac, hess, hessp, bounds, constraints, tol, callback,
                         options)  # fmt: skip
    if len(conditions_of(constraints)) > 0:
        unsupported("minimize by this method with constraints", "take SLSQP or trust-constr")
    if how not in ("bfgs", "cg", "newton-cg", "l-bfgs-b", "nelder-mead"):
        unsupported("minimize by this method", "take BFGS, L-BFGS-B, SLSQP or Nelder-Mead")
    if how != "newton-cg" and (hess is not None or hessp is not None):
        unsupported("minimize by this method with hess or hessp", "leave them away")
    if how == "newton-cg" and _by_differences(jac):
        raise ValueError("Jacobian is required for Newton-CG method")
    for name in {} if options is None else options:
        if name not in _OPTIONS[how]:
            unsupported("minimize with this option", "leave it away")
    start = np.ravel(np.atleast_1d(np.asarray(x0)))
    if start.dtype == np.float32:
        unsupported("minimize in float32", "convert the starting point to float64")
    start = start.astype(float)
    f, low, high = _objective(fun, args, isinstance(jac, bool) and jac), None, None
    if bounds is not None:
        if how != "l-bfgs-b" and how != "nelder-mead":
            unsupported("minimize by this method with bounds", "take L-BFGS-B")
        low, high = _bounds(bounds, start.size, how)
        start = np.minimum(np.maximum(start, low), high)
    tell = teller(callback, f, start, how)
    if how == "nelder-mead":
        x, nit, nfev, status = _by_simplex(constant(f), constant(start), tol, options,
                                           constant(low), constant(high), tell)  # fmt: skip
        njev = reason = 0
    else:
        x, nit, nfev, njev, status, reason = _by_slopes(
            f, fun, args, jac, hess, hessp, start, how, tol, options, low, high, tell
        )
    far = np.max(np.abs(x)) + np.max(np.abs(x - constant(start)))
    near = 1e-4 * far + 10.0 * constant(1e-5 if tol is None else tol)
    if bounds is None:
        return MinimizeResult(least_of(f, x, near), f, nit, nfev, njev, status, how, reason)
    return MinimizeResult(_held(f, x, low, high, near), f, nit, nfev, njev, status, how, reason)


def _by_scipy(fun: Any, x0: Any, args: Any, how: str, jac: Any, hess: Any, hessp: Any, bounds: Any,
              constraints: Any, tol: Any, callback: Any,
              options: Any) -> SearchResult:  # fmt: skip
    """Return the minimum that SciPy's own search finds."""
    start = np.ravel(np.atleast_1d(np.asarray(x0)))
    if start.dtype == np.float32:
        unsupported("minimize in float32", "convert the starting point to float64")
    start, low, high = start.astype(float), None, None
    if bounds is not None:
        if how in UNBOUNDED:
            unsupported("minimize by this method with bounds", "take trust-constr")
        low, high = _bounds(bounds, start.size, how)
    if how not in CONSTRAINED and len(conditions_of(constraints)) > 0:
        unsupported("minimize by this method with constraints", "take SLSQP or trust-constr")
    f = _objective(fun, args, isinstance(jac, bool) and jac)
    return searched_by_scipy(f, fun, args if isinstance(args, tuple) else (args,), start, how, jac,
                             hess, hessp, low, high, constraints, tol, callback,
                             options)  # fmt: skip


def _bounds(bounds: Any, n: int, how: str) -> tuple[Vector, Vector]:
    """Return the bounds of each number."""
    if are_given(bounds):
        low, high = np.zeros(n) + bounds.lb, np.zeros(n) + bounds.ub
    else:
        if len(bounds) != n and how in SEARCHES:
            raise ValueError("The number of bounds is not compatible with the length of `x0`.")
        if len(bounds) != n:
            raise ValueError("length of x0 != length of bounds")
        low = np.array([-np.inf if b[0] is None else 1.0 * b[0] for b in bounds])
        high = np.array([np.inf if b[1] is None else 1.0 * b[1] for b in bounds])
    if np.any(low > high):
        if how in SEARCHES:
            raise ValueError("An upper bound is less than the corresponding lower bound.")
        if how == "nelder-mead":
            raise ValueError(
                "Nelder Mead - one of the lower bounds is greater than an upper bound."
            )
        raise ValueError("LBFGSB - one of the lower bounds is greater than an upper bound.")
    return low, high


def _held(f: Function, x: Vector, low: Vector, high: Vector, near: float) -> Vector:
    """Return the place, where the gradient is 0 or a bound holds the number."""
    slopes = slope_of(f)
    still, known, bent = constant(slopes), constant(x), np.zeros(x.size)
    g = still(known)
    for j in range(x.size):
        y = known.copy()
        y[j] += _STEP * max(1.0, abs(y[j]))
        bent[j] = (still(y)[j] - g[j]) / (y[j] - known[j])
    return root_of(pressed_within(slopes, bent, low, high), x, near)


def _by_slopes(f: Function, fun: Callable[..., Any], args: Any, jac: Any, hess: Any, hessp: Any,
               start: Vector, how: str, tol: Any, options: Any, low: Any, high: Any,
               tell: Told) -> Any:
    """Return the place, rounds, calls, how it ended and why, by a method that takes gradients."""
    x, n = constant(start), start.size
    eps = _option(options, "eps", 1e-8 if how == "l-bfgs-b" else _STEP)
    pair = constant(_sloped(f, fun, args, jac, eps, constant(low), constant(high)))
    gtol = _option(options, "gtol", 1e-5 if tol is None else tol)
    c1, c2 = _option(options, "c1", 1e-4), _option(options, "c2", 0.4 if how == "cg" else 0.9)
    each, reason = n if _by_differences(jac) else 0, 0
    if how == "l-bfgs-b":
        below = np.full(n, -np.inf) if low is None else constant(low)
        above = np.full(n, np.inf) if high is None else constant(high)
        x, nit, nf, status, reason = by_limited_memory(
            pair, x, below, above, _option(options, "maxcor", 10),
            _option(options, "ftol", 2.2204460492503131e-09 if tol is None else tol), gtol,
            _option(options, "maxiter", 15000), _option(options, "maxfun", 15000), each + 1,
            _option(options, "maxls", 20), tell,
        )  # fmt: skip
        return x, nit, nf * (each + 1), nf, status, reason
    most = _option(options, "maxiter", 200 * n)
    if how == "bfgs":
        xrtol = _option(options, "xrtol", 0.0)
        x, nit, nf, ng, status = _bfgs(pair, x, gtol, most, c1, c2, xrtol, tell)
    elif how == "cg":
        x, nit, nf, ng, status = by_conjugates(pair, x, gtol, most, c1, c2, tell)
    else:
        product = constant(_products(pair, args, hess, hessp, eps))
        xtol = _option(options, "xtol", 1e-5 if tol is None else tol)
        x, nit, nf, ng, status = by_newton(
            pair, product, x, xtol, most, c1, c2, 2 if hess is None and hessp is None else 0, tell
        )
    return x, nit, nf + ng * each, ng, status, reason


def _products(pair: Sloped, args: Any, hess: Any, hessp: Any,
              eps: float) -> Callable[[Vector, Vector], Vector]:  # fmt: skip
    """Return the function that gives products with the Hessian."""
    given = args if isinstance(args, tuple) else (args,)
    if hess is not None:
        return lambda x, p: np.asarray(hess(x, *given)) @ p
    if hessp is not None:
        return lambda x, p: np.asarray(hessp(x, p, *given))
    return lambda x, p: (pair(x + eps * p)[1] - pair(x)[1]) / eps


def _by_simplex(f: Function, x: Vector, tol: Any, options: Any, low: Any, high: Any,
                tell: Told) -> Found:  # fmt: skip
    near = 1e-4 if tol is None else tol
    rounds, most = _option(options, "maxiter", None), _option(options, "maxfev", None)
    many = 200 * x.size if rounds is None and most is None else np.inf
    return _simplex(
        f, x, _option(options, "xatol", near), _option(options, "fatol", near),
        many if rounds is None else rounds, many if most is None else most,
        _option(options, "adaptive", False), low, high, tell,
    )  # fmt: skip
