"""Compile boolean masks as indices, and assignment through index arrays.

A mask stands for the index arrays of the places where it is true. ``a[idx] = v`` writes in the
order of the elements of ``a[idx]``: the last writer wins. ``a[idx] += v`` is
``a[idx] = a[idx] + v``, as in NumPy: all reads come before the first write.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from pullback.core.build import i64
from pullback.core.terms import Atom, Loop, Update, Var
from pullback.core.types import BOOL, I64, Real
from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.optionals import is_none
from pullback.frontend.kinds.values import (
    ArrayV,
    ListV,
    OptionalV,
    Scalar,
    Specialiser,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.library import told
from pullback.frontend.library.compiled_text import array_of, run_program
from pullback.frontend.library.numpy.broadcasting import reader, scalars
from pullback.frontend.library.numpy.indices import in_range
from pullback.frontend.library.numpy.sequences import to_array
from pullback.frontend.library.text import sorting
from pullback.frontend.run import Run

Extents = tuple[Atom, ...]

# --- masks ---------------------------------------------------------------------------------------


def stored(sp: Specialiser, array: ArrayV, value: Value, by: str, node: ast.AST) -> Value:
    """Return what is put into an array: in NumPy, None is nan among floats."""

    def number(v: Value) -> Value:
        return Static(math.nan) if is_none(v) else v

    if isinstance(array.elem, Real) and not by:
        value = number(value)
        if isinstance(value, OptionalV) and is_none(value.other):
            assert isinstance(sp, Run)
            value = sp.case_value(value, number, node)
    return scalars(sp, value, node)


def as_mask(sp: Specialiser, item: Value, node: ast.AST) -> ArrayV | None:
    """Return the item of an index as an array of booleans, if it is one."""
    if isinstance(item, (ListV, TupleV)):
        item = to_array(sp, item, node)
    return item if isinstance(item, ArrayV) and item.elem == BOOL else None


def places(sp: Specialiser, mask: ArrayV, node: ast.AST) -> list[ArrayV]:
    """Return where the mask is true: one array of indices for each axis of it (``np.nonzero``)."""
    own = ext.extents(sp, mask)
    flat = mask
    if mask.rank > 1:
        size = ext.product(sp, own)
        atom = sp.b.prim("reshape", mask.atom, size)
        flat = ext.note(sp, sp.view(atom, mask), (size,))
    found = array_of(run_program(sp, sorting.nonzero, (flat,), node))
    if mask.rank == 1:
        return [found]
    (count,) = ext.extents(sp, found)
    result = []
    for axis in range(mask.rank):
        inner = ext.product(sp, own[axis + 1 :])
        extent = own[axis]

        def item(at: Extents, inner: Atom = inner, extent: Atom = extent) -> Atom:
            place = sp.b.index(found.atom, at, checked=False)
            return ext.mod(sp, ext.floordiv(sp, place, inner), extent)

        made = sp.array((count,), item, node)
        result.append(ext.note(sp, made, (count,), built=True))
    return result


def check_mask(
    sp: Specialiser, mask: ArrayV, extents: Sequence[Atom], node: ast.AST
) -> None:
    """Emit an IndexError at run time if the mask does not have the shape of the axes that it
    selects from."""
    plain = "boolean index did not match indexed array"
    for k, (mine, theirs) in enumerate(zip(ext.extents(sp, mask), extents, strict=False)):
        if not ext.same(sp, mine, theirs):
            fits, text = sp.b.prim("eq", mine, theirs), partial(told.mask_differs, k)
            told.require(sp, fits, "IndexError", text, plain, node, theirs, mine)


# --- assignment ----------------------------------------------------------------------------------

Axis = Callable[[Extents], Atom]
"""A function from indices in the region that is assigned to the position along one axis of the
array."""

Text = Callable[[Sequence[int], Sequence[int]], str]
"""What is said of a value that does not fit, of its shape and that of the region."""

_ONE_AXIS = (
    "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has"
)

Home = tuple[Atom, Extents]
"""The array to which the update is applied: the updated array, or one in which it stands, with the
path to it."""


def store_gathered(
    sp: Specialiser, array: ArrayV, axes: Sequence[Axis], region: Extents, value: Value,
    node: ast.AST, home: Home, by: str = "", checked: bool = True,
    text: Text = told.not_scattered,
) -> Atom:  # fmt: skip
    """Return the home after the assignment of ``value``, broadcast to the region. With an operator
    ``by`` it combines the value with each old element, one after the other."""
    read = reading(sp, array, region, value, node, told.not_combined if by else text)

    def store_at(atom: Atom, indices: Extents) -> Atom:
        at = tuple(axis(indices) for axis in axes)
        new = read(indices)
        if by and checked:
            own = ext.extents(sp, array)
            at = tuple(in_range(sp, i, n, node) for i, n in zip(at, own, strict=False))
        if by:
            new = combined(sp, array, (atom, home[1]), at, new, by, node)
        item = sp.convert(new, array.elem, node)
        return put(sp, array, (atom, home[1]), at, item, checked, node)

    return over(sp, region, home[0], store_at)


def combined(
    sp: Specialiser, array: ArrayV, home: Home, at: Extents, value: Value, by: str, node: ast.AST
) -> Value:
    """Return the old element combined with a value by an operator."""
    inside = home[0]
    for i in home[1]:
        inside = sp.b.index(inside, (i,), False)
    old = Scalar(sp.b.index(inside, at, False), py=False)
    new = sp.scalar(sp.binop(by, old, value, node), node)
    if type(new.type) is not type(array.elem):
        reason = f"the results of {by} do not fit into the array that is updated in place"
        sp.refuse(node, reason, error=ArgumentTypeError)
    return new


def put(
    sp: Specialiser, array: ArrayV, home: Home, at: Extents, item: Atom, checked: bool,
    node: ast.AST,
) -> Atom:  # fmt: skip
    """Return the home after one element of the array has been replaced."""
    atom, where = home
    if where and checked:  # there is no checked update at a path
        own = ext.extents(sp, array)
        at, checked = tuple(in_range(sp, i, n, node) for i, n in zip(at, own, strict=False)), False
    op = Update(atom, (*where, *at), item, checked)
    return sp.b.let(op, (atom.type,), sp.site(node))[0]


def reading(
    sp: Specialiser, array: ArrayV, region: Sequence[Atom], value: Value, node: ast.AST,
    text: Text = told.not_assigned,
) -> Callable[[Extents], Value]:  # fmt: skip
    """Return a reader of the elements of ``value``, broadcast to the region; it may have more axes
    before them, of extent 1. If it may share memory with the array that is written, a copy is
    read. ``text``: what NumPy says of a value that does not fit."""
    if not isinstance(value, ArrayV):
        return lambda _: value
    if value.owners & array.owners:  # it reads memory that the update overwrites
        value = sp.fresh(sp.b.prim("copy", value.atom), node)
    shape = ext.extents(sp, value)
    plain = "could not broadcast input array into the shape of the target"
    message, shown = told.told(text, plain, shape, region)
    for _ in range(len(shape) - len(region)):
        if text is told.not_combined:
            sp.never("ValueError", message, node, ArgumentValueError, *shown)
        if text is told.not_masked:
            sp.never("TypeError", f"{_ONE_AXIS} {len(shape)} dimensions", node, ArgumentTypeError)
        ext.check_equal(sp, shape[0], ext.ONE, message, node, *shown)
        shape = shape[1:]
        row = sp.view(sp.b.prim("pick", value.atom, ext.ZERO, static=(0,)), value)
        value = ext.note(sp, row, shape)
    for mine, theirs in zip(shape[::-1], region[::-1], strict=False):
        ext.check_broadcasts(sp, mine, theirs, message, node, *shown)
    return reader(sp, value, shape, tuple(region))


def over(
    sp: Specialiser,
    region: Sequence[Atom],
    array: Atom,
    body: Callable[[Atom, Extents], Atom],
    indices: Extents = (),
) -> Atom:
    """Emit nested loops over the region that carry the array."""
    if not region:
        return body(array, indices)
    index, carried = Var("i", I64), Var("a", array.type)
    block = sp.block(lambda: (over(sp, region[1:], carried, body, (*indices, index)),))
    (result,) = sp.b.let(Loop(region[0], index, (carried,), (array,), block), (array.type,))
    return result


def along(sp: Specialiser, start: Atom, step: int, k: int) -> Axis:
    """Return the positions of a slice, by index k of the region."""
    return lambda indices: ext.add(sp, start, ext.mul(sp, indices[k], i64(step)))


def gathered(
    sp: Specialiser, read: Callable[[Extents], Value], first: int, rank: int, node: ast.AST
) -> Axis:
    """Return the positions in an index array, by some indices of the region."""
    return lambda indices: sp.convert(read(indices[first : first + rank]), I64, node)


def own_copies(
    sp: Specialiser, array: ArrayV, arrays: Iterator[ArrayV], node: ast.AST
) -> list[ArrayV]:
    """Return the index arrays; those that may share memory with the written array are copied."""
    return [
        sp.fresh(sp.b.prim("copy", a.atom), node) if a.owners & array.owners else a for a in arrays
    ]
