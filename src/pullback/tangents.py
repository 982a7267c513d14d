"""Tangents and cotangents that a caller gives: checked against the value that they belong to.

A tangent has the form of its value, with ``None`` for discrete leaves; ``None`` for anything else
is zero. The leaves of a tangent go with those of the value, one each, ``None`` where discrete.

In forward mode nodes are in their *dual space* (``n.jvp``, see ``ad.spaces``): every real leaf is
followed by its tangent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pullback.core.types import Real, Type
from pullback.core.values import Node, dtype_of, make_array
from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.frontend.kinds import (
    ArrayK,
    Kind,
    ListK,
    OptionalK,
    RecordK,
    ScalarK,
    TupleK,
    UnionK,
    describe,
    leaf_types,
)
from pullback.frontend.records import Union
from pullback.marshal import Flattener, Packed, alternative_of, has_union, holds_reals, rows_of

What = str
"""What the caller gave, for messages: "tangent" or "cotangent"."""


def tangent_leaves(
    kind: Kind, leaves: Sequence[object], given: object, what: What
) -> list[object]:
    """The leaves of ``given``, a tangent of the value of this kind with these leaves."""
    out: list[object] = []
    _walk(kind, iter(leaves), given, what, out)
    return out


def _walk(
    kind: Kind, leaves: Iterator[object], given: object, what: What, out: list[object]
) -> None:
    match kind:
        case ScalarK(t):
            next(leaves)
            out.append(_number(t, given, what) if isinstance(t, Real) else None)
        case ArrayK(elem):
            leaf = next(leaves)
            out.append(_array(elem, leaf, given, what) if isinstance(elem, Real) else None)
        case ListK(elem):
            _list(elem, leaves, given, what, out)
        case TupleK(items):
            for k, part in zip(items, _parts(given, len(items), kind, what), strict=True):
                _walk(k, leaves, part, what, out)
        case RecordK(_, fields):
            for name, k in fields:
                _walk(k, leaves, _field(given, name, kind, what), what, out)
        case OptionalK(inner):
            there = next(leaves)
            out.append(None)
            _walk(inner, leaves, given if there else None, what, out)
        case _:  # nodes have their tangents inside; static values have none
            for _ in leaf_types(kind):
                next(leaves)
                out.append(None)


def _number(t: Real, given: object, what: What) -> object:
    if isinstance(given, np.ndarray) and given.ndim == 0:
        given = given[()]
    if given is None:
        given = 0.0
    if not isinstance(given, int | float | np.number) or isinstance(given, complex):
        raise ArgumentTypeError(f"the {what} of a float is a number, not a {_name(given)}")
    return float(given) if t.bits == 64 else np.float32(given)


def _array(elem: Type, leaf: object, given: object, what: What) -> np.ndarray:
    assert isinstance(leaf, np.ndarray)
    if given is None:
        return np.zeros(leaf.shape, dtype_of(elem))
    try:
        found = np.asarray(given, dtype_of(elem))
    except (TypeError, ValueError):
        raise ArgumentTypeError(
            f"the {what} of an array is an array of numbers, not a {_name(given)}"
        ) from None
    if found.shape != leaf.shape:
        raise ArgumentValueError(
            f"a {what} of shape {found.shape} for an array of shape {leaf.shape}"
        )
    return found


def _list(
    elem: Kind, leaves: Iterator[object], given: object, what: What, out: list[object]
) -> None:
    rows = rows_of(elem, leaves)
    out.append(None)
    found: list[list[object]] = []
    for row, part in zip(rows, _parts(given, len(rows), ListK(elem), what), strict=True):
        found.append(tangent_leaves(elem, row, part, what))
    for j, t in enumerate(leaf_types(elem)):
        if holds_reals(t, unions=False):
            out.append(make_array(t, [row[j] for row in found], (len(rows),)))
        else:
            out.append(None)


def _parts(given: object, count: int, kind: Kind, what: What) -> Sequence[object]:
    if given is None:
        return (None,) * count
    if isinstance(given, np.ndarray):
        given = list(given)
    if not isinstance(given, list | tuple) or len(given) != count:
        raise ArgumentTypeError(f"the {what} of {describe(kind)} has its form, not {given!r}")
    return given


def _field(given: object, name: str, kind: Kind, what: What) -> object:
    if given is None:
        return None
    try:
        return getattr(given, name)
    except AttributeError:
        raise ArgumentTypeError(
            f"the {what} of {describe(kind)} has its fields; a {_name(given)} has no {name!r}"
        ) from None


def _name(given: object) -> str:
    return type(given).__name__


class DualFlattener(Flattener):
    """Flattens values together with their tangents; nodes are in their dual space."""

    def __init__(self) -> None:
        super().__init__()
        self.dual: dict[tuple[int, int, int], Packed] = {}

    def duals(self, kind: Kind, value: object, tangent: object) -> list[tuple[object, object]]:
        """The leaves of a value, each with its tangent (None: discrete, or a node)."""
        self.dual = {}
        for union, part, given in _pairs(kind, value, tangent):
            self._pack_dual(union, part, given)
        return self._columns(kind, value, tangent)

    def _columns(
        self, kind: Kind, value: object, tangent: object
    ) -> list[tuple[object, object]]:
        """Leaves with tangents; the nodes inside are made already."""
        self.nodes = {}
        for union, part, given in _pairs(kind, value, tangent):
            found = self.dual[id(part), id(union), id(given)]
            known = self.nodes.setdefault((id(part), id(union)), found)
            if known is not found:
                raise ArgumentValueError("one object has two different tangents")
        leaves: list[object] = []
        self._flatten(kind, value, leaves)
        return list(zip(leaves, tangent_leaves(kind, leaves, tangent, "tangent"), strict=True))

    def _pack_dual(self, union: Union, root: object, tangent: object) -> None:
        todo: list[tuple[Union, object, object, bool]] = [(union, root, tangent, False)]
        while todo:
            u, value, given, ready = todo.pop()
            key = (id(value), id(u), id(given))
            if key in self.dual:
                continue
            known = alternative_of(u, value)
            kind = known.kind
            if not ready:
                todo.append((u, value, given, True))
                todo.extend((w, p, g, False) for w, p, g in _pairs(kind, value, given))
                continue
            pairs = self._columns(kind, value, given)
            fields = [x for leaf, t in pairs for x in ((leaf,) if t is None else (leaf, t))]
            node = Node(known.tag, fields)
            self.dual[key] = Packed(value, u, known, [leaf for leaf, _ in pairs], node)
            self.packed.append(self.dual[key])


def _pairs(
    kind: Kind, value: object, tangent: object
) -> Iterator[tuple[Union, object, object]]:
    """The values of unions reached without going through one, with their tangents."""
    match kind:
        case UnionK(union):
            if tangent is not None and type(tangent) is not type(value):
                raise ArgumentTypeError(
                    f"the tangent of a {type(value).__name__} has its form, not {tangent!r}"
                )
            yield union, value, tangent
        case ListK(elem) if has_union(elem) and isinstance(value, list | tuple):
            for v, t in zip(value, _parts(tangent, len(value), kind, "tangent"), strict=True):
                yield from _pairs(elem, v, t)
        case TupleK(items) if isinstance(value, list | tuple):
            parts = _parts(tangent, len(items), kind, "tangent")
            for k, v, t in zip(items, value, parts, strict=True):
                yield from _pairs(k, v, t)
        case RecordK(_, fields):
            for name, k in fields:
                yield from _pairs(k, getattr(value, name), _field(tangent, name, kind, "tangent"))
        case OptionalK(inner) if value is not None:
            yield from _pairs(inner, value, tangent)
        case _:
            return
