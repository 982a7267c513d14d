"""Lower long loops as forks (``chunks.py`` says which, and what it is about)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pullback.core.frozen import dataclass
from pullback.core.terms import Block, Var
from pullback.core.thresholds import LIMITS
from pullback.lower.accumulators import span
from pullback.lower.arenas import allocates, instructions
from pullback.lower.chunks import Plan
from pullback.lower.effort import Effort, Estimate, number, plus, times, written
from pullback.lower.loopcode import (
    AccAlloc,
    AccMark,
    AccRelease,
    Copy,
    Fork,
    Imm,
    Instr,
    LoopFunction,
    Mark,
    RaiseIf,
    Reg,
    Region,
    Release,
    Ty,
    Value,
)
from pullback.lower.outline import read
from pullback.lower.state import Lowering
from pullback.lower.values import ZERO, View

NEST = 3
"""A loop of which each iteration takes fewer cycles than ``Limits.body`` runs as a whole, if those
of the loops inside do too and not so many are nested: it waits for memory."""

MOST_CELLS = 1 << 20
"""With more private cells a loop runs as a whole: those of all chunks take 128 MB."""


class NotInChunksError(Exception):
    """This loop cannot run in chunks."""


def worth(
    lo: Lowering, indices: Sequence[Var], extents: Sequence[Value], body: Block
) -> Effort | str:
    """Return the effort of a loop, or why it surely is not worth a fork."""
    if lo.lane is not None or lo.whole or lo.unit.in_order or lo.flushing:
        return ""
    each = Estimate(lo, indices, body).whole
    if lo.again and not any(each):
        return "it runs again and again"
    total = plus(each, {(): 0.5})
    for n in extents:
        total = times(total, number(n))
    if max(map(len, total)) < NEST and all(cycles < LIMITS.body for cycles in total.values()):
        return "its rounds are short"
    if all(not k for k in total) and total[()] < LIMITS.worth:
        return "it is short"
    return total


@dataclass
class _Private:
    """An accumulator of which each chunk has cells of its own. ``slab``: where the caller finds
    them, chunk after chunk; null if the cells from ``low`` on are the accumulator's own."""

    var: Var
    view: View
    low: Value
    size: Value
    slab: Reg
    cell: Value = ZERO


@dataclass(frozen=True, slots=True)
class Range:
    """The part of the first axis that a chunk has: ``count`` indices from ``first`` on."""

    first: Value
    count: Value


Run = Callable[[Range], list[Value]]


def in_chunks(
    lo: Lowering, plan: Plan, effort: Effort, n: Value, run: Run, unit: int
) -> list[Value]:
    """Emit a loop of ``n`` rounds as a fork. ``run`` emits a part of it and returns sums; the parts
    are multiples of ``unit``."""
    function = _Function(lo, plan, n)
    code, totals = function.code(run)
    work = written(lo, effort)
    cells: Value = ZERO
    for p in function.private:
        cells = lo.add(cells, p.size)
    long = lo.test("ge", work, Imm(LIMITS.worth, Ty.I64))
    if function.private:
        little = lo.test("le", lo.mul(cells, Imm(LIMITS.cell, Ty.I64)), work)
        few = lo.test("le", cells, Imm(MOST_CELLS, Ty.I64))
        long = lo.test("and", long, lo.test("and", little, few))
    name = function.define(code, totals)
    dsts = tuple(Reg("sum", v.ty) for v in totals)
    private = tuple((p.low, p.size) for p in function.private)
    store = (lo.accumulators(),) if function.shares else ()
    lo.emit(Fork(dsts, name, long, n, unit, (*store, *function.given), private))
    return list(dsts)


