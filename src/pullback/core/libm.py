"""Functions of C's mathematical library, which Python and compiled code call."""

from __future__ import annotations

import ctypes
from functools import cache

import numpy as np

Number = float | np.float32
"""The arguments of the functions: float64 as Python has it, or float32."""


def fused(a: Number, b: Number, c: Number) -> object:
    """``a * b + c``, rounded once (Python 3.11 has no such function).

    >>> fused(1.0 + 2.0**-30, 1.0 - 2.0**-30, -1.0) == -(2.0**-60)
    True
    """
    return library_call("fma", (a, b, c))


def library_call(name: str, args: tuple[Number, ...]) -> object:
    """The value of a function of numbers of one type, float32 (then it has another name) or
    float64; ``AttributeError`` where the library has no such function."""
    if isinstance(args[0], np.float32):
        return np.float32(_function(name + "f", len(args), ctypes.c_float)(*map(float, args)))
    return _function(name, len(args), ctypes.c_double)(*map(float, args))


@cache
def _function(
    name: str, count: int, number: type[ctypes.c_float | ctypes.c_double]
) -> ctypes._NamedFuncPointer:
    f: ctypes._NamedFuncPointer = getattr(ctypes.CDLL(None), name)
    f.argtypes, f.restype = (number,) * count, number
    return f
