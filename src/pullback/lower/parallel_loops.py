"""Loops with independent iterations: 8 at a time if the body allows it, in chunks on threads, and
in pieces in which comparisons of the index are known.

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
from pullback.core.terms import Atom, Block, Build, Prim, Sum_, Var
from pullback.core.traverse import all_lets
from pullback.core.types import I64, Type
from pullback.lower import accumulators
from pullback.lower.arenas import Scope, allocates, compact, instructions
from pullback.lower.chunk_code import NotInChunksError, Range, in_chunks, worth
from pullback.lower.chunks import Plan
from pullback.lower.copies import nest
from pullback.lower.effort import Effort
from pullback.lower.fission import apart
from pullback.lower.forms import zero
from pullback.lower.index_sets import MOST_PIECES, can_divide, pieces_of, reduced, seam_of
from pullback.lower.loopcode import LANES, Alloc, CallCode, Imm, Instr, Reg, Ty, Value
from pullback.lower.notes import Note
from pullback.lower.state import Lanes, Lowering
from pullback.lower.values import (
    ONE,
    ZERO,
    NotInLanes,
    Scalar,
    Val,
    has_pointers,
    has_temporaries,
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


class Parallel:
    """A loop with independent iterations; ``finish`` uses the results of one iteration. ``unroll``:
    how many blocks of lanes one round has; ``twice``: whether an iteration may run twice, so that
    all lanes count where blocks overlap."""

    unroll = 1
    twice: ClassVar[bool] = False
    divides: ClassVar[bool] = True

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
        # of the axes of which only a part runs: where it begins, in how many rounds
        self.first: dict[int, tuple[Value, Value]] = {}
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
            indices = [
                self._shifted(i, *self.first[a]) if a in self.first else i
                for a, i in enumerate(indices)
            ]

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
            self.extents, self.first = (part.count, *rest), {0: (part.first, n)}
            try:
                with self.lo.as_a_whole():
                    return self._all(inits)
            finally:
                self.extents, self.first = saved, {}

        return in_chunks(self.lo, plan, effort, n, run, 1 if rest else LANES)

    def _all(self, inits: list[Value]) -> list[Value]:
        """Emit the loop in lanes along an axis that is long enough, if the body allows it;
        otherwise scalar."""
        lo = self.lo
        lanes = lo.copies <= MAX_COPIES and not lo.unit.in_order
        axes = self._axes() if lanes else []
        if axes and self.divides and not self.own and self._leaves_nothing():
            return self._pieces(axes, inits, MOST_PIECES if can_divide(self.op) else 1)
        return self._along(axes, inits)

    def _pieces(self, axes: list[int], inits: list[Value], most: int) -> list[Value]:
        """Emit the loop in at most so many pieces, in which comparisons of its index are known."""
        lo, axis = self.lo, axes[0]
        seam = seam_of(self.body, self.op.indices, axis, lo.known) if most > 1 else None
        if seam is None:
            return self._piece(axes, inits)
        first, extents = self.first, self.extents
        low, n = first.get(axis, (ZERO, extents[axis]))
        pieces = pieces_of(lo, seam, low, lo.add(low, extents[axis]))
        totals, left = inits, most - sum(not piece.single for piece in pieces) + 1
        for piece in pieces:
            count = lo.sub(piece.high, piece.low)
            self.first = {**first, axis: (piece.low, n)}
            self.extents = (*extents[:axis], count, *extents[axis + 1 :])
            lo.known[seam.test] = piece.holds
            zeros: list[Value] = [zero(v.ty) for v in inits]
            sums = self.scalar(zeros) if piece.single else self._pieces(axes, zeros, left)
            totals = [lo.arith("add", t.ty, t, s) for t, s in zip(totals, sums, strict=True)]
        del lo.known[seam.test]
        self.first, self.extents = first, extents
        return totals

    def _piece(self, axes: list[int], inits: list[Value]) -> list[Value]:
        """Emit a piece. Additions to neighbouring cells, which may have been in branches until now,
        have loops of their own."""
        lo, op, body, indices = self.lo, self.op, self.body, self.indices
        loops: list[Sum_] = []
        if isinstance(op, Sum_) and lo.known:
            loops = apart(op, reduced(body, lo.known), lo.unit.rounds)
        if not loops:
            return self._along(axes, inits)
        totals = inits
        for k, part in enumerate(loops):
            self.body, self.indices = part.body, part.indices
            sums = self._along(axes, [] if k else inits)
            totals = totals if k else sums
        self.body, self.indices = body, indices
        return totals

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
