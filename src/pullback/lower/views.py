"""Places in memory: views, element addresses, loads and stores, in scalar code and in lanes."""

from __future__ import annotations

from dataclasses import replace

from pullback.core.frozen import dataclass
from pullback.core.terms import Prim, Site, out_of_range
from pullback.core.types import I64, Array, Handle
from pullback.lower.forms import c_strides, form_of, from_leaves, parts, rebuild, to_leaves
from pullback.lower.loopcode import LANES, Imm, RaiseIf, Store, Ty, Value
from pullback.lower.state import Lowering, Mask
from pullback.lower.values import (
    ONE,
    ZERO,
    NotInLanes,
    Scalar,
    Val,
    View,
    has_pointers,
    lanes_of,
    leaves,
    mentions_handle,
)


@dataclass(frozen=True, slots=True)
class Place:
    """An element number: scalar + lane * step + shift (the last two only if lanes differ).
    ``inside``: in every lane, also in one that does not run this code, there is such an element."""

    scalar: Value
    step: Value | None
    shift: Value | None
    inside: bool = False

    @property
    def uniform(self) -> bool:
        """The same in all lanes."""
        return self.step is None and self.shift is None


def _advance(lo: Lowering, p: Place, i: Scalar, stride: Value) -> Place:
    if i.base is not None and i.step is not None:
        step = lo.mul(i.step, stride)
        step = step if p.step is None else lo.add(p.step, step)
        scalar = lo.add(p.scalar, lo.mul(i.base, stride))
        return Place(scalar, None if step == ZERO else step, p.shift)
    shift = lo.mul(lo.value(i), stride)
    if lanes_of(shift) == 1:
        return replace(p, scalar=lo.add(p.scalar, shift))
    return replace(p, shift=shift if p.shift is None else lo.add(p.shift, shift))


def place_of(lo: Lowering, v: View, indices: list[Scalar]) -> Place:
    """The element of a view at some indices."""
    p = Place(v.start, v.step, v.shift)
    for i, stride in zip(indices, v.strides, strict=True):
        p = _advance(lo, p, i, stride)
    pairs = zip(indices, v.extents, strict=False)
    if v.uniform and all(i.bound is not None and lo.same(i.bound, n) for i, n in pairs):
        p = replace(p, inside=True)
    return p


def locate(lo: Lowering, p: Place, lanes: int, mask: Mask | None) -> tuple[Value, int]:
    """The index for a load or store and the lanes of its value: a scalar index and 1 (the same
    element for all), a scalar index and 8 (8 consecutive elements), or a vector index and 8.

    Lanes that do not run this code, by the mask, get the element of one that does."""
    if p.uniform:
        return (p.scalar, 1) if lanes == 1 else (lo.mul(p.scalar, Imm(LANES, Ty.I64)), LANES)
    if lanes == 1 and p.shift is None and mask is None and lo.is_one(p.step or ONE):
        return p.scalar, LANES
    index = p.scalar if p.shift is None else lo.add(p.shift, p.scalar)
    if p.step is not None:
        index = lo.add(index, lo.mul(lo.iota(), p.step))
    if mask is not None:
        index = lo.select(mask.lanes, index, lo.extract(index, lo.leader()))
    if lanes == LANES:
        index = lo.add(lo.mul(index, Imm(LANES, Ty.I64)), lo.iota())
    return index, LANES


def read(lo: Lowering, v: View, p: Place) -> Val:
    """An element of an array."""
    assert isinstance(v.type, Array)
    if v.item is not None:
        places = _stored(lo, v, p)
        loaded = [
            lo.load(ty, ptr, at, n)
            for (ty, n), ptr, at in zip(v.columns, v.ptrs, places, strict=False)
        ]
        return rebuild(lo, v.item.like, loaded)
    elem = v.type.elem
    index, lanes = locate(lo, p, v.lanes, None if p.inside else lo.mask())
    if lanes == LANES and (has_pointers(elem) or mentions_handle(elem, lo.unit.program.decls)):
        raise NotInLanes("it reads data at places that differ from round to round")
    loaded = [lo.load(ty, ptr, index, lanes) for ty, ptr in zip(leaves(elem), v.ptrs, strict=True)]
    return from_leaves(lo, elem, loaded)


