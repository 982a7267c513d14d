"""Subscripts of arrays: reading ``a[...]`` and updating ``a[...] = v``.

An index is taken apart into one ``Part`` per axis of the array (a position, a slice, an index
array) and new axes. Positions everywhere are a checked ``Index``; slices, positions among slices
and new axes are views (``slice``, ``pick``, ``expand``); index arrays are a ``Build`` of reads.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pullback.core.build import i64
from pullback.core.terms import Atom, Lit, Loop, Update, Var
from pullback.core.types import BOOL, I64, Int, Real
from pullback.errors import ArgumentValueError, StaticIndexError
from pullback.frontend import extents as ext
from pullback.frontend.values import (
    ArrayV,
    ListV,
    Scalar,
    SliceV,
    Specialiser,
    Static,
    TupleV,
    Value,
)


@dataclass(frozen=True, slots=True, eq=False)
class At:
    """One position along an axis."""

    index: Atom


@dataclass(frozen=True, slots=True, eq=False)
class Range:
    """``count`` positions from ``start`` in steps of ``step``, all in range. ``whole``: all."""

    start: Atom
    count: Atom
    step: int
    whole: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Gather:
    """The positions in an array of ints."""

    array: ArrayV


@dataclass(frozen=True, slots=True, eq=False)
class NewAxis:
    """``None``: an axis of extent 1 that the array does not have."""


Part = At | Range | Gather | NewAxis


# --- reading -------------------------------------------------------------------------------------


def subscript(sp: Specialiser, array: ArrayV, index: Value, node: ast.AST) -> Value:
    """``array[index]``"""
    parts = take_apart(sp, array, index, node)
    if all(isinstance(p, At) for p in parts):
        at = tuple(p.index for p in parts if isinstance(p, At))
        return Scalar(sp.b.index(array.atom, at, checked=True, site=sp.site(node)), py=False)
    if any(isinstance(p, Gather) for p in parts):
        return _gather(sp, array, parts, node)
    return _view(sp, array, parts, node)


def _view(sp: Specialiser, array: ArrayV, parts: Sequence[Part], node: ast.AST) -> ArrayV:
    """The view that positions, slices and new axes make."""
    atom, own = array.atom, list(ext.extents(sp, array))
    axis = 0
    for part in parts:
        match part:
            case NewAxis():
                atom = sp.b.prim("expand", atom, static=(axis,))
                own.insert(axis, ext.ONE)
                axis += 1
            case At(index):
                index = in_range(sp, index, own[axis], node)
                atom = sp.b.prim("pick", atom, index, static=(axis,))
                del own[axis]
            case Range(start, count, step, whole):
                if not whole:
                    args = (atom, start, count, i64(step))
                    atom = sp.b.prim("slice", *args, static=(axis,))
                    own[axis] = count
                axis += 1
            case Gather():
                raise AssertionError("index arrays are no view")
    if atom is array.atom:  # x[:]: another name of the same memory
        return sp.view(atom, array)
    return ext.note(sp, sp.view(atom, array), own)


def in_range(sp: Specialiser, index: Atom, extent: Atom, node: ast.AST) -> Atom:
    """The position, counted from the start; IndexError at run time if there is no such."""
    if isinstance(index, Lit) and isinstance(extent, Lit):
        if -int(extent.value) <= int(index.value) < int(extent.value):
            return i64(int(index.value) % int(extent.value))
    message = "index is out of bounds"
    if isinstance(index, Lit):
        position = index if int(index.value) >= 0 else sp.b.prim("add", index, extent)
        below = sp.b.prim("lt", position, extent) if position is index else None
        cond = below if below is not None else sp.b.prim("ge", position, ext.ZERO)
        sp.require(cond, "IndexError", message, node)
        return position
    wrapped = sp.b.prim("add", index, extent)
    position = sp.b.prim("select", sp.b.prim("lt", index, ext.ZERO), wrapped, index)
    low = sp.b.prim("ge", position, ext.ZERO)
    high = sp.b.prim("lt", position, extent)
    sp.require(sp.b.prim("and", low, high), "IndexError", message, node)
    return position


def _gather(sp: Specialiser, array: ArrayV, parts: Sequence[Part], node: ast.AST) -> Value:
    """``x[idx]``: one Build; its first or middle axes are those of the broadcast index arrays."""
    from pullback.frontend.arrays import broadcast

    # Slices and new axes first, as a view; what remains are gathered axes and whole ones.
    plain = [Range(ext.ZERO, ext.ZERO, 1, whole=True) if isinstance(p, At | Gather) else p
             for p in parts]  # fmt: skip
    base = _view(sp, array, plain, node)
    own = ext.extents(sp, base)
    where = [k for k, p in enumerate(parts) if isinstance(p, At | Gather)]
    if where != list(range(where[0], where[-1] + 1)):
        sp.refuse(node, "index arrays with slices between them are not supported",
                  "index step by step: x[:, idx][...]")  # fmt: skip
    picked = [parts[k] for k in where]
    arrays = [p.array for p in picked if isinstance(p, Gather)]
    message = "shape mismatch: indexing arrays could not be broadcast together"
    shape, reads = broadcast(sp, arrays, node, message)
    first, rank = where[0], len(shape)
    extents = (*own[:first], *shape, *own[where[-1] + 1 :])
    site = sp.site(node)

    def element(indices: tuple[Atom, ...]) -> Atom:
        readers = iter(reads)
        middle = indices[first : first + rank]
        at = [
            p.index if isinstance(p, At) else sp.convert(next(readers)(middle), I64, node)
            for p in picked
        ]
        full = (*indices[:first], *at, *indices[first + rank :])
        return sp.b.index(base.atom, full, checked=True, site=site)

    return ext.note(sp, sp.array(extents, element, node), extents, built=True)


# --- taking an index apart -----------------------------------------------------------------------


def take_apart(sp: Specialiser, array: ArrayV, index: Value, node: ast.AST) -> list[Part]:
    """One part per axis of the array, and the new axes."""
    items = list(index.items) if isinstance(index, TupleV) and not index.is_list else [index]
    used = sum(1 for item in items if not _is(item, None) and not _is(item, ...))
    if sum(1 for item in items if _is(item, ...)) > 1:
        reason = "an index can only have a single ellipsis ('...')"
        sp.refuse(node, reason, error=StaticIndexError)
    if used > array.rank:
        sp.refuse(
            node,
            f"too many indices: the array is {array.rank}-dimensional, but {used} were indexed",
            error=StaticIndexError,
        )
    missing: list[Value] = [_ALL] * (array.rank - used)
    if not any(_is(item, ...) for item in items):
        items += missing
    else:
        k = next(k for k, item in enumerate(items) if _is(item, ...))
        items[k : k + 1] = missing
    parts: list[Part] = []
    axis = 0
    for item in items:
        if _is(item, None):
            parts.append(NewAxis())
            continue
        parts.append(_part(sp, item, array, axis, node))
        axis += 1
    return parts


_ALL = SliceV(Static(None), Static(None), Static(None))


def _is(item: Value, constant: object) -> bool:
    return isinstance(item, Static) and item.value is constant


def _part(sp: Specialiser, item: Value, array: ArrayV, axis: int, node: ast.AST) -> Part:
    match item:
        case SliceV():
            return slice_part(sp, item, ext.extents(sp, array)[axis], node)
        case ArrayV() | ListV() | TupleV():
            return _gathered(sp, item, node)
        case _:
            scalar = sp.scalar(item, node)
            if isinstance(scalar.type, Real):
                sp.refuse(
                    node,
                    "only integers, slices, None, ... and integer arrays are valid indices",
                    "convert a float with int(...)",
                    error=StaticIndexError,
                )
            if scalar.type == BOOL:
                sp.refuse(node, "a truth value as an index is not supported", "use if or np.where")
            return At(sp.convert(scalar, I64, node))


def _gathered(sp: Specialiser, item: Value, node: ast.AST) -> Gather:
    from pullback.frontend.sequences import to_array

    array = to_array(sp, item, node)
    if not isinstance(array, ArrayV) or isinstance(array.elem, Real):
        reason = "arrays used as indices must be of integers"
        sp.refuse(node, reason, "use idx.astype(int)", error=StaticIndexError)
    if not isinstance(array.elem, Int):
        sp.refuse(
            node,
            "boolean masks as indices are not supported: the result's shape depends on the data",
            "use np.where(mask, x, 0.0), or a comprehension with 'if'",
        )
    return Gather(array)


def slice_part(sp: Specialiser, item: SliceV, extent: Atom, node: ast.AST) -> Range:
    """What ``start:stop:step`` selects of an axis, clipped to it as Python does."""
    step = 1 if _is(item.step, None) else sp.static_int(item.step, node, "the step of a slice")
    if step == 0:
        sp.refuse(node, "slice step cannot be zero", error=ArgumentValueError)
    if step == 1 and _is(item.start, None) and _is(item.stop, None):
        return Range(ext.ZERO, extent, 1, whole=True)
    low: Atom
    high: Atom
    if step > 0:
        low, high = ext.ZERO, extent
        defaults: tuple[Atom, Atom] = (low, high)
    else:
        low, high = i64(-1), ext.sub(sp, extent, ext.ONE)
        defaults = (high, low)
    bounds = []
    for value, default in zip((item.start, item.stop), defaults):
        if _is(value, None):
            bounds.append(default)
        else:
            bounds.append(_clipped(sp, value, extent, low, high, node))
    start, stop = bounds
    span = ext.sub(sp, stop, start) if step > 0 else ext.sub(sp, start, stop)
    if not (step > 0 and _is_zero(start) and stop is extent):
        span = ext.larger(sp, span, ext.ZERO)
    size = i64(abs(step))
    count = ext.floordiv(sp, ext.add(sp, span, i64(abs(step) - 1)), size)
    return Range(start, count, step)


def _is_zero(atom: Atom) -> bool:
    return isinstance(atom, Lit) and int(atom.value) == 0


def _clipped(
    sp: Specialiser, value: Value, extent: Atom, low: Atom, high: Atom, node: ast.AST
) -> Atom:
    bound = ext.int_atom(sp, value, node, "a bound of a slice")
    if isinstance(bound, Lit):
        if int(bound.value) >= 0:
            return low if _is_zero(bound) and _is_zero(low) else ext.smaller(sp, bound, high)
        return ext.larger(sp, ext.add(sp, bound, extent), low)
    if ext.same(sp, bound, extent) and ext.same(sp, high, extent):
        return high
    negative = sp.b.prim("lt", bound, ext.ZERO)
    from_end = ext.larger(sp, ext.add(sp, bound, extent), low)
    return sp.b.prim("select", negative, from_end, ext.smaller(sp, bound, high))


# --- updating ------------------------------------------------------------------------------------


def store(sp: Specialiser, array: ArrayV, index: Value, value: Value, node: ast.AST) -> ArrayV:
    """The array after ``array[index] = value``; the old one is consumed."""
    from pullback.frontend.arrays import scalars

    parts = take_apart(sp, array, index, node)
    value = scalars(sp, value, node)
    if any(isinstance(p, Gather) for p in parts):
        sp.refuse(
            node,
            "assignment through an index array is not supported",
            "write a loop: for k in range(len(idx)): a[idx[k]] = v[k]",
        )
    if all(isinstance(p, At) for p in parts):
        if isinstance(value, ArrayV):
            reason = "setting an array element with a sequence"
            sp.refuse(node, reason, error=ArgumentValueError)
        at = tuple(p.index for p in parts if isinstance(p, At))
        return _updated(sp, array, at, sp.convert(value, array.elem, node), node)
    return _store_region(sp, array, parts, value, node)


def _updated(
    sp: Specialiser, array: ArrayV, at: tuple[Atom, ...], value: Atom, node: ast.AST
) -> ArrayV:
    op = Update(array.atom, at, value, checked=True)
    (atom,) = sp.b.let(op, (array.type,), sp.site(node))
    known = ext.facts(sp).extents.get(array.atom) if isinstance(array.atom, Var) else None
    result = ArrayV(atom, array.owners, array.fresh)
    return result if known is None else ext.note(sp, result, known)


def _store_region(
    sp: Specialiser, array: ArrayV, parts: Sequence[Part], value: Value, node: ast.AST
) -> ArrayV:
    """Loops over the region that slices select, updating element by element."""
    from pullback.frontend.arrays import reader

    own = ext.extents(sp, array)
    parts = [p for p in parts if not isinstance(p, NewAxis)]
    fixed = [
        At(in_range(sp, p.index, own[k], node)) if isinstance(p, At) else p
        for k, p in enumerate(parts)
    ]
    region = [p.count for p in fixed if isinstance(p, Range)]
    if isinstance(value, ArrayV):
        if value.owners & array.owners:  # it reads what the update consumes
            value = sp.fresh(sp.b.prim("copy", value.atom), node)
        shape = ext.extents(sp, value)
        if len(shape) > len(region):
            reason = "the value has more dimensions than the selected part of the array"
            sp.refuse(node, reason, error=ArgumentValueError)
        message = "could not broadcast input array into the shape of the target"
        for mine, theirs in zip(shape[::-1], region[::-1]):
            ext.check_broadcasts(sp, mine, theirs, message, node)
        read: Callable[[tuple[Atom, ...]], Value] = reader(sp, value, shape, tuple(region))
    else:
        number = value

        def read(_: tuple[Atom, ...]) -> Value:
            return number

    def store_at(atom: Atom, indices: tuple[Atom, ...]) -> Atom:
        counters = iter(indices)
        at = tuple(_position(sp, p, counters) for p in fixed)
        item = sp.convert(read(indices), array.elem, node)
        (new,) = sp.b.let(Update(atom, at, item, checked=False), (array.type,), sp.site(node))
        return new

    result = ArrayV(_over(sp, region, array.atom, store_at), array.owners, array.fresh)
    return ext.note(sp, result, own)


def _position(sp: Specialiser, part: Part, counters: object) -> Atom:
    if isinstance(part, At):
        return part.index
    assert isinstance(part, Range)
    counter: Atom = next(counters)  # type: ignore[call-overload]
    return ext.add(sp, part.start, ext.mul(sp, counter, i64(part.step)))


def _over(
    sp: Specialiser,
    region: Sequence[Atom],
    array: Atom,
    body: Callable[[Atom, tuple[Atom, ...]], Atom],
    indices: tuple[Atom, ...] = (),
) -> Atom:
    """Nested loops over the region that carry the array."""
    if not region:
        return body(array, indices)
    index, carried = Var("i", I64), Var("a", array.type)
    block = sp.block(lambda: (_over(sp, region[1:], carried, body, (*indices, index)),))
    (result,) = sp.b.let(Loop(region[0], index, (carried,), (array,), block), (array.type,))
    return result
