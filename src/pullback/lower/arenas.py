"""Release memory: an iteration's allocations at its end, or, if the loop carries arrays, when the
arena has doubled since the last time (the carried arrays are then moved together).

The invariants: nodes are in the residual arena; memory never points to newer temporaries. (A value
is *kept*, that is copied to the residual arena, before it is stored into an array that may be
older, into a node, or into an emitted array.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pullback.core.types import Array, Type
from pullback.lower.copies import fill, fresh, interleave, is_dense, nest
from pullback.lower.forms import from_leaves, pointers, shift_of, to_leaves
from pullback.lower.loopcode import (
    LANES,
    AccAlloc,
    AccMark,
    AccRelease,
    Alloc,
    CallCode,
    ForCode,
    IfCode,
    Imm,
    Instr,
    LoopFunction,
    Mark,
    Reg,
    Region,
    Release,
    Ty,
    Value,
    WhileCode,
)
from pullback.lower.state import Lowering
from pullback.lower.values import (
    ZERO,
    NotInLanes,
    Scalar,
    SumVal,
    Val,
    View,
    has_temporaries,
    leaves,
)
from pullback.lower.views import place_of, read, write


def regions(i: Instr) -> tuple[Region, ...]:
    """The code inside an instruction."""
    match i:
        case IfCode(_, then, orelse):
            return (then, orelse)
        case ForCode():
            return (i.body,)
        case WhileCode():
            return (i.cond, i.body)
        case _:
            return ()


def instructions(code: Iterable[Instr]) -> Iterable[Instr]:
    """All instructions of some code, also the nested ones."""
    for i in code:
        yield i
        for r in regions(i):
            yield from instructions(r.code)


def allocates(code: Iterable[Instr]) -> frozenset[str]:
    """The arenas ("temp", "residual", "store") that code may allocate in."""
    found: set[str] = set()
    for i in instructions(code):
        match i:
            case Alloc(_, _, _, arena):
                found.add(arena)
            case AccAlloc():
                found.add("store")
            case CallCode(_, name, _):
                found |= {"temp", "residual"} if name.startswith(("keep.", "linear.")) else {
                    "temp", "residual", "store"
                }
            case _:
                pass
    return frozenset(found)


class Scope:
    """The marks of a loop: ``release`` gives back what an iteration allocated."""

    def __init__(self, lo: Lowering, may_release: Iterable[str]) -> None:
        self.lo = lo
        self.may = frozenset(may_release)
        self.marks: dict[str, Reg] = {}

    def release(self, iteration: list[Instr]) -> None:
        """Emit, at the end of an iteration, the release of its allocations."""
        for arena in sorted(allocates(iteration) & self.may):
            ty = Ty.I64 if arena == "store" else Ty.PTR
            mark = self.marks.setdefault(arena, Reg("mark", ty))
            self.lo.emit(AccRelease(mark) if arena == "store" else Release(mark, arena))

    def open(self) -> None:
        """Emit the marks, before the loop."""
        for arena, mark in self.marks.items():
            self.lo.emit(AccMark(mark) if arena == "store" else Mark(mark, arena))


# --- keeping --------------------------------------------------------------------------------------


def keep(lo: Lowering, values: Sequence[Val]) -> list[Val]:
    """Return the values with their temporary arrays copied to the residual arena."""
    if not any(has_temporaries(v.type) for v in values):
        return list(values)
    low, high = lo.temporaries(), lo.address(lo.mark())
    return [move(lo, v, low, high, "residual") for v in values]


def move(lo: Lowering, v: Val, low: Value, high: Value, arena: str) -> Val:
    """Return the value with its arrays in [low, high) copied to an arena (densely)."""
    if not has_temporaries(v.type):
        return v
    if isinstance(v, View) and v.lanes == LANES:
        return _move_interleaved(lo, v, low, high, arena)
    if isinstance(v, View) and v.item is not None:
        return v  # what loops emit is in the residual arena, with all that it points to
    if isinstance(v, View) and not v.uniform:
        return _move_varying(lo, v, low, high, arena)
    if isinstance(v, SumVal) and lo.lane:
        fields = tuple(tuple(move(lo, f, low, high, arena) for f in fs) for fs in v.fields)
        return SumVal(v.type, v.tag, fields)
    name = _helper(lo, arena, v.type)
    args = to_leaves(lo, v)

    def call() -> list[Value]:
        dsts = tuple(Reg("kept", a.ty) for a in args)
        lo.emit(CallCode(dsts, name, (*args, low, high)))
        return list(dsts)

    if not isinstance(v, View):
        return from_leaves(lo, v.type, call())
    # a copy differs in its pointers, and in its strides unless they were those of a copy
    ends = len(v.ptrs), len(args) - v.type.rank
    changed = args[: ends[0]] + ([] if v.dense else args[ends[1] :])

    def copied() -> list[Value]:
        out = call()
        return out[: ends[0]] + ([] if v.dense else out[ends[1] :])

    found = lo.choose(_inside(lo, v.ptrs[0], low, high), copied, lambda: changed)
    strides = v.strides if v.dense else tuple(found[ends[0] :])
    lo.likely_units.update(strides[-1:])
    return replace(v, ptrs=tuple(found[: ends[0]]), start=ZERO, strides=strides)


def _inside(lo: Lowering, ptr: Value, low: Value, high: Value) -> Value:
    at = lo.address(ptr)
    return lo.test("and", lo.test("ge", at, low), lo.test("lt", at, high))


def _move_interleaved(lo: Lowering, v: View, low: Value, high: Value, arena: str) -> View:
    """Move an interleaved array; the lanes are a last axis of 8 elements."""
    if v.step is not None or v.shift is not None:
        raise NotInLanes("it keeps parts of arrays that differ from round to round")
    assert isinstance(v.type, Array)
    eight = Imm(LANES, Ty.I64)
    flat = View(
        Array(v.type.elem, v.type.rank + 1), v.ptrs, lo.mul(v.start, eight), (*v.extents, eight),
        (*(lo.mul(s, eight) for s in v.strides), Imm(1, Ty.I64)), dense=v.dense,
    )
    out = move(lo, flat, low, high, arena)
    assert isinstance(out, View)
    strides = v.strides if v.dense else tuple(
        lo.arith("floordiv", Ty.I64, s, eight) for s in out.strides[:-1]
    )
    return replace(v, ptrs=out.ptrs, start=ZERO, strides=strides)


def _move_varying(lo: Lowering, v: View, low: Value, high: Value, arena: str) -> View:
    """Move views of one array that differ by lane. A copy is a copy for each lane, which is one
    array here."""
    def copied() -> list[Value]:
        out = interleave(lo, v, arena)
        return [*out.ptrs, lo.iota(), *(lo.mul(s, Imm(LANES, Ty.I64)) for s in out.strides)]

    def same() -> list[Value]:
        return [*pointers(lo, v), shift_of(lo, v), *v.strides]

    found = lo.choose(_inside(lo, v.ptrs[0], low, high), copied, same)
    n = len(v.ptrs)
    return replace(
        v, ptrs=tuple(found[:n]), start=ZERO, step=None, shift=found[n],
        strides=tuple(found[n + 1 :]), dense=False,
    )


def _helper(lo: Lowering, arena: str, t: Type) -> str:
    """Return the name of the function that moves values of a type: leaves, low, high -> leaves."""
    key = (arena, t)
    if key not in lo.unit.helpers:
        where = lo.unit.program.main  # programs are linked together, each with its own helpers
        name = lo.unit.helpers[key] = f"keep.{arena}.{where}.{len(lo.unit.helpers)}"
        inner = Lowering(lo.unit, lambda lowering, block: [])
        params = [Reg("p", ty) for ty in leaves(t)]
        low, high = Reg("low", Ty.I64), Reg("high", Ty.I64)
        moved = _moved(inner, from_leaves(inner, t, list(params)), low, high, arena)
        results = tuple(to_leaves(inner, moved))
        lo.unit.functions[name] = LoopFunction(
            name, (*params, low, high), Region((*inner.prelude, *inner.code), results), leaves(t)
        )
    return lo.unit.helpers[key]


def _moved(lo: Lowering, v: Val, low: Value, high: Value, arena: str) -> Val:
    match v:
        case Scalar():
            return v
        case SumVal():
            fields = tuple(tuple(move(lo, f, low, high, arena) for f in fs) for fs in v.fields)
            return SumVal(v.type, v.tag, fields)
        case View(Array(elem, _)) if v.ptrs:
            def copied() -> list[Value]:
                out = _dense_or_not(lo, v, arena)
                if has_temporaries(elem):
                    _move_elements(lo, out, low, high, arena)
                return to_leaves(lo, out)

            leaves_of = to_leaves(lo, v)
            inside = _inside(lo, v.ptrs[0], low, high)
            return from_leaves(lo, v.type, lo.choose(inside, copied, lambda: leaves_of))
        case View():
            return v


def _dense_or_not(lo: Lowering, v: View, arena: str) -> View:
    """A copy: in one piece if the strides allow it."""
    assert isinstance(v.type, Array)
    out = fresh(lo, v.type, v.extents, 1, arena)

    def whole() -> list[Value]:
        fill(lo, out, replace(v, dense=True))
        return []

    def pieces() -> list[Value]:
        fill(lo, out, v)
        return []

    lo.choose(is_dense(lo, v), whole, pieces)
    return out


def _move_elements(lo: Lowering, v: View, low: Value, high: Value, arena: str) -> None:
    def step(indices: list[Scalar], _: list[Value]) -> list[Value]:
        p = place_of(lo, v, indices)
        write(lo, v, p, move(lo, read(lo, v, p), low, high, arena))
        return []

    nest(lo, v.extents, [], step)


def compact(lo: Lowering, values: list[Val], mark: Value) -> list[Val]:
    """Release all temporaries since ``mark`` but those of the values, which are moved there by way
    of the residual arena."""
    aside = lo.mark("residual")
    low, high = lo.address(mark), lo.address(lo.mark())
    values = [move(lo, v, low, high, "residual") for v in values]
    low, high = lo.address(aside), lo.address(lo.mark("residual"))
    lo.emit(Release(mark))
    values = [move(lo, v, low, high, "temp") for v in values]
    lo.emit(Release(aside, "residual"))
    return values
