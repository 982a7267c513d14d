"""Tangents and cotangents that a caller gives: checked against the value that they belong to.

A tangent has the form of its value, with ``None`` for discrete leaves; ``None`` for anything else
is zero. The leaves of a tangent go with those of the value, one each, ``None`` where discrete.

In forward mode nodes are in their *dual space* (``n.jvp``, see ``ad.spaces``): every real leaf is
followed by its tangent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from pullback.call.marshal import (
    FlatNode,
    Flattener,
    alternative,
    alternative_of,
    has_union,
    holds_reals,
    of_reals,
    reachable_unions,
    rows_of,
)
from pullback.core.types import Array, Named, Real, Type
from pullback.core.values import Node, dtype_of, make_array
from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.frontend.derivatives.homes import Homes
from pullback.frontend.kinds.kinds import (
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
from pullback.frontend.python.exact import refusal
from pullback.frontend.python.instances import bare
from pullback.frontend.python.records import Union, field_of

What = str
"""What the caller gave, for messages: "tangent" or "cotangent"."""


def tangent_leaves(
    kind: Kind, leaves: Sequence[object], given: object, what: What
) -> list[object]:
    """The leaves of ``given``, a tangent of the value of this kind with these leaves."""
    out: list[object] = []
    _walk(kind, iter(leaves), given, what, out)
    return out


def refuse_discrete(value: object, given: object) -> None:
    """Refuse a direction in which a number that is not real, or an array of these, would move.
    (Inside of data such places are passed over: a tangent may be a copy of the value.)"""
    discrete = isinstance(value, int | np.integer | np.bool_) or (
        isinstance(value, np.ndarray) and value.dtype.kind in "biu"
    )
    if discrete and given is not None and np.any(np.asarray(given)):
        name = "an int" if not isinstance(value, np.ndarray) else "an array of ints"
        raise ArgumentTypeError(
            f"the tangent of {name} is None: it does not move",
            "pass floats where a derivative is wanted: 2.0, a.astype(float)",
        )


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


def _require_exact(given: object, what: What) -> None:
    found = refusal(given)
    if found is not None:
        raise ArgumentTypeError(f"{found[0]}, as a {what}", found[1])


def _number(t: Real, given: object, what: What) -> object:
    _require_exact(given, what)
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
    _require_exact(given, what)
    try:
        found = np.asarray(given)
        if np.iscomplexobj(found):
            raise TypeError
        found = found.astype(dtype_of(elem), copy=False)
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
    _require_exact(given, what)
    if isinstance(given, np.ndarray):
        given = list(given)
    if not isinstance(given, list | tuple) or len(given) != count:
        raise ArgumentTypeError(f"the {what} of {describe(kind)} has its form, not {given!r}")
    return given


def _field(given: object, name: str, kind: Kind, what: What) -> object:
    if given is None:
        return None
    _require_exact(given, what)
    if isinstance(given, dict) and isinstance(kind, RecordK):
        for other in given.keys() - {known for known, _ in kind.fields}:
            raise ArgumentTypeError(f"the {what} of {describe(kind)} has no {other!r}")
    try:
        return field_of(given, type(given), name)
    except (AttributeError, KeyError):
        raise ArgumentTypeError(
            f"the {what} of {describe(kind)} has its fields; a {_name(given)} has no {name!r}"
        ) from None


def _name(given: object) -> str:
    return type(given).__name__


class DualFlattener(Flattener):
    """Flattens values together with their tangents; nodes are in their dual space."""

    def __init__(self) -> None:
        super().__init__()
        self.dual: dict[tuple[int, int, int], FlatNode] = {}

    def duals(
        self, kind: Kind, value: object, tangent: object, one_home: bool = False
    ) -> list[tuple[object, object]]:
        """The leaves of a value, each with its tangent (None: discrete, or a node)."""
        self.dual = {}
        self.homes = Homes(kind) if one_home or tangent is not None else None
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
        entered: set[tuple[int, int, int]] = set()
        while todo:
            u, value, given, ready = todo.pop()
            key = (id(value), id(u), id(given))
            if key in self.dual:
                continue
            known = alternative_of(u, value)
            kind = known.kind
            if self.homes is not None:
                self.homes.enter(u, value)
            if not ready:
                if key in entered:
                    raise ArgumentValueError(f"a {type(value).__name__} that contains itself")
                entered.add(key)
                todo.append((u, value, given, True))
                todo.extend((w, p, g, False) for w, p, g in _pairs(kind, value, given))
                continue
            pairs = self._columns(kind, value, given)
            fields = [x for leaf, t in pairs for x in ((leaf,) if t is None else (leaf, t))]
            node = Node(known.tag, fields)
            self.dual[key] = FlatNode(value, u, known, [leaf for leaf, _ in pairs], node)
            self.flat_nodes.append(self.dual[key])


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
        case RecordK(cls, fields):
            for name, k in fields:
                inside = _field(tangent, name, kind, "tangent")
                yield from _pairs(k, field_of(value, cls, name), inside)
        case OptionalK(inner) if value is not None:
            yield from _pairs(inner, value, tangent)
        case _:
            return


def root_numbers(kind: Kind, given: object, what: What) -> Iterator[object]:
    """The tangents of the numbers that are in no list and no node."""
    match kind:
        case ScalarK(Real() as t):
            yield _number(t, given, what)
        case TupleK(items):
            for k, part in zip(items, _parts(given, len(items), kind, what), strict=True):
                yield from root_numbers(k, part, what)
        case RecordK(_, fields):
            for name, k in fields:
                yield from root_numbers(k, _field(given, name, kind, what), what)
        case _:
            return


# --- unusual tangents ----------------------------------------------------------------------------


class Usual:
    """Makes tangents in the usual form (floats, arrays of the value's dtype, lists, the value's own
    classes) of those that a caller gives, or says where they do not have the form of the value."""

    def __init__(self, what: What) -> None:
        self.what = what
        self.made: dict[int, tuple[object, object]] = {}
        self.todo: list[tuple[Kind, object, object, object, str]] = []

    def tangent(self, kind: Kind, value: object, given: object) -> object:
        """The tangent of a value; nodes are done without recursion."""
        out = self._part(kind, value, given, self.what)
        while self.todo:
            k, v, t, node, where = self.todo.pop()
            assert isinstance(k, RecordK)
            for name, field in k.fields:
                at = f"{where}.{name}"
                inside = self._part(field, getattr(v, name), self._field(t, name, k, at), at)
                object.__setattr__(node, name, inside)
        return out

    def _field(self, given: object, name: str, kind: Kind, where: str) -> object:
        with _at(where):
            return _field(given, name, kind, self.what)

    def _part(self, kind: Kind, value: object, given: object, where: str) -> object:
        if given is None:
            return None
        match kind:
            case ScalarK(Real() as number):
                with _at(where):
                    return _number(number, given, self.what)
            case ArrayK(Real() as elem):
                with _at(where):
                    return _array(elem, value, given, self.what)
            case ListK(elem):
                return list(self._parts(kind, [elem] * len(_items(value)), value, given, where))
            case TupleK(items, is_list):
                parts = self._parts(kind, items, value, given, where)
                return list(parts) if is_list else tuple(parts)
            case RecordK(cls, fields):
                return bare(cls, {
                    name: self._part(k, field_of(value, cls, name),
                                     self._field(given, name, kind, where), f"{where}.{name}")
                    for name, k in fields
                })  # fmt: skip
            case UnionK(union):
                return self._node(union, value, given, where)
            case _:
                return None

    def _parts(
        self, kind: Kind, kinds: Sequence[Kind], value: object, given: object, where: str
    ) -> Iterator[object]:
        with _at(where):
            parts = _parts(given, len(kinds), kind, self.what)
        for i, (k, v, t) in enumerate(zip(kinds, _items(value), parts, strict=True)):
            yield self._part(k, v, t, f"{where}[{i}]")

    def _node(self, union: Union, value: object, given: object, where: str) -> object:
        with _at(where):
            if type(given) is not type(value):
                raise ArgumentTypeError(
                    f"the {self.what} of a {type(value).__name__} has its form, not {given!r}"
                )
            known = self.made.get(id(value))
            if known is not None and known[0] is not given:
                raise ArgumentValueError(f"one object has two different {self.what}s")
        if known is None:
            kind = alternative_of(union, value).kind
            if issubclass(type(value), tuple):  # it cannot be made first and filled later
                node = self._part(kind, value, given, where)
            else:
                node = object.__new__(type(value))
                self.todo.append((kind, value, given, node, where))
            known = self.made[id(value)] = given, node
        return known[1]


@contextmanager
def _at(where: str) -> Iterator[None]:
    """Errors say which part of the tangent they are about."""
    try:
        yield
    except (ArgumentTypeError, ArgumentValueError) as error:
        raise type(error)(f"{error.reason}, at {where}", error.rewrite) from None


def _items(value: object) -> Sequence[object]:
    assert isinstance(value, list | tuple)
    return value


# --- results in dual space ------------------------------------------------------------------------


def split_duals(kind: Kind, leaves: Sequence[object]) -> tuple[list[object], list[object]]:
    """Leaves whose nodes are in their dual space, as those of the value and of the tangent (a leaf
    of reals stands for its own tangent, which the caller knows)."""
    unions = {u.name: u for u in reachable_unions(kind)}
    pairs: dict[int, tuple[Node, Node]] = {}
    todo: list[tuple[Union, Node]] = []

    def split(t: Type, leaf: object) -> tuple[object, object]:
        if isinstance(t, Named):
            assert isinstance(leaf, Node)
            if id(leaf) not in pairs:
                pairs[id(leaf)] = Node(leaf.tag), Node(leaf.tag)
                todo.append((unions[t.name], leaf))
            return pairs[id(leaf)]
        if isinstance(t, Array) and isinstance(leaf, np.ndarray) and not of_reals(t):
            if leaf.dtype == np.object_:
                both = [split(t.elem, x) for x in leaf.flat]  # noqa: F821
                one, two = ([pair[k] for pair in both] for k in range(2))
                return make_array(t.elem, one, leaf.shape), make_array(t.elem, two, leaf.shape)
        return leaf, leaf

    found = [split(t, leaf) for t, leaf in zip(leaf_types(kind), leaves, strict=True)]
    while todo:
        union, node = todo.pop()
        value, tangent = pairs[id(node)]
        given = iter(node.fields)
        both: list[tuple[object, object]] = []
        for t in alternative(union, union.classes[node.tag]).types:
            part = next(given)
            both.append((part, next(given)) if of_reals(t) else split(t, part))
        value.fields = tuple(a for a, _ in both)
        tangent.fields = tuple(b for _, b in both)
    del split  # it refers to itself, and would wait for the collector
    return [a for a, _ in found], [b for _, b in found]
