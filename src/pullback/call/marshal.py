"""Python values and their leaves: the nodes of a call, and values built again (``shape``).

The nodes of one call are shared by identity and made without recursion: data may be deep.

In a gradient a node has accumulators: its leaves are those of its *forward space* (``n.fwd``, see
``ad.spaces``): an array of reals is followed by its accumulator, and the node ends with one more,
with a cell for every real number in it. ``Cells`` names an accumulator in the store of the call.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from pullback.call.shapes import Shape
from pullback.call.shapes.node import Alternative, alternative, alternative_of, inside_node
from pullback.call.space import of_reals
from pullback.call.store import Cells, accumulated, beside, read
from pullback.core.types import Array, Real, Type
from pullback.core.values import Node, make_array
from pullback.errors import ArgumentValueError, IntRangeError
from pullback.frontend.derivatives.homes import Homes
from pullback.frontend.python.unions import Union

TOO_LARGE = "Python int too large to convert to a 64-bit integer"


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

    def leaves(self, shape: Shape, value: object, varies: bool = False) -> list[object]:
        """The leaves of an argument of this shape. ``varies``: it is differentiated by."""
        self.nodes = {}
        self.homes = Homes(shape.kind) if varies else None
        for union, root in shape.nodes(value):
            self._pack(union, root)
        out: list[object] = []
        try:
            shape.flatten(value, self.node_of, out)
        except OverflowError:
            raise IntRangeError(TOO_LARGE) from None
        return out

    def node_of(self, union: Union, value: object) -> Node:
        """The node that stands for an object."""
        return self.nodes[id(value), id(union)].node

    def require_words(self, leaves: Sequence[object]) -> None:
        """IntRangeError for an int of more than 64 bits, among these leaves or in nodes."""
        for some in (leaves, *(flat.leaves for flat in self.flat_nodes)):
            if any(isinstance(x, int) and not -(2**63) <= x < 2**63 for x in some):
                raise IntRangeError(TOO_LARGE)

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
            if not ready and known.holds_nodes:
                if key in entered:
                    raise ArgumentValueError(f"a {type(value).__name__} that contains itself")
                entered.add(key)
                todo.append((u, value, True))
                todo.extend((w, part, False) for w, part in inside_node(u, value))
                continue
            self.nodes[key] = flat = self._node(u, value, known)
            self.flat_nodes.append(flat)

    def _node(self, union: Union, value: object, known: Alternative) -> FlatNode:
        leaves: list[object] = []
        if known.shape is not None:
            known.shape.flatten(value, self.node_of, leaves)
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
                for k, x in zip(known.reals, read(cells, flat.cells).tolist(), strict=False):
                    parts[k] = x
            for k, where in flat.accumulators.items():
                parts[k] = accumulated(cells, known.arrays[k], where)
            made[id(flat.node)] = value_of(known, parts, made, gradient=True)
        return made


# --- leaves to values -----------------------------------------------------------------------------


def value_of(
    known: Alternative, leaves: Sequence[object], made: dict[int, object], gradient: bool
) -> object:
    """The object of a node with these leaves."""
    return None if known.shape is None else known.shape.value(iter(leaves), made, gradient)


def result_value(shape: Shape, leaves: Sequence[object], gradient: bool = False) -> object:
    """The Python value of a result with these leaves; nodes that are shared become one object."""
    made: dict[int, object] = {}
    for union, node in shape.nodes_in(iter(leaves)):
        _make_objects(union, node, made, gradient)
    return shape.value(iter(leaves), made, gradient)


def _make_objects(
    union: Union, root: Node, made: dict[int, object], gradient: bool = False
) -> None:
    """Make the Python object of a node and of all that it reaches, the innermost first."""
    todo: list[tuple[Union, Node, bool]] = [(union, root, False)]
    while todo:
        u, node, ready = todo.pop()
        if id(node) in made:
            continue
        known = alternative(u, u.classes[node.tag])
        if ready or known.shape is None:
            made[id(node)] = value_of(known, node.fields, made, gradient)
        else:
            todo.append((u, node, True))
            todo.extend((w, n, False) for w, n in known.shape.nodes_in(iter(node.fields)))


__all__ = ["FlatNode", "Flattener", "result_value"]
