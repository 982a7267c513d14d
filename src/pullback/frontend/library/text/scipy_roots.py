"""Roots of functions of one number, of ``scipy.optimize``, as plain Python that the front end
compiles: R. P. Brent, *Algorithms for Minimization Without Derivatives* (1973), chapter 4; C. J. F.
Ridders, "A new algorithm for computing a single root of a real continuous function" (1979); and
the methods of Newton, Halley and the secant.

The root is the value that the iteration gives. Its derivative is that of the equation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant, root_of
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.domains import Vector
from pullback.frontend.library.text.solver_answers import answered, packed
from pullback.frontend.library.text_helpers import unsupported

Real = Any
Found = tuple[float, int, int, bool]
"""A root, how often the function was called, the number of rounds, whether it is one."""

_LEAST = 4.0 * float(np.finfo(float).eps)
_STEP = float(np.finfo(float).eps) ** 0.5


class RootResults:
    """What ``full_output`` and ``root_scalar`` give."""

    def __init__(
        self, root: float, iterations: int, function_calls: int, converged: bool, method: str
    ) -> None:
        self.root = root
        self.iterations = iterations
        self.function_calls = function_calls
        self.converged = converged
        self.flag = "converged" if converged else "convergence error"
        self.method = method

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def _of_one(f: Callable[..., Real], args: Any) -> Callable[[Real], Real]:
    """Return the function of one number."""
    if not isinstance(args, tuple):
        return lambda x: f(x, args)
    return lambda x: f(x, *args)


def _value(g: Callable[[Real], Real], x: float) -> float:
    y: float = g(x)
    if np.isnan(y):
        raise ValueError(f"The function value at x={x} is NaN; solver cannot continue.")
    return y


def _negative(x: float) -> bool:
    return math.copysign(1.0, x) < 0.0


def _require_signs(f: float, g: float) -> None:
    if _negative(f) == _negative(g):
        raise ValueError("f(a) and f(b) must have different signs")


def _brent(g: Callable[[Real], Real], a: float, b: float, xtol: float, rtol: float, rounds: int,
           hyperbolic: bool) -> Found:  # fmt: skip
    """Brent's method: inverse quadratic interpolation, or hyperbolic, or bisection."""
    last, x = a, b
    f_last, f = _value(g, last), _value(g, x)
    if f_last == 0.0:
        return last, 2, 0, True
    if f == 0.0:
        return x, 2, 0, True
    _require_signs(f_last, f)
    other, f_other, before, step = last, f_last, x - last, x - last
    for k in range(rounds):
        if f_last != 0.0 and f != 0.0 and _negative(f_last) != _negative(f):
            other, f_other = last, f_last
            before = step = x - last
        if abs(f_other) < abs(f):
            last, x, other = x, other, x
            f_last, f, f_other = f, f_other, f
        delta = (xtol + rtol * abs(x)) / 2.0
        half = (other - x) / 2.0
        if f == 0.0 or abs(half) < delta:
            return x, k + 2, k + 1, True
        if abs(before) > delta and abs(f) < abs(f_last):
            trial = _interpolated(last, x, other, f_last, f, f_other, hyperbolic)
            if 2.0 * abs(trial) < min(abs(before), 3.0 * abs(half) - delta):
                before, step = step, trial
            else:
                before = step = half
        else:
            before = step = half
        last, f_last = x, f
        if abs(step) > delta:
            x += step
        else:
            x += delta if half > 0.0 else -delta
        f = _value(g, x)
    return x, rounds + 2, rounds, False


def _interpolated(last: float, x: float, other: float, f_last: float, f: float, f_other: float,
                  hyperbolic: bool) -> float:  # fmt: skip
    if last == other:
        return -f * (x - last) / (f - f_last)
    d_last = (f_last - f) / (last - x)
    d_other = (f_other - f) / (other - x)
    if hyperbolic:
        return -f * (f_other - f_last) / (f_other * d_last - f_last * d_other)
    return -f * (f_other * d_other - f_last * d_last) / (d_other * d_last * (f_other - f_last))


def _halved(g: Callable[[Real], Real], a: float, b: float, xtol: float, rtol: float,
            rounds: int) -> Found:  # fmt: skip
    f_a, f_b = _value(g, a), _value(g, b)
    if f_a == 0.0:
        return a, 2, 0, True
    if f_b == 0.0:
        return b, 2, 0, True
    _require_signs(f_a, f_b)
    step, x = b - a, a
    for k in range(rounds):
        step *= 0.5
        middle = x + step
        f = _value(g, middle)
        if _negative(f) == _negative(f_a):
            x = middle
        if f == 0.0 or abs(step) < xtol + rtol * abs(middle):
            return middle, k + 3, k + 1, True
    return x, rounds + 2, rounds, False


