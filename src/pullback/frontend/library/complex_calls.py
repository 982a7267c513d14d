"""Calls of library functions with complex arguments."""

from __future__ import annotations

import ast
import cmath
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pullback.frontend.kinds.by_callable import ByCallable
from pullback.frontend.kinds.complex_pairs import holds_pairs, is_complex
from pullback.frontend.kinds.values import ListV, Specialiser, Static, TupleV, Value

if TYPE_CHECKING:
    from pullback.frontend.run import Run

Handler = Callable[[Specialiser, Sequence[Value], dict[str, Value], ast.AST], Value]

OF_COMPLEX: ByCallable[Handler] = ByCallable()
"""Functions that have another meaning where an argument is complex, or holds complex numbers."""

OF_COMPLEX_DTYPE: dict[Hashable, tuple[Handler, int]] = {}
"""Functions that make arrays, where their dtype is complex, with its place."""

LIBRARIES = ("numpy", "scipy")
_OF_CMATH = frozenset(f for f in vars(cmath).values() if callable(f))


def complex_dtype(value: Value | None) -> type | None:
    """Return the dtype of the parts of a complex dtype; None: the value is none."""
    known = value.value if isinstance(value, Static) else None
    if isinstance(known, (type, str, np.dtype)):
        try:
            kind = np.dtype(known)
        except TypeError:
            return None
        return {"D": np.float64, "F": np.float32}.get(kind.char)
    return None


def holds_complex(value: Value) -> bool:
    """Whether a value is complex, or a list or tuple in which something is."""
    match value:
        case TupleV(items):
            return any(map(holds_complex, items))
        case ListV(elem=elem):
            return holds_pairs(elem)
        case _:
            return is_complex(value)


def called(
    run: Run, function: Hashable, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    """Return the result of a library function of complex values; None: it takes them as it takes
    others."""
    given = (*args, *kwargs.values())
    if function in OF_COMPLEX_DTYPE:
        make, place = OF_COMPLEX_DTYPE[function]
        dtype = kwargs.get("dtype", args[place] if len(args) > place else None)
        if complex_dtype(dtype) is not None:
            return make(run, args, kwargs, node)
    if not any(map(holds_complex, given)):
        return None
    if function in OF_COMPLEX:
        return OF_COMPLEX[function](run, args, kwargs, node)
    module = getattr(function, "__module__", None) or type(function).__module__
    if module.split(".")[0] in LIBRARIES and function not in _OF_CMATH:
        name = getattr(function, "__name__", str(function))
        run.refuse(
            node, f"{name} of complex numbers", "write it with functions of z.real and z.imag"
        )
    return None


__all__ = [
    "LIBRARIES", "OF_COMPLEX", "OF_COMPLEX_DTYPE", "called", "complex_dtype", "holds_complex",
]  # fmt: skip
