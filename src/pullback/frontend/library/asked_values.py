"""The function by which texts ask for values that NumPy or SciPy compute
(``core/library_values.py``)."""

from __future__ import annotations

import ast
import functools
from typing import Any

import numpy as np

from pullback.core import called_python
from pullback.core.build import i64, lit
from pullback.core.library_values import NAMED, NUMBERS
from pullback.core.terms import Atom, Prim
from pullback.core.types import F64, I64, Array
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import (
    ArrayV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.compiled_text import array_of, items_of
from pullback.frontend.library.drawing import vector
from pullback.frontend.library.numpy.sequences import display
from pullback.frontend.library.numpy.sort import as_type


def library_value(name: str, reals: Any, ints: Any, count: int) -> Any:
    """Return the ``count`` numbers that a function of this name gives for these reals (an array of
    any rank, of which nothing is differentiated) and whole numbers (a tuple)."""
    words = np.array([0, *ints], np.int64)
    return np.asarray(NAMED[name](np.ravel(reals), words[1:]), np.float64)


def matrix_values(name: str, a: Any, more: int, shapes: Any) -> Any:
    """Return whether a function of this name finds what it looks for in a complex matrix (a pair of
    real ones, of which nothing is differentiated), and arrays of these shapes; it is told another
    number, too."""
    rows, columns = a[0].shape
    sizes = [int(np.prod(shape)) for shape in shapes]
    words = (1 + sum(sizes), rows, columns, more)
    found = library_value(name, np.concatenate((np.ravel(a[0]), np.ravel(a[1]))), words, words[0])
    ends = np.cumsum([1, *sizes])
    parts = (
        found[end - n : end].reshape(shape)
        for n, end, shape in zip(sizes, ends[1:], shapes, strict=True)
    )
    return (found[0] == 1.0, *parts)


@register(library_value)
def _library_value(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    name, reals, ints, count = args
    return _value(sp, name, reals, ints, count, node)


def _value(
    sp: Specialiser, name: Value, reals: Value, ints: Value, count: Value, node: ast.AST
) -> ArrayV:
    assert isinstance(name, Static)
    title = str(name.value)
    head = display(sp, [i64(NUMBERS[title])], node)
    whole = vector(sp, ints, I64, node)
    assert isinstance(whole, ArrayV)
    sent = sp.call(Static(np.concatenate), (TupleV((head, whole)),), node)
    numbers = as_type(sp, array_of(vector(sp, reals, F64, node)), F64, node)
    n = sp.convert(sp.scalar(count, node), I64, node)
    constant = sp.b.prim("stop_gradient", numbers.atom)
    op = Prim("callback", (constant, array_of(sent).atom, n), (called_python.LIBRARY, title))
    (atom,) = sp.b.let(op, (Array(F64, 1),), sp.site(node))
    return ext.note(sp, sp.fresh(atom, node), (n,))


@register(matrix_values)
def _matrix_values(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    """The shapes are known to the compiler: nothing is checked."""
    name, a, more, shapes = args
    whole = [[sp.convert(sp.scalar(n, node), I64, node) for n in items_of(s)]
             for s in items_of(shapes)]  # fmt: skip
    sizes = [functools.reduce(lambda n, m: sp.b.prim("mul", n, m), s) for s in whole]
    count: Atom = i64(1)
    for size in sizes:
        count = sp.b.prim("add", count, size)
    flat = [sp.call(Static(np.ravel), (part,), node) for part in items_of(a)]
    reals = sp.call(Static(np.concatenate), (TupleV(tuple(flat)),), node)
    extents = map(ext.int_value, ext.extents(sp, array_of(items_of(a)[0])))
    found = _value(
        sp, name, reals, TupleV((ext.int_value(count), *extents, more)), ext.int_value(count), node
    )
    first = sp.b.index(found.atom, (i64(0),), checked=False)
    results: list[Value] = [Scalar(sp.b.prim("eq", first, lit(1.0, F64)), False)]
    start: Atom = i64(1)
    for shape, size in zip(whole, sizes, strict=True):
        part = sp.b.prim("slice", found.atom, start, size, i64(1), static=(0,))
        if len(shape) > 1:
            part = sp.b.prim("reshape", part, *shape)
        results.append(ext.note(sp, sp.fresh(part, node), tuple(shape)))
        start = sp.b.prim("add", start, size)
    return TupleV(tuple(results))


__all__ = ["library_value", "matrix_values"]