def _ridders(g: Callable[[Real], Real], a: float, b: float, xtol: float, rtol: float,
             rounds: int) -> Found:  # fmt: skip
    tol = xtol + rtol * min(abs(a), abs(b))
    f_a, f_b = _value(g, a), _value(g, b)
    if f_a == 0.0:
        return a, 2, 0, True
    if f_b == 0.0:
        return b, 2, 0, True
    _require_signs(f_a, f_b)
    x = 0.0
    for k in range(rounds):
        half = 0.5 * (b - a)
        middle = a + half
        f_m = _value(g, middle)
        sign = 1.0 if f_b - f_a > 0.0 else -1.0
        step = sign * half * f_m / math.sqrt(f_m * f_m - f_a * f_b)
        sign = 1.0 if step > 0.0 else -1.0
        x = middle - sign * min(abs(step), abs(half) - 0.5 * tol)
        f = _value(g, x)
        if _negative(f) != _negative(f_m):
            a, f_a, b, f_b = x, f, middle, f_m
        elif _negative(f) != _negative(f_a):
            b, f_b = x, f
        else:
            a, f_a = x, f
        tol = xtol + rtol * abs(x)
        if f == 0.0 or abs(b - a) < tol:
            return x, 2 * k + 4, k + 1, True
    return x, 2 * rounds + 2, rounds, False


def _bracketed(method: str, f: Callable[..., Real], a: float, b: float, args: Any, xtol: float,
               rtol: float, maxiter: int) -> Found:  # fmt: skip
    """Return the root between two points; the values go through SciPy's C code as floats."""
    one = _of_one(f, args)

    def g(x: float) -> float:
        return float(one(x))

    if xtol <= 0.0:
        raise ValueError(f"xtol too small ({xtol:g} <= 0)")
    if rtol < _LEAST:
        raise ValueError(f"rtol too small ({rtol:g} < {_LEAST:g})")
    known, low, high = constant(g), constant(float(a)), constant(float(b))
    if method == "bisect":
        x, calls, rounds, converged = _halved(known, low, high, xtol, rtol, maxiter)
    elif method == "ridder":
        x, calls, rounds, converged = _ridders(known, low, high, xtol, rtol, maxiter)
    else:
        hyperbolic = method == "brenth"
        x, calls, rounds, converged = _brent(known, low, high, xtol, rtol, maxiter, hyperbolic)
    return _root(g, x, xtol), calls, rounds, converged


def _root(g: Callable[[float], float], x: float, tol: float) -> Any:
    """Return a place where a function is 0. Where it jumps there is no derivative: a step of
    Newton's method is longer than what the search leaves open then."""
    return root_of(g, x, tol + _OPEN * (1.0 + abs(x)))


_OPEN = 1e-6


def _told(found: Found, method: str, full_output: bool, disp: bool) -> Any:
    """Return the root, as it was asked for."""
    x, calls, rounds, converged = found
    if disp and not converged:
        raise RuntimeError(f"Failed to converge after {rounds} iterations.")
    return (x, RootResults(x, rounds, calls, converged, method)) if full_output else x


def brentq(f: Callable[..., Real], a: float, b: float, args: Any = (), xtol: float = 2e-12,
           rtol: float = 8.881784197001252e-16, maxiter: int = 100, full_output: bool = False,
           disp: bool = True) -> Any:  # fmt: skip
    found = _bracketed("brentq", f, a, b, args, xtol, rtol, maxiter)
    return _told(found, "brentq", full_output, disp)


def brenth(f: Callable[..., Real], a: float, b: float, args: Any = (), xtol: float = 2e-12,
           rtol: float = 8.881784197001252e-16, maxiter: int = 100, full_output: bool = False,
           disp: bool = True) -> Any:  # fmt: skip
    found = _bracketed("brenth", f, a, b, args, xtol, rtol, maxiter)
    return _told(found, "brenth", full_output, disp)


def ridder(f: Callable[..., Real], a: float, b: float, args: Any = (), xtol: float = 2e-12,
           rtol: float = 8.881784197001252e-16, maxiter: int = 100, full_output: bool = False,
           disp: bool = True) -> Any:  # fmt: skip
    found = _bracketed("ridder", f, a, b, args, xtol, rtol, maxiter)
    return _told(found, "ridder", full_output, disp)


