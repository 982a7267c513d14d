"""Values beside their tangents: leaves in dual space, and tangents in normal form.

A tangent has the form of its value, with ``None`` for discrete leaves; ``None`` for anything else
is zero. The leaves of a tangent go with those of the value, one each, ``None`` where discrete.

In forward mode nodes are in their *dual space* (``n.jvp``, see ``ad.spaces``): every real leaf is
followed by its tangent.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pullback.ad.spaces import Spaces
from pullback.call.block_layout import reached
from pullback.call.given import Normal, What
from pullback.call.marshal import FlatNode, Flattener
from pullback.call.shapes import Shape
from pullback.call.shapes.node import alternative, alternative_of
from pullback.call.space import of_reals
from pullback.core.types import Array, Named, Type
from pullback.core.values import Node, make_array
from pullback.errors import ArgumentValueError
from pullback.frontend.derivatives.homes import Homes
from pullback.frontend.kinds.kinds import leaf_types
from pullback.frontend.python.pytypes import types_of
from pullback.frontend.python.unions import Union


def tangent_leaves(
    shape: Shape, leaves: Sequence[object], given: object, what: What
) -> list[object]:
    """The leaves of ``given``, a tangent of the value of this shape with these leaves."""
    out: list[object] = []
    shape.tangents(iter(leaves), given, what, out)
    return out


def normal(shape: Shape, value: object, given: object, what: What) -> object:
    """The tangent of a value in normal form; nodes are done without recursion."""
    made = Normal(what)
    out = shape.normal(value, given, made, what)
    while made.todo:
        made.todo.pop()()
    return out


class DualFlattener(Flattener):
    """Flattens values together with their tangents; nodes are in their dual space."""

    def __init__(self) -> None:
        super().__init__()
        self.dual: dict[tuple[int, int, int], FlatNode] = {}

    def duals(
        self, shape: Shape, value: object, tangent: object, one_home: bool = False
    ) -> list[tuple[object, object]]:
        """The leaves of a value, each with its tangent (None: discrete, or a node)."""
        self.dual = {}
        self.homes = Homes(shape.kind) if one_home or tangent is not None else None
        for union, part, given in shape.node_tangents(value, tangent):
            self._pack_dual(union, part, given)
        return self._columns(shape, value, tangent)

    def _columns(
        self, shape: Shape, value: object, tangent: object
    ) -> list[tuple[object, object]]:
        """Leaves with tangents; the nodes inside are made already."""
        self.nodes = {}
        for union, part, given in shape.node_tangents(value, tangent):
            found = self.dual[id(part), id(union), id(given)]
            known = self.nodes.setdefault((id(part), id(union)), found)
            if known is not found:
                raise ArgumentValueError("one object has two different tangents")
        leaves: list[object] = []
        shape.flatten(value, self.node_of, leaves)
        return list(zip(leaves, tangent_leaves(shape, leaves, tangent, "tangent"), strict=True))

    def _pack_dual(self, union: Union, root: object, tangent: object) -> None:
        todo: list[tuple[Union, object, object, bool]] = [(union, root, tangent, False)]
        entered: set[tuple[int, int, int]] = set()
        while todo:
            u, value, given, ready = todo.pop()
            key = (id(value), id(u), id(given))
            if key in self.dual:
                continue
            known = alternative_of(u, value)
            shape = known.shape
            if self.homes is not None:
                self.homes.enter(u, value)
            if not ready:
                if key in entered:
                    raise ArgumentValueError(f"a {type(value).__name__} that contains itself")
                entered.add(key)
                todo.append((u, value, given, True))
                inside = () if shape is None else shape.node_tangents(value, given)
                todo.extend((w, p, g, False) for w, p, g in inside)
                continue
            pairs = [] if shape is None else self._columns(shape, value, given)
            fields = [x for leaf, t in pairs for x in ((leaf,) if t is None else (leaf, t))]
            node = Node(known.tag, fields)
            self.dual[key] = FlatNode(value, u, known, [leaf for leaf, _ in pairs], node)
            self.flat_nodes.append(self.dual[key])


# --- results in dual space ------------------------------------------------------------------------


def split_duals(shape: Shape, leaves: Sequence[object]) -> tuple[list[object], list[object]]:
    """Leaves whose nodes are in their dual space, as those of the value and of the tangent (a leaf
    of reals stands for its own tangent, which the caller knows)."""
    unions = {u.name: u for u in reached(shape.kind)}
    pairs: dict[int, tuple[Node, Node]] = {}
    todo: list[tuple[Union, Node]] = []

    def split(t: Type, leaf: object) -> tuple[object, object]:
        if isinstance(t, Named):
            assert isinstance(leaf, Node)
            if id(leaf) not in pairs:
                pairs[id(leaf)] = Node(leaf.tag), Node(leaf.tag)
                todo.append((unions[t.name], leaf))
            return pairs[id(leaf)]
        if (
            isinstance(t, Array)
            and isinstance(leaf, np.ndarray)
            and not of_reals(t)
            and leaf.dtype == np.object_
        ):
            both = [split(t.elem, x) for x in leaf.flat]  # noqa: F821  # a def below
            one, two = ([pair[k] for pair in both] for k in range(2))
            return make_array(t.elem, one, leaf.shape), make_array(t.elem, two, leaf.shape)
        return leaf, leaf

    found = [split(t, leaf) for t, leaf in zip(shape.types, leaves, strict=True)]
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


def differentiable(args: Sequence[object]) -> tuple[int, ...]:
    """The positions of the arguments that hold real numbers."""
    kinds = types_of(args)
    spaces = [Spaces.of({u.name: u.decl() for u in reached(k)}) for k in kinds]
    bearing = (any(map(s.bears, leaf_types(k))) for k, s in zip(kinds, spaces, strict=True))
    return tuple(i for i, bears in enumerate(bearing) if bears)


__all__ = ["DualFlattener", "normal", "split_duals", "tangent_leaves"]
