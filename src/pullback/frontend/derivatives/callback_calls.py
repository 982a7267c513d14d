"""Compile calls of Python functions that are not compiled (``pb.pure_callback``): the arguments go
over as two vectors, and the result comes back as one (``pullback.declared_callbacks``)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from pullback.core.build import i64
from pullback.core.terms import Atom, Prim
from pullback.core.types import F64, I64, Array, Bool, Real, Type
from pullback.core.values import dtype_of
from pullback.declared_callbacks import Declared, Layout
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import (
    REGISTRY,
    ArrayV,
    OperatorV,
    RecordV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.library.numpy.sequences import display, filled
from pullback.frontend.python.records import field_names
from pullback.structures import parts_of


class _Sent:
    """The arguments of a call, taken apart: numbers, and whole arrays as vectors."""

    def __init__(self, sp: Specialiser, name: str, node: ast.AST) -> None:
        self.sp, self.name, self.node = sp, name, node
        self.reals: list[Value] = []
        self.words: list[Value] = []

    def layout(self, value: Value) -> Layout:
        """Return the layout of an argument, whose numbers are noted."""
        match value:
            case Static(int() | float() as known) if not isinstance(known, bool):
                return self.layout(self.sp.scalar(value, self.node))
            case Static(known) if known is None or isinstance(known, (bool, str)):
                return ("static", known)
            case Scalar():
                real = isinstance(value.type, Real)
                (self.reals if real else self.words).append(value)
                return ("number", _class(value.type, value.py))
            case ArrayV(elem=elem):
                self.words += map(ext.int_value, ext.extents(self.sp, value))
                (self.reals if isinstance(elem, Real) else self.words).append(value)
                return ("array", dtype_of(elem).str, value.rank)
            case TupleV(items, is_list):
                return ("list" if is_list else "tuple", tuple(map(self.layout, items)))
            case RecordV(cls, fields) if cls is dict:
                return ("dict", tuple(fields), tuple(map(self.layout, fields.values())))
            case RecordV(cls, fields):
                return ("record", cls, tuple(fields), tuple(map(self.layout, fields.values())))
            case _:
                self.sp.refuse(
                    self.node,
                    f"{self.sp.describe(value)} as an argument of the callback {self.name!r}",
                    "pass numbers and arrays, and tuples, dicts and records of them",
                    error=ArgumentTypeError,
                )

    def vector(self, values: Sequence[Value], t: Real | Any) -> Atom:
        """Return values as one vector."""
        sp, node = self.sp, self.node
        pieces: list[Value] = []
        numbers: list[Atom] = []
        for value in values:
            if isinstance(value, ArrayV):
                if numbers:
                    pieces.append(display(sp, numbers, node))
                numbers = []
                flat = sp.call(Static(np.ravel), (value,), node)
                pieces.append(self._converted(flat, t))
            else:
                numbers.append(sp.convert(sp.scalar(value, node), t, node))
        if numbers:
            pieces.append(display(sp, numbers, node))
        if not pieces:
            pieces.append(filled(sp, (ext.ZERO,), Static(0), t, node))
        whole = pieces[0]
        if len(pieces) > 1:
            whole = sp.call(Static(np.concatenate), (TupleV(tuple(pieces)),), node)
        assert isinstance(whole, ArrayV)
        return whole.atom

    def _converted(self, value: Value, t: Type) -> Value:
        assert isinstance(value, ArrayV)
        if value.elem == t:
            return value
        n = ext.extents(self.sp, value)

        def item(indices: tuple[Atom, ...]) -> Atom:
            found = Scalar(self.sp.b.index(value.atom, indices, checked=False), py=False)
            return self.sp.convert(found, t, self.node)

        return ext.note(self.sp, self.sp.array(n, item, self.node), n, built=True)


def _class(t: Type, py: bool) -> type:
    if isinstance(t, Bool):
        return bool if py else np.bool_
    if py:
        return float if isinstance(t, Real) else int
    found: type = dtype_of(t).type
    return found


def _received(
    sp: Specialiser, vector: ArrayV, example: Any, start: list[int], node: ast.AST
) -> Value:
    """Return the result, from the vector of its reals: a structure like the example."""
    parts = parts_of(example)
    if parts is not None:
        made = [_received(sp, vector, part, start, node) for part in parts]
        match example:
            case dict():
                return RecordV(dict, dict(zip(example, made, strict=True)))
            case tuple() | list() if not hasattr(example, "_fields"):
                return TupleV(tuple(made), isinstance(example, list))
            case _:
                names = field_names(type(example))
                return RecordV(type(example), dict(zip(names, made, strict=True)))
    first = start[0]
    shape = np.shape(example)
    start[0] += int(np.prod(shape, dtype=np.int64))
    t = Real(32) if getattr(example, "dtype", None) == np.float32 else F64
    if not isinstance(example, np.ndarray) or not shape:
        found = Scalar(sp.b.index(vector.atom, (i64(first),), checked=False), py=False)
        py = type(example) is float
        return Scalar(sp.convert(found, t, node), py=py)
    extents = tuple(map(i64, shape))

    def item(indices: tuple[Atom, ...]) -> Atom:
        at: Atom = i64(0)
        for i, n in zip(indices, extents, strict=True):
            at = ext.add(sp, ext.mul(sp, at, n), i)
        at = ext.add(sp, at, i64(first))
        found = Scalar(sp.b.index(vector.atom, (at,), checked=False), py=False)
        return sp.convert(found, t, node)

    return ext.note(sp, sp.array(extents, item, node), extents, built=True)


def _call(
    sp: Specialiser, operator: OperatorV, args: Sequence[Value], kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:  # fmt: skip
    """Compile a call."""
    assert isinstance(operator.function, Static)
    declared = operator.function.value
    assert isinstance(declared, Declared)
    if kwargs:
        sp.refuse(node, f"keyword arguments of the callback {declared.name!r}",
                  "give them by position")  # fmt: skip
    sent = _Sent(sp, declared.name, node)
    layout = ("tuple", tuple(map(sent.layout, args)))
    count = sum(int(np.prod(shape, dtype=np.int64)) for shape in declared.shapes)
    vectors = sent.vector(sent.reals, F64), sent.vector(sent.words, I64)
    op = Prim("callback", (*vectors, i64(count)), (declared.number(layout), declared.name))
    (atom,) = sp.b.let(op, (Array(F64, 1),), sp.site(node))
    vector = sp.fresh(atom, node)
    return _received(sp, ext.note(sp, vector, (i64(count),)), declared.example, [0], node)


REGISTRY.operators["pure_callback"] = _call

__all__: list[str] = []
