"""Forms: the part of a value that is fixed while lowering; the rest is in registers.

Where control flow meets (branches, loops) two values must have one form: ``join_forms`` computes
it, ``coerce`` brings a value into it, ``parts`` takes a value apart into registers and ``rebuild``
puts it together again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.core.frozen import dataclass
from pullback.core.types import Array, Handle, Named, Sum, Type
from pullback.lower.loopcode import LANES, Imm, Ty, Value
from pullback.lower.values import (
    NULL,
    ZERO,
    NotInLanes,
    Scalar,
    SumVal,
    Val,
    View,
    lanes_of,
    leaves,
    machine,
)

if TYPE_CHECKING:
    from pullback.lower.state import Lowering


@dataclass(frozen=True, slots=True)
class ScalarForm:
    """Uniform or varying."""

    lanes: int


@dataclass(frozen=True, slots=True)
class ViewForm:
    """Whether a view is ordinary or interleaved; whether lanes see different places; whether it is
    dense; whether it names an accumulator; the form of elements that differ by lane, if they are
    arrays."""

    lanes: int
    shifted: bool
    dense: bool
    handle: bool = False
    item: tuple[Form, tuple[tuple[Ty, int], ...]] | None = None


@dataclass(frozen=True, slots=True)
class SumForm:
    """The forms of the tag and of all fields of all variants."""

    tag: int
    fields: tuple[tuple[Form, ...], ...]


Form = ScalarForm | ViewForm | SumForm


def form_of(v: Val) -> Form:
    """The form that a value has."""
    match v:
        case Scalar(_, value):
            return ScalarForm(LANES if value is None else lanes_of(value))
        case View():
            shifted = v.step is not None or v.shift is not None
            item = None if v.item is None else (form_of(v.item.like), v.item.columns)
            return ViewForm(v.lanes, shifted, v.dense, isinstance(v.type, Handle), item)
        case SumVal(_, tag, fields):
            return SumForm(lanes_of(tag), tuple(tuple(map(form_of, fs)) for fs in fields))


def join_forms(a: Form, b: Form) -> Form:
    """Return the form that both can be brought into."""
    match a, b:
        case ScalarForm(m), ScalarForm(n):
            return ScalarForm(max(m, n))
        case ViewForm(), ViewForm():
            if a.item != b.item:
                one, other = (a, b) if a.item is None else (b, a)
                if one.item is not None or one.lanes != 1 or one.shifted or other.shifted:
                    raise NotInLanes("a loop inside carries arrays of different kinds")
                return replace(other, dense=a.dense and b.dense)
            if a.lanes != b.lanes and a.handle:  # cells cannot be copied
                return ViewForm(1, True, False, True)
            if a.lanes != b.lanes:  # the one that is not interleaved is copied, so it is dense
                return a if a.lanes == LANES else b
            return replace(a, shifted=a.shifted or b.shifted, dense=a.dense and b.dense)
        case SumForm(), SumForm():
            fields = tuple(
                tuple(join_forms(x, y) for x, y in zip(xs, ys, strict=False))
                for xs, ys in zip(a.fields, b.fields, strict=False)
            )
            return SumForm(max(a.tag, b.tag), fields)
        case _:
            raise TypeError("forms of different types")


def shift_of(lo: Lowering, v: View) -> Value:
    """Return what the lanes add to the place, step and shift, as one value."""
    shift = v.shift if v.shift is not None else ZERO
    return shift if v.step is None else lo.add(shift, lo.mul(lo.iota(), v.step))


@dataclass(frozen=True, slots=True)
class Part:
    """A register of a value; ``steady``: it usually has one value throughout a loop."""

    value: Value
    steady: bool


def parts(lo: Lowering, v: Val) -> list[Part]:
    """The registers of a value, in an order that its type and form fix."""
    match v:
        case Scalar():
            return [Part(lo.value(v), False)]
        case View():
            out = [Part(p, False) for p in pointers(lo, v)]
            if isinstance(v.type, Handle) and not v.ptrs:
                out.append(Part(v.start, True))
            if v.step is not None or v.shift is not None:
                out.append(Part(shift_of(lo, v), False))
            out += [Part(n, True) for n in v.extents]
            return out if v.dense else out + [Part(s, True) for s in v.strides]
        case SumVal(_, tag, fields):
            rest = [p for fs in fields for f in fs for p in parts(lo, f)]
            return [Part(tag, False), *rest]


def pointers(lo: Lowering, v: View) -> list[Value]:
    """The addresses of element 0, one per leaf of the element type."""
    return [
        lo.offset(p, lo.mul(v.start, Imm(lanes, Ty.I64)), ty)
        for p, (ty, lanes) in zip(v.ptrs, v.columns, strict=False)
    ]


def rebuild(lo: Lowering, like: Val, values: list[Value]) -> Val:
    """Return a value with the type and form of ``like`` from all its parts, which are used up."""
    match like:
        case Scalar(t, _):
            return Scalar(t, values.pop(0))
        case View(t):
            ptrs = tuple(values.pop(0) for _ in like.ptrs)
            start = values.pop(0) if isinstance(t, Handle) and not like.ptrs else ZERO
            shifted = like.step is not None or like.shift is not None
            shift = values.pop(0) if shifted else None
            extents = tuple(values.pop(0) for _ in range(t.rank))
            if like.dense:
                strides = c_strides(lo, extents)
            else:
                strides = tuple(values.pop(0) for _ in range(t.rank))
                lo.likely_units.update(strides[-1:])
            return View(
                t, ptrs, start, extents, strides, like.dense, like.lanes, shift=shift,
                item=like.item,
            )
        case SumVal(t, _, fields):
            tag = values.pop(0)
            return SumVal(t, tag, tuple(tuple(rebuild(lo, f, values) for f in fs) for fs in fields))


def c_strides(lo: Lowering, extents: tuple[Value, ...]) -> tuple[Value, ...]:
    """The strides of a dense array."""
    strides: list[Value] = []
    stride: Value = Imm(1, Ty.I64)
    for n in reversed(extents):
        strides.insert(0, stride)
        stride = lo.mul(stride, n) if len(strides) < len(extents) else stride
    return tuple(strides)


# --- the calling convention -----------------------------------------------------------------------


def to_leaves(lo: Lowering, v: Val) -> list[Value]:
    """The leaves of a value. An array must be the same in all lanes; scalars may vary."""
    match v:
        case Scalar():
            return [lo.value(v)]
        case View():
            if not v.uniform:
                raise NotInLanes("arrays that differ from round to round go into data")
            head = pointers(lo, v) if isinstance(v.type, Array) else [v.start]
            return [*head, *v.extents, *v.strides]
        case SumVal(_, tag, fields):
            return [tag, *(x for fs in fields for f in fs for x in to_leaves(lo, f))]


def from_leaves(lo: Lowering, t: Type, values: list[Value]) -> Val:
    """Return the value of type ``t`` with these leaves, which are used up."""
    match t:
        case Array(elem, rank):
            ptrs = tuple(values.pop(0) for _ in leaves(elem))
            return _strided(lo, t, ptrs, ZERO, rank, values)
        case Handle(rank):
            return _strided(lo, t, (), values.pop(0), rank, values)
        case Sum(variants):
            tag = values.pop(0)
            fields = tuple(tuple(from_leaves(lo, f, values) for f in v.fields) for v in variants)
            return SumVal(t, tag, fields)
        case _:
            return Scalar(t, values.pop(0))


def _strided(
    lo: Lowering, t: Array | Handle, ptrs: tuple[Value, ...], start: Value, rank: int,
    values: list[Value],
) -> View:
    extents = tuple(values.pop(0) for _ in range(rank))
    strides = tuple(values.pop(0) for _ in range(rank))
    lo.likely_units.update(strides[-1:])
    return View(t, ptrs, start, extents, strides, dense=rank == 0)


def undefined(t: Type) -> Val:
    """The value of a field of a variant that a sum is not in: zeros."""
    match t:
        case Array(elem, rank):
            return View(t, (NULL,) * len(leaves(elem)), ZERO, (ZERO,) * rank, (ZERO,) * rank)
        case Handle(rank):
            return View(t, (), ZERO, (ZERO,) * rank, (ZERO,) * rank)
        case Sum(variants):
            return SumVal(t, ZERO, tuple(tuple(map(undefined, v.fields)) for v in variants))
        case Named(_):
            return Scalar(t, NULL)
        case _:
            return Scalar(t, zero(machine(t)))


def zero(ty: Ty) -> Imm:
    """The zero of a machine type."""
    match ty:
        case Ty.F64 | Ty.F32:
            return Imm(0.0, ty)
        case Ty.I1:
            return Imm(False, ty)
        case Ty.I64 | Ty.I32 | Ty.I16 | Ty.I8 | Ty.PTR:
            return Imm(0, ty)
