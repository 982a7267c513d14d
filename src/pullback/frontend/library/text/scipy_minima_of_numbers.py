"""``minimize_scalar`` of ``scipy.optimize`` as plain Python that the front end compiles: R. P.
Brent, *Algorithms for Minimization Without Derivatives* (1973), chapter 5, between bounds or from a
bracket that is searched for by parabolas; and the golden section (J. Kiefer, 1953).

The place is the value that the iteration gives. Its derivative is that of the minimum, the place
where the slope is 0, or that of the bound on which it lies.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant, least_of, with_slope
from pullback.frontend.library.text_helpers import unsupported

Real = Any
Function = Callable[[Real], Real]
Bracket = tuple[float, float, float, float, float, float, int, bool]
"""Three places, the values there, how often the function was called, and whether the one in the
middle is the lowest."""
Found = tuple[float, int, int]
"""The place, the number of rounds, how often the function was called."""


class ScalarResult:
    """What ``minimize_scalar`` gives."""

    def __init__(
        self, x: float, fun: Function, nit: int, nfev: int, status: int, method: str, tol: float
    ) -> None:
        self.x = x
        self.nit = nit
        self.nfev = nfev
        self.success = status == 0
        self._status = status
        self._objective = fun
        self._method = method
        self._tol = tol

    @property
    def fun(self) -> float:
        """The value at the minimum."""
        y: float = self._objective(self.x)
        return y

    @property
    def status(self) -> int:
        """How the bounded method ended."""
        if self._method != "bounded":
            raise AttributeError("status")
        return self._status

    @property
    def message(self) -> str:
        """How it ended."""
        if self._status == 3:
            return (
                "The algorithm terminated without finding a valid bracket. Consider trying "
                "different initial points."
            )
        if self._status == 2:
            return "NaN result encountered."
        if self._method == "bounded":
            if self._status == 0:
                return "Solution found."
            return "Maximum number of function calls reached."
        if self._status == 0:
            return (
                "\nOptimization terminated successfully;\nThe returned value satisfies the "
                f"termination criteria\n(using xtol = {self._tol} )"
            )
        return "\nMaximum number of iterations exceeded"

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def _searched(f: Function, a: float, b: float) -> Bracket:
    """Return three places, of which the middle one is the lowest."""
    f_a, f_b = f(a), f(b)
    if f_a < f_b:
        a, b, f_a, f_b = b, a, f_b, f_a
    c = b + 1.618034 * (b - a)
    f_c = f(c)
    calls, rounds, ended = 3, 0, False
    while f_c < f_b and not ended:
        s, t = (b - a) * (f_b - f_c), (b - c) * (f_b - f_a)
        below = 2e-21 if abs(t - s) < 1e-21 else 2.0 * (t - s)
        w = b - ((b - c) * t - (b - a) * s) / below
        limit = b + 110.0 * (c - b)
        if rounds > 1000:
            raise RuntimeError(
                "No valid bracket was found before the iteration limit was reached. Consider "
                "trying different initial points or increasing `maxiter`."
            )
        rounds += 1
        further = c + 1.618034 * (c - b)
        between = (w - c) * (b - w) > 0.0
        beyond = not between and (w - limit) * (limit - c) >= 0.0
        near = not between and not beyond and (w - limit) * (c - w) > 0.0
        if beyond:
            w = limit
        elif not between and not near:
            w = further
        f_w = f(w)
        calls += 1
        if between and f_w < f_c:
            a, f_a, b, f_b, ended = b, f_b, w, f_w, True
        elif between and f_w > f_b:
            c, f_c, ended = w, f_w, True
        elif between or (near and f_w < f_c):
            if not between:
                b, c, f_b, f_c, further = c, w, f_c, f_w, w + 1.618034 * (w - c)
            w = further
            f_w = f(w)
            calls += 1
        if not ended:
            a, b, c, f_a, f_b, f_c = b, c, w, f_b, f_c, f_w
    low = (f_b < f_c and f_b <= f_a) or (f_b < f_a and f_b <= f_c)
    finite = math.isfinite(a) and math.isfinite(b) and math.isfinite(c)
    ordered = a < b < c or c < b < a
    return a, b, c, f_a, f_b, f_c, calls, low and ordered and finite


def _lowest(a: float, b: float, c: float, f_a: float, f_b: float, f_c: float) -> float:
    """Return the best of three places."""
    if np.any(np.isnan(np.array([a, b, c, f_a, f_b, f_c]))):
        return math.nan
    if f_a <= f_b and f_a <= f_c:
        return a
    return b if f_b <= f_c else c


def _bracketed(f: Function, given: Any) -> Bracket:
    if given is None:
        return _searched(f, np.float64(0.0), np.float64(1.0))
    if len(given) == 2:
        return _searched(f, np.float64(given[0]), np.float64(given[1]))
    if len(given) != 3:
        raise ValueError("Bracketing interval must be length 2 or 3 sequence.")
    a, b, c = 1.0 * given[0], 1.0 * given[1], 1.0 * given[2]
    if a > c:
        a, c = c, a
    if not (a < b and b < c):
        raise ValueError(
            "Bracketing values (xa, xb, xc) do not fulfill this requirement: (xa < xb) and "
            "(xb < xc)"
        )
    f_a, f_b, f_c = f(a), f(b), f(c)
    if not (f_b < f_a and f_b < f_c):
        raise ValueError(
            "Bracketing values (xa, xb, xc) do not fulfill this requirement: (f(xb) < f(xa)) and "
            "(f(xb) < f(xc))"
        )
    return a, b, c, f_a, f_b, f_c, 3, True


def _brent(f: Function, a: float, b: float, x: float, fx: float, rtol: float, atol: float,
           golden: float, rounds: int, bounded: bool) -> Found:  # fmt: skip
    """Brent's method: the least of a parabola, or the golden section. Only between bounds NaN is
    worse than any value."""
    w = v = x
    f_w = f_v = fx
    step = before = 0.0
    for k in range(rounds):
        near, middle = rtol * abs(x) + atol, 0.5 * (a + b)
        if not abs(x - middle) > 2.0 * near - 0.5 * (b - a):
            return x, k, k
        bent = False
        if abs(before) > near:
            r, q = (x - w) * (fx - f_v), (x - v) * (fx - f_w)
            p, q = (x - v) * q - (x - w) * r, 2.0 * (q - r)
            p, q = (-p if q > 0.0 else p), abs(q)
            last, before = before, step
            if q * (a - x) < p < q * (b - x) and abs(p) < abs(0.5 * q * last):
                bent, step = True, p / q
                u = x + step
                if u - a < 2.0 * near or b - u < 2.0 * near:
                    step = near if middle - x >= 0.0 else -near
        if not bent:
            before = a - x if x >= middle else b - x
            step = golden * before
        u = x + (step if abs(step) >= near else near if step >= 0.0 else -near)
        f_u = f(u)
        if f_u > fx or (bounded and f_u != f_u):
            a, b = (u, b) if u < x else (a, u)
            if f_u <= f_w or w == x:
                v, f_v, w, f_w = w, f_w, u, f_u
            elif f_u <= f_v or v in (x, w):
                v, f_v = u, f_u
        else:
            a, b = (x, b) if u >= x else (a, x)
            v, f_v, w, f_w, x, fx = w, f_w, x, fx, u, f_u
    return x, rounds, rounds


def _divided(f: Function, a: float, b: float, c: float, tol: float, rounds: int) -> Found:
    """The golden section."""
    large = 0.61803399
    small = 1.0 - large
    x0, x1, x2, x3 = a, b, b + small * (c - b), c
    if not abs(c - b) > abs(b - a):
        x1, x2 = b - small * (b - a), b
    f1, f2 = f(x1), f(x2)
    done = rounds
    for k in range(rounds):
        if abs(x3 - x0) <= tol * (abs(x1) + abs(x2)):
            done = k
            break
        left = not f2 < f1
        if left:
            x1, x2, x3, f2 = large * x1 + small * x0, x1, x2, f1
        else:
            x0, x1, x2, f1 = x1, x2, large * x2 + small * x3, f2
        new = f(x1 if left else x2)
        f1, f2 = (new, f2) if left else (f1, new)
    return (x1 if f1 < f2 else x2), done, done + 2


def _from_bracket(f: Function, bracket: Any, method: str, tol: float,
                  rounds: int) -> tuple[float, int, int, int]:  # fmt: skip
    """Return the minimum, the numbers of rounds and calls, and how it ended."""
    known = constant(f)
    a, b, c, f_a, f_b, f_c, calls, proved = _bracketed(known, constant(bracket))
    if not proved:
        x, nit, more = _lowest(a, b, c, f_a, f_b, f_c), 0, 0
    elif method == "golden":
        x, nit, more = _divided(known, a, b, c, tol, rounds)
    else:
        a, c = (a, c) if a < c else (c, a)
        x, nit, more = _brent(known, a, c, b, f_b, tol, 1e-11, 0.3819660, rounds, False)
    status = 2 if np.isnan(x) or np.isnan(known(x)) else 1 if nit >= rounds else 0
    status = status if proved else 3
    near = 1e-4 * (abs(x) + abs(c - a)) + 10.0 * constant(tol)
    return least_of(f, x, near), nit, calls + more, status


def _at_bound(f: Function, x: float, low: float, high: float, near: float) -> int:
    """Return on which bound the minimum lies: -1, 1, or 0 if on none. The search never asks for
    the value at a bound; it ends beside it."""
    slope = with_slope(f)
    if x - low <= near:
        return -1 if slope(low)[1] > 0.0 else 0
    if high - x <= near:
        return 1 if slope(high)[1] < 0.0 else 0
    return 0


def _within(f: Function, low: float, high: float, tol: float,
            rounds: int) -> tuple[float, int, int]:  # fmt: skip
    """Return the minimum between bounds, how often the function was called, how it ended."""
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError("Optimization bounds must be finite scalars.")
    if low > high:
        raise ValueError("The lower bound exceeds the upper bound.")
    known, a, b = constant(f), constant(np.float64(low)), constant(np.float64(high))
    golden, most = 0.5 * (3.0 - np.sqrt(5.0)), max(rounds - 1, 1)
    start = a + golden * (b - a)
    x, nit, _ = _brent(
        known, a, b, start, known(start), math.sqrt(2.2e-16), tol / 3.0, golden, most, True
    )
    status = 2 if np.isnan(x) or np.isnan(known(x)) else 1 if nit >= most else 0
    side = _at_bound(known, x, a, b, 2.0 * (math.sqrt(2.2e-16) * abs(x) + tol))
    if side < 0:
        x += low - a
    elif side > 0:
        x += high - b
    else:
        x = least_of(f, x, 1e-4 * (abs(x) + b - a) + 10.0 * constant(tol))
    return x, nit + 1, status


def minimize_scalar(fun: Callable[..., Real], bracket: Any = None, bounds: Any = None,
                    args: Any = (), method: Any = None, tol: Any = None,
                    options: Any = None) -> ScalarResult:  # fmt: skip
    how = ("brent" if bounds is None else "bounded") if method is None else method.lower()
    given = args if isinstance(args, tuple) else (args,)
    for name in {} if options is None else options:
        if name not in ("maxiter", "xatol" if how == "bounded" else "xtol"):
            unsupported("minimize_scalar with this option", "take maxiter, xtol or xatol")
    most = options["maxiter"] if options is not None and "maxiter" in options else None

    def f(x: float) -> float:
        y: float = 1.0 * fun(x, *given)
        return y

    if how == "bounded":
        if bounds is None:
            raise ValueError("The `bounds` parameter is mandatory for method `bounded`.")
        near = 1e-5 if tol is None else tol
        if options is not None and "xatol" in options:
            near = options["xatol"]
        x, calls, status = _within(
            f, 1.0 * bounds[0], 1.0 * bounds[1], near, 500 if most is None else most
        )
        return ScalarResult(x, f, calls, calls, status, how, near)
    if how != "brent" and how != "golden":
        raise ValueError(f"Unknown solver {method}")
    if bounds is not None:
        raise ValueError(f"Use of `bounds` is incompatible with 'method={method}'.")
    near = (1.48e-8 if how == "brent" else math.sqrt(np.finfo(float).eps)) if tol is None else tol
    if options is not None and "xtol" in options:
        near = options["xtol"]
    rounds = (500 if how == "brent" else 5000) if most is None else most
    x, nit, calls, status = _from_bracket(f, bracket, how, near, rounds)
    return ScalarResult(x, f, nit, calls, status, how, near)