def write(lo: Lowering, v: View, p: Place, x: Val) -> None:
    """Store an element into an array. In lanes the array is interleaved, or lanes have places of
    their own, or the same element for all."""
    if v.item is not None:
        if form_of(x) != form_of(v.item.like):
            raise NotInLanes("it stores rows of different kinds")
        for (_, n), ptr, at, part in zip(
            v.columns, v.ptrs, _stored(lo, v, p), parts(lo, x), strict=False
        ):
            lo.emit(Store(ptr, at, part.value if n == 1 else lo.vector(part.value)))
        return
    index, lanes = locate(lo, p, v.lanes, lo.mask())
    for ptr, value in zip(v.ptrs, to_leaves(lo, x), strict=True):
        if lanes == LANES:
            if value.ty is Ty.PTR:
                raise NotInLanes("it stores data that differ from round to round")
            value = lo.vector(value)
        elif lanes_of(value) == LANES:
            raise NotInLanes("rounds store into one element")
        mask = lo.mask()
        if mask is not None:
            if v.lanes == 1:
                raise NotInLanes("some rounds only store into an array")
            old = lo.load(value.ty, ptr, index, lanes)
            value = lo.select(mask.lanes, value, old)
        lo.emit(Store(ptr, index, value))


def _stored(lo: Lowering, v: View, p: Place) -> list[Value]:
    """The indices of what is stored of an element that differs by lane."""
    if not p.uniform:
        raise NotInLanes("it stores rows at places that differ from round to round")
    return [lo.mul(p.scalar, Imm(lanes, Ty.I64)) for _, lanes in v.columns]


# --- bounds ---------------------------------------------------------------------------------------


def in_bounds(lo: Lowering, i: Scalar, n: Value, axis: int, site: Site | None) -> Scalar:
    """The index, counted from the end if negative; IndexError if out of range."""
    message = out_of_range(site, f"index {{a}} is out of bounds for axis {axis} with size {{b}}")

    def check(bad: Value, at: Value) -> None:
        if not (isinstance(bad, Imm) and not bad.value):
            lo.emit(RaiseIf(bad, "IndexError", message, site, (at, n)))

    if i.bound is not None and lo.same(i.bound, n):
        return i
    mask = lo.mask()
    if i.base is not None and i.natural and i.step == ONE and mask is None:
        last = lo.add(i.base, Imm(LANES - 1, Ty.I64))
        check(lo.test("ge", last, n), lo.arith("max", Ty.I64, i.base, n))
        return i
    value = lo.value(i)
    wrapped = value
    bad = lo.test("ge", value, n)
    if not i.natural:
        wrapped = lo.select(lo.test("lt", value, ZERO), lo.add(value, n), value)
        bad = lo.test("or", lo.test("lt", wrapped, ZERO), lo.test("ge", wrapped, n))
    if lanes_of(bad) == 1:
        check(bad, value)
        return replace(i, value=wrapped, natural=True)
    if mask is not None:
        bad = lo.test("and", bad, mask.lanes)
    any_bad = lo.any_lane(bad)

    def report() -> list[Value]:
        first = lo.lane_min(lo.select(bad, lo.iota(), Imm(LANES - 1, Ty.I64)))
        check(any_bad, lo.extract(value, first))
        return []

    lo.choose(any_bad, report, lambda: [])
    if i.natural and i.base is not None:
        return i
    return Scalar(i.type, wrapped, natural=True)


def checked_indices(
    lo: Lowering, v: View, indices: list[Scalar], site: Site | None
) -> list[Scalar]:
    """All indices of an element, checked in order."""
    return [
        in_bounds(lo, i, n, axis, site)
        for axis, (i, n) in enumerate(zip(indices, v.extents, strict=False))
    ]


# --- view primitives ------------------------------------------------------------------------------


