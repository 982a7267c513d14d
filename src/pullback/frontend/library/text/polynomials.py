"""Polynomials and convolutions, as plain Python that the front end compiles. The coefficient of the
highest power comes first."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pullback.frontend.library.text.domains import Array, Growing, Size, Vector, Weights
from pullback.frontend.library.text_helpers import each, times, unsupported

Mode = Literal["full", "same", "valid"]


def polyval(p: Vector, x: Array) -> Array:
    """Horner's rule, at every item of x."""
    coefficients = p.coeffs if isinstance(p, np.poly1d) else np.asarray(p)
    return each(lambda place: _horner(coefficients, place), x)


def _horner(p: Vector, x: Any) -> Any:
    result = p.dtype.type(0) + x.dtype.type(0)
    for k in range(p.shape[0]):
        result = result * x + p[k]
    return result


def polyadd(a1: Vector, a2: Vector) -> Vector:
    a, b = np.atleast_1d(a1), np.atleast_1d(a2)
    n = max(len(a), len(b))
    return np.pad(a, (n - len(a), 0)) + np.pad(b, (n - len(b), 0))


def polysub(a1: Vector, a2: Vector) -> Vector:
    return np.polyadd(a1, -np.atleast_1d(a2))


def polymul(a1: Vector, a2: Vector) -> Vector:
    """Return the product of two polynomials."""
    return np.convolve(_trimmed(a1), _trimmed(a2))


def _trimmed(a: Vector) -> Vector:
    """Return the coefficients from the first that is not 0 on."""
    items = np.trim_zeros(np.atleast_1d(a), "f")
    return items if len(items) > 0 else np.zeros_like(items, shape=(1,))


def polyder(p: Vector, m: Size = 1) -> Vector:
    """The m-th derivative."""
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    c = np.asarray(p)
    for _ in times(m):
        c = c[:-1] * np.arange(len(c) - 1, 0, -1)
    return c


def polyint(p: Vector, m: Size = 1) -> Vector:
    """The m-th antiderivative, with constants 0."""
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    c = np.asarray(p)
    for _ in times(m):
        c = np.append(c / np.arange(len(c), 0, -1), 0.0)
    return c


def poly(seq_of_zeros: Vector) -> Vector:
    """The polynomial with these zeros."""
    given = np.atleast_1d(seq_of_zeros)
    if given.ndim == 2:
        if given.shape[0] != given.shape[1]:
            raise ValueError("input must be 1d or non-empty square 2d array.")
        whole = np.poly(np.linalg.eigvals(given))
        return whole if np.iscomplexobj(given) else np.real(whole)
    if given.ndim > 2:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    zeros = given
    if len(zeros) == 0:
        raise ValueError("np.poly of no zeros is not supported: it is the number 1.0")
    c = np.ones_like(1.0 * zeros[:1])
    none = np.zeros_like(c)
    for zero in 1.0 * zeros:
        c = np.append(c, none) - zero * np.append(none, c)
    return c


def polyfit(x: Growing, y: Array, deg: Size, rcond: None = None, full: bool = False,
            w: Weights | None = None, cov: bool | Literal["unscaled"] = False) -> Any:  # fmt: skip
    """Return the polynomial that has the least squares of differences from y; each is multiplied
    by its weight. Of several, the one with the least coefficients (scaled as the powers are). With
    ``full``, also what ``lstsq`` found; with ``cov``, how the coefficients vary together."""
    places, right = 1.0 * np.asarray(x), 1.0 * np.asarray(y)
    if rcond is not None:
        unsupported("np.polyfit with rcond=", "np.linalg.lstsq(np.vander(x, d + 1), y, rcond)")
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if places.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if len(places) == 0:
        raise TypeError("expected non-empty vector for x")
    if len(right) != len(places):
        raise TypeError("expected x and y to have same length")
    powers = np.vander(places, deg + 1)
    if w is not None:
        weights = 1.0 * np.asarray(w)
        powers = powers * weights[:, None]
        right = right * weights if right.ndim == 1 else right * weights[:, None]
    scale = np.sqrt(np.sum(powers * powers, axis=0))
    small, limit = powers / scale, np.float64(len(places) * 2.0**-52)
    found, left, rank, sizes = np.linalg.lstsq(small, right, limit)
    fitted = found / scale if right.ndim == 1 else found / scale[:, None]
    if full:
        return fitted, left, rank, sizes, limit
    if not cov:
        return fitted
    base = np.linalg.inv(small.T @ small) / np.outer(scale, scale)
    if cov != "unscaled":
        if len(places) <= deg + 1:
            raise ValueError(
                "the number of data points must exceed order to scale the covariance matrix"
            )
        spread = left / (len(places) - (deg + 1))
        return fitted, base * spread if right.ndim == 1 else base[:, :, None] * spread
    return fitted, base if right.ndim == 1 else base[:, :, None]


def vander(x: Vector, N: Size | None = None, increasing: bool = False) -> Array:
    """The powers of x, from N - 1 down to 0."""
    n = len(x) if N is None else N
    if n < 0:
        raise ValueError("negative dimensions are not allowed")
    powers = np.arange(n) if increasing else np.arange(n)[::-1]
    return np.asarray(x)[:, None] ** powers


def convolve(a: Vector, v: Vector, mode: Mode = "full") -> Vector:
    """Return the sums of a[k - j] * v[j] over all j, for all k; "valid": where neither array
    ends."""
    x, y = np.atleast_1d(a), np.atleast_1d(v)
    n, m = len(x), len(y)
    if m == 0:
        raise ValueError("v cannot be empty")
    if n == 0:
        raise ValueError("a cannot be empty")
    longer, less = max(n, m), min(n, m) - 1
    match mode:
        case "full":
            start, count = 0, longer + less
        case "same":
            start, count = less // 2, longer
        case "valid":
            start, count = less, longer - less
        case _:
            raise ValueError(f"mode must be 'full', 'same' or 'valid', not {mode!r}")
    return np.array(
        [
            sum(x[k - j] * y[j] for j in range(max(0, k - n + 1), min(k + 1, m)))
            for k in range(start, start + count)
        ]
    )


def correlate(a: Vector, v: Vector, mode: Mode = "valid") -> Vector:
    """Return the sums of a[k + j] * v[j] over all j, for all k."""
    if len(a) == 0:
        raise ValueError("first array argument cannot be empty")
    if len(v) == 0:
        raise ValueError("second array argument cannot be empty")
    return np.convolve(a, np.asarray(v)[::-1], mode)