class _Function:
    """The function of the chunks of a loop. Its parameters: the number of the chunk, the length of
    a chunk, the slabs of private accumulators, the cells of the caller, and what it reads."""

    def __init__(self, lo: Lowering, plan: Plan, n: Value) -> None:
        self.lo = lo
        self.n = n
        self.plan = plan
        self.chunk, self.length = Reg("chunk", Ty.I64), Reg("length", Ty.I64)
        self.cells = Reg("cells", Ty.PTR)
        self.private = [
            _Private(h, lo.view(h), *span(lo, lo.view(h)), Reg("slab", Ty.PTR))
            for h in plan.private
        ]
        self.shares = bool(plan.shared)
        self.prelude: list[Instr] = []
        self.given: tuple[Reg, ...] = ()

    def code(self, run: Run) -> tuple[list[Instr], list[Value]]:
        """Return the code and its results."""
        lo = self.lo
        before = {h: lo.env[h] for h in (*self.plan.shared, *self.plan.private)}
        try:
            with lo.function_of_its_own() as self.prelude:
                return self._code(run)
        finally:
            lo.env.update(before)

    def _code(self, run: Run) -> tuple[list[Instr], list[Value]]:
        lo = self.lo
        entry, part = lo.record(self._entry)
        body, totals = lo.record(lambda: run(part))
        end, _ = lo.record(self._end)
        code = [*entry, *body, *end]
        before: list[Instr] = []
        for arena in sorted(allocates(code)):
            mark = Reg("mark", Ty.I64 if arena == "store" else Ty.PTR)
            before.append(AccMark(mark) if arena == "store" else Mark(mark, arena))
            code.append(AccRelease(mark) if arena == "store" else Release(mark, arena))
        return [*before, *code], totals

    def _entry(self) -> Range:
        lo = self.lo
        first = lo.mul(self.chunk, self.length)
        count = lo.arith("min", Ty.I64, self.length, lo.sub(self.n, first))
        if self.shares:
            own, caller = lo.address(lo.accumulators()), lo.address(self.cells)
            apart = lo.arith("floordiv", Ty.I64, lo.sub(caller, own), Imm(8, Ty.I64))
            for h in self.plan.shared:
                lo.env[h] = replace(lo.view(h), start=lo.add(lo.view(h).start, apart))
        for p in self.private:
            p.cell = self._cell(p)
            start = lo.add(p.cell, lo.sub(p.view.start, p.low))
            lo.env[p.var] = replace(p.view, start=start)
        return Range(first, count)

    def _several(self, p: _Private) -> Value:
        return self.lo.test("ne", self.lo.address(p.slab), ZERO)

    def _cell(self, p: _Private) -> Value:
        """Return the first of the cells that the chunk adds to."""

        def fresh() -> list[Value]:
            cell = Reg("cell", Ty.I64)
            self.lo.emit(AccAlloc(cell, p.size))
            return [cell]

        return self.lo.choose(self._several(p), fresh, lambda: [p.low])[0]

    def _end(self) -> None:
        lo = self.lo
        for p in self.private:

            def copied(p: _Private = p) -> list[Value]:
                to = lo.offset(p.slab, lo.mul(self.chunk, p.size), Ty.F64)
                lo.emit(Copy(to, lo.offset(lo.accumulators(), p.cell, Ty.F64), p.size, Ty.F64))
                return []

            lo.choose(self._several(p), copied, lambda: [])

    def define(self, code: list[Instr], totals: list[Value]) -> str:
        """Add the function to the module. Return its name."""
        lo = self.lo
        whole = (*self.prelude, *code)
        store = (self.cells,) if self.shares else ()
        own = (self.chunk, self.length, *(p.slab for p in self.private), *store)
        self.given = read(whole, totals, own)
        errors = (i for i in instructions(whole) if isinstance(i, RaiseIf))
        if any(r.lanes > 1 for r in self.given) or any(
            v.ty is Ty.PTR for e in errors for v in e.values  # memory of a context
        ):
            raise NotInChunksError("its errors show arrays")
        name = f"chunk.{lo.unit.program.main}.{len(lo.unit.functions)}"
        types = tuple(v.ty for v in totals)
        region = Region(whole, tuple(totals))
        made = LoopFunction(name, (*own, *self.given), region, types, chunk=True)
        lo.unit.functions[name] = made
        return name
