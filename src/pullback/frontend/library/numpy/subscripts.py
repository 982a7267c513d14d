"""Compile subscripts of arrays: reading ``a[...]`` and updating ``a[...] = v``.

An index is taken apart into new axes and one ``Part`` per axis of the array (a position, a slice,
an index array). If all parts are positions, it is a checked ``Index``; slices, positions among
slices and new axes are views (``slice``, ``pick``, ``expand``); index arrays are a ``Build`` of
reads.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from pullback.core.build import i64
from pullback.core.frozen import dataclass
from pullback.core.terms import Atom, Lit, Var
from pullback.core.types import BOOL, F64, I64, Int, Real
from pullback.errors import ArgumentValueError, MutationError, StaticIndexError
from pullback.frontend.interpret.indices import element_index
from pullback.frontend.interpret.small_ints import wide
from pullback.frontend.kinds import extents as ext
from pullback.frontend.kinds.values import (
    ArrayV,
    ListV,
    Region,
    Scalar,
    SliceV,
    SmallV,
    Specialiser,
    Static,
    TupleV,
    Value,
    ViewStep,
)
from pullback.frontend.library import told
from pullback.frontend.library.numpy import scatter, views
from pullback.frontend.library.numpy.broadcasting import Read, broadcast, scalars
from pullback.frontend.library.numpy.indices import in_range, without_none
from pullback.frontend.library.numpy.sequences import to_array
from pullback.frontend.run import Run


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
    if isinstance(index, ViewStep):
        return views.view(sp, array, index, known=True)
    if isinstance(index, Region):  # it has been made of this array
        return index.view if index.index is None else subscript(sp, index.view, index.index, node)
    parts = take_apart(sp, array, index, node)
    if all(isinstance(p, At) for p in parts):
        at = tuple(p.index for p in parts if isinstance(p, At))
        item = sp.b.index(array.atom, at, checked=True, site=sp.site(node))
        if _has_ellipsis(index):
            return Scalar(item, py=False, rank0=True, owners=array.owners)
        return Scalar(item, py=False)
    if any(isinstance(p, Gather) for p in parts):
        return _gather(sp, array, parts, node)
    return _view(sp, array, parts, node)


def _view(sp: Specialiser, array: ArrayV, parts: Sequence[Part], node: ast.AST) -> ArrayV:
    """Return the view that positions, slices and new axes make."""
    made = array
    for step in _steps(sp, array, parts, node):
        made = views.view(sp, made, step)
    return views.view(sp, array, views.WHOLE) if made is array else made


def _steps(
    sp: Specialiser, array: ArrayV, parts: Sequence[Part], node: ast.AST
) -> Iterator[ViewStep]:
    """Iterate over the steps to the view that positions, slices and new axes make."""
    own = list(ext.extents(sp, array))
    axis = gone = 0  # the axis of the view; how many axes of the array it has not any more
    for part in parts:
        match part:
            case NewAxis():
                step = ViewStep("expand", (), (axis,))
                gone -= 1
            case At(index):
                at = in_range(sp, index, own[axis], node, axis=axis + gone)
                step = ViewStep("pick", (at,), (axis,))
                gone += 1
            case Range(start, count, by, whole):
                axis += 1
                if whole:
                    continue
                step = ViewStep("slice", (start, count, i64(by)), (axis - 1,))
            case Gather():
                raise AssertionError("index arrays are no view")
        own = views.extents_after(own, step)
        axis += isinstance(part, NewAxis)
        yield step


def region(
    sp: Specialiser, array: ArrayV, steps: Iterable[Value | str], index: Value | None,
    node: ast.AST,
) -> Region:  # fmt: skip
    """Return what the view to which the steps lead has at an index, as an index of the array."""
    made, lines = array, views.all_lines(array.rank)
    waiting = [*steps, index] if isinstance(index, ViewStep) else list(steps)
    for step in waiting:
        for s in _steps_of(sp, made, step, node):
            lines = views.lines_after(sp, lines, s, ext.extents(sp, made))
            made = views.view(sp, made, s, node)
    return Region(made, lines, None if isinstance(index, ViewStep) else index)


def _steps_of(
    sp: Specialiser, array: ArrayV, step: Value | str, node: ast.AST
) -> Iterator[ViewStep]:
    """Iterate over the steps to the view that an index, or an attribute, gives."""
    if isinstance(step, ViewStep):
        yield step
    elif step in ("T", "flat"):
        yield views.of_attribute(sp, array, step)
    elif isinstance(step, str):
        sp.refuse(node, "this update of a part of an array", "write a[i, j] = ...")
    else:
        parts = take_apart(sp, array, step, node)
        if any(isinstance(p, Gather) for p in parts):
            sp.refuse(node, "what an array of indices or a mask gives is a copy: updating it would "
                      "change nothing", "write a[idx] = v", error=MutationError)  # fmt: skip
        yield from _steps(sp, array, parts, node)


def _gather(sp: Specialiser, array: ArrayV, parts: Sequence[Part], node: ast.AST) -> Value:
    """Return ``x[idx]``: one Build, whose first or middle axes are those of the broadcast index
    arrays."""
    # Slices and new axes come first, as a view; then only gathered axes and whole ones remain.
    plain = [Range(ext.ZERO, ext.ZERO, 1, whole=True) if isinstance(p, (At, Gather)) else p
             for p in parts]  # fmt: skip
    base = _view(sp, array, plain, node)
    own = ext.extents(sp, base)
    gathers = [p.array for p in parts if isinstance(p, Gather)]
    shape, reads = broadcast(sp, gathers, node, *_INDICES)
    first, rank = _place(parts), len(shape)
    around = [own[k] for k, p in enumerate(parts) if not isinstance(p, (At, Gather))]
    extents = (*around[:first], *shape, *around[first:])
    site = sp.site(node)

    def element(indices: tuple[Atom, ...]) -> Atom:
        readers = iter(reads)
        middle = indices[first : first + rank]
        others = iter((*indices[:first], *indices[first + rank :]))
        full: list[Atom] = []
        for p in parts:
            match p:
                case At(index):
                    full.append(index)
                case Gather():
                    full.append(sp.convert(next(readers)(middle), I64, node))
                case _:
                    full.append(next(others))
        return sp.b.index(base.atom, tuple(full), checked=True, site=site)

    return ext.note(sp, sp.array(extents, element, node), extents, built=True)


_SEQUENCE = "setting an array element with a sequence."
_INDICES = (
    "shape mismatch: indexing arrays could not be broadcast together", told.indices_not_broadcast,
    "IndexError",
)  # fmt: skip


def _place(parts: Sequence[Part]) -> int:
    """Return where the axes of the index arrays come: at the place of the first one, or position
    beside it; before all others if something else stands between them."""
    where = [k for k, p in enumerate(parts) if isinstance(p, (At, Gather))]
    return where[0] if where == list(range(where[0], where[-1] + 1)) else 0


# --- taking an index apart -----------------------------------------------------------------------


def take_apart(sp: Specialiser, array: ArrayV, index: Value, node: ast.AST) -> list[Part]:
    """Return one part for each axis of the array, and the new axes."""
    if isinstance(index, ListV) and index.cls is not list:
        reason = f"an index that is {sp.describe(index)}, of a length that only the run knows"
        sp.refuse(node, reason, "use as many indices as there are axes: a[i, j]")
    index = without_none(sp, index, node)
    items = list(index.items) if isinstance(index, TupleV) and not index.is_list else [index]
    items = [without_none(sp, item, node) for item in items]
    masks = [scatter.as_mask(sp, item, node) for item in items]
    items = [item if mask is None else mask for item, mask in zip(items, masks, strict=True)]
    used = sum(
        1 if mask is None else mask.rank
        for item, mask in zip(items, masks, strict=True)
        if not _is(item, None) and not _is(item, ...)
    )
    if sum(1 for item in items if _is(item, ...)) > 1:
        sp.refuse(node, "an index can only have a single ellipsis ('...')", error=StaticIndexError)
    if used > array.rank:
        told = f"array is {array.rank}-dimensional, but {used} were indexed"
        text = f"too many indices for array: {told}"
        sp.never("IndexError", text, node, StaticIndexError)
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
        if isinstance(item, ArrayV) and item.elem == BOOL:
            scatter.check_mask(sp, item, ext.extents(sp, array)[axis:], node)
            parts += [Gather(a) for a in scatter.places(sp, item, node)]
            axis += item.rank
            continue
        parts.append(_part(sp, item, array, axis, node))
        axis += 1
    return parts


_ALL = SliceV(Static(None), Static(None), Static(None))
_ALL_OF = Static(...)


def _has_ellipsis(index: Value) -> bool:
    """Whether an index of all axes gives an array without axes, and no number."""
    return any(_is(i, ...) for i in (index.items if isinstance(index, TupleV) else (index,)))


def _is(item: Value, constant: object) -> bool:
    return isinstance(item, Static) and item.value is constant


def _part(sp: Specialiser, item: Value, array: ArrayV, axis: int, node: ast.AST) -> Part:
    match item:
        case SliceV():
            return slice_part(sp, item, ext.extents(sp, array)[axis], node)
        case ArrayV() | ListV() | TupleV():
            return _gathered(sp, item, node)
        case _:
            scalar = element_index(sp, sp.scalar(ext.position(item), node), node)
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
    array = to_array(sp, item, node)
    if not isinstance(array, ArrayV) or isinstance(array.elem, Real):
        reason = "arrays used as indices must be of integers"
        sp.refuse(node, reason, "use idx.astype(int)", error=StaticIndexError)
    return Gather(array)


def slice_part(sp: Specialiser, item: SliceV, extent: Atom, node: ast.AST) -> Range:
    """Return the positions of an axis that ``start:stop:step`` selects, clipped to it as Python
    does."""
    start, stop, step = slice_bounds(sp, item, extent, node)
    if step == 1 and _is(item.start, None) and _is(item.stop, None):
        return Range(ext.ZERO, extent, 1, whole=True)
    span = ext.sub(sp, stop, start) if step > 0 else ext.sub(sp, start, stop)
    if not (step > 0 and _is_zero(start) and stop is extent):
        span = ext.larger(sp, span, ext.ZERO)
    size = i64(abs(step))
    count = ext.floordiv(sp, ext.add(sp, span, i64(abs(step) - 1)), size)
    return Range(start, count, step)


def slice_bounds(
    sp: Specialiser, item: SliceV, extent: Atom, node: ast.AST
) -> tuple[Atom, Atom, int]:
    """Return ``slice.indices(extent)``."""
    wanted = ext.position(item.step)
    step = 1 if _is(wanted, None) else sp.static_int(wanted, node, "the step of a slice")
    if step == 0:
        sp.refuse(node, "slice step cannot be zero", error=ArgumentValueError)
    low: Atom = ext.ZERO if step > 0 else i64(-1)
    high = extent if step > 0 else ext.sub(sp, extent, ext.ONE)
    start, stop = (
        default if _is(value, None) else _clipped(sp, value, extent, low, high, node)
        for value, default in zip(
            (item.start, item.stop), (low, high) if step > 0 else (high, low), strict=True
        )
    )
    return start, stop, step


def _is_zero(atom: Atom) -> bool:
    return isinstance(atom, Lit) and int(atom.value) == 0


def _clipped(
    sp: Specialiser, value: Value, extent: Atom, low: Atom, high: Atom, node: ast.AST
) -> Atom:
    bound = ext.int_atom(sp, ext.position(value), node, "a bound of a slice")
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


def store(
    sp: Specialiser, array: ArrayV, index: Value, value: Value, node: ast.AST, by: str = ""
) -> ArrayV:
    """Return the array after ``array[index] = value``, which consumes the old one. An operator
    ``by`` combines the value with the old element, in each place as often as the index names it."""
    known = ext.facts(sp).extents.get(array.atom) if isinstance(array.atom, Var) else None
    atom = store_within(sp, array, index, value, node, (array.atom, ()), by)
    result = ArrayV(atom, array.owners, array.fresh)
    return result if known is None else ext.note(sp, result, known)


def store_within(
    sp: Specialiser, array: ArrayV, index: Value, value: Value, node: ast.AST, home: scatter.Home,
    by: str = "",
) -> Atom:  # fmt: skip
    """Return the home after ``array[index] = value``, where the array stands in others."""
    if isinstance(value, SmallV) and (not by or array.elem in (F64, I64)):
        assert isinstance(sp, Run)
        value = wide(sp, value, node)
    if isinstance(index, Region):
        return _store_in_view(sp, array, index, scalars(sp, value, node), node, home, by)
    parts = take_apart(sp, array, index, node)
    value = scatter.stored(sp, array, value, by, node)
    if any(isinstance(p, Gather) for p in parts):
        axes, shape = _axes(sp, array, parts, node)
        text = told.not_masked if _is_mask(sp, array, index, node) else told.not_scattered
        return scatter.store_gathered(sp, array, axes, shape, value, node, home, by, text=text)
    if not all(isinstance(p, At) for p in parts):
        return _store_region(sp, array, parts, value, node, home, by)
    if isinstance(value, ArrayV):
        sp.never("ValueError", _SEQUENCE, node, ArgumentValueError)
    at = tuple(p.index for p in parts if isinstance(p, At))
    if by:
        at = tuple(
            in_range(sp, i, n, node) for i, n in zip(at, ext.extents(sp, array), strict=False)
        )
        value = scatter.combined(sp, array, home, at, value, by, node)
    if isinstance(array.elem, Int) and isinstance(value, Scalar):
        value = Scalar(value.atom, True, value.bits)  # checked, also if it is NumPy's
    item = sp.convert(value, array.elem, node)
    return scatter.put(sp, array, home, at, item, True, node)


def _store_region(
    sp: Specialiser, array: ArrayV, parts: Sequence[Part], value: Value, node: ast.AST,
    home: scatter.Home, by: str,
) -> Atom:  # fmt: skip
    """Emit loops over the region that slices select, which update element by element."""
    own = ext.extents(sp, array)
    parts = [p for p in parts if not isinstance(p, NewAxis)]
    fixed = [
        At(in_range(sp, p.index, own[k], node)) if isinstance(p, At) else p
        for k, p in enumerate(parts)
    ]
    region = [p.count for p in fixed if isinstance(p, Range)]
    read = scatter.reading(sp, array, region, value, node)

    def store_at(atom: Atom, indices: tuple[Atom, ...]) -> Atom:
        counters = iter(indices)
        at = tuple(_position(sp, p, counters) for p in fixed)
        new = read(indices)
        if by:
            new = scatter.combined(sp, array, (atom, home[1]), at, new, by, node)
        item = sp.convert(new, array.elem, node)
        return scatter.put(sp, array, (atom, home[1]), at, item, False, node)

    return scatter.over(sp, region, home[0], store_at)


def _is_mask(sp: Specialiser, array: ArrayV, index: Value, node: ast.AST) -> bool:
    """Whether an index is one mask of all axes."""
    (first, *more) = index.items if isinstance(index, TupleV) and not index.is_list else (index,)
    mask = scatter.as_mask(sp, first, node)
    return not more and mask is not None and mask.rank == array.rank


def _store_in_view(
    sp: Specialiser, array: ArrayV, to: Region, value: Value, node: ast.AST, home: scatter.Home,
    by: str,
) -> Atom:  # fmt: skip
    """Emit the update of what a view of the array has at an index: the axes of the view are found
    first, then those of the array."""
    own = ext.extents(sp, to.view)
    parts = take_apart(sp, to.view, _ALL_OF if to.index is None else to.index, node)
    parts = [p for p in parts if not isinstance(p, NewAxis)]
    fixed = [
        At(in_range(sp, p.index, own[k], node)) if isinstance(p, At) else p
        for k, p in enumerate(parts)
    ]
    inner, region = _axes(sp, to.view, fixed, node)
    checked = [
        _in_range(sp, axis, own[k], node) if isinstance(fixed[k], Gather) else axis
        for k, axis in enumerate(inner)
    ]

    def along(axis: int, at: tuple[Atom, ...]) -> Atom:
        return views.position(sp, to.lines, axis, [partial(inner, at) for inner in checked])

    axes = [partial(along, k) for k in range(array.rank)]
    if not region and isinstance(value, ArrayV):
        sp.never("ValueError", _SEQUENCE, node, ArgumentValueError)
    return scatter.store_gathered(sp, array, axes, region, value, node, home, by, checked=False)


def _in_range(sp: Specialiser, axis: scatter.Axis, extent: Atom, node: ast.AST) -> scatter.Axis:
    return lambda indices: in_range(sp, axis(indices), extent, node)


def _axes(
    sp: Specialiser, array: ArrayV, parts: Sequence[Part], node: ast.AST
) -> tuple[list[scatter.Axis], tuple[Atom, ...]]:
    """Return the positions along each axis of an array, by indices in the region that the parts
    select, and the extents of the region."""
    parts = [p for p in parts if not isinstance(p, NewAxis)]
    gathers = [p.array for p in parts if isinstance(p, Gather)]
    first_of, shape = 0, tuple[Atom, ...]()
    readers: Iterator[Read] = iter(())
    if gathers:
        first_of = _place(parts)
        copies = scatter.own_copies(sp, array, iter(gathers), node)
        shape, reads = broadcast(sp, copies, node, *_INDICES)
        readers = iter(reads)
    region: list[Atom] = []
    axes: list[scatter.Axis] = []
    for k, part in enumerate(parts):
        if gathers and k == first_of:
            first = len(region)
            region += shape
        match part:
            case At(index):
                axes.append(partial(_at, index))
            case Gather():
                axes.append(scatter.gathered(sp, next(readers), first, len(shape), node))
            case Range(start, count, step):
                axes.append(scatter.along(sp, start, step, len(region)))
                region.append(count)
    return axes, tuple(region)


def _at(index: Atom, _: Sequence[Atom]) -> Atom:
    return index


def _position(sp: Specialiser, part: Part, counters: Iterator[Atom]) -> Atom:
    if isinstance(part, At):
        return part.index
    assert isinstance(part, Range)
    return ext.add(sp, part.start, ext.mul(sp, next(counters), i64(part.step)))
