"""Compile ``np.finfo`` and ``np.iinfo``: constants."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from pullback.core.frozen import dataclass
from pullback.frontend.kinds.values import ArrayV, Scalar, Specialiser, Static, Value, register
from pullback.frontend.library.arguments import MISSING, Args, Kwargs, bind


@dataclass(frozen=True, slots=True)
class FloatLimits:
    """The limits of float64, under NumPy's names."""

    eps: object
    epsneg: object
    max: object
    min: object
    tiny: object
    smallest_normal: object
    smallest_subnormal: object
    resolution: object
    bits: int


@dataclass(frozen=True, slots=True)
class IntLimits:
    """The limits of a type of ints, under NumPy's names."""

    min: int
    max: int
    bits: int


@register(np.finfo)
def finfo(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (dtype,) = bind(sp, "np.finfo", args, kwargs, node, dtype=MISSING)
    if isinstance(dtype, (ArrayV, Scalar)):
        dtype = sp.attribute(dtype, "dtype", node)
    wanted: Any = sp.static(dtype, node, "a type of floats")
    found = np.finfo(wanted)
    if found.dtype != np.float64:
        sp.refuse(node, f"np.finfo of {found.dtype}", "write the number: np.float32(2.0**-23)")
    names = [n for n in FloatLimits.__slots__ if n != "bits"]
    limits = {n: getattr(found, n) for n in names}
    return Static(FloatLimits(**limits, bits=int(found.bits)))


@register(np.iinfo)
def iinfo(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (dtype,) = bind(sp, "np.iinfo", args, kwargs, node, type=MISSING)
    wanted: Any = sp.static(dtype, node, "a type of ints")
    found: Any = np.iinfo(wanted)
    return Static(IntLimits(int(found.min), int(found.max), int(found.bits)))
