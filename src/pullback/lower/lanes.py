"""Lower Build and Sum_ as parallel loops (``parallel_loops.py``)."""

from __future__ import annotations

from dataclasses import replace

from pullback.core.terms import Build, If, Index, Lit, Loop, Prim, Sum_, Var
from pullback.core.traverse import all_lets, free_variables_of
from pullback.core.types import Array
from pullback.lower.arenas import keep
from pullback.lower.copies import Output, RowOutput, allocate, varies
from pullback.lower.forms import zero
from pullback.lower.loopcode import Instr, Ty, Value
from pullback.lower.notes import Note
from pullback.lower.parallel_loops import Parallel
from pullback.lower.separate import Separate
from pullback.lower.state import Lowering
from pullback.lower.values import (
    ONE,
    Scalar,
    Val,
    has_temporaries,
    machine,
    mentions_handle,
)


def build(lo: Lowering, op: Build, bound: tuple[Var, ...]) -> list[Val]:
    """Arrays of the results of all iterations."""
    if lo.lane is not None and lo.lane.mask is None and _is_uniform(lo, op):
        lane, lo.lane = lo.lane, None  # done once for all lanes, and so may run in lanes itself
        try:
            with lo.as_a_whole():
                return build(lo, op, bound)
        finally:
            lo.lane = lane
    extents = tuple(lo.extent(n) for n in op.extents)
    outside = lo.lane is None
    outputs = [_output(lo, v, extents, outside) for v in bound]
    found = [lo.unit.stacks[v].array if v in lo.unit.stacks else v for v in bound]
    stay = lo.unit.arena_of(found) if outside else "temp"
    views = [out.view for out in outputs]
    flat = outside and len(extents) > 1 and _is_one_scalar(lo, op, bound)
    around = (lo.product(extents),) if flat else extents
    for out in outputs if flat else ():
        out.view = replace(out.view, extents=around, strides=(ONE,))

    def finish(indices: list[Scalar], results: list[Val], carried: list[Value]) -> list[Value]:
        for out, x in zip(outputs, results, strict=True):
            stays = stay == "residual" or (lo.lane is not None and not out.own and varies(x))
            out.put(indices, keep(lo, [x])[0] if stays and has_temporaries(out.stored) else x)
        return carried

    indices = op.indices[: len(around)]
    elements = [out.stored for out in outputs]
    loop = Parallel(lo, op, around, indices, elements, finish)
    before = _kept_before(lo, op, outputs) if stay == "residual" else {}
    if outside and lo.unit.filled.issuperset(bound):
        code: list[Instr] = []
    elif outside:
        code, _ = lo.record(lambda: loop.best([]))
    else:
        lo.unit.notes[op] = Note("in the lanes of the loop around")
        code, _ = lo.record(lambda: loop.scalar([]))
    lo.env.update(before)
    for out, view in zip(outputs, views, strict=True) if flat else ():
        out.view = view
    allocate(lo, [out for out in outputs if out.view.item is None], stay)
    allocate(lo, [out for out in outputs if out.view.item is not None], "residual")
    lo.code.extend(code)
    return [out.view for out in outputs]


def _is_one_scalar(lo: Lowering, op: Build, bound: tuple[Var, ...]) -> bool:
    """Whether all elements of each array are the same number, which comes from outside: the axes
    are then one."""
    numbers = all(isinstance(a, Lit) or isinstance(lo.env.get(a), Scalar) for a in op.body.results)
    return numbers and not op.body.lets and lo.unit.stacks.keys().isdisjoint(bound)


def _kept_before(lo: Lowering, op: Build, outputs: list[Output]) -> dict[Var, Val]:
    """Keep the arrays from outside that are elements of arrays in the residual arena, so that these
    elements share one copy. Return what the variables were."""
    outside = free_variables_of(op)
    rows = {
        a for a, out in zip(op.body.results, outputs, strict=True)
        if isinstance(a, Var) and a in outside and has_temporaries(out.stored)
    }  # fmt: skip
    before = {x: lo.env[x] for x in op.body.results if isinstance(x, Var) and x in rows}
    for x, value in before.items():
        lo.env[x] = keep(lo, [value])[0]
    return before


def _is_uniform(lo: Lowering, op: Build) -> bool:
    """Whether the loop is the same in all lanes, and has no effects."""
    return all(isinstance(let.op, _PURE) for let in all_lets(op.body)) and not any(
        varies(lo.env[v]) or mentions_handle(v.type, lo.unit.program.decls)
        for v in free_variables_of(op)
    )


_PURE = Prim | Index | Build | Sum_ | If


def _output(lo: Lowering, v: Var, extents: tuple[Value, ...], own: bool) -> Output:
    assert isinstance(v.type, Array)
    stack = lo.unit.stacks.get(v)
    if stack is None:
        return Output(lo, v.type, extents, own, kept=not own)
    return RowOutput(lo, v.type, extents, tuple(map(lo.extent, stack.extents)), stack.last, own)


def separate(lo: Lowering, op: Loop, found: Separate, bound: tuple[Var, ...]) -> list[Val]:
    """Lower a sequential loop whose iterations have cells of their own (``separate.py``)."""
    sums = sum_(lo, found.sum, bound, found.own)
    out: list[Val] = []
    for init, total in zip(op.inits, sums, strict=True):
        assert isinstance(total, Scalar)
        start, part = lo.value(lo.scalar(init)), lo.value(total)
        out.append(Scalar(total.type, lo.arith("add", part.ty, start, part)))
    return out


def sum_(
    lo: Lowering, op: Sum_, bound: tuple[Var, ...], own: frozenset[Var] = frozenset()
) -> list[Val]:
    """Lower sums of the results of all iterations, in an order that depends on their number only.

    Those of float32 are carried in float64, as accumulators are, and rounded once: in float32, each
    of millions of terms would be rounded to a place of the whole, while NumPy adds up pairwise."""
    extents = tuple(lo.extent(n) for n in op.extents)

    def finish(indices: list[Scalar], results: list[Val], carried: list[Value]) -> list[Value]:
        out = []
        for total, x in zip(carried, results, strict=True):
            assert isinstance(x, Scalar)
            value = lo.value(x)
            if lo.lane is not None and loop.in_lanes:
                value = lo.select(lo.lane.alive, value, zero(value.ty))
            if value.ty is not total.ty:
                value = lo.arith("to_real", total.ty, value)
            out.append(lo.arith("add", total.ty, total, value))
        return out

    loop = Parallel(lo, op, extents, op.indices, [], finish, own)
    types = [machine(v.type) for v in bound]
    inits: list[Value] = [zero(Ty.F64 if ty is Ty.F32 else ty) for ty in types]
    if lo.lane is not None:
        lo.unit.notes[op] = Note("in the lanes of the loop around")
        loop.spread()
        totals = loop.scalar([lo.vector(z) for z in inits])
    else:
        totals = loop.best(inits)
    totals = [
        lo.arith("to_real", ty, t) if ty is Ty.F32 else t
        for ty, t in zip(types, totals, strict=True)
    ]
    return [Scalar(v.type, t) for v, t in zip(bound, totals, strict=True)]