def bisect(f: Callable[..., Real], a: float, b: float, args: Any = (), xtol: float = 2e-12,
           rtol: float = 8.881784197001252e-16, maxiter: int = 100, full_output: bool = False,
           disp: bool = True) -> Any:  # fmt: skip
    found = _bracketed("bisect", f, a, b, args, xtol, rtol, maxiter)
    return _told(found, "bisect", full_output, disp)


def _by_748(f: Callable[..., Real], a: float, b: float, args: Any, k: int, xtol: float,
            rtol: float, maxiter: int) -> Found:  # fmt: skip
    """Return the root that SciPy finds by Algorithm 748."""
    g = _of_one(f, args)

    def answer(kind: int, x: Vector) -> Vector:
        return np.array([1.0 * g(x[0])])

    given = packed((float(a), float(b), k, xtol, rtol, maxiter))
    found = answered(described("toms748"), constant(given), constant(answer))
    return _root(g, found[0], xtol), int(found[1]), int(found[2]), found[3] == 1.0


def toms748(f: Callable[..., Real], a: float, b: float, args: Any = (), k: int = 1,
            xtol: float = 2e-12, rtol: float = 8.881784197001252e-16, maxiter: int = 100,
            full_output: bool = False, disp: bool = True) -> Any:  # fmt: skip
    found = _by_748(f, a, b, args, k, xtol, rtol, maxiter)
    return _told(found, "toms748", full_output, disp)


def _is_close(a: float, b: float, tol: float, rtol: float) -> bool:
    return abs(a - b) <= tol + rtol * abs(b) or a == b


def _newton(g: Callable[[Real], Real], slope: Callable[[Real], Real],
            second: Callable[[Real], Real] | None, x: float, tol: float, rtol: float,
            rounds: int, disp: bool) -> Found:  # fmt: skip
    """The methods of Newton and Halley."""
    each, calls = 2 if second is None else 3, 0
    for k in range(rounds):
        f = g(x)
        if f == 0.0:
            return x, calls + 1, k, True
        d = slope(x)
        if d == 0.0:
            if disp:
                raise RuntimeError(
                    f"Derivative was zero. Failed to converge after {k + 1} iterations, value is "
                    f"{x}."
                )
            return x, calls + 2, k + 1, False
        step = f / d
        if second is not None:
            bent = step * second(x) / d / 2.0
            if abs(bent) < 1.0:
                step = step / (1.0 - bent)
        calls += each
        after = x - step
        if _is_close(after, x, tol, rtol):
            return after, calls, k + 1, True
        x = after
    return _missed(x, calls, rounds, disp)


def _missed(x: float, calls: int, rounds: int, disp: bool) -> Found:
    if disp:
        raise RuntimeError(f"Failed to converge after {rounds} iterations, value is {x}.")
    return x, calls, rounds, False


def _secant(g: Callable[[Real], Real], x: float, x1: float | None, tol: float, rtol: float,
            rounds: int, disp: bool) -> Found:  # fmt: skip
    last = x
    if x1 is not None:
        if x1 == x:
            raise ValueError("x1 and x0 must be different")
        p: float = np.float64(x1)
    else:
        p = x * (1.0 + 1e-4)
        p += 1e-4 if p >= 0.0 else -1e-4
    f_last, f = g(last), g(p)
    if abs(f) < abs(f_last):
        last, p, f_last, f = p, last, f, f_last
    for k in range(rounds):
        if f == f_last:
            if p != last and disp:
                raise RuntimeError(
                    f"Tolerance of {p - last} reached. Failed to converge after {k + 1} "
                    f"iterations, value is {p}."
                )
            return (p + last) / 2.0, k + 2, k + 1, False
        if abs(f) > abs(f_last):
            after = (-f_last / f * p + last) / (1.0 - f_last / f)
        else:
            after = (-f / f_last * last + p) / (1.0 - f / f_last)
        if _is_close(after, p, tol, rtol):
            return after, k + 2, k + 1, True
        last, f_last = p, f
        p = after
        f = g(p)
    return _missed(p, rounds + 2, rounds, disp)


