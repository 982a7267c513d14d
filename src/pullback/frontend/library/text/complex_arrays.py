"""NumPy's complex functions: of pairs of real numbers or arrays of one shape.

They compute on NumPy's branches, with NumPy's infinities and NaN where ``cmath`` raises. A sign
stands in the place of an absolute value of a part where that part may be 0 on an axis, since the
derivative of an absolute value is 0 there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Pair = tuple[Any, Any]
_LN2 = float(np.log(2.0))
_LN10 = float(np.log(10.0))


def _sign(x: Any) -> Any:
    """Return -1 where x is negative, else 1."""
    return np.where(x >= 0.0, 1.0, -1.0)


def divide(a: Pair, b: Pair) -> Pair:
    first: Any = np.abs(b[0]) >= np.abs(b[1])
    zero = (b[0] == 0.0) & (b[1] == 0.0)
    small: Any = np.where(first, b[1], b[0])
    large: Any = np.where(first, b[0], b[1])
    ratio = small / large
    scale = 1.0 / (large + small * ratio)
    real = np.where(first, a[0] + a[1] * ratio, a[0] * ratio + a[1]) * scale
    imag = np.where(first, a[1] - a[0] * ratio, a[1] * ratio - a[0]) * scale
    size = np.abs(b[0])
    return np.where(zero, a[0] / size, real), np.where(zero, a[1] / size, imag)


def ones(z: Pair) -> Pair:
    return np.ones_like(z[0]), np.zeros_like(z[0])


def reciprocal(z: Pair) -> Pair:
    return divide((np.ones_like(z[0]), np.zeros_like(z[0])), z)


def square(z: Pair) -> Pair:
    return z[0] * z[0] - z[1] * z[1], z[0] * z[1] + z[1] * z[0]


def power(a: Pair, b: Pair) -> Pair:
    zero = (a[0] == 0.0) & (a[1] == 0.0)
    size = np.where(zero, 1.0, np.hypot(a[0], a[1]))
    logarithm, turn = np.log(size), np.arctan2(a[1], a[0])
    length = np.exp(logarithm * b[0] - turn * b[1])
    angle = turn * b[0] + logarithm * b[1]
    one = (b[0] == 0.0) & (b[1] == 0.0)
    other = np.where((b[0] > 0.0) & (b[1] == 0.0), 0.0, np.nan)
    at_zero = np.where(one, 1.0, other), np.where(one, 0.0, other)
    real = np.where(zero, at_zero[0], length * np.cos(angle))
    return real, np.where(zero, at_zero[1], length * np.sin(angle))


def conjugate(z: Pair) -> Pair:
    return z[0], -z[1]


def absolute(z: Pair) -> Any:
    return np.hypot(z[0], z[1])


def angle(z: Pair, deg: bool = False) -> Any:
    found = np.arctan2(z[1], z[0])
    return found * (180.0 / np.pi) if deg else found


def sign(z: Pair) -> Pair:
    size = np.hypot(z[0], z[1])
    zero = size == 0.0
    whole = np.where(zero, 1.0, size)
    return np.where(zero, 0.0, z[0] / whole), np.where(zero, 0.0, z[1] / whole)


def isnan(z: Pair) -> Any:
    return np.isnan(z[0]) | np.isnan(z[1])


def isinf(z: Pair) -> Any:
    return np.isinf(z[0]) | np.isinf(z[1])


def isfinite(z: Pair) -> Any:
    return np.isfinite(z[0]) & np.isfinite(z[1])


def iscomplex(z: Pair) -> Any:
    return z[1] != 0.0


def isreal(z: Pair) -> Any:
    return z[1] == 0.0


def equal(a: Pair, b: Pair) -> Any:
    return (a[0] == b[0]) & (a[1] == b[1])


def not_equal(a: Pair, b: Pair) -> Any:
    return (a[0] != b[0]) | (a[1] != b[1])


def truth(z: Pair) -> Any:
    return (z[0] != 0.0) | (z[1] != 0.0)


def exp(z: Pair) -> Pair:
    size = np.exp(z[0])
    real = z[1] == 0.0
    return np.where(real, size, size * np.cos(z[1])), np.where(
        real, z[1] * np.where(np.isinf(size), 1.0, size), size * np.sin(z[1])
    )


def exp2(z: Pair) -> Pair:
    return exp((z[0] * _LN2, z[1] * _LN2))


def expm1(z: Pair) -> Pair:
    half = np.sin(z[1] / 2.0)
    size = np.exp(z[0])
    return np.expm1(z[0]) * np.cos(z[1]) - 2.0 * half * half, size * np.sin(z[1])


def log(z: Pair) -> Pair:
    x, y = z
    size = np.hypot(x, y)
    a, b = _sign(x) * x, _sign(y) * y
    most, least = np.where(a >= b, a, b), np.where(a >= b, b, a)
    near = (size >= 0.71) & (size <= 1.73)
    close = np.log1p(np.where(near, (most - 1.0) * (most + 1.0) + least * least, 0.0)) / 2.0
    return np.where(near, close, np.log(np.where(near, 1.0, size))), np.arctan2(y, x)


def log2(z: Pair) -> Pair:
    found = log(z)
    return found[0] / _LN2, found[1] / _LN2


def log10(z: Pair) -> Pair:
    found = log(z)
    return found[0] / _LN10, found[1] / _LN10


def log1p(z: Pair) -> Pair:
    x, y = z
    near = (np.abs(x) < 0.5) & (np.abs(y) < 0.5)
    close = np.log1p(np.where(near, (2.0 + x) * x + y * y, 0.0)) / 2.0
    far = log((x + 1.0, y))
    return np.where(near, close, far[0]), far[1]


def sqrt(z: Pair) -> Pair:
    x, y = z
    side = _sign(x)
    scaled = side * x / 8.0
    s = 2.0 * np.sqrt(scaled + np.hypot(scaled, y / 8.0))
    zero = s == 0.0
    t = y / np.where(zero, 1.0, 2.0 * s)
    up = np.copysign(1.0, y)
    return np.where(side > 0.0, s, up * t), np.where(side > 0.0, t, up * s)


def sinh(z: Pair) -> Pair:
    return np.sinh(z[0]) * np.cos(z[1]), np.cosh(z[0]) * np.sin(z[1])


def cosh(z: Pair) -> Pair:
    return np.cosh(z[0]) * np.cos(z[1]), np.sinh(z[0]) * np.sin(z[1])


def tanh(z: Pair) -> Pair:
    x, y = z
    large = np.abs(x) > 20.0
    a, b = np.tanh(x), np.tan(y)
    c = 1.0 / np.cosh(np.where(large, 0.0, x))
    whole = 1.0 + (a * b) * (a * b)
    far = 4.0 * np.sin(y) * np.cos(y) * np.exp(-2.0 * np.abs(x))
    real = np.where(large, a, a * (1.0 + b * b) / whole)
    return real, np.where(large, far, b / whole * c * c)


def sin(z: Pair) -> Pair:
    return np.sin(z[0]) * np.cosh(z[1]), np.cos(z[0]) * np.sinh(z[1])


def cos(z: Pair) -> Pair:
    return np.cos(z[0]) * np.cosh(z[1]), -np.sin(z[0]) * np.sinh(z[1])


def tan(z: Pair) -> Pair:
    found = tanh((-z[1], z[0]))
    return found[1], -found[0]


def arcsinh(z: Pair) -> Pair:
    x, y = z
    p, q = sqrt((1.0 + y, -x)), sqrt((1.0 - y, x))
    return np.arcsinh(p[0] * q[1] - q[0] * p[1]), np.arctan2(y, p[0] * q[0] - p[1] * q[1])


def arcsin(z: Pair) -> Pair:
    found = arcsinh((-z[1], z[0]))
    return found[1], -found[0]


def arccos(z: Pair) -> Pair:
    p, q = sqrt((1.0 - z[0], -z[1])), sqrt((1.0 + z[0], z[1]))
    return 2.0 * np.arctan2(p[0], q[0]), np.arcsinh(q[0] * p[1] - q[1] * p[0])


def arccosh(z: Pair) -> Pair:
    p, q = sqrt((z[0] - 1.0, z[1])), sqrt((z[0] + 1.0, z[1]))
    return np.arcsinh(p[0] * q[0] + p[1] * q[1]), 2.0 * np.arctan2(p[1], q[0])


def arctanh(z: Pair) -> Pair:
    turn = np.copysign(1.0, z[0])
    x, y = turn * z[0], turn * z[1]
    size = np.log1p(4.0 * x / ((1.0 - x) * (1.0 - x) + y * y)) / 4.0
    return turn * size, turn * (-np.arctan2(-2.0 * y, (1.0 - x) * (1.0 + x) - y * y) / 2.0)


def arctan(z: Pair) -> Pair:
    found = arctanh((-z[1], z[0]))
    return found[1], -found[0]


# --- along axes ----------------------------------------------------------------------------------


def prod(z: Pair, axis: int | None = None) -> Pair:
    """Return the product of all items, or of those along an axis."""
    x = z[0].ravel() if axis is None else np.moveaxis(z[0], axis, 0)
    y = z[1].ravel() if axis is None else np.moveaxis(z[1], axis, 0)
    real, imag = np.ones_like(x[:1])[0], np.zeros_like(x[:1])[0]
    if x.shape[0] > 0:
        real, imag = x[0], y[0]
    for k in range(1, x.shape[0]):
        real, imag = real * x[k] - imag * y[k], real * y[k] + imag * x[k]
    return real, imag


def polyval(p: Pair, x: Pair) -> Pair:
    real, imag = x[0] * 0.0, x[1] * 0.0
    for k in range(len(p[0])):
        real, imag = real * x[0] - imag * x[1] + p[0][k], real * x[1] + imag * x[0] + p[1][k]
    return real, imag


def isclose(a: Pair, b: Pair, rtol: float = 1e-5, atol: float = 1e-8) -> Any:
    apart = np.hypot(a[0] - b[0], a[1] - b[1])
    near = (apart <= atol + rtol * np.hypot(b[0], b[1])) & isfinite(b)
    return near | ((a[0] == b[0]) & (a[1] == b[1]))


def allclose(a: Pair, b: Pair, rtol: float = 1e-5, atol: float = 1e-8) -> Any:
    return bool(np.all(isclose(a, b, rtol, atol)))


def var(z: Pair, axis: int | None = None, ddof: float = 0.0) -> Any:
    """Return the mean of the squared distances from the mean."""
    x = z[0].ravel() if axis is None else np.moveaxis(z[0], axis, 0)
    y = z[1].ravel() if axis is None else np.moveaxis(z[1], axis, 0)
    u, v = x - np.mean(x, axis=0), y - np.mean(y, axis=0)
    return np.sum(u * u + v * v, axis=0) / (x.shape[0] - ddof)


def std(z: Pair, axis: int | None = None, ddof: float = 0.0) -> Any:
    return np.sqrt(var(z, axis, ddof))


# --- matrices ------------------------------------------------------------------------------------


def solve(a: Pair, b: Pair) -> Pair:
    """Return the solution of the real system of twice the size."""
    n = a[0].shape[-1]
    matrix = np.concatenate(
        (np.concatenate((a[0], -a[1]), axis=-1), np.concatenate((a[1], a[0]), axis=-1)), axis=-2
    )
    if b[0].ndim == 1:
        found = np.linalg.solve(matrix, np.concatenate((b[0], b[1])))
        return found[:n], found[n:]
    found = np.linalg.solve(matrix, np.concatenate((b[0], b[1]), axis=-2))
    return found[..., :n, :], found[..., n:, :]


def inv(a: Pair) -> Pair:
    n = a[0].shape[-1]
    return solve(a, (np.eye(n), np.zeros((n, n))))


def det(a: Pair) -> Pair:
    """Return the determinant, by elimination with the largest pivot of each column."""
    x, y = a[0].copy(), a[1].copy()
    n = x.shape[0]
    if x.shape[1] != n:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    real, imag = 1.0, 0.0
    for k in range(n):
        p, most = k, -1.0
        for i in range(k, n):
            size = x[i, k] * x[i, k] + y[i, k] * y[i, k]
            if size > most:
                p, most = i, size
        if most <= 0.0:
            return 0.0, 0.0
        if p != k:
            u, v = x[k].copy(), y[k].copy()
            x[k], y[k] = x[p], y[p]
            x[p], y[p] = u, v
            real, imag = -real, -imag
        c, d = x[k, k], y[k, k]
        real, imag = real * c - imag * d, real * d + imag * c
        whole = c * c + d * d
        for i in range(k + 1, n):
            e = (x[i, k] * c + y[i, k] * d) / whole
            f = (y[i, k] * c - x[i, k] * d) / whole
            u, v = x[i] - (e * x[k] - f * y[k]), y[i] - (e * y[k] + f * x[k])
            x[i], y[i] = u, v
    return real, imag
