"""Compile ``np.finfo`` and ``np.iinfo``: constants."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from pullback.core.build import lit
from pullback.core.frozen import dataclass
from pullback.core.types import F32, F64
from pullback.errors import ArgumentValueError
from pullback.frontend.kinds.dtypes import DTYPES, element
from pullback.frontend.kinds.values import (
    ArrayV,
    RecordV,
    Scalar,
    Specialiser,
    Static,
    Value,
    register,
)
from pullback.frontend.library.arguments import MISSING, Args, Kwargs, bind
from pullback.frontend.library.numpy.elementwise import numpy_scalar


@dataclass(frozen=True, slots=True)
class FloatLimits:
    """The limits of float64 or float32, under NumPy's names."""

    eps: object
    epsneg: object
    max: object
    min: object
    tiny: object
    smallest_normal: object
    smallest_subnormal: object
    resolution: object
    bits: int
    nmant: int
    nexp: int
    iexp: int
    precision: int
    machep: int
    negep: int
    minexp: int
    maxexp: int
    dtype: object


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
        dtype = Static(DTYPES[element(sp, dtype, node)])
    wanted: Any = sp.static(dtype, node, "a type of floats")
    try:
        found = np.finfo(wanted)
    except ValueError as error:
        sp.refuse(node, str(error), error=ArgumentValueError)
    if found.dtype not in (np.float64, np.float32):
        sp.refuse(node, f"np.finfo of {found.dtype} is not supported", "use np.float64")
    t = F64 if found.dtype == np.float64 else F32
    names = [n for n in FloatLimits.__slots__ if n not in (*_COUNTS, "dtype")]
    limits: dict[str, Value] = {n: numpy_scalar(lit(float(getattr(found, n)), t)) for n in names}
    counts = {n: Static(int(getattr(found, n))) for n in _COUNTS}
    return RecordV(FloatLimits, limits | counts | {"dtype": Static(found.dtype)})


_COUNTS = ("bits", "nmant", "nexp", "iexp", "precision", "machep", "negep", "minexp", "maxexp")


@register(np.iinfo)
def iinfo(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (dtype,) = bind(sp, "np.iinfo", args, kwargs, node, type=MISSING)
    wanted: Any = sp.static(dtype, node, "a type of ints")
    found: Any = np.iinfo(wanted)
    return Static(IntLimits(int(found.min), int(found.max), int(found.bits)))
