"""Functions of ``math`` on ints and on sequences, as plain Python that the front end compiles."""

from __future__ import annotations

import math
from collections.abc import Sequence


def power(base: int, exponent: int, one: int) -> int:
    """Return base ** exponent of NumPy's ints, which wraps; ``one`` is 1 of their type."""
    result = one
    while exponent > 0:
        if exponent % 2 == 1:
            result = result * base
        base = base * base
        exponent = exponent // 2
    return result


def power_modulo(base: int, exponent: int, modulus: int) -> int:
    """Return pow(base, exponent, modulus)."""
    if modulus == 0:
        raise ValueError("pow() 3rd argument cannot be 0")
    m = abs(modulus)
    square, rest = base % m, exponent
    if exponent < 0:
        square, rest = _inverse(base, m), -exponent
    result = 1 % m
    while rest > 0:
        if rest % 2 == 1:
            result = _product(result, square, m)
        square = _product(square, square, m)
        rest = rest // 2
    return result + modulus if modulus < 0 and result > 0 else result


def _product(a: int, b: int, m: int) -> int:
    """Return a * b % m of 0 <= a, b < m; by doublings where a * b may be no int of the run."""
    if m <= 3037000499:
        return a * b % m
    result = 0
    while b > 0:
        if b % 2 == 1:
            result = result - (m - a) if result >= m - a else result + a
        a = a - (m - a) if a >= m - a else a + a
        b = b // 2
    return result


def _inverse(a: int, m: int) -> int:
    """Return 1 / a modulo m, by Euclid's algorithm."""
    r, s = m, a % m
    x, y = 0, 1
    while s != 0:
        q = r // s
        r, s = s, r - q * s
        x, y = y, x - q * y
    if r != 1:
        raise ValueError("base is not invertible for the given modulus")
    return x % m


def factorial(n: int) -> int:
    """Return n!."""
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    result = 1
    for k in range(2, n + 1):
        result = result * k
    return result


def perm(n: int, k: int) -> int:
    """Return n (n-1) ... (n-k+1)."""
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    if k < 0:
        raise ValueError("k must be a non-negative integer")
    result = 1
    if k > n:
        return 0
    for i in range(k):
        result = result * (n - i)
    return result


def comb(n: int, k: int) -> int:
    """Return n over k: after i steps the product is itself a binomial coefficient, so it is
    whole."""
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    if k < 0:
        raise ValueError("k must be a non-negative integer")
    result = 1
    if k > n:
        return 0
    steps = min(k, n - k)
    for i in range(steps):
        common = gcd(result, i + 1)
        result = (result // common) * ((n - i) // ((i + 1) // common))
    return result


def gcd(a: int, b: int) -> int:
    """Return the greatest common divisor by Euclid's algorithm, with remainders of any sign: -(2 **
    63) has no absolute value."""
    while b != 0:
        a, b = b, a % b
    return abs(a)


def lcm(a: int, b: int) -> int:
    """The least common multiple."""
    if a == 0 or b == 0:
        return 0
    return abs(a // gcd(a, b) * b)


def isqrt(n: int) -> int:
    """Return the integer part of the square root; that of the float is wrong by one at most."""
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    root = min(int(math.sqrt(float(n))), 3037000499)
    if root * root > n:
        return root - 1
    if root < 3037000499 and (root + 1) * (root + 1) <= n:
        return root + 1
    return root


def dist(p: Sequence[float], q: Sequence[float]) -> float:
    """The Euclidean distance."""
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    total = 0.0
    for i in range(len(p)):
        total = math.hypot(total, 1.0 * p[i] - 1.0 * q[i])
    return total


def sumprod(p: Sequence[float], q: Sequence[float]) -> float:
    """The sum of products."""
    if len(p) != len(q):
        raise ValueError("Inputs are not the same length")
    return sum(p[i] * q[i] for i in range(len(p)))
