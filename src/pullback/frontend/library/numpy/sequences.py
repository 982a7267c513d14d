"""Turn Python's sequences into arrays, as ``np.array([...])`` does, and join arrays."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence

import numpy as np

from pullback.core.build import i64, lit
from pullback.core.terms import Atom, Block, Build, Index, Let, Prim, Update, Var, atoms, sub_blocks
from pullback.core.types import Array, Real, Type
from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds import sum_kinds
from pullback.frontend.kinds.dtypes import Element, join, promote
from pullback.frontend.kinds.kinds import (
    ArrayK,
    ListK,
    OptionalK,
    RecordK,
    ScalarK,
    StaticK,
    TupleK,
)
from pullback.frontend.kinds.several_ranks import apart, is_of_several_ranks
from pullback.frontend.kinds.values import (
    ArrayV,
    GeneratorV,
    ListV,
    OptionalV,
    RangeV,
    RecordV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.library.told import not_joined, told
from pullback.frontend.python.container_bases import VALUE, holds_value
from pullback.frontend.python.outsiders import unsupported_value

_MOST_UNLIKE = 3

_RAGGED = "setting an array element with a sequence: the rows have different shapes"


def to_array(sp: Specialiser, value: Value, node: ast.AST, temporary: bool = False) -> Value:
    """Return an array (or, of a number, the number) of the same items.

    ``temporary``: nothing else refers to the list, so its memory may become that of the array."""
    match value:
        case ArrayV() | Scalar():
            return value
        case Static(number) if isinstance(number, (bool, int, float)):
            return value
        case ListV():
            return _of_list(sp, value, node, temporary)
        case RangeV():
            return _of_list(sp, sp.to_list(value, node), node, True)
        case TupleV(items) if any(map(is_of_several_ranks, items)):
            return _of_unlike(sp, items, node)
        case TupleV(items):
            parts = [to_array(sp, item, node) for item in items]
            return _of_parts(sp, parts, node)
        case GeneratorV():
            sp.refuse(node, "NumPy makes no array of a generator", "write a list: [... for ...]")
        case RecordV(cls) if holds_value(cls):
            return to_array(sp, sp.attribute(value, VALUE, node), node, temporary)
        case RecordV(cls, fields) if issubclass(cls, tuple):
            return to_array(sp, TupleV(tuple(fields.values())), node)
        case RecordV():
            sp.refuse(node, f"an array of {sp.describe(value)} is not supported")
        case Static(obj) if (told := unsupported_value(obj)) is not None:
            sp.refuse(node, *told, error=ArgumentTypeError)
        case _:
            sp.refuse(node, f"cannot make an array of {sp.describe(value)}")


def _of_unlike(sp: Specialiser, items: Sequence[Value], node: ast.AST) -> Value:
    """Return an array of items of which some may be arrays in the place of numbers."""
    unlike = [k for k, v in enumerate(items) if is_of_several_ranks(v)]
    if len(unlike) > _MOST_UNLIKE:
        sp.refuse(node, f"an array of {sp.describe(items[unlike[0]])} and others like it")
    k = unlike[0]
    one = items[k]
    assert isinstance(one, OptionalV)

    def with_item(v: Value) -> Value:
        return to_array(sp, TupleV((*items[:k], v, *items[k + 1 :])), node)

    return apart(sp, one, with_item, node)


def _of_parts(sp: Specialiser, parts: Sequence[Value], node: ast.AST) -> ArrayV:
    if not parts:
        return constant(sp, (ext.ZERO,), Real(64), node)
    if any(isinstance(p, ArrayV) for p in parts):
        return stack(sp, parts, 0, node)
    common = functools.reduce(join, (sp.scalar(p, node).type for p in parts))  # here none is weak
    return display(sp, [sp.convert(p, common, node) for p in parts], node)


def constant(sp: Specialiser, extents: Sequence[Atom], t: Element, node: ast.AST) -> ArrayV:
    """Return an array of zeros."""
    return filled(sp, extents, Static(0), t, node)


def filled(
    sp: Specialiser, extents: Sequence[Atom], value: Value, t: Element, node: ast.AST
) -> ArrayV:
    """Return an array with ``value`` everywhere."""
    item = sp.convert(value, t, node)
    array = sp.array(extents, lambda _: item, node)
    return ext.note(sp, array, extents, built=True)


def display(sp: Specialiser, items: Sequence[Atom], node: ast.AST) -> ArrayV:
    """Return the rank-1 array of these numbers, which have one type."""
    if len(items) > 2 and all(a is items[0] for a in items):
        one = sp.array((i64(len(items)),), lambda _: items[0], node)
        return ext.note(sp, one, (i64(len(items)),), built=True)

    extents = (i64(len(items)),)
    if len(items) > MOST_CHOSEN:
        made = sp.array(extents, lambda _: lit(0, items[0].type), node).atom
        for k, new in enumerate(items):
            (made,) = sp.b.let(Update(made, (i64(k),), new, False), (made.type,))
        return ext.note(sp, sp.fresh(made, node), extents, built=True)

    def item(indices: tuple[Atom, ...]) -> Atom:
        return choose(sp, indices[0], items)

    return ext.note(sp, sp.array(extents, item, node), extents, built=True)


MOST_CHOSEN = 512
"""Up to so many items, each place of the array chooses among all; more of them are stored one after
the other, since what chooses among n items takes n * n steps, and LLVM as many to compile."""


def choose(sp: Specialiser, index: Atom, items: Sequence[Atom]) -> Atom:
    """Return ``items[index]`` by bisection: a tree of selects."""
    if len(items) == 1:
        return items[0]
    half = len(items) // 2
    if len(items) == 2:
        cond: Atom = sp.b.prim("eq", index, ext.ZERO)
        return sp.b.prim("select", cond, items[0], items[1])
    low = choose(sp, index, items[:half])
    high = choose(sp, sp.b.prim("sub", index, i64(half)), items[half:])
    return sp.b.prim("select", sp.b.prim("lt", index, i64(half)), low, high)


def pieces(
    sp: Specialiser,
    index: Atom,
    bounds: Sequence[Atom],
    read: Callable[[int, Atom], Value],
    node: ast.AST,
) -> Value:
    """Return ``read(k, index - bounds[k])`` for the piece k in which ``index`` is; piece k starts
    at ``bounds[k]``. Only that piece is read."""

    def among(low: int, high: int) -> Value:
        if high - low == 1:
            return read(low, ext.sub(sp, index, bounds[low]))
        middle = (low + high) // 2
        cond = sp.b.prim("lt", index, bounds[middle])
        return sp.branch(cond, lambda: among(low, middle), lambda: among(middle, high), node)

    return among(0, len(bounds))


def stack(
    sp: Specialiser, parts: Sequence[Value], axis: int, node: ast.AST, joined: int | None = None,
    message: str = _RAGGED,
) -> ArrayV:  # fmt: skip
    """Return the arrays along a new axis (``np.stack``); ValueError at run time if their shapes
    differ: with this message, or as of vectors that are joined, with this axis for theirs."""
    arrays = [p for p in parts if isinstance(p, ArrayV)]
    if len(arrays) < len(parts) or len({a.rank for a in arrays}) > 1:
        reason = "the items have different numbers of dimensions"
        sp.refuse(node, reason, error=ArgumentValueError)
    first = ext.extents(sp, arrays[0])
    for j, other in enumerate(arrays[1:], 1):
        for a, b in zip(first, ext.extents(sp, other), strict=False):
            if joined is not None:
                _check_joined(sp, a, b, (joined, j), node)
            else:
                ext.check_equal(sp, a, b, message, node)
    common = promote(sp, arrays, node)
    extents = (*first[:axis], i64(len(arrays)), *first[axis:])
    starts = [i64(k) for k in range(len(arrays))]

    def item(indices: tuple[Atom, ...]) -> Atom:
        rest = (*indices[:axis], *indices[axis + 1 :])

        def read(k: int, _: Atom) -> Value:
            return converted(sp, arrays[k], rest, common, node)

        return sp.scalar(pieces(sp, indices[axis], starts, read, node), node).atom

    return ext.note(sp, sp.array(extents, item, node), extents, built=True)


def stack_lines(
    sp: Specialiser, lines: Atom, extents: Sequence[Atom], node: ast.AST
) -> ArrayV:
    """Return an array of vectors as one array of these extents, also if there is no vector."""
    t = _stacked(lines.type)
    (joined,) = sp.b.let(Prim("stack", (lines,)), (t,), sp.site(node))
    (joined,) = sp.b.let(Prim("reshape", (joined, *extents)), (t,), sp.site(node))
    return ext.note(sp, sp.fresh(joined, node), extents)


def _check_joined(
    sp: Specialiser, first: Atom, other: Atom, where: tuple[int, int], node: ast.AST
) -> None:
    """ValueError at run time if arrays that are joined have other extents along the axis
    ``where[0]``: the first one, and the one of number ``where[1]``."""
    plain = "all the input array dimensions except for the concatenation axis must match exactly"
    message, shown = told(functools.partial(not_joined, *where), plain, first, other)
    ext.check_equal(sp, first, other, message, node, *shown)


def concatenate(sp: Specialiser, arrays: Sequence[ArrayV], axis: int, node: ast.AST) -> ArrayV:
    """Return the arrays one after the other along ``axis``; ValueError at run time if they do not
    fit."""
    shapes = [ext.extents(sp, a) for a in arrays]
    for j, shape in enumerate(shapes[1:], 1):
        for k in range(len(shape)):
            if k != axis:
                _check_joined(sp, shapes[0][k], shape[k], (k, j), node)
    common = promote(sp, arrays, node)
    bounds: list[Atom] = [ext.ZERO]
    for shape in shapes:
        bounds.append(ext.add(sp, bounds[-1], shape[axis]))
    extents = (*shapes[0][:axis], bounds[-1], *shapes[0][axis + 1 :])

    def item(indices: tuple[Atom, ...]) -> Atom:
        def read(k: int, at: Atom) -> Value:
            return converted(
                sp, arrays[k], (*indices[:axis], at, *indices[axis + 1 :]), common, node
            )

        return sp.scalar(pieces(sp, indices[axis], bounds[:-1], read, node), node).atom

    return ext.note(sp, sp.array(extents, item, node), extents, built=True)


def converted(
    sp: Specialiser, array: ArrayV, indices: tuple[Atom, ...], t: Element, node: ast.AST
) -> Scalar:
    """Return one element (the indices are in range), converted to ``t``."""
    value = Scalar(sp.b.index(array.atom, indices, checked=False), py=False)
    return Scalar(sp.convert(value, t, node), py=False)


# --- lists of dynamic length ---------------------------------------------------------------------


def _of_list(sp: Specialiser, items: ListV, node: ast.AST, temporary: bool) -> ArrayV:
    items = sp.to_list(items, node)
    match items.elem:
        case ScalarK():
            atom = items.atoms[0]
            if not temporary:
                atom = sp.b.prim("copy", atom)
            return ext.note(sp, sp.fresh(atom, node), (items.length,), built=temporary)
        case ArrayK():
            return nested(sp, items.atoms[0], node, temporary)
        case ListK(elem):
            rows = items.atoms[1:]  # the first one has the lengths
            while isinstance(elem, ListK):
                elem, rows = elem.elem, rows[1:]
            if isinstance(elem, (ScalarK, ArrayK)):
                return nested(sp, rows[0], node, temporary)
        case StaticK(_, value) if isinstance(value, (bool, int, float)):
            t = sp.scalar(Static(value), node).type
            return filled(sp, (items.length,), Static(value), t, node)
        case RecordK(cls) if holds_value(cls):
            def held(i: Atom) -> Value:
                return sp.attribute(sp.element(items, i, node, False), VALUE, node)

            return _of_list(sp, sp.sequence(items.length, held, node), node, True)
        case OptionalK() as elem if sum_kinds.is_of_several_ranks(elem):
            def of_one(i: Atom) -> Value:
                return sp.call(Static(np.array), (sp.element(items, i, node, False),), node)

            rows_of = sp.sequence(items.length, of_one, node)
            if not isinstance(rows_of.elem, OptionalK):
                return _of_list(sp, rows_of, node, True)
        case TupleK(kinds) if kinds:
            columns = [_column(sp, items, k, node) for k in range(len(kinds))]
            return stack(sp, columns, 1, node)
        case _:
            pass
    sp.refuse(node, f"an array of {sp.describe(items)} is not supported")


def _column(sp: Specialiser, items: ListV, k: int, node: ast.AST) -> Value:
    """Return the items k of all tuples in the list, as an array."""

    def item(i: Atom) -> Value:
        row = sp.element(items, i, node, checked=False)
        assert isinstance(row, TupleV)
        return row.items[k]

    return _of_list(sp, sp.sequence(items.length, item, node), node, True)


def nested(
    sp: Specialiser, atom: Atom, node: ast.AST, temporary: bool, row: Sequence[Atom] = ()
) -> ArrayV:
    """Return a sequence of arrays (of sequences...) as one array; ValueError at run time if their
    lengths differ. ``row``: the extents of an array of a sequence of arrays, if they are known;
    otherwise an array of no arrays has extents of 0."""
    while temporary and _is_nested(atom.type):
        merged = merge_builds(sp, atom)
        if merged is None:
            break
        atom, extents = merged
        if not _is_nested(atom.type):
            return ext.note(sp, sp.fresh(atom, node), extents, built=True)
    # Starting with the innermost level would need a loop, so the outer levels are stacked first.
    while _is_nested(atom.type):
        op = Prim("stack", (atom, *row))
        (atom,) = sp.b.let(op, (_stacked(atom.type),), sp.site(node))
    return sp.fresh(atom, node)


def _is_nested(t: Type) -> bool:
    return isinstance(t, Array) and isinstance(t.elem, Array)


def _stacked(t: Type) -> Type:
    assert isinstance(t, Array) and isinstance(t.elem, Array)
    return Array(t.elem.elem, t.rank + t.elem.rank)


def merge_builds(sp: Specialiser, atom: Atom) -> tuple[Var, tuple[Atom, ...]] | None:
    """Return ``Build(n, i, Build(m, j, body))`` as ``Build((n, m), (i, j), body)``, with its
    extents.

    It is done only if m does not depend on i, and if the code between the two builds is cheap (it
    then runs once for each element). The outer Build must stand in this block and have no other
    use."""
    lets = sp.b.lets
    place = next((k for k in range(len(lets) - 1, -1, -1) if atom in lets[k].vars), None)
    if place is None or any(_mentions(let, lets[place].vars) for let in lets[place + 1 :]):
        return None
    outer = lets[place].op
    if not isinstance(outer, Build):
        return None
    result = outer.body.results[lets[place].vars.index(atom)]
    made = next((k for k, let in enumerate(outer.body.lets) if result in let.vars), None)
    if made is None:
        return None
    between = (*outer.body.lets[:made], *outer.body.lets[made + 1 :])
    inner_let = outer.body.lets[made]
    inner = inner_let.op
    if not isinstance(inner, Build) or not all(_is_cheap(let) for let in between):
        return None
    if any(_mentions(let, inner_let.vars) for let in between):
        return None
    hoisted = hoistable(between, inner.extents, outer.indices)
    if hoisted is None:
        return None
    between = tuple(let for let in between if let not in hoisted)
    item = inner.body.results[inner_let.vars.index(result)]
    body = Block((*between, *inner.body.lets), (item,))
    extents = (*outer.extents, *inner.extents)
    del lets[place]
    lets.extend(hoisted)
    op = Build(extents, (*outer.indices, *inner.indices), body)
    (merged,) = sp.b.let(op, (Array(item.type, len(extents)),))
    return merged, extents


def hoistable(
    lets: Sequence[Let], extents: Sequence[Atom], indices: Sequence[Var]
) -> list[Let] | None:
    """Return the lets that compute ``extents``, in order; None if they depend on ``indices``."""
    wanted = {e for e in extents if isinstance(e, Var)}
    found: list[Let] = []
    for let in reversed(lets):
        if wanted.intersection(let.vars):
            found.append(let)
            wanted.update(a for a in atoms(let.op) if isinstance(a, Var))
    return None if wanted.intersection(indices) else found[::-1]


def _is_cheap(let: Let) -> bool:
    """Whether a let is scalar code without effects, a read that is in range, or a view."""
    if isinstance(let.op, Index):
        return not let.op.checked
    return isinstance(let.op, Prim) and let.op.name in _CHEAP


_CHEAP = frozenset({
    "dim", "pick", "slice", "transpose", "expand", "broadcast", "add", "sub", "mul", "min", "max",
    "select", "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not", "to_real", "to_int",
})  # fmt: skip


def _mentions(let: Let, variables: Sequence[Var]) -> bool:
    """Whether the let (or a block inside it) reads one of the variables."""
    if any(a in variables for a in atoms(let.op)):
        return True
    return any(
        any(r in variables for r in block.results)
        or any(_mentions(inner, variables) for inner in block.lets)
        for _, block in sub_blocks(let.op)
    )
