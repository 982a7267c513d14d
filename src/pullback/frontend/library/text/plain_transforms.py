"""Fourier transforms of rows as plain Python that the front end compiles: for methods that have no
rules for whole transforms, and where NumPy's loops are not found.

A power of two is taken apart by halves, with the results in order (Stockham's algorithm). Other
lengths are convolutions, which two transforms of a power of two compute (L. Bluestein, 1970)."""

from __future__ import annotations

from typing import Any

import numpy as np

Rows = Any
"""A matrix of float64."""


def fft(x: Rows, y: Rows, factor: float, inverse: int) -> Any:
    """Return the transforms of the rows of x + iy, times the factor: an array whose last axis has
    the two parts."""
    real, imag = _transformed(x, y, 1.0 if inverse else -1.0)
    return np.stack((real * factor, imag * factor), axis=2)


def rfft(x: Rows, factor: float) -> Any:
    """Return the first halves of the transforms of real rows, times the factor."""
    real, imag = _transformed(x, np.zeros_like(x), -1.0)
    half = x.shape[1] // 2 + 1
    return np.stack((real[:, :half] * factor, imag[:, :half] * factor), axis=2)


def irfft(x: Rows, y: Rows, n: int, factor: float) -> Rows:
    """Return the real rows of length n that have these first halves of transforms."""
    rest = n - x.shape[1] + 1
    real = np.concatenate((x, x[:, 1:rest][:, ::-1]), axis=1)
    imag = np.concatenate((y, -y[:, 1:rest][:, ::-1]), axis=1)
    found, _ = _transformed(real, imag, 1.0)
    return found * factor


def _transformed(x: Rows, y: Rows, sign: float) -> tuple[Rows, Rows]:
    n = x.shape[1]
    size = 1
    while size < n:
        size *= 2
    return _by_halves(x, y, sign) if size == n else _by_convolution(x, y, sign, size * 2)


def _by_halves(x: Rows, y: Rows, sign: float) -> tuple[Rows, Rows]:
    """Return the transforms of rows whose length is a power of two."""
    rows, n = x.shape
    many, few = n // 2, 1
    while many >= 1:
        angle = sign * np.pi * np.arange(many)[:, None] / many
        c, s = np.cos(angle), np.sin(angle)
        a, b = np.reshape(x, (rows, 2, many, few)), np.reshape(y, (rows, 2, many, few))
        u, v = a[:, 0] - a[:, 1], b[:, 0] - b[:, 1]
        x = np.reshape(np.stack((a[:, 0] + a[:, 1], u * c - v * s), axis=2), (rows, n))
        y = np.reshape(np.stack((b[:, 0] + b[:, 1], u * s + v * c), axis=2), (rows, n))
        many, few = many // 2, few * 2
    return x, y


def _by_convolution(x: Rows, y: Rows, sign: float, size: int) -> tuple[Rows, Rows]:
    """Return the transforms of rows of any length: with w[k] = exp(i sign pi k k / n), that is
    w[k] times the sum over j of (z[j] w[j]) conj(w[k - j])."""
    rows, n = x.shape
    k = np.arange(n)
    angle = sign * np.pi * np.mod(k * k, 2 * n) / n
    c, s = np.cos(angle), np.sin(angle)
    gap = np.zeros((rows, size - n))
    real = np.concatenate((x * c - y * s, gap), axis=1)
    imag = np.concatenate((x * s + y * c, gap), axis=1)
    a, b = _by_halves(real, imag, -1.0)
    between = np.zeros(size - 2 * n + 1)
    around = np.concatenate((c, between, c[1:][::-1])), np.concatenate((-s, between, -s[1:][::-1]))
    p, q = _by_halves(around[0][None, :], around[1][None, :], -1.0)
    a, b = _by_halves(a * p - b * q, a * q + b * p, 1.0)
    a, b = a[:, :n] / size, b[:, :n] / size
    return a * c - b * s, a * s + b * c
