"""Compile calls of the ufuncs of ``scipy.special`` that are rows of the table of primitives by
themselves (``core/scipy_functions.py``), of several results and of complex numbers, too.

A ufunc that has a text is compiled by that (``special_functions``)."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from functools import partial

import numpy as np

from pullback.core.later import SPECIAL
from pullback.core.scipy_functions import KERNELS
from pullback.core.types import F64, Int, Real
from pullback.frontend.kinds.dtypes import promote, real_of
from pullback.frontend.kinds.values import (
    CALLS,
    Handler,
    Specialiser,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import MISSING, Args, Kwargs, bind
from pullback.frontend.library.complex_calls import OF_COMPLEX
from pullback.frontend.library.complex_numpy import joined, part_of
from pullback.frontend.library.numpy.arrays import elementwise
from pullback.frontend.library.numpy.elementwise import numpy_scalar
from pullback.frontend.library.numpy.special_functions import of_whole, scipy_name


def row_call(sp: Specialiser, name: str, values: Sequence[Value], node: ast.AST) -> Value:
    """Apply a row to every element; a row of a whole number where the first number is one, whose
    result is then of 64 bits, as that of SciPy's loop is."""

    def one(items: Sequence[Value]) -> Value:
        t: Real = real_of(promote(sp, items, node))
        row = of_whole(sp, name, items, node)
        first = promote(sp, items[:1], node)
        if row != name or (_has_loop_of_whole(name) and isinstance(first, Int)):
            t = F64
        wide = [sp.convert(v, F64, node) for v in items]
        return numpy_scalar(sp.convert(numpy_scalar(sp.b.prim(row, *wide)), t, node))

    return elementwise(sp, values, one, node)


def _has_loop_of_whole(name: str) -> bool:
    function = getattr(sys.modules.get("scipy.special"), name.split(".")[0], None)
    return isinstance(function, np.ufunc) and function.types[0].startswith("l")


def _call(
    names: Sequence[str], arity: int, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """The results of these rows."""
    title = names[0].split(".")[0]
    values = bind(sp, title, args, kwargs, node, **{f"x{k}": MISSING for k in range(arity)})
    found = tuple(row_call(sp, name, values, node) for name in names)
    return found[0] if len(found) == 1 else TupleV(found)


def rows_of(function: np.ufunc) -> list[str]:
    """The rows of the results of a ufunc; none: it has none."""
    name = function.__name__
    names = [f"{name}.{k}" for k in range(function.nout)] if function.nout > 1 else [name]
    known = KERNELS.get(names[0])
    if known is None:
        known = KERNELS.get(f"{name}.l")
    return names if known is not None and known.name == name else []


def finder(function: object) -> Handler | None:
    """The handler of a ufunc of SciPy that is a row of its own."""
    if scipy_name(function) is None or not isinstance(function, np.ufunc):
        return None
    names = rows_of(function)
    if names:
        return partial(_call, names, function.nin)
    return complex_finder(function)  # SciPy makes complex numbers of real ones


CALLS.finders.append(finder)


# --- complex numbers ------------------------------------------------------------------------------


def _of_complex(
    names: Sequence[str], takes: str, sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST
) -> Value:
    """The results of rows that are parts of complex numbers."""
    title = names[0].split(".")[0]
    values = bind(sp, title, args, kwargs, node, **{f"x{k}": MISSING for k in range(len(takes))})
    given: list[Value] = []
    for kind, v in zip(takes, values, strict=True):
        if kind == "D":
            given += [part_of(sp, v, "real", node), part_of(sp, v, "imag", node)]
        else:
            given.append(v)
    found = [row_call(sp, name, given, node) for name in names]
    pairs = [joined(sp, found[k : k + 2], node) for k in range(0, len(found), 2)]
    return pairs[0] if len(pairs) == 1 else TupleV(tuple(pairs))


def complex_rows(name: str) -> tuple[list[str], str]:
    """The rows of the parts of a function of complex numbers, and what its arguments are."""
    names = [n for n in (f"{name}.re", f"{name}.im") if n in KERNELS]
    k = 0
    while f"{name}.{k}.re" in KERNELS:
        names += [f"{name}.{k}.re", f"{name}.{k}.im"]
        k += 1
    return names, KERNELS[names[0]].takes if names else ""


def complex_finder(function: object) -> Handler | None:
    name = scipy_name(function)
    names, takes = complex_rows(name) if name is not None else ([], "")
    return partial(_of_complex, names, takes) if names else None


OF_COMPLEX.finders.append(complex_finder)


@register(SPECIAL.kelvin)
def kelvin(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """ber + i bei, ker + i kei, and their derivatives"""
    values = bind(sp, "kelvin", args, kwargs, node, x=MISSING)
    names = ("ber", "bei", "ker", "kei", "berp", "beip", "kerp", "keip")
    found = [row_call(sp, name, values, node) for name in names]
    return TupleV(tuple(joined(sp, found[k : k + 2], node) for k in (0, 2, 4, 6)))


