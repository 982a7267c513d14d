"""The function by which texts ask for values that NumPy or SciPy compute
(``core/library_values.py``)."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from pullback.core import called_python
from pullback.core.build import i64
from pullback.core.library_values import NAMED, NUMBERS
from pullback.core.terms import Prim
from pullback.core.types import F64, I64, Array
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import ArrayV, Specialiser, Static, TupleV, Value, register
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.compiled_text import array_of
from pullback.frontend.library.drawing import vector
from pullback.frontend.library.numpy.sequences import display
from pullback.frontend.library.numpy.sort import as_type


def library_value(name: str, reals: Any, ints: Any, count: int) -> Any:
    """Return the ``count`` numbers that a function of this name gives for these reals (an array of
    any rank, of which nothing is differentiated) and whole numbers (a tuple)."""
    words = np.array([0, *ints], np.int64)
    return np.asarray(NAMED[name](np.ravel(reals), words[1:]), np.float64)


@register(library_value)
def _library_value(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    name, reals, ints, count = args
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


__all__ = ["library_value"]
