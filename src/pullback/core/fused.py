"""A product and a sum that are rounded once: the value of the primitive ``fma``.

Python 3.11 has no such function; C's is exact."""

from __future__ import annotations

import ctypes
from functools import cache

import numpy as np


def fused(a: float, b: float, c: float) -> object:
    """``a * b + c``, rounded once; of float32 numbers a float32.

    >>> fused(1.0 + 2.0**-30, 1.0 - 2.0**-30, -1.0) == -(2.0**-60)
    True
    """
    if isinstance(a, np.float32):
        return np.float32(_function("fmaf", ctypes.c_float)(float(a), float(b), float(c)))
    return _function("fma", ctypes.c_double)(float(a), float(b), float(c))


@cache
def _function(name: str, number: type[ctypes.c_float | ctypes.c_double]) -> ctypes._FuncPointer:
    f = getattr(ctypes.CDLL(None), name)  # libm, with which Python itself is linked
    f.argtypes, f.restype = (number,) * 3, number
    return f
