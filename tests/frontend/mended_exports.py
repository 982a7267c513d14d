"""What refusals of functions for other languages advise, followed."""

from __future__ import annotations

import math
import tempfile

import numpy as np

import pullback as pb
from pullback.errors import ArgumentTypeError, UnsupportedError
from tests.frontend.mended import mends


def exported(f, types):
    """The header of the C function that is made of ``f``."""
    with tempfile.TemporaryDirectory() as folder:
        return "f(" in pb.export(f, types, "f", folder, shared=False).header.read_text()


def called(f, *args):
    """What the C function of one double that is made of ``f`` returns."""
    return pb.cfunc(f, "double (double)").ctypes(*args)


def square(x):
    return x * x


def solved(a):
    return np.linalg.solve(np.array([[a, 1.0], [0.0, 2.0]]), np.array([1.0, 2.0]))[0]


def eliminated(a):
    y = 2.0 / 2.0
    return (1.0 - y) / a


def refused_single_type():
    return exported(square, float)


@mends(refused_single_type, (), "write (np.zeros(3), float), or (float,) for a single one",
       ArgumentTypeError, TypeError, outside=True)  # fmt: skip
def mended_single_type():
    return exported(square, (float,))


def refused_array_type():
    return exported(np.sum, (np.ndarray,))


@mends(refused_array_type, (), "or an example such as np.zeros((2, 2))", ArgumentTypeError,
       TypeError, outside=True)  # fmt: skip
def mended_array_type():
    return exported(np.sum, (np.zeros((2, 2)),))


def refused_axis():
    return exported(lambda a, k: np.sum(a, axis=k), (np.zeros((2, 3)), 1))


@mends(refused_axis, (), "fix it with a lambda", UnsupportedError, NotImplementedError,
       outside=True)  # fmt: skip
def mended_axis():
    return exported(lambda a: np.sum(a, axis=1), (np.zeros((2, 3)),))


def refused_lapack():
    return called(solved, 2.0)


@mends(refused_lapack, (), "write the elimination as loops", UnsupportedError,
       NotImplementedError, outside=True)  # fmt: skip
def mended_lapack():
    return called(eliminated, 2.0)


def transformed(x):
    return np.sum(np.abs(np.fft.fft(np.array([x, 1.0, x * x]))))


def summed(x):
    values = [x, 1.0, x * x]
    total = 0.0
    for k in range(3):
        real, imag = 0.0, 0.0
        for j in range(3):
            real += values[j] * math.cos(2.0 * math.pi * j * k / 3)
            imag -= values[j] * math.sin(2.0 * math.pi * j * k / 3)
        total += math.hypot(real, imag)
    return total


def refused_transform():
    return called(transformed, 2.0)


@mends(refused_transform, (), "write the sums of the transform as loops", UnsupportedError,
       NotImplementedError, outside=True)  # fmt: skip
def mended_transform():
    return called(summed, 2.0)


def refused_pair():
    return called(lambda x: (x, x * x), 3.0)


@mends(refused_pair, (), "return float(...), np.array(...)", ArgumentTypeError, TypeError,
       outside=True)  # fmt: skip
def mended_pair():
    return called(lambda x: x * x, 3.0)
