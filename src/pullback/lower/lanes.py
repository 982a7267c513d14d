"""Lower Build and Sum_: independent iterations, 8 at a time if the body allows it.

A body that runs in lanes is lowered by the code that lowers scalar bodies. If something in it
cannot run in lanes, that code raises ``NotInLanes``, and the loop is scalar (the loops inside of it
are then tried). With n >= 8 iterations the last block of 8 overlaps the one before: every lane
always has an iteration, and ``alive`` says in which lanes effects and contributions count. For
smaller n the scalar loop runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from pullback.core.effects import in_any_order
from pullback.core.terms import Atom, Block, Build, If, Index, Lit, Loop, Prim, Sum_, Var
from pullback.core.traverse import all_lets, free_variables_of
from pullback.core.types import I64, Array, Type
from pullback.lower import accumulators
from pullback.lower.arenas import Scope, allocates, compact, instructions, keep
from pullback.lower.chunk_code import NotInChunksError, Range, in_chunks, worth
from pullback.lower.chunks import Plan
from pullback.lower.copies import Output, RowOutput, allocate, nest, varies
from pullback.lower.effort import Effort
from pullback.lower.forms import zero
from pullback.lower.loopcode import LANES, Alloc, CallCode, Imm, Instr, Reg, Ty, Value
from pullback.lower.notes import Note
from pullback.lower.separate import Separate
from pullback.lower.state import Lanes, Lowering
from pullback.lower.values import (
    ONE,
    ZERO,
    NotInLanes,
    Scalar,
    Val,
    has_pointers,
    has_temporaries,
    machine,
    mentions_handle,
)

Step = Callable[[list[Scalar], list[Value]], list[Value]]
Finish = Callable[[list[Scalar], list[Val], list[Value]], list[Value]]

MAX_COPIES = 1
MAX_COPIED = 400
"""The scalar copy of a loop in lanes may have loops in lanes inside, so many deep, if its body has
at most so many lets."""

MAX_TWICE = 40
"""A loop over several axes has lanes along one of two axes, if its body is no larger."""


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


class Parallel:
    """A loop with independent iterations; ``finish`` uses the results of one iteration. ``unroll``:
    how many blocks of lanes one round has; ``twice``: whether an iteration may run twice, so that
    all lanes count where blocks overlap."""

    unroll = 1
    twice: ClassVar[bool] = False

    def __init__(
        self, lo: Lowering, op: Build | Sum_, extents: tuple[Value, ...],
        indices: tuple[Var, ...], elements: list[Type],
        finish: Finish,
        own: frozenset[Var] = frozenset(),
    ) -> None:
        self.lo = lo
        self.op = op
        self.extents = extents
        self.indices = indices
        self.body = op.body
        self.elements = elements
        self.finish = finish
        self.own = own
        self.first: tuple[Value, Value] | None = None  # of a chunk: where it begins, in how many
        self.in_lanes = False
        self.part = 0  # which block of lanes of a round

    def spread(self) -> None:
        """Put axes outermost that shift the lanes; for a loop in lanes that only adds to
        accumulators.

        Additions at ``i + k``, with i differing by lane, overlap for one k and the next, and the
        processor is slow to load data of which a part has just been stored.
        """
        if not _only_adds(self.body):
            return
        shifts = {
            a for let in self.body.lets if isinstance(let.op, Prim) and let.op.name == "add"
            for a, b in (let.op.args, let.op.args[::-1]) if self._differs(b)
        }
        axes = sorted(range(len(self.extents)), key=lambda k: self.indices[k] not in shifts)
        self.extents = tuple(self.extents[k] for k in axes)
        self.indices = tuple(self.indices[k] for k in axes)

    def _differs(self, a: Atom) -> bool:
        """Whether lanes have consecutive values."""
        x = self.lo.env.get(a) if isinstance(a, Var) else None
        return isinstance(x, Scalar) and x.value is None and x.step == ONE

    def _scope(self) -> Scope:
        may = set()
        if not any(has_temporaries(t) for t in self.elements):
            may.add("temp")
        if not any(has_pointers(t) for t in self.elements):
            may.add("residual")
        if not any(mentions_handle(t, self.lo.unit.program.decls) for t in self.elements):
            may.add("store")
        return Scope(self.lo, may)

    def _step(self, scope: Scope) -> Step:
        lo = self.lo

        def step(indices: list[Scalar], carried: list[Value]) -> list[Value]:
            if self.first is not None:
                indices = [self._shifted(indices[0], *self.first), *indices[1:]]

            def run() -> list[Value]:
                lo.env.update(zip(self.indices, indices, strict=True))
                results = self._compacted(lambda: lo.block(self.body))
                return self.finish(indices, results, carried)

            code, out = lo.record(run)
            lo.code.extend(code)
            scope.release(code)
            return out

        return step

    def _compacted(self, run: Callable[[], list[Val]]) -> list[Val]:
        """Run code; return its results, which are arrays, without the other temporaries of the
        iteration."""
        lo = self.lo
        code, results = lo.record(run)
        worth = any(map(has_temporaries, self.elements)) and _wasteful(code, results)
        mark = lo.mark() if worth else None
        lo.code.extend(code)
        return compact(lo, results, mark) if mark is not None else results

    def scalar(self, inits: list[Value]) -> list[Value]:
        """Emit one iteration after the other (each in all the lanes around, if any)."""
        scope = self._scope()
        code, out = self.lo.record(lambda: nest(self.lo, self.extents, inits, self._step(scope)))
        scope.open()
        self.lo.code.extend(code)
        return out

    def _shifted(self, i: Scalar, first: Value, n: Value) -> Scalar:
        """Return an index of the whole loop, of ``n`` iterations, for one of a chunk."""
        if i.value is None:
            assert i.base is not None
            return replace(i, base=self.lo.add(i.base, first), bound=n)
        return replace(i, value=self.lo.add(i.value, first), bound=n)

    def best(self, inits: list[Value]) -> list[Value]:
        """Emit the loop, in chunks if it may be long and they may run side by side."""
        lo, notes = self.lo, self.lo.unit.notes
        plan = lo.unit.chunked.get(self.op, "")
        if isinstance(plan, Plan) and not self._leaves_nothing():
            plan = "its elements are arrays or data"
        effort = worth(lo, self.indices, self.extents, self.body)
        if isinstance(plan, str) or isinstance(effort, str):
            out = self._all(inits)
            why = plan if isinstance(plan, str) else str(effort)
            notes.setdefault(self.op, Note()).chunks = f"on one thread: {why}" if why else ""
            return out
        try:
            code, out = lo.record(lambda: self._in_chunks(plan, effort, inits))
        except NotInChunksError as e:
            out = self._all(inits)
            notes.setdefault(self.op, Note()).chunks = f"on one thread: {e}"
            return out
        notes.setdefault(self.op, Note()).chunks = "in chunks on threads where it is long"
        lo.code.extend(code)
        return out

    def _leaves_nothing(self) -> bool:
        """Whether what an iteration allocates is free behind it."""
        decls = self.lo.unit.program.decls
        return not any(has_pointers(t) or mentions_handle(t, decls) for t in self.elements)

    def _in_chunks(self, plan: Plan, effort: Effort, inits: list[Value]) -> list[Value]:
        n, *rest = self.extents
        saved = self.extents

        def run(part: Range) -> list[Value]:
            self.extents, self.first = (part.count, *rest), (part.first, n)
            try:
                with self.lo.as_a_whole():
                    return self._all(inits)
            finally:
                self.extents, self.first = saved, None

        return in_chunks(self.lo, plan, effort, n, run, 1 if rest else LANES)

    def _all(self, inits: list[Value]) -> list[Value]:
        """Emit the loop in lanes along an axis that is long enough, if the body allows it;
        otherwise scalar."""
        lo = self.lo
        lanes = lo.copies <= MAX_COPIES and not lo.unit.in_order
        axes = self._axes() if lanes else []
        return self._along(axes, inits)

    def _axes(self) -> list[int]:
        """Return the axes along which lanes may run: the last axis, and for small bodies the first
        one if the last is short; axes that are certainly short are left out."""
        long = [
            a for a, n in enumerate(self.extents) if not (isinstance(n, Imm) and n.value < LANES)
        ]
        if not long:
            self.lo.unit.notes[self.op] = Note(reasons=["there are few"])
        twice = len(long) > 1 and self._size() <= MAX_TWICE
        return long[-1:] + (long[:1] if twice else [])

    def _size(self) -> int:
        return sum(1 for _ in all_lets(self.body))

    def _along(self, axes: list[int], inits: list[Value]) -> list[Value]:
        if not axes:
            return self.scalar(inits)
        lo, axis, notes = self.lo, axes[0], self.lo.unit.notes
        before = dict(notes)
        note = notes[self.op] = notes.get(self.op, Note())
        try:
            code, (out, lane) = lo.record(lambda: self._vector(inits, axis))
        except NotInLanes as e:
            notes.clear()
            notes.update(before)
            notes[self.op] = note
            note.reasons.append(str(e))
            return self._along(axes[1:], inits)
        of = f" along index {axis + 1}" if len(self.extents) > 1 else ""
        note.lanes, after = f"8 rounds at a time{of}", dict(notes)
        enough = lo.test("ge", self.extents[axis], Imm(LANES * self.unroll, Ty.I64))
        for stride in lane.units:
            enough = lo.test("and", enough, lo.test("eq", stride, ONE))
        for cond, expected in lane.assumed.items():
            enough = lo.test("and", enough, cond if expected else lo.negate(cond))
        if self.own:
            return self._and_rest(enough, (code, out), inits)
        saved, lo.copies = lo.copies, lo.copies + (9 if self._size() > MAX_COPIED else 1)
        try:
            rest = lo.record(lambda: self._along(axes[1:], inits))
        finally:
            lo.copies = saved
            notes.clear()
            notes.update(after)
        if isinstance(enough, Imm):
            lo.code.extend(code if enough.value else rest[0])
            return out if enough.value else rest[1]
        return lo.join(enough, (code, out), rest)

    def _and_rest(
        self, enough: Value, whole: tuple[list[Instr], list[Value]], inits: list[Value]
    ) -> list[Value]:
        """Emit whole blocks in lanes if there are enough iterations, and the remaining iterations
        one after the other. A last block that overlaps the one before would have to leave out the
        cells of some lanes, and memory that was stored under a mask is slow to load again."""
        lo, (n,) = self.lo, self.extents
        left = lo.arith("mod", Ty.I64, n, Imm(LANES, Ty.I64))
        *totals, left = lo.join(enough, (whole[0], [*whole[1], left]), ([], [*inits, n]))
        self.extents = (left,)
        return self.scalar(totals)

    def _vector(self, inits: list[Value], axis: int) -> tuple[list[Value], Lanes]:
        """The loop in lanes along an axis (with the other axes outside)."""
        lo = self.lo
        lane = Lanes(Reg("", Ty.I64).id, Imm(True, Ty.I1), own=frozenset(self.own))
        others = [n for a, n in enumerate(self.extents) if a != axis]
        scope = self._scope()
        step = self._step(scope)

        def outer(found: list[Scalar], carried: list[Value]) -> list[Value]:
            def block(at: Reg, inner: list[Value]) -> list[Value]:
                start = lo.sub(last, at)
                if not self.own:
                    start = lo.arith("min", Ty.I64, at, last)
                if not self.own and not self.twice:
                    lane.alive = lo.test("ge", lo.add(lo.iota(), start), at)
                out: list[Value] = []
                size = len(inner) // self.unroll
                for k in range(self.unroll):
                    self.part = k
                    base = lo.add(start, Imm(LANES * k, Ty.I64))
                    i = Scalar(I64, None, base=base, step=ONE, natural=True, bound=n)
                    carried = inner[k * size : (k + 1) * size]
                    out += step([*found[:axis], i, *found[axis:]], carried)
                return out

            n = self.extents[axis]
            last = lo.sub(n, Imm(LANES * self.unroll, Ty.I64))
            # with own cells: whole blocks only, backwards, as what they read was written
            end = lo.add(last, ONE) if self.own else n
            with lo.trip(n):
                return lo.loop(ZERO, end, LANES * self.unroll, carried, block)

        saved, lo.lane, self.in_lanes = lo.lane, lane, True
        try:
            vectors = [lo.vector(z) for z in inits] * self.unroll
            code, out = lo.record(lambda: nest(lo, others, vectors, outer))
        finally:
            lo.lane, self.in_lanes = saved, False
        shadows = list(lane.shadows.values())
        for s in shadows:
            accumulators.open_shadow(lo, s)
        scope.open()
        lo.code.extend(code)
        for s in shadows:
            accumulators.close_shadow(lo, s)
        return self.joined(out), lane

    def joined(self, out: list[Value]) -> list[Value]:
        """Emit what all lanes have come to, together."""
        return [self.lo.lane_sum(v) for v in out]


def _only_adds(body: Block) -> bool:
    """Whether the order of such iterations does not matter: they add and do nothing else."""
    return not body.results and all(in_any_order(x.op) for x in body.lets)


def _wasteful(code: list[Instr], results: list[Val]) -> bool:
    """Whether code allocates more temporaries than the arrays that it returns."""
    if "temp" not in allocates(code):
        return False
    allocated = sum(isinstance(i, Alloc) and i.arena == "temp" for i in instructions(code))
    calls = any(isinstance(i, CallCode) for i in instructions(code))
    return calls or allocated > sum(has_temporaries(x.type) for x in results)
