"""Python values and their leaves: flattening by kind, and building values again.

The leaves of a value are what ``frontend.kinds.leaf_types`` names, depth first, in the form of the
evaluator (``core.values``): a list is its length and one array per leaf of its element, a value of
a union of dataclasses is a ``Node``. The nodes of one call are shared by identity and made without
recursion: data may be deep.

In a gradient a node has accumulators: its leaves are those of its *forward space* (``n.fwd``, see
``ad.spaces``): an array of reals is followed by its accumulator, and the node ends with one more,
with a cell for every real number in it. ``Cells`` names an accumulator in the store of the call.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np

from pullback.call.leaves import array, items_of, mismatch, nothing, scalar
from pullback.call.store import Cells, accumulated, beside, read
from pullback.core.types import Array, Bool, Int, Named, Real, Type
from pullback.core.values import Node, make_array
from pullback.errors import ArgumentTypeError, ArgumentValueError, UnsupportedError
from pullback.frontend.derivatives.homes import Homes, leads_to_reals
from pullback.frontend.kinds.kinds import (
    ArrayK,
    Kind,
    ListK,
    OptionalK,
    RecordK,
    ScalarK,
    StaticK,
    SymbolK,
    TupleK,
    UnionK,
    describe,
    leaf_types,
    unions_in,
)
from pullback.frontend.python.instances import bare
from pullback.frontend.python.records import (
    Union,
    annotations_of,
    field_of,
    inside,
    is_tuple_of_any_length,
)
from pullback.frontend.python.symbols import number_of, symbol_class, symbol_of


class Alternative:
    """What is known of one alternative of a union: the kind and the leaves of its fields, the
    arrays among them that have accumulators, and how many are real numbers."""

    def __init__(self, union: Union, cls: type) -> None:
        self.tag = union.tag(cls)
        self.kind = union.variant_kind(cls)
        self.types = tuple(leaf_types(self.kind))
        self.arrays = {
            k: t for k, t in enumerate(self.types) if isinstance(t, Array) and of_reals(t)
        }
        self.reals = [k for k, t in enumerate(self.types) if isinstance(t, Real)]
        self.has_nodes = has_union(self.kind)
        self.bears = leads_to_reals(self.kind)


alternative = cache(Alternative)


class FlatNode:
    """One node of a call: the object that it stands for, the leaves of its fields, the
    accumulators of those that are arrays, and the one of the real numbers among them."""

    __slots__ = ("accumulators", "alternative", "cells", "leaves", "node", "union", "value")

    def __init__(
        self, value: object, union: Union, alternative: Alternative, leaves: list[object],
        node: Node,
    ) -> None:  # fmt: skip
        self.value = value
        self.union = union
        self.alternative = alternative
        self.leaves = leaves
        self.node = node
        self.accumulators: dict[int, object] = {}
        self.cells: Cells | None = None


NUMPY_SCALARS: dict[Type, Callable[..., object]] = {
    Real(64): np.float64,
    Real(32): np.float32,
    Int(64): np.int64,
    Int(32): np.int32,
    Bool(): np.bool_,
}


class Flattener:
    """Flattens the arguments of one call. ``space``: that of the data; in "fwd" it has accumulators
    inside, in "ids" the numbers of their cells, from 1 on.

    An object that is shared inside one argument is one node; two arguments share none."""

    def __init__(self, space: str = "") -> None:
        self.space = space
        self.flat_nodes: list[FlatNode] = []  # all nodes, the innermost first
        self.nodes: dict[tuple[int, int], FlatNode] = {}  # those of the argument being flattened
        self.homes: Homes | None = None
        self.cells = 0

    def data(self, t: Type, leaf: object) -> list[object]:
        """A leaf that is data, in its space: an array of arrays is followed by accumulators."""
        if not self.numbered or not isinstance(t, Array) or not of_reals(t):
            return [leaf]
        return [leaf, self._accumulators(t, leaf)]

    @property
    def numbered(self) -> bool:
        """Whether the reals in data have cells."""
        return self.space in ("fwd", "ids")

    def leaves(self, kind: Kind, value: object, varies: bool = False) -> list[object]:
        """The leaves of an argument of this kind. ``varies``: it is differentiated by."""
        self.nodes = {}
        self.homes = Homes(kind) if varies else None
        for union, root in _unions(kind, value):
            self._pack(union, root)
        out: list[object] = []
        self._flatten(kind, value, out)
        return out

    def _flatten(self, kind: Kind, value: object, out: list[object]) -> None:
        match kind:
            case ScalarK(t):
                out.append(scalar(t, value))
            case ArrayK(elem, rank):
                out.append(array(elem, rank, value))
            case ListK(elem):
                self._flatten_list(elem, items_of(value, kind), out)
            case TupleK(items):
                for k, v in zip(items, items_of(value, kind, len(items)), strict=True):
                    self._flatten(k, v, out)
            case RecordK(cls, fields):
                if type(value) is not cls:
                    raise mismatch(kind, value)
                for name, k in fields:
                    self._flatten(k, field_of(value, cls, name), out)
            case UnionK(union):
                out.append(self.nodes[id(value), id(union)].node)
            case StaticK():
                return
            case OptionalK(inner):
                out.append(value is not None)
                if value is None:
                    out.extend(nothing(t) for t in leaf_types(inner))
                else:
                    self._flatten(inner, value, out)
            case SymbolK(cls):
                if symbol_class(value) is not cls:
                    raise mismatch(kind, value)
                out.append(number_of(value))
            case _:
                raise UnsupportedError(f"{describe(kind)} is not supported inside an argument")

    def _flatten_list(self, elem: Kind, items: Sequence[object], out: list[object]) -> None:
        items = tuple(items)  # of one moment
        out.append(len(items))
        rows: list[list[object]] = []
        for item in items:
            rows.append([])
            self._flatten(elem, item, rows[-1])
        for j, t in enumerate(leaf_types(elem)):
            out.append(make_array(t, [row[j] for row in rows], (len(rows),)))

    # --- nodes -------------------------------------------------------------------------------

    def _pack(self, union: Union, root: object) -> None:
        """Make the node of ``root`` and of all that it reaches, the innermost first."""
        todo: list[tuple[Union, object, bool]] = [(union, root, False)]
        entered: set[tuple[int, int]] = set()
        while todo:
            u, value, ready = todo.pop()
            key = (id(value), id(u))
            if key in self.nodes:
                continue
            known = alternative_of(u, value)
            if self.homes is not None:
                self.homes.enter(u, value)
            if not ready and known.has_nodes:
                if key in entered:
                    raise ArgumentValueError(f"a {type(value).__name__} that contains itself")
                entered.add(key)
                todo.append((u, value, True))
                todo.extend((w, part, False) for w, part in _unions(known.kind, value))
                continue
            self.nodes[key] = flat = self._node(u, value, known)
            self.flat_nodes.append(flat)

    def _node(self, union: Union, value: object, known: Alternative) -> FlatNode:
        leaves: list[object] = []
        self._flatten(known.kind, value, leaves)
        node = Node(known.tag, leaves)
        flat = FlatNode(value, union, known, leaves, node)
        if self.numbered and (known.arrays or known.reals):
            for k, t in known.arrays.items():
                flat.accumulators[k] = self._accumulators(t, leaves[k])
            if known.reals:
                flat.cells = self._new((len(known.reals),))
            node.fields = tuple(self._fields(flat))
        return flat

    def _fields(self, flat: FlatNode) -> Iterator[object]:
        """The leaves of a node in its space."""
        known, cells = flat.alternative, flat.cells
        for k, leaf in enumerate(flat.leaves):
            yield leaf
            if k in known.arrays:
                yield beside(self.space, known.arrays[k], flat.accumulators[k])
            elif self.space == "ids" and k in known.reals and cells is not None:
                yield cells.offset + 1 + known.reals.index(k)
        if self.space == "fwd" and cells is not None:
            yield cells

    def _new(self, shape: tuple[int, ...]) -> Cells:
        cells = Cells(self.cells, shape)
        self.cells += math.prod(shape)
        return cells

    def _accumulators(self, t: Array, leaf: object) -> object:
        """The accumulator of an array of reals; an array of them for an array of such arrays."""
        assert isinstance(leaf, np.ndarray)
        if isinstance(t.elem, Real):
            return self._new(leaf.shape)
        assert isinstance(t.elem, Array)
        found = [self._accumulators(t.elem, x) for x in leaf.ravel()]
        return make_array(t.elem, found, leaf.shape)

    # --- gradients ---------------------------------------------------------------------------

    def node_gradients(self, cells: np.ndarray) -> dict[int, object]:
        """The gradient object of every node (by its identity), from the accumulated cells. Nodes
        that are shared have one gradient, shared likewise."""
        made: dict[int, object] = {}
        for flat in self.flat_nodes:
            known = flat.alternative
            parts = list(flat.leaves)
            if flat.cells is not None:
                for k, x in zip(known.reals, read(cells, flat.cells).tolist()):
                    parts[k] = x
            for k, where in flat.accumulators.items():
                parts[k] = accumulated(cells, known.arrays[k], where)
            made[id(flat.node)] = rebuild(known.kind, iter(parts), made, gradient=True)
        return made


def of_reals(t: Type) -> bool:
    """Whether it is a real, or an array of (arrays of) reals."""
    while isinstance(t, Array):
        t = t.elem
    return isinstance(t, Real)


def alternative_of(union: Union, value: object) -> Alternative:
    """The alternative that a value of a union is; a TypeError if it is none."""
    cls: type = type(value)
    if cls not in union.classes:
        raise ArgumentTypeError(
            f"a {cls.__name__} where a {' or '.join(union.class_names())} is declared"
        )
    return alternative(union, cls)


def _unions(kind: Kind, value: object) -> Iterator[tuple[Union, object]]:
    """The values of unions that are reached without going through one."""
    match kind:
        case UnionK(union):
            yield union, value
        case ListK(elem) if has_union(elem):
            for item in items_of(value, kind):
                yield from _unions(elem, item)
        case TupleK(items):
            for k, v in zip(items, items_of(value, kind, len(items)), strict=True):
                yield from _unions(k, v)
        case RecordK(cls, fields):
            for name, k in fields:
                yield from _unions(k, field_of(value, cls, name))
        case OptionalK(inner) if value is not None:
            yield from _unions(inner, value)
        case _:
            return


def reachable_unions(kind: Kind) -> list[Union]:
    """The unions in values of a kind, those inside their fields too."""
    found: dict[str, Union] = {}
    todo = [kind]
    while todo:
        for union in unions_in(todo.pop()):
            if union.name not in found:
                found[union.name] = union
                todo += [union.variant_kind(cls) for cls in union.classes]
    return list(found.values())


def has_union(kind: Kind) -> bool:
    """Whether a value of this kind holds nodes."""
    match kind:
        case UnionK():
            return True
        case ListK(elem) | OptionalK(elem):
            return has_union(elem)
        case TupleK(items):
            return any(map(has_union, items))
        case RecordK(_, fields):
            return any(has_union(k) for _, k in fields)
        case _:
            return False


# --- leaves to values -----------------------------------------------------------------------------

Made = dict[int, object]
"""The Python object for every node, by the identity of the node."""


def result_value(kind: Kind, leaves: Sequence[object], gradient: bool = False) -> object:
    """The Python value of a result with these leaves; nodes that are shared become one object."""
    made: Made = {}
    for union, node in _nodes_in(kind, iter(leaves)):
        _make_objects(union, node, made, gradient)
    return rebuild(kind, iter(leaves), made, gradient)


def rebuild(
    kind: Kind, leaves: Iterator[object], made: Made, gradient: bool = False,
    declared: object = None,
) -> object:  # fmt: skip
    """The value of this kind with these leaves; in a gradient discrete leaves become ``None``.
    ``declared``: its annotation, which tells tuples from lists."""
    match kind:
        case ScalarK(t, py):
            leaf = next(leaves)
            return None if gradient and not isinstance(t, Real) else _number(t, py, leaf)
        case ArrayK(elem):
            leaf = next(leaves)
            return None if gradient and not isinstance(elem, Real) else leaf
        case ListK(elem):
            rows = rows_of(elem, leaves)
            part = inside(declared, 0)
            items = [rebuild(elem, iter(row), made, gradient, part) for row in rows]
            return tuple(items) if is_tuple_of_any_length(declared) else items
        case TupleK(items, is_list):
            parts = [
                rebuild(k, leaves, made, gradient, inside(declared, j))
                for j, k in enumerate(items)
            ]
            return parts if is_list else tuple(parts)
        case RecordK(cls, fields):
            hints = annotations_of(cls)
            return bare(
                cls, {n: rebuild(k, leaves, made, gradient, hints.get(n)) for n, k in fields}
            )
        case UnionK():
            return made[id(next(leaves))]
        case StaticK(_, value):
            return None if gradient else value
        case OptionalK(inner):
            if next(leaves):
                return rebuild(inner, leaves, made, gradient)
            for _ in leaf_types(inner):
                next(leaves)
            return None
        case SymbolK(cls):
            number = next(leaves)
            assert isinstance(number, int)
            return None if gradient else symbol_of(cls, number)
        case _:
            raise UnsupportedError(
                f"{describe(kind)} is not supported as a result of compiled code",
                "return numbers, arrays, tuples or dataclasses",
            )


def rows_of(elem: Kind, leaves: Iterator[object]) -> list[tuple[object, ...]]:
    """The leaves of every item of a list."""
    length = next(leaves)
    assert isinstance(length, int)
    columns = [_column(next(leaves)) for _ in leaf_types(elem)]
    return list(zip(*columns, strict=True)) if columns else [()] * length


def _column(array: object) -> list[object]:
    assert isinstance(array, np.ndarray)
    return list(array.tolist())


def _number(t: Type, py: bool, leaf: object) -> object:
    if not py:
        return NUMPY_SCALARS[t](leaf)
    match t:
        case Real():
            return float(leaf)  # type: ignore[arg-type]
        case Int():
            return int(leaf)  # type: ignore[call-overload]
        case _:
            return bool(leaf)


def _make_objects(union: Union, root: Node, made: Made, gradient: bool = False) -> None:
    """Make the Python object of a node and of all that it reaches, the innermost first."""
    todo: list[tuple[Union, Node, bool]] = [(union, root, False)]
    while todo:
        u, node, ready = todo.pop()
        cls = u.classes[node.tag]
        kind = alternative(u, cls).kind
        if id(node) in made:
            continue
        if cls is types.NoneType:
            made[id(node)] = None
        elif ready:
            made[id(node)] = rebuild(kind, iter(node.fields), made, gradient)
        else:
            todo.append((u, node, True))
            todo.extend((w, n, False) for w, n in _nodes_in(kind, iter(node.fields)))


def _nodes_in(kind: Kind, leaves: Iterator[object]) -> Iterator[tuple[Union, Node]]:
    """The nodes among these leaves; uses the leaves up."""
    match kind:
        case UnionK(union):
            leaf = next(leaves)
            assert isinstance(leaf, Node)
            yield union, leaf
        case ListK(elem) if has_union(elem):
            for row in rows_of(elem, leaves):
                yield from _nodes_in(elem, iter(row))
        case TupleK(items):
            for k in items:
                yield from _nodes_in(k, leaves)
        case RecordK(_, fields):
            for _, k in fields:
                yield from _nodes_in(k, leaves)
        case OptionalK(inner) if has_union(inner):
            there = next(leaves)
            found = list(_nodes_in(inner, leaves))
            if there:
                yield from found
        case _:
            for _ in leaf_types(kind):
                next(leaves)


def holds_reals(t: Type, unions: bool = True) -> bool:
    """Whether a leaf of this type can have a derivative (nodes: if ``unions``)."""
    match t:
        case Real():
            return True
        case Array(elem):
            return holds_reals(elem, unions)
        case Named():
            return unions
        case _:
            return False
