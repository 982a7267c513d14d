"""Python's complex numbers: operators, ``abs``, and the functions of ``cmath``.

Each function takes complex numbers as pairs of floats and returns such a pair (or a float, a bool).
Formulas are those of CPython, so that the last bit and the signs of zeros are Python's; but where
CPython takes the absolute value of a part that is 0 on the real line, the sign of the part is
multiplied in, since the derivative of an absolute value is 0 there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pullback.combinators import stop_gradient

Pair = tuple[Any, Any]
_LN2 = math.log(2.0)
_LN10 = math.log(10.0)
_LARGE = 1.7976931348623157e308 / 4.0
_SMALL = 2.2250738585072014e-308
_LOG_LARGE = math.log(_LARGE)


def add(a: Pair, b: Pair) -> Pair:
    return a[0] + b[0], a[1] + b[1]


def sub(a: Pair, b: Pair) -> Pair:
    return a[0] - b[0], a[1] - b[1]


def mul(a: Pair, b: Pair) -> Pair:
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def truediv(a: Pair, b: Pair) -> Pair:
    if abs(b[0]) >= abs(b[1]):
        if b[0] == 0.0:
            raise ZeroDivisionError("complex division by zero")
        ratio = b[1] / b[0]
        whole = b[0] + b[1] * ratio
        return (a[0] + a[1] * ratio) / whole, (a[1] - a[0] * ratio) / whole
    if abs(b[1]) >= abs(b[0]):
        ratio = b[0] / b[1]
        whole = b[0] * ratio + b[1]
        return (a[0] * ratio + a[1]) / whole, (a[1] * ratio - a[0]) / whole
    return math.nan, math.nan


def whole_power(a: Pair, n: int) -> Pair:
    """Return a ** n by products of squares, as CPython does for whole exponents up to 100."""
    return not_too_large(_product(a, n)) if n >= 0 else inverse(_product(a, -n))


def inverse(power: Pair) -> Pair:
    if power[0] == 0.0 and power[1] == 0.0:
        raise ZeroDivisionError("0.0 to a negative or complex power")
    return not_too_large(truediv((1.0, 0.0), power))


def not_too_large(power: Pair) -> Pair:
    if math.isinf(power[0]) or math.isinf(power[1]):
        raise OverflowError("complex exponentiation")
    return power


def _product(a: Pair, n: int) -> Pair:
    found, square, rest = (1.0, 0.0), a, n
    while rest > 0:
        if rest % 2 == 1:
            found = mul(found, square)
        rest = rest // 2
        if rest > 0:
            square = mul(square, square)
    return found


def pow(a: Pair, b: Pair) -> Pair:
    if b[1] == 0.0 and abs(b[0]) <= 100.0 and b[0] == math.floor(b[0]):
        found = whole_power(a, int(b[0]))
        if a[0] == 0.0 and a[1] == 0.0:
            return found
        smooth = _general_power(a, b)
        return _moving(found[0], smooth[0]), _moving(found[1], smooth[1])
    found = _general_power(a, b)
    if math.isinf(found[0]) or math.isinf(found[1]):
        raise OverflowError("complex exponentiation")
    return found


def _moving(x: float, like: float) -> float:
    """Return x (also if it is -0.0), with the derivative of what it is computed ``like``."""
    still = stop_gradient(like)
    return x - (still - like) if math.isfinite(still) else x


def int_power(a: Pair, n: int) -> Pair:
    if abs(n) <= 100:
        return whole_power(a, n)
    return pow(a, (float(n), 0.0))


def _general_power(a: Pair, b: Pair) -> Pair:
    """Return a ** b in polar form, by functions that do not raise: CPython looks at the result."""
    if b[0] == 0.0 and b[1] == 0.0:
        return 1.0, 0.0
    if a[0] == 0.0 and a[1] == 0.0:
        if b[1] != 0.0 or b[0] < 0.0:
            raise ZeroDivisionError("0.0 to a negative or complex power")
        return 0.0, 0.0
    size, turn = np.hypot(a[0], a[1]), math.atan2(a[1], a[0])
    length, angle = np.power(size, b[0]) / np.exp(turn * b[1]), turn * b[0]
    more = b[1] * np.log(size)
    angle = _moving(angle, more) if b[1] == 0.0 else angle + more
    if np.isinf(angle):
        raise ZeroDivisionError("0.0 to a negative or complex power")
    return float(length * np.cos(angle)), float(length * np.sin(angle))


def of_two(a: Pair, b: Pair) -> Pair:
    """Return ``complex(a, b)`` of complex numbers: a + b * 1j."""
    return a[0] - b[1], a[1] + b[0]


def absolute(z: Pair) -> float:
    found = math.hypot(z[0], z[1])
    if math.isinf(found) and math.isfinite(z[0]) and math.isfinite(z[1]):
        raise OverflowError("absolute value too large")
    return found


def conjugate(z: Pair) -> Pair:
    return z[0], -z[1]


def neg(z: Pair) -> Pair:
    return -z[0], -z[1]


def pos(z: Pair) -> Pair:
    return z


def equal(a: Pair, b: Pair) -> bool:
    return bool(a[0] == b[0] and a[1] == b[1])


def truth(z: Pair) -> bool:
    return bool(z[0] != 0.0 or z[1] != 0.0)


# --- cmath ---------------------------------------------------------------------------------------


def phase(z: Pair) -> float:
    return math.atan2(z[1], z[0])


def polar(z: Pair) -> tuple[float, float]:
    return absolute(z), math.atan2(z[1], z[0])


def rect(r: float, phi: float) -> Pair:
    if phi == 0.0:
        return r, r * phi
    return r * math.cos(phi), r * math.sin(phi)


def isnan(z: Pair) -> bool:
    return math.isnan(z[0]) or math.isnan(z[1])


def isinf(z: Pair) -> bool:
    return math.isinf(z[0]) or math.isinf(z[1])


def isfinite(z: Pair) -> bool:
    return math.isfinite(z[0]) and math.isfinite(z[1])


def isclose(a: Pair, b: Pair, rel_tol: float, abs_tol: float) -> bool:
    if rel_tol < 0.0 or abs_tol < 0.0:
        raise ValueError("tolerances must be non-negative")
    if a[0] == b[0] and a[1] == b[1]:
        return True
    if isinf(a) or isinf(b):
        return False
    apart = absolute(sub(a, b))
    return apart <= rel_tol * absolute(b) or apart <= rel_tol * absolute(a) or apart <= abs_tol


def _require_finite(z: Pair) -> None:
    if math.isinf(z[0]) or math.isinf(z[1]):
        raise NotImplementedError("a function of cmath of an infinite number, in compiled code")


def exp(z: Pair) -> Pair:
    _require_finite(z)
    if z[0] > _LOG_LARGE:
        size = math.exp(z[0] - 1.0)
        found = size * math.cos(z[1]) * math.e, size * math.sin(z[1]) * math.e
        if math.isinf(found[0]) or math.isinf(found[1]):
            raise OverflowError("math range error")
        return found
    size = math.exp(z[0])
    return size * math.cos(z[1]), size * math.sin(z[1])


def _log_of_size(z: Pair) -> float:
    a, b = abs(z[0]), abs(z[1])
    if a > _LARGE or b > _LARGE:
        return math.log(math.hypot(a / 2.0, b / 2.0)) + _LN2
    if a < _SMALL and b < _SMALL:
        if a == 0.0 and b == 0.0:
            raise ValueError("math domain error")
        return math.log(math.hypot(a * 2.0**53, b * 2.0**53)) - 53.0 * _LN2
    size = math.hypot(a, b)
    if 0.71 <= size <= 1.73:
        if a >= b:
            return math.log1p((a - 1.0) * (a + 1.0) + b * b) / 2.0
        return math.log1p((b - 1.0) * (b + 1.0) + a * a) / 2.0
    return math.log(size)


def natural_log(z: Pair) -> Pair:
    _require_finite(z)
    return _log_of_size(z), math.atan2(z[1], z[0])


def log(z: Pair, base: Pair | None) -> Pair:
    if base is None:
        return natural_log(z)
    below = natural_log(base)
    if below[0] == 0.0 and below[1] == 0.0:
        raise ValueError("math domain error")
    if z[0] == 0.0 and z[1] == 0.0:  # where CPython forgets the error of the first logarithm
        return truediv((-math.inf, math.atan2(z[1], z[0])), below)
    return truediv(natural_log(z), below)


def log10(z: Pair) -> Pair:
    found = natural_log(z)
    return found[0] / _LN10, found[1] / _LN10


def sqrt(z: Pair) -> Pair:
    _require_finite(z)
    x, y = z
    if x == 0.0 and y == 0.0:
        return 0.0, 0.0 * y
    side = 1.0 if x >= 0.0 else -1.0
    if abs(x) < _SMALL and abs(y) < _SMALL:
        a = side * x * 2.0**53
        s = math.sqrt(a + math.hypot(a, y * 2.0**53)) * 2.0**-27
    else:
        a = side * x / 8.0
        s = 2.0 * math.sqrt(a + math.hypot(a, y / 8.0))
    if x >= 0.0:
        return s, y / (2.0 * s)
    sign = math.copysign(1.0, y)
    return sign * y / (2.0 * s), sign * s


def asinh(z: Pair) -> Pair:
    _require_finite(z)
    x, y = z
    if abs(x) > _LARGE or abs(y) > _LARGE:
        size = math.log(math.hypot(x / 2.0, y / 2.0)) + 2.0 * _LN2
        return math.copysign(1.0, x) * size, math.atan2(y, abs(x))
    p, q = sqrt((1.0 + y, -x)), sqrt((1.0 - y, x))
    return math.asinh(p[0] * q[1] - q[0] * p[1]), math.atan2(y, p[0] * q[0] - p[1] * q[1])


def asin(z: Pair) -> Pair:
    found = asinh((-z[1], z[0]))
    return found[1], -found[0]


def acos(z: Pair) -> Pair:
    _require_finite(z)
    x, y = z
    if abs(x) > _LARGE or abs(y) > _LARGE:
        size = math.log(math.hypot(x / 2.0, y / 2.0)) + 2.0 * _LN2
        return math.atan2(abs(y), x), -math.copysign(1.0, y) * size
    p, q = sqrt((1.0 - x, -y)), sqrt((1.0 + x, y))
    return 2.0 * math.atan2(p[0], q[0]), math.asinh(q[0] * p[1] - q[1] * p[0])


def acosh(z: Pair) -> Pair:
    _require_finite(z)
    x, y = z
    if abs(x) > _LARGE or abs(y) > _LARGE:
        size = math.log(math.hypot(x / 2.0, y / 2.0)) + 2.0 * _LN2
        return size, math.atan2(y, x)
    p, q = sqrt((x - 1.0, y)), sqrt((x + 1.0, y))
    return math.asinh(p[0] * q[0] + p[1] * q[1]), 2.0 * math.atan2(p[1], q[0])


def atanh(z: Pair) -> Pair:
    _require_finite(z)
    x, y = z
    sign = math.copysign(1.0, x)
    x, y = sign * x, sign * y
    if x > math.sqrt(_LARGE) or abs(y) > math.sqrt(_LARGE):
        h = math.hypot(x / 2.0, y / 2.0)
        return sign * (x / 4.0 / h / h), sign * math.copysign(math.pi / 2.0, y)
    if x == 1.0 and abs(y) < math.sqrt(_SMALL):
        if y == 0.0:
            raise ValueError("math domain error")
        b = abs(y)
        size = -math.log(math.sqrt(b) / math.sqrt(math.hypot(b, 2.0)))
        return sign * size, sign * math.copysign(math.atan2(2.0, -b) / 2.0, y)
    size = math.log1p(4.0 * x / ((1.0 - x) * (1.0 - x) + y * y)) / 4.0
    return sign * size, sign * (-math.atan2(-2.0 * y, (1.0 - x) * (1.0 + x) - y * y) / 2.0)


def atan(z: Pair) -> Pair:
    found = atanh((-z[1], z[0]))
    return found[1], -found[0]


def cosh(z: Pair) -> Pair:
    _require_finite(z)
    x, y = z
    if abs(x) > _LOG_LARGE:
        less = x - math.copysign(1.0, x)
        found = math.cos(y) * math.cosh(less) * math.e, math.sin(y) * math.sinh(less) * math.e
        if math.isinf(found[0]) or math.isinf(found[1]):
            raise OverflowError("math range error")
        return found
    return math.cos(y) * math.cosh(x), math.sin(y) * math.sinh(x)


def cos(z: Pair) -> Pair:
    return cosh((-z[1], z[0]))


def sinh(z: Pair) -> Pair:
    _require_finite(z)
    x, y = z
    if abs(x) > _LOG_LARGE:
        less = x - math.copysign(1.0, x)
        found = math.cos(y) * math.sinh(less) * math.e, math.sin(y) * math.cosh(less) * math.e
        if math.isinf(found[0]) or math.isinf(found[1]):
            raise OverflowError("math range error")
        return found
    return math.cos(y) * math.sinh(x), math.sin(y) * math.cosh(x)


def sin(z: Pair) -> Pair:
    found = sinh((-z[1], z[0]))
    return found[1], -found[0]


def tanh(z: Pair) -> Pair:
    _require_finite(z)
    x, y = z
    if abs(x) > _LOG_LARGE:
        small = 4.0 * math.sin(y) * math.cos(y) * math.exp(-2.0 * abs(x))
        return math.copysign(1.0, x), small
    a, b, c = math.tanh(x), math.tan(y), 1.0 / math.cosh(x)
    whole = 1.0 + (a * b) * (a * b)
    return a * (1.0 + b * b) / whole, b / whole * c * c


def tan(z: Pair) -> Pair:
    found = tanh((-z[1], z[0]))
    return found[1], -found[0]
