"""What refusals of complex numbers advise, followed."""

from __future__ import annotations

import numpy as np

from pullback.errors import ArgumentTypeError, ArgumentValueError, UnsupportedError
from tests.frontend.mended import mends

Z = np.array([1.0 + 2.0j, -0.5j])


def refused_complex_order(x):
    z = complex(x, 0.5)
    return 1.0 if z < 1.0 else z.real


@mends(
    refused_complex_order, (0.5,), "compare abs(z), z.real or z.imag", ArgumentTypeError, TypeError
)  # fmt: skip
def mended_order(x):
    z = complex(x, 0.5)
    return 1.0 if abs(z) < 1.0 else z.real


def refused_complex_truth(z):
    return 1.0 if np.array([z[0], 1.0]) else 0.0


@mends(refused_complex_truth, (Z,), "use np.any(z) or np.all(z)", ArgumentValueError, ValueError)
def mended_truth(z):
    return 1.0 if np.any(np.array([z[0], 1.0])) else 0.0


def refused_dtype(z):
    return np.zeros_like(z, dtype=float)


@mends(refused_dtype, (Z,), "use np.zeros(z.shape, dtype)", UnsupportedError)
def mended_dtype(z):
    return np.zeros(z.shape, float)


def refused_item(z):
    return z.item(0).imag


@mends(refused_item, (Z,), "write complex(z[0])", UnsupportedError)
def mended_item(z):
    return complex(z[0]).imag


def refused_condition(z):
    return np.where(z, 1.0, 2.0)


@mends(refused_condition, (Z,), "write z != 0", UnsupportedError)
def mended_condition(z):
    return np.where(z != 0, 1.0, 2.0)