def _typed(v: View, rank: int) -> Array | Handle:
    return Array(v.type.elem, rank) if isinstance(v.type, Array) else Handle(rank)


def _replace_at(xs: tuple[Value, ...], axis: int, x: Value) -> tuple[Value, ...]:
    return (*xs[:axis], x, *xs[axis + 1 :])


def moved(lo: Lowering, v: View, i: Scalar, axis: int) -> View:
    """The view that begins at index ``i`` of an axis."""
    p = _advance(lo, Place(v.start, v.step, v.shift), i, v.strides[axis])
    root = v.root
    if lo.lane and root is None and not v.ptrs and _known_before(lo, v):
        root = v
    return replace(v, start=p.scalar, step=p.step, shift=p.shift, dense=False, root=root)


def _known_before(lo: Lowering, v: View) -> bool:
    assert lo.lane is not None
    return v.uniform and all(map(lo.lane.older, (v.start, *v.extents, *v.strides)))


def root_of(lo: Lowering, v: View) -> View | None:
    """Return the accumulator from outside the lanes of which a handle is a view, if it is known."""
    if v.root is not None:
        return v.root
    return v if not v.ptrs and _known_before(lo, v) else None


def view_prim(lo: Lowering, op: Prim) -> View:
    """A view of an array or handle."""
    v = lo.view(op.args[0])
    rest = [lo.scalar(a) for a in op.args[1:]]
    axes = [a for a in op.static if isinstance(a, int)]
    match op.name:
        case "slice":
            start, length, by = rest
            n, step = lo.extent_of(length), lo.uniform(by)
            stride = lo.mul(v.strides[axes[0]], step)
            same = v.dense and start.value == ZERO and step == ONE
            return replace(
                moved(lo, v, start, axes[0]),
                extents=_replace_at(v.extents, axes[0], n),
                strides=_replace_at(v.strides, axes[0], stride),
                dense=same and axes[0] == 0,
            )
        case "pick":
            out = moved(lo, v, rest[0], axes[0])
            return replace(
                out,
                type=_typed(v, v.type.rank - 1),
                extents=v.extents[: axes[0]] + v.extents[axes[0] + 1 :],
                strides=v.strides[: axes[0]] + v.strides[axes[0] + 1 :],
                dense=v.dense and axes[0] == 0,
            )
        case "transpose":
            return replace(
                v,
                extents=tuple(v.extents[a] for a in axes),
                strides=tuple(v.strides[a] for a in axes),
                dense=v.dense and axes == sorted(axes),
            )
        case "expand":
            extents = (*v.extents[: axes[0]], ONE, *v.extents[axes[0] :])
            inner = v.extents[axes[0]] if axes[0] < v.type.rank else ONE
            stride = lo.mul(inner, v.strides[axes[0]]) if axes[0] < v.type.rank else ONE
            strides = (*v.strides[: axes[0]], stride, *v.strides[axes[0] :])
            return replace(v, type=_typed(v, len(extents)), extents=extents, strides=strides)
        case "broadcast":
            return _broadcast(lo, v, [lo.extent_of(n) for n in rest])
        case _:
            raise TypeError(f"not a view: {op.name}")


def _broadcast(lo: Lowering, v: View, extents: list[Value]) -> View:
    strides = tuple(
        s if n == m else lo.select(lo.test("eq", n, m), s, ZERO)
        for n, m, s in zip(v.extents, extents, v.strides, strict=False)
    )
    if lo.is_likely_one(v.strides[-1]):
        lo.likely_units.update(strides[-1:])
    dense = v.dense and list(v.extents) == extents
    return replace(v, extents=tuple(extents), strides=strides, dense=dense)


def dense_view(lo: Lowering, t: Array | Handle, extents: tuple[Value, ...], like: View) -> View:
    """The dense memory of ``like`` with other extents."""
    strides = c_strides(lo, extents)
    return replace(like, type=t, extents=extents, strides=strides, dense=True, root=None)


def index_scalar(value: Value, bound: Value | None = None) -> Scalar:
    """A loop index."""
    return Scalar(I64, value, natural=True, bound=bound)