def _from_point(func: Callable[..., Real], x0: Any, fprime: Any, args: Any, tol: float,
                maxiter: int, fprime2: Any, x1: Any, rtol: float, disp: bool) -> Found:  # fmt: skip
    """Return the root that is found from a starting point."""
    if np.ndim(x0) > 0:
        unsupported(
            "newton from an array of points", "call it for each of them, in a comprehension"
        )
    if np.asarray(x0).dtype == np.float32:
        unsupported("newton in float32", "convert the starting point to float64")
    if tol <= 0.0:
        raise ValueError(f"tol too small ({tol:g} <= 0)")
    if maxiter < 1:
        raise ValueError("maxiter must be greater than 0")
    g, start = _of_one(func, args), constant(np.float64(x0))
    known = constant(g)
    if fprime is None:
        second_point = None if x1 is None else constant(1.0 * x1)
        x, calls, rounds, converged = _secant(known, start, second_point, tol, rtol, maxiter, disp)
    else:
        slope = constant(_of_one(fprime, args))
        second = None if fprime2 is None else constant(_of_one(fprime2, args))
        x, calls, rounds, converged = _newton(
            known, slope, second, start, tol, rtol, maxiter, disp
        )
    return _root(g, x, tol), calls, rounds, converged


def newton(func: Callable[..., Real], x0: float, fprime: Any = None, args: Any = (),
           tol: float = 1.48e-08, maxiter: int = 50, fprime2: Any = None, x1: Any = None,
           rtol: float = 0.0, full_output: bool = False, disp: bool = True) -> Any:  # fmt: skip
    x, calls, rounds, converged = _from_point(
        func, x0, fprime, args, tol, maxiter, fprime2, x1, rtol, disp
    )
    if not full_output:
        return x
    method = "secant" if fprime is None else "newton" if fprime2 is None else "halley"
    return x, RootResults(x, rounds, calls, converged, method)


def root_scalar(f: Callable[..., Real], args: Any = (), method: str | None = None,
                bracket: Any = None, fprime: Any = None, fprime2: Any = None, x0: Any = None,
                x1: Any = None, xtol: Any = None, rtol: Any = None,
                maxiter: Any = None) -> RootResults:  # fmt: skip
    if isinstance(fprime, bool) or isinstance(fprime2, bool):
        unsupported(
            "root_scalar of a function that returns its derivatives, too", "give f and fprime"
        )
    if method is None:
        if bracket is not None:
            how = "brentq"
        elif x0 is None:
            raise ValueError(
                "Unable to select a solver as neither bracket nor starting point provided."
            )
        elif fprime is not None:
            how = "newton" if fprime2 is None else "halley"
        else:
            how = "newton" if x1 is None else "secant"
    else:
        how = method.lower()
    if how == "toms748":
        if bracket is None:
            raise ValueError(f"Bracket needed for {method}")
        x, calls, rounds, converged = _by_748(
            f, bracket[0], bracket[1], args, 1, 2e-12 if xtol is None else xtol,
            _LEAST if rtol is None else rtol, 100 if maxiter is None else maxiter,
        )  # fmt: skip
        return RootResults(x, rounds, calls, converged, how)
    if how in ("brentq", "brenth", "ridder", "bisect"):
        if bracket is None:
            raise ValueError(f"Bracket needed for {method}")
        x, calls, rounds, converged = _bracketed(
            how, f, bracket[0], bracket[1], args, 2e-12 if xtol is None else xtol,
            _LEAST if rtol is None else rtol, 100 if maxiter is None else maxiter,
        )  # fmt: skip
        return RootResults(x, rounds, calls, converged, how)
    if how not in ("newton", "secant", "halley"):
        raise ValueError(f"Unknown solver {how}")
    if x0 is None:
        raise ValueError(f"x0 must not be None for {how}")
    if how == "halley":
        if fprime is None:
            raise ValueError("fprime must be specified for halley")
        if fprime2 is None:
            raise ValueError("fprime2 must be specified for halley")
    slope = None if how == "secant" else fprime
    if how == "newton" and fprime is None:
        slope = _differences(_of_one(f, args))
        args = args if isinstance(args, tuple) else (args,)
    x, calls, rounds, converged = _from_point(
        f, x0, slope, args, 1.48e-8 if xtol is None else xtol, 50 if maxiter is None else maxiter,
        fprime2 if how == "halley" else None, x1 if how == "secant" else None,
        0.0 if rtol is None else rtol, False,
    )  # fmt: skip
    return RootResults(x, rounds, calls, converged, how)


def _differences(g: Callable[[Real], Real]) -> Callable[..., Real]:
    """Return the slope by a difference."""

    def slope(x: float, *args: Any) -> float:
        h = _STEP * (1.0 if x >= 0.0 else -1.0) * max(1.0, abs(x))
        y: float = (g(x + h) - g(x)) / ((x + h) - x)
        return y

    return slope
