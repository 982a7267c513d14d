"""Lower Loop and While: sequential iterations that carry values and emit others.

A carried value has one form throughout the loop, and of an array usually only the pointer changes:
extents and strides are assumed to be constant. If the body contradicts an assumption, the loop is
lowered again without it (each time with fewer assumptions, so this ends).
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.core.frozen import dataclass
from pullback.core.terms import Block, Loop, Var, While
from pullback.core.thresholds import LIMITS
from pullback.core.types import Array
from pullback.lower.arenas import Scope, allocates, compact, keep
from pullback.lower.copies import Output, allocate, coerce, interleaved_type
from pullback.lower.forms import ViewForm, form_of, join_forms, parts, rebuild
from pullback.lower.loopcode import (
    LANES,
    Copy,
    ForCode,
    Imm,
    Mark,
    Reg,
    Ty,
    Value,
    WhileCode,
)
from pullback.lower.state import Lowering, Retry, Shape
from pullback.lower.values import (
    ZERO,
    Scalar,
    Val,
    View,
    has_pointers,
    has_temporaries,
    lanes_of,
    leaves,
    mentions_handle,
)
from pullback.lower.views import index_scalar, place_of, write


class Carry:
    """The carried values of a loop: the parts that stay constant, and those in registers."""

    def __init__(self, lo: Lowering, vars: tuple[Var, ...], inits: list[Val]) -> None:
        self.lo = lo
        self.vars = vars
        self.shapes = lo.lane.shapes if lo.lane else lo.shapes
        self.starts: list[Val] = []
        self.parts: list[list[Value]] = []
        self.loose: list[frozenset[int]] = []
        for x, init in zip(vars, inits, strict=True):
            shape = self.shapes.get(x)
            form = join_forms(form_of(init), shape.form) if shape else form_of(init)
            if shape is None or form != shape.form:
                shape = self.shapes[x] = Shape(form, frozenset())
            start = coerce(lo, init, form)
            found = parts(lo, start)
            self.starts.append(start)
            self.parts.append([p.value for p in found])
            unsteady = {i for i, p in enumerate(found) if not p.steady}
            self.loose.append(shape.loose | unsteady)

    def inits(self) -> list[Value]:
        """The values of the registers at the start."""
        return [
            ps[i] for ps, loose in zip(self.parts, self.loose, strict=True) for i in sorted(loose)
        ]

    def registers(self) -> tuple[Reg, ...]:
        """Fresh registers for them."""
        return tuple(Reg("c", v.ty, lanes_of(v)) for v in self.inits())

    def values(self, registers: list[Value]) -> list[Val]:
        """Return the carried values, given the registers (those of the carry come first)."""
        rest = iter(registers)
        out = []
        for start, ps, loose in zip(self.starts, self.parts, self.loose, strict=True):
            whole = [next(rest) if i in loose else p for i, p in enumerate(ps)]
            out.append(rebuild(self.lo, start, whole))
        return out

    def close(self, results: list[Val], moved: bool = False) -> list[Value]:
        """Return the registers of the next iteration. ``moved``: arrays may have been copied, so
        the strides of those that are not dense change too."""
        out: list[Value] = []
        again = False
        for n, (x, value) in enumerate(zip(self.vars, results, strict=True)):
            old = self.shapes[x]
            form = join_forms(old.form, form_of(value))
            if form != old.form:
                self.shapes[x] = Shape(form, frozenset())
                again = True
                continue
            found = [p.value for p in parts(self.lo, coerce(self.lo, value, form))]
            free = moved and isinstance(form, ViewForm) and not form.dense
            changed = {
                i
                for i, (p, q) in enumerate(zip(found, self.parts[n], strict=True))
                if i not in self.loose[n] and (free or p != q)
            }
            if changed:
                self.shapes[x] = Shape(form, old.loose | changed)
                again = True
            out += [found[i] for i in sorted(self.loose[n])]
        if again:
            raise Retry
        return out


@dataclass(frozen=True, slots=True)
class _Body:
    """The common part of the two kinds of loop."""

    lo: Lowering
    carried: tuple[Var, ...]
    block: Block
    bound: tuple[Var, ...]

    def retrying(self, attempt: Callable[[], list[Val]]) -> list[Val]:
        """Lower the loop until no assumption about its carried values is contradicted."""
        while True:
            try:
                code, out = self.lo.record(attempt)
            except Retry:
                continue
            self.lo.code.extend(code)
            return out

    def scope(self, growing: bool = False) -> Scope:
        """Return the memory that an iteration may release: all, unless values that live on point to
        it. ``growing``: emitted arrays grow in the residual arena."""
        types = [v.type for v in self.bound]
        elements = [t.elem for t in types[len(self.carried) :] if isinstance(t, Array)]
        alive = [*types[: len(self.carried)], *elements]
        may = set()
        if not any(map(has_temporaries, types[: len(self.carried)])):
            may.add("temp")
        if not growing and not any(map(has_pointers, alive)):
            may.add("residual")
        if not any(mentions_handle(t, self.lo.unit.program.decls) for t in alive):
            may.add("store")
        return Scope(self.lo, may)

    @property
    def arrays(self) -> bool:
        """Whether arrays are carried (they move when memory is released)."""
        return any(has_temporaries(x.type) for x in self.carried)

    def run(self, values: list[Val]) -> list[Val]:
        """Emit the body on carried values. A carried array that is emitted unchanged is kept
        before, so that later iterations share the copy."""
        emitted = set(self.block.results[len(self.carried) :])
        for x, value in zip(self.carried, values, strict=True):
            self.lo.env[x] = keep(self.lo, [value])[0] if x in emitted else value
        with self.lo.rounds():
            return self.lo.block(self.block)

    def move(
        self, carry: Carry, results: list[Val], limit: Value, mark: Value
    ) -> tuple[list[Value], Value]:
        """Return the next registers; if the arena has doubled, with the carried arrays moved to
        ``mark``. If these arrays fill most of the arena (a recursion that returned has moved them
        to its own mark), moving would gain nothing, and each level of the recursion would copy
        them."""
        lo = self.lo
        top = lo.address(lo.mark())
        limit = lo.choose(
            lo.test("gt", top, limit),
            lambda: [lo.add(lo.address(mark), _allowed(lo, _bytes(lo, results)))],
            lambda: [limit],
        )[0]
        old_code, old = lo.record(lambda: carry.close(results, moved=True))

        def moved() -> list[Value]:
            values = compact(lo, results, mark)
            low, high = lo.address(mark), lo.address(lo.mark())
            allowed = _allowed(lo, lo.sub(high, low))
            return [*carry.close(values, moved=True), lo.add(low, allowed)]

        over = lo.test("gt", top, limit)
        *out, limit = lo.join(over, lo.record(moved), (old_code, [*old, limit]))
        return out, limit


def _allowed(lo: Lowering, size: Value) -> Value:
    """Return how many bytes the arena may hold when this many are needed."""
    return lo.add(lo.add(size, size), Imm(LIMITS.slack, Ty.I64))


def _bytes(lo: Lowering, values: list[Val]) -> Value:
    """Return the size of the memory of carried arrays (not of what their elements point to)."""
    total: Value = ZERO
    for v in values:
        if isinstance(v, View) and isinstance(v.type, Array) and v.uniform and v.ptrs:
            size: Value = Imm(8 * len(v.columns), Ty.I64)
            for extent in v.extents:
                size = lo.mul(size, extent)
            total = lo.add(total, size)
    return total


def loop(lo: Lowering, op: Loop, bound: tuple[Var, ...]) -> list[Val]:
    """A counted loop."""
    n = lo.extent(op.count)
    inits = [lo.atom(a) for a in op.inits]
    body = _Body(lo, op.carried, op.body, bound)
    return body.retrying(lambda: _loop(body, op.index, n, inits))


def _loop(body: _Body, index: Var, n: Value, inits: list[Val]) -> list[Val]:
    lo = body.lo
    carry = Carry(lo, body.carried, inits)
    outputs = []
    for v in body.bound[len(inits) :]:
        assert isinstance(v.type, Array)
        outputs.append(Output(lo, v.type, (n,), kept=True))
    mark, limit = Reg("mark", Ty.PTR), Reg("limit", Ty.I64)
    scope = body.scope()
    i = Reg("i", Ty.I64)
    registers = carry.registers()

    def iteration() -> tuple[list[Value], bool]:
        def run() -> list[Val]:
            lo.env[index] = index_scalar(i, n)
            results = body.run(carry.values(list(registers)))
            for out, x in zip(outputs, keep(lo, results[len(inits) :]), strict=True):
                out.put([index_scalar(i)], x)
            return results[: len(inits)]

        with lo.trip(n):
            code, results = lo.record(run)
        lo.code.extend(code)
        if body.arrays and "temp" in allocates(code):
            out, next_limit = body.move(carry, results, limit, mark)
            scope.release(code)
            return [*out, next_limit], True
        out = carry.close(results)
        scope.release(code)
        return out, False

    code, (nexts, moving) = lo.record(iteration)
    # what is in the residual arena need not be copied there again
    emitted = body.bound[len(inits) :]
    stays = [o.points or lo.unit.arena_of([v]) == "residual"
             for v, o in zip(emitted, outputs, strict=True)]  # fmt: skip
    allocate(lo, [out for out, stay in zip(outputs, stays, strict=True) if stay], "residual")
    allocate(lo, [out for out, stay in zip(outputs, stays, strict=True) if not stay], "temp")
    starts = carry.inits()
    if moving:
        registers, starts = (*registers, limit), [*starts, _first_limit(lo, mark)]
    scope.open()
    region = lo.yields(code, nexts, [r.lanes for r in registers])
    dsts = tuple(Reg("c", r.ty, r.lanes) for r in registers)
    lo.emit(ForCode(ZERO, n, 1, i, registers, tuple(starts), region, dsts))
    return [*carry.values(list(dsts)), *(out.view for out in outputs)]


def _first_limit(lo: Lowering, mark: Reg) -> Value:

    lo.emit(Mark(mark))
    return lo.add(lo.address(mark), Imm(LIMITS.slack, Ty.I64))


# --- While ----------------------------------------------------------------------------------------


class _Growing:
    """The emitted arrays of a While, in the residual arena; a full one is enlarged to twice its
    size."""

    def __init__(self, lo: Lowering, bound: tuple[Var, ...]) -> None:
        self.lo = lo
        self.types = [v.type for v in bound if isinstance(v.type, Array)]
        self.lanes = LANES if lo.lane else 1
        self.leaves = [ty for t in self.types for ty in leaves(t.elem)]
        for t in self.types if lo.lane else ():
            interleaved_type(lo, View(t, (), ZERO, (ZERO,), (ZERO,)))

    def inits(self) -> list[Value]:
        """Return count, capacity and pointers of empty arrays."""
        return [ZERO, ZERO, *(Imm(0, Ty.PTR) for _ in self.leaves)] if self.types else []

    def put(self, state: list[Value], values: list[Val]) -> list[Value]:
        """Append one element to each; returns the new state."""
        if not self.types:
            return []
        lo = self.lo
        count, capacity, *ptrs = state
        lanes = Imm(self.lanes, Ty.I64)

        def grow() -> list[Value]:
            least = Imm(2 * LIMITS.buffer, Ty.I64)
            double = lo.arith("max", Ty.I64, lo.add(capacity, capacity), least)
            out = [double]
            for p, ty in zip(ptrs, self.leaves, strict=False):
                q = lo.alloc(lo.mul(double, lanes), ty, "residual")
                lo.emit(Copy(q, p, lo.mul(count, lanes), ty))
                out.append(q)
            return out

        full = lo.test("eq", count, capacity)
        capacity, *ptrs = lo.choose(full, grow, lambda: [capacity, *ptrs])
        views = self.views([count, capacity, *ptrs])
        for view, x in zip(views, keep(lo, values), strict=True):
            write(lo, view, place_of(lo, view, [index_scalar(count)]), x)
        return [lo.add(count, Imm(1, Ty.I64)), capacity, *ptrs]

    def views(self, state: list[Value]) -> list[View]:
        """The arrays."""
        out = []
        if self.types:
            count, _, *ptrs = state
            for t in self.types:
                own = tuple(ptrs.pop(0) for _ in leaves(t.elem))
                strides = (Imm(1, Ty.I64),)
                out.append(View(t, own, ZERO, (count,), strides, dense=True, lanes=self.lanes))
        return out


def while_(lo: Lowering, op: While, bound: tuple[Var, ...]) -> list[Val]:
    """A loop while a condition holds (in lanes: the same condition for all)."""
    inits = [lo.atom(a) for a in op.inits]
    body = _Body(lo, op.carried, op.body, bound)
    return body.retrying(lambda: _while(body, op.cond, inits))


def _while(body: _Body, cond: Block, inits: list[Val]) -> list[Val]:
    lo = body.lo
    carry = Carry(lo, body.carried, inits)
    growing = _Growing(lo, body.bound[len(inits) :])
    mark, limit = Reg("mark", Ty.PTR), Reg("limit", Ty.I64)
    scope = body.scope(bool(growing.types))
    own = carry.registers()
    grown = tuple(Reg("g", v.ty) for v in growing.inits())
    tested, test = lo.record(lambda: _condition(body, carry.values(list(own)), cond))

    def iteration() -> tuple[list[Value], bool]:
        def run() -> tuple[list[Val], list[Value]]:
            results = body.run(carry.values(list(own)))
            state = growing.put(list(grown), results[len(inits) :])
            return results[: len(inits)], state

        with lo.trip(Imm(1, Ty.I64)):
            code, (results, state) = lo.record(run)
        lo.code.extend(code)
        if body.arrays and "temp" in allocates([*tested, *code]):
            out, next_limit = body.move(carry, results, limit, mark)
            scope.release([*tested, *code])
            return [*out, *state, next_limit], True
        out = carry.close(results)
        scope.release([*tested, *code])
        return [*out, *state], False

    code, (nexts, moving) = lo.record(iteration)
    registers = (*own, *grown, *((limit,) if moving else ()))
    starts = [*carry.inits(), *growing.inits()]
    if moving:
        starts.append(_first_limit(lo, mark))
    scope.open()
    head = lo.yields(tested, [test], [1])
    region = lo.yields(code, nexts, [r.lanes for r in registers])
    dsts = tuple(Reg("c", r.ty, r.lanes) for r in registers)
    lo.emit(WhileCode(registers, tuple(starts), head, region, dsts))
    state = list(dsts[len(own) : len(own) + len(grown)])
    return [*carry.values(list(dsts)), *growing.views(list(state))]


def _condition(body: _Body, values: list[Val], cond: Block) -> Value:
    lo = body.lo
    lo.env.update(zip(body.carried, values, strict=True))
    (test,) = lo.block(cond)
    assert isinstance(test, Scalar)
    return lo.uniform(test)


