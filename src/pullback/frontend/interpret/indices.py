"""Indices of lists, as atoms: counted from the start, and checked."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pullback.core.build import i64
from pullback.core.messages import Limit
from pullback.core.terms import Atom, Lit
from pullback.core.types import BOOL, I64, Int
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.values import (
    ArrayV,
    ListV,
    Scalar,
    SliceV,
    Specialiser,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.library.numpy import indices

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def as_parts(cls: type, index: Value) -> Value:
    """Return an index as the ``__getitem__`` of a class takes it: those of the library that have
    axes get a tuple, and in it a slice as a tuple of its three parts."""
    if not getattr(cls, "_parts_as_tuples", False):
        return index
    items = index.items if isinstance(index, TupleV) else (index,)
    return TupleV(tuple(TupleV(v.bounds) if isinstance(v, SliceV) else v for v in items))


def place(run: Run, items: ListV, index: Atom, message: str, node: ast.AST) -> Atom:
    """Return an index counted from the start, with an IndexError at run time if there is no such
    item."""
    n = items.length
    if run.store is not None and run.store.is_row(items, index):
        return index
    if isinstance(index, Lit) and int(index.value) < 0:
        at: Atom = run.b.prim("add", n, index)
        inside = run.b.prim("ge", at, i64(0))
    elif isinstance(index, Lit):
        at, inside = index, run.b.prim("lt", index, n)
    else:
        at = indices.wrapped(run, index, n)
        known = ext.never_negative(run, at)
        low = None if known else run.b.prim("ge", at, i64(0))
        high = run.b.prim("lt", at, n)
        inside = high if low is None else run.b.prim("and", low, high)
    run.require(inside, "IndexError", message, node)
    ext.note_position(run, at)
    return at


def is_int(value: Value) -> bool:
    return (isinstance(value, Scalar) and isinstance(value.type, Int)) or (
        isinstance(value, Static) and isinstance(value.value, int)
    )


def names_items(index: Value) -> bool:
    """Whether an index of an array names its items, which are copied: an array or list is in it."""
    parts = index.items if isinstance(index, TupleV) and not index.is_list else (index,)
    return any(isinstance(v, (ArrayV, ListV, TupleV)) for v in parts)


def int_atom(run: Run, value: Value, node: ast.AST, what: str) -> Atom:
    """Return a Python int (or bool) as an I64 atom; floats are refused as in Python, where only the
    run knows it by the run."""
    x = run.scalar(value, node)
    if x.is_int is not None:
        return told_int(run, x, "TypeError", NO_INTEGER, node).atom
    if not isinstance(x.type, Int) and x.type != BOOL:
        run.refuse(
            node,
            f"{what} must be an integer, not a float",
            "convert it with int(...)",
            error=ArgumentTypeError,
        )
    return run.convert(value, I64, node)


NO_INTEGER = "'float' object cannot be interpreted as an integer"
_NO_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
    "arrays are valid indices"
)
_NO_INDICES = frozenset({str, float, np.float32, np.float64, tuple, list})
"""Classes of which no object is an index of a list."""


def index_atom(run: Run, value: Value, node: ast.AST, word: str) -> Atom:
    """Return an index of a list, a tuple, a string or a range (``word``), as an I64 atom: a literal
    beyond 64 bits is out of range. One that may be None is checked when the program runs."""
    if optionals.may_be_nothing(value):
        value = optionals.present(run, value, partial(_no_index, word), node)
    if optionals.plain_class(value) in _NO_INDICES:
        message = _no_index(word, optionals.class_name(value))
        run.never("TypeError", message, node, ArgumentTypeError)
    if isinstance(value, Scalar) and value.is_int is not None:
        value = told_int(run, value, "TypeError", _no_index(word, "float"), node)
    return int_atom(run, ext.position(value), node, f"an index of a {word}")


def element_index(run: Specialiser, index: Scalar, node: ast.AST) -> Scalar:
    """Return an index of an array, which may be a number of which only the run knows that it is an
    int."""
    return index if index.is_int is None else told_int(run, index, "IndexError", _NO_INDEX, node)


def told_int(
    run: Specialiser, value: Scalar, error: str | Limit, message: str, node: ast.AST
) -> Scalar:
    """Return a number that may be an int as one; if it is a float, an error of the run."""
    assert value.is_int is not None
    run.require(value.is_int, error, message, node)
    return Scalar(run.b.prim("to_int", value.atom, static=(I64,)), True)


def _no_index(word: str, name: str) -> str:
    """Return what Python says of an index of another class."""
    if word == "string":
        return f"string indices must be integers, not {name!r}"
    return f"{word} indices must be integers or slices, not {name}"

