"""Compile the functions of ``pullback.batches``: axes, and the form of a structure, are known at
compile time."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pullback import batches, structures
from pullback.core.build import i64
from pullback.core.terms import Atom
from pullback.errors import ArgumentTypeError, ArgumentValueError, PullbackError
from pullback.frontend.interpret.small_ints import small
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import (
    ArrayV,
    Indexed,
    ListV,
    RecordV,
    Scalar,
    SmallV,
    Specialiser,
    Static,
    TupleV,
    Value,
    register,
)
from pullback.frontend.library.arguments import Args, Kwargs
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.memory.long_tuples import as_class
from pullback.frontend.run import Run

Tree = Any


@register(batches.axes_of)
def axes_of(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    (tree,) = args
    try:
        return Static(batches.axes_of(_known(sp, tree, node)))
    except PullbackError as e:
        if e.site is not None:
            raise
        sp.refuse(node, e.reason, e.rewrite, error=type(e))


def _known(sp: Specialiser, tree: Value, node: ast.AST) -> Tree:
    """Return a tree of axes as a Python object."""
    match tree:
        case TupleV(items, is_list):
            known = [_known(sp, item, node) for item in items]
            return known if is_list else tuple(known)
        case RecordV(cls, fields):
            inside = {name: _known(sp, item, node) for name, item in fields.items()}
            return inside if cls is dict else structures.record_of(cls, inside)
        case _:
            return sp.static(tree, node, "an axis")


def _tree(axes: Value) -> Tree:
    assert isinstance(axes, Static) and isinstance(axes.value, batches.Axes)
    return axes.value.tree


def _parts(tree: Value) -> Mapping[Any, Value] | None:
    """Return the parts of a structure, by their names or places; None if it is a leaf."""
    match tree:
        case TupleV(items):
            return dict(enumerate(items))
        case RecordV(_, fields):
            return fields
        case _:
            return None


def _below(sp: Specialiser, axes: Tree, parts: Mapping[Any, Value], node: ast.AST) -> list[Tree]:
    try:
        return batches.below(axes, len(parts), tuple(parts))
    except PullbackError as e:
        sp.refuse(node, e.reason, e.rewrite, error=type(e))


def _is_leaf(value: Value) -> bool:
    number = isinstance(value, Static) and structures.is_leaf(value.value, False)
    return number or isinstance(value, (Scalar, ArrayV))


Lists = Callable[[ListV, Static], Value]


def _each(
    sp: Specialiser, tree: Value, axes: Tree, f: Callable[[Value, int | None], Value],
    node: ast.AST, lists: Lists | None = None,
) -> Value:  # fmt: skip
    """Apply ``f`` to the numbers and arrays of a structure, and their axes; ``lists`` to lists
    whose length only the run knows, and the axes of an item."""
    parts = _parts(tree)
    if isinstance(tree, SmallV):
        assert isinstance(sp, Run)
        return small(sp, f(tree.held, axes), tree.dtype, node)
    if isinstance(tree, ListV) and axes is not None and lists is not None:
        if isinstance(axes, (list, tuple)):
            reason = f"axes for each item of {sp.describe(tree)}, whose length only the run knows"
            sp.refuse(node, reason, "give one number for all of its items")
        return as_class(lists(tree, Static(batches.axes_of(axes))), tree.cls)
    if parts is None:
        if not _is_leaf(tree) and axes is not None:
            reason = f"mapping over {sp.describe(tree)}"
            loop = "or write the loop: [f(part(x, i)) for i in range(n)]"
            sp.refuse(node, reason, f"map over arrays, {batches.WHOLE}, {loop}")
        return f(tree, axes)
    inside = _below(sp, axes, parts, node)
    new = [
        _each(sp, part, a, f, node, lists)
        for part, a in zip(parts.values(), inside, strict=True)
    ]
    if isinstance(tree, TupleV):
        return TupleV(tuple(new), tree.is_list)
    assert isinstance(tree, RecordV)
    return RecordV(tree.cls, dict(zip(tree.fields, new, strict=True)))


def _axis(sp: Specialiser, value: Value, axis: int, node: ast.AST) -> tuple[ArrayV, int]:
    """Return the array that is mapped, and its axis counted from 0."""
    if not isinstance(value, ArrayV):
        reason = f"mapping over {sp.describe(value)}, which has no axis"
        sp.refuse(node, reason, batches.WHOLE, error=ArgumentTypeError)
    if not -value.rank <= axis < value.rank:
        reason = f"mapping over axis {axis} of {sp.describe(value)}"
        sp.refuse(node, reason, batches.AXES, error=ArgumentValueError)
    return value, axis % value.rank


@register(batches.size_of)
def size_of(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    tree, axes = args
    sizes, lists = _sizes(sp, tree, axes, node)
    if not sizes and not lists:
        sp.refuse(node, batches.NOTHING, batches.AXES, error=ArgumentValueError)
    for other in sizes[1:]:
        ext.check_equal(sp, sizes[0], other, batches.DIFFERENT, node)
    known = ext.int_value(sizes[0] if sizes else i64(-1))
    for items, inside in lists:
        known = run_program(sp, batches.size_of_items, (known, items, inside), node)
    if not sizes:
        there = sp.b.prim("ge", sp.scalar(known, node).atom, i64(0))
        sp.require(there, "ValueError", batches.NOTHING, node)
    return known


def _sizes(
    sp: Specialiser, tree: Value, axes: Value, node: ast.AST
) -> tuple[list[Atom], list[tuple[ListV, Static]]]:
    """Return the extents of the arrays that are mapped, and the lists of such."""
    sizes: list[Atom] = []
    lists: list[tuple[ListV, Static]] = []

    def note(value: Value, axis: int | None) -> Value:
        if axis is not None:
            array, k = _axis(sp, value, axis, node)
            sizes.append(ext.extents(sp, array)[k])
        return value

    def several(items: ListV, inside: Static) -> Value:
        lists.append((items, inside))
        return items

    _each(sp, tree, _tree(axes), note, node, several)
    return sizes, lists


@register(batches.size_from)
def size_from(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    known, tree, axes = args
    sizes, lists = _sizes(sp, tree, axes, node)
    for size in sizes:
        known = run_program(sp, batches.agreed, (known, ext.int_value(size)), node)
    for items, inside in lists:
        known = run_program(sp, batches.size_of_items, (known, items, inside), node)
    return known


@register(batches.taken)
def taken(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    tree, axes, i = args
    index = sp.scalar(i, node).atom

    def item(value: Value, axis: int | None) -> Value:
        if axis is None:
            return value
        array, k = _axis(sp, value, axis, node)
        rows = array if k == 0 else _moved(sp, array, k, 0, node)
        items = sp.iterate(rows, node)
        assert isinstance(items, Indexed)
        return items.at(index)

    def several(items: ListV, inside: Static) -> Value:
        return run_program(sp, batches.taken_of_items, (items, inside, i), node)

    return _each(sp, tree, _tree(axes), item, node, several)


def _moved(sp: Specialiser, x: Value, source: int, goal: int, node: ast.AST) -> Value:
    return sp.call(Static(np.moveaxis), (x, Static(source), Static(goal)), node)


@register(batches.placed)
def placed(sp: Specialiser, args: Args, kwargs: Kwargs, node: ast.AST) -> Value:
    tree, axes = args

    def put(value: Value, axis: int | None) -> Value:
        if not isinstance(value, ArrayV):
            return value
        if axis is None:
            return run_program(sp, batches.same, (value,), node)
        array, k = _axis(sp, value, axis, node)
        return array if k == 0 else _moved(sp, array, 0, k, node)

    return _each(sp, tree, _tree(axes), put, node)


__all__ = ["axes_of", "placed", "size_from", "size_of", "taken"]
