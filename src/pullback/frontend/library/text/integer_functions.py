"""Functions of ints and of the parts of floats, as plain Python that the front end compiles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array
from pullback.frontend.library.text_helpers import each, unsupported


def _ints(x: Array, name: str) -> Any:
    """Return the array, or the number as it is."""
    items = np.asarray(x)
    if items.dtype != np.int64 and items.dtype != np.int32:
        unsupported(f"np.{name} of other numbers than int64 and int32", "x.astype(int)")
    return x if np.ndim(x) == 0 else items


def gcd(x1: Array, x2: Array, /) -> Array:
    """Return the greatest common divisors."""
    first, second = _ints(x1, "gcd"), _ints(x2, "gcd")
    return _pairs(first, second, _gcd)


def lcm(x1: Array, x2: Array, /) -> Array:
    """Return the least common multiples."""
    first, second = _ints(x1, "lcm"), _ints(x2, "lcm")
    return _pairs(first, second, _lcm)


def _pairs(first: Array, second: Array, f: Any) -> Array:
    """Return what a function of two ints gives of all pairs of items."""
    both = first + second * 0
    others = second + first * 0
    if np.ndim(both) == 0:
        return np.asarray(f(both, others)).astype(np.asarray(both).dtype)[()]
    found = [f(a, b) for a, b in zip(np.ravel(both), np.ravel(others), strict=True)]
    return np.reshape(np.array(found), both.shape).astype(both.dtype)


def _gcd(a: Any, b: Any) -> Any:
    x, y = np.abs(a), np.abs(b)
    while y != 0:
        x, y = y, x % y
    return x


def _lcm(a: Any, b: Any) -> Any:
    divisor = _gcd(a, b)
    return a * 0 if divisor == 0 else np.abs(a // divisor * b)


def ldexp(x1: Array, x2: Array, /) -> Array:
    """Return x1 * 2**x2."""
    number = np.asarray(x1) * 1.0
    if number.dtype != np.float64:
        unsupported("np.ldexp of float32", "x * 2.0**n")
    if np.asarray(x2).dtype == np.float64 or np.asarray(x2).dtype == np.float32:
        raise TypeError(
            "ufunc 'ldexp' not supported for the input types, and the inputs could not be safely "
            "coerced to any supported types according to the casting rule ''safe''"
        )
    half = np.asarray(x2) // 2
    rest = np.asarray(x2) - half
    return number * np.exp2(half * 1.0) * np.exp2(rest * 1.0)


def frexp(x: Array, /) -> tuple[Array, Array]:
    """Return the numbers as m * 2**e, with m from 0.5 to 1; the exponents are of int32."""
    items = np.asarray(x) * 1.0
    if items.dtype != np.float64:
        unsupported("np.frexp of float32", "x.astype(float)")
    parts = each(lambda v: math.frexp(v)[0], items)
    exponents = each(lambda v: math.frexp(v)[1], items)
    if np.ndim(x) == 0:
        return np.float64(parts), np.int32(exponents)
    return parts, np.asarray(exponents).astype(np.int32)
