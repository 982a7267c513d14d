"""What NumPy's and SciPy's functions give that has no axes: a number, but for some an array. A text
need not say which: ``np.where`` of two numbers, with which many end, is an array."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import numpy as np

from pullback.core.later import LaterFunction
from pullback.frontend.kinds.by_callable import ByCallable
from pullback.frontend.kinds.values import RecordV, Scalar, TupleV, Value
from pullback.frontend.library.numpy.elementwise import without_axes
from pullback.frontend.python.container_bases import is_tuple_class

ARRAYS: ByCallable[bool] = ByCallable()
"""The functions whose results are arrays, also without axes."""

ARRAYS.update(dict.fromkeys((
    np.cov, np.tensordot, np.linalg.tensordot, np.piecewise, np.select, np.isin, np.block,
    np.require, np.asarray_chkfinite, np.broadcast_arrays, np.resize,
    LaterFunction("scipy.optimize", "fixed_point"), LaterFunction("scipy.special", "diric"),
    *(LaterFunction("scipy.interpolate", name) for name in (
        "barycentric_interpolate", "griddata", "krogh_interpolate", "pchip_interpolate", "splev",
    )),
), True))  # fmt: skip


def finished(function: Hashable, made: Value) -> Value:
    """Return the result of the text of a library function as the library gives it."""
    library = getattr(function, "module", None) or getattr(function, "__module__", "")
    if not isinstance(function, np.ufunc) and not str(library).startswith(("numpy", "scipy")):
        return made
    return _with(made, function in ARRAYS)


def _with(made: Value, are_arrays: bool) -> Value:
    """Return a result whose numbers are arrays or numbers."""
    match made:
        case Scalar(rank0=rank0) if rank0 is not are_arrays:
            return without_axes(made.atom) if are_arrays else Scalar(made.atom, False)
        case TupleV(items, False):
            new = tuple(_with(v, are_arrays) for v in items)
            return replace(made, items=new)
        case RecordV(cls, fields) if is_tuple_class(cls):
            return replace(made, fields={n: _with(v, are_arrays) for n, v in fields.items()})
        case _:
            return made


__all__ = ["finished"]
