"""Integrals of functions of ``scipy.integrate``, as plain Python that the front end compiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant
from pullback.frontend.library.text import quadrature
from pullback.frontend.library.text.weighted_integrals import weighted
from pullback.frontend.library.text_helpers import known, unsupported

Integrated = tuple[float, float]


def _transformed(g: Callable[[Any], Any], a: float, b: float) -> Callable[[Any], Any]:
    """Return the function whose integral from 0 to 1 is that between limits that are not finite."""

    def f(t: float) -> float:
        x = (1.0 - t) / t
        if a == -np.inf and b == np.inf:
            y = g(x) + g(-x)
        elif b == np.inf:
            y = g(a + x)
        else:
            y = g(b - x)
        z: float = y / t / t
        return z

    return f


def _between(g: Callable[[Any], Any], a: float, b: float, epsabs: float, epsrel: float,
             limit: int) -> Integrated:  # fmt: skip
    """Return the integral from a to b, where a < b."""
    finite = constant(a) != -np.inf and constant(b) != np.inf
    start, end = (a, b) if finite else (0.0, 1.0)
    h = _transformed(g, a, b)

    def f(x: float) -> float:
        y: float = g(x) if finite else h(x)
        return y

    value, error, status = quadrature.integral(f, start, end, finite, epsabs, epsrel, limit)
    if status == 6:
        if epsabs <= 0.0:
            raise ValueError(
                "If 'epsabs'<=0, 'epsrel' must be greater than both 5e-29 and 50*(machine epsilon)."
            )
        raise ValueError("Invalid 'limit' argument. There must be at least one subinterval")
    return value, error


def quad(func: Callable[..., Any], a: float, b: float, args: Any = (), full_output: int = 0,
         epsabs: float = 1.49e-8, epsrel: float = 1.49e-8, limit: int = 50, points: Any = None,
         weight: Any = None, wvar: Any = None, wopts: Any = None, maxp1: int = 50,
         limlst: int = 50, complex_func: bool = False) -> Any:  # fmt: skip
    if weight is not None and (points is not None or known(complex_func) or wopts is not None):
        unsupported("quad with a weight and points, wopts or complex_func", "leave them away")
    if known(complex_func):
        given = args if isinstance(args, tuple) else (args,)
        real, error = quad(lambda x: np.real(func(x, *given)), a, b, (), full_output, epsabs,
                           epsrel, limit, points)  # fmt: skip
        imag, other = quad(lambda x: np.imag(func(x, *given)), a, b, (), full_output, epsabs,
                           epsrel, limit, points)  # fmt: skip
        return real + 1j * imag, error + 1j * other
    if known(full_output):
        unsupported("quad with full_output", "leave it away")
    given = args if isinstance(args, tuple) else (args,)

    def g(x: float) -> float:
        return np.float64(func(float(x), *given))

    low, high = np.float64(min(a, b)), np.float64(max(a, b))
    sign = -1.0 if b < a else 1.0
    if weight is not None:

        def over(f: Callable[[Any], Any], start: float, end: float) -> Any:
            return _between(f, start, end, epsabs, epsrel, limit)[0]

        numbers = (epsabs, epsrel, limit, maxp1, limlst)
        value, error = weighted(g, low, high, weight, wvar, numbers, over)
        return float(sign * value), error
    if low == high:
        if np.isinf(low):
            return 0.0, 0.0
        y = g(low)
        return float((high - low) * y if np.isfinite(y) else 0.0 * high), 0.0
    if points is None:
        value, error = _between(g, low, high, epsabs, epsrel, limit)
        return float(sign * value), float(error)
    if np.isinf(low) or np.isinf(high):
        raise ValueError("Infinity inputs cannot be used with break points.")
    inner = np.sort(np.ravel(np.asarray(points)))
    start: float = low
    total, estimate = 0.0 * high, 0.0
    for k in range(inner.size + 1):
        end = high if k == inner.size else inner[k]
        if start < end <= high:
            value, error = _between(g, start, end, epsabs / (inner.size + 1), epsrel, limit)
            total, estimate, start = total + value, estimate + error, 1.0 * end
    return float(sign * total), float(estimate)


def _limit(given: Any, *at: Any) -> Any:
    """Return a limit, or both, that may depend on the variables outside."""
    if isinstance(given, (tuple, list, np.ndarray)):
        return given
    return given(*at) if callable(given) else given


def _nested(inner: Callable[[float], Integrated], a: float, b: float, epsabs: float,
            epsrel: float) -> Integrated:  # fmt: skip
    """Return the integral of integrals, and the largest of the errors."""
    worst = np.zeros(1)

    def f(x: float) -> float:
        value, error = inner(x)
        worst[0] = max(worst[0], constant(error))
        return value

    value, error = quad(f, a, b, (), 0, epsabs, epsrel)
    return value, float(max(worst[0], error))


def dblquad(func: Callable[..., Any], a: float, b: float, gfun: Any, hfun: Any, args: Any = (),
            epsabs: float = 1.49e-8, epsrel: float = 1.49e-8) -> Integrated:  # fmt: skip
    def inner(x: float) -> Integrated:
        low, high = _limit(gfun, x), _limit(hfun, x)
        found: Integrated = quad(func, low, high, (x, *args), 0, epsabs, epsrel)
        return found

    return _nested(inner, a, b, epsabs, epsrel)


def tplquad(func: Callable[..., Any], a: float, b: float, gfun: Any, hfun: Any, qfun: Any,
            rfun: Any, args: Any = (), epsabs: float = 1.49e-8,
            epsrel: float = 1.49e-8) -> Integrated:  # fmt: skip
    def middle(x: float) -> Integrated:
        def inner(y: float) -> Integrated:
            low, high = _limit(qfun, x, y), _limit(rfun, x, y)
            found: Integrated = quad(func, low, high, (y, x, *args), 0, epsabs, epsrel)
            return found

        return _nested(inner, _limit(gfun, x), _limit(hfun, x), epsabs, epsrel)

    return _nested(middle, a, b, epsabs, epsrel)


def _option(opts: Any, k: int, name: str, default: Any, *at: Any) -> Any:
    """Return an option of the integral over a variable, which may depend on those outside."""
    if opts is None:
        return default
    mine = opts if isinstance(opts, dict) else _limit(opts[known(k)], *at)
    for key in mine:
        if key not in ("epsabs", "epsrel", "limit", "points"):
            unsupported("nquad with this option", "epsabs, epsrel, limit or points")
    return mine.get(name, default)


def nquad(func: Callable[..., Any], ranges: Any, args: Any = None, opts: Any = None,
          full_output: bool = False) -> Integrated:  # fmt: skip
    if full_output:
        unsupported("nquad with full_output", "leave it away")
    given = () if args is None else args if isinstance(args, tuple) else (args,)
    def over(k: int, f: Any, at: Any, more: Any) -> Integrated:
        """Integrate over a variable."""
        low, high = _limit(ranges[known(k)], *at)
        found: Integrated = quad(
            f, low, high, more, 0, _option(opts, k, "epsabs", 1.49e-8, *at),
            _option(opts, k, "epsrel", 1.49e-8, *at), _option(opts, k, "limit", 50, *at),
            _option(opts, k, "points", None, *at),
        )  # fmt: skip
        return found

    if len(ranges) == 1:
        return over(0, func, given, given)
    if len(ranges) > 3:
        unsupported("nquad of more than three variables", "integrate the inner ones by nquad")

    def around(k: int, inner: Callable[[float], Integrated], *at: Any) -> Integrated:
        """Return the integral of integrals, and the largest of the errors."""
        worst = np.zeros(1)

        def f(x: float) -> float:
            value, error = inner(x)
            worst[0] = max(worst[0], constant(error))
            return value

        value, error = over(k, f, at, ())
        return value, float(max(worst[0], error))

    def second(*outer: float) -> Integrated:
        def first(y: float) -> Integrated:
            return over(0, func, (y, *outer, *given), (y, *outer, *given))

        return around(1, first, *outer, *given)

    return second() if len(ranges) == 2 else around(2, second, *given)


def fixed_quad(func: Callable[..., Any], a: float, b: float, args: Any = (),
               n: int = 5) -> tuple[Any, None]:  # fmt: skip
    if np.isinf(a) or np.isinf(b):
        raise ValueError("Gaussian quadrature is only available for finite limits.")
    x, w = np.polynomial.legendre.leggauss(n)
    y = (b - a) * (x + 1.0) / 2.0 + a
    return (b - a) / 2.0 * np.sum(w * func(y, *args), axis=-1), None


Vectors = tuple[Any, float, float]
"""The integral of a function that gives a number or an array, its error, and what rounding adds."""


def _size(y: Any, norm: Any) -> float:
    """The norm of an array of any rank, or of a number."""
    v = np.ravel(np.asarray(constant(y)))
    if norm is None or norm == "max":
        m: float = np.max(np.abs(v))
        return m
    n: float = np.sqrt(np.sum(v * v))
    return n


def _vectors(f: Callable[[float], Any], a: float, b: float, norm: Any, finite: bool) -> Vectors:
    """Return the integral over an interval, by the rule of 21 points, or that of 15."""
    nodes = quadrature.NODES_21 if finite else quadrature.NODES_15
    weights = quadrature.WEIGHTS_21 if finite else quadrature.WEIGHTS_15
    gauss = quadrature.GAUSS_10 if finite else quadrature.GAUSS_7
    middle, half = 0.5 * (a + b), 0.5 * (b - a)
    y = np.array([f(middle + half * x) for x in nodes])
    mean, still = np.tensordot(weights, y, 1), constant(y)
    h = constant(half)
    error = _size((constant(mean) - np.tensordot(gauss, still, 1)) * h, norm)
    spread = _size(np.tensordot(weights, np.abs(still - 0.5 * constant(mean)), 1) * h, norm)
    if spread != 0.0 and error != 0.0:
        error = spread * min(1.0, (200.0 * error / spread) ** 1.5)
    rounding = _size(50.0 * 2.220446049250313e-16 * h * np.tensordot(weights, np.abs(still), 1),
                     norm)  # fmt: skip
    return half * mean, max(error, rounding), rounding


def quad_vec(f: Callable[..., Any], a: float, b: float, epsabs: float = 1e-200,
             epsrel: float = 1e-8, norm: Any = "2", cache_size: float = 100e6, limit: int = 10000,
             workers: int = 1, points: Any = None, quadrature: Any = None, *,
             args: Any = ()) -> tuple[Any, float]:  # fmt: skip
    if quadrature is not None or points is not None:
        unsupported("quad_vec with points or a quadrature", "one call for each part")
    given = args if isinstance(args, tuple) else (args,)
    finite = np.isfinite(constant(a)) and np.isfinite(constant(b))
    both = np.isinf(constant(a)) and np.isinf(constant(b))

    def g(t: float) -> Any:
        if finite:
            return f(float(t), *given)
        if both:
            x = (1.0 - abs(t)) / t
            return f(float(x), *given) / t**2
        x = (1.0 - t) / t
        if np.isinf(b):
            return f(float(a + x if b > 0.0 else a - x), *given) / t**2
        return f(float(b - x if a < 0.0 else b + x), *given) / t**2

    start, end = (a, b) if finite else (-1.0, 1.0) if both else (0.0, 1.0)
    sign = 1.0 if finite or a < b else -1.0
    cuts = np.array([start, 0.0, end]) if both else np.array([start, end])
    total, error = _in_rounds(g, cuts, epsabs, epsrel, norm, limit, finite)
    return sign * total, error


def _in_rounds(g: Callable[[float], Any], cuts: Any, epsabs: float, epsrel: float, norm: Any,
               limit: int, finite: bool) -> tuple[Any, float]:  # fmt: skip
    """Return the integral and its error: the worst intervals are halved, many in each round."""
    low, high, values, errors = [cuts[0]], [cuts[1]], [0.0 * g(0.5 * (cuts[0] + cuts[1]))], [0.0]
    total, error, rounding = values[0], 0.0, 0.0
    for k in range(cuts.size - 1):
        value, off, more = _vectors(g, cuts[k], cuts[k + 1], norm, finite)
        total, error, rounding = total + value, error + off, rounding + more
        if k > 0:
            low.append(cuts[k])
            high.append(cuts[k + 1])
            values.append(value)
            errors.append(off)
        else:
            values[0], errors[0] = value, off
    going = True
    while going and len(errors) < limit:
        wanted = max(epsabs, epsrel * _size(total, norm)) / 8.0
        order, taken = np.argsort(-np.array(errors)), 0.0
        for j in range(min(128, len(order))):
            if j > 0 and taken > error - wanted:
                break
            k = order[j]
            left, right, before = low[k], high[k], errors[k]
            middle = 0.5 * (left + right)
            taken += before
            first, off1, more1 = _vectors(g, left, middle, norm, finite)
            second, off2, more2 = _vectors(g, middle, right, norm, finite)
            total = total + (first + second - values[k])
            error += off1 + off2 - before
            rounding += more1 + more2
            high[k], values[k], errors[k] = middle, first, off1
            low.append(middle)
            high.append(right)
            values.append(second)
            errors.append(off2)
        wanted = max(epsabs, epsrel * _size(total, norm)) / 8.0
        going = error >= wanted and error >= rounding and np.isfinite(error + rounding)
    return total, error + rounding
