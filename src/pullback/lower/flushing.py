"""Replace subnormal cotangents by zero: by the control register, or where a cell is read.

    loop j < n with d = 1. (...; x[i] += 2 * v * d; next flush(0.9 * d))
    ==>  flush.0(x, v, n):  set flush-to-zero;  loop j < n with d = 1. (...; next 0.9 * d);  restore

A loop that computes no value of the program, only cotangents, becomes a function of its own, in
which the processor returns zero for every result that would be a subnormal number. The function
keeps the compiler from moving arithmetic of the program into it, and restores the register on every
way out. All other code flushes one number at a time: those that iterations pass on by value
(``ad/contributions.py``), and, in code that runs again and again, the cells that it reads
(``accumulators.read``), except where they only go on to other cells (``passed_on``).

No value of a program depends on a cotangent of the same level of differentiation. So arithmetic on
values that come from the cotangents that the loop carries is arithmetic on cotangents.
"""

from __future__ import annotations

import platform

from pullback.core.effects import Work, work_of
from pullback.core.frozen import dataclass, field
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    AccTake,
    Atom,
    Block,
    Build,
    Call,
    If,
    Index,
    Let,
    Lit,
    Loop,
    Op,
    Prim,
    Program,
    Sum_,
    Update,
    Var,
    While,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import all_lets, callees
from pullback.core.types import Real
from pullback.lower import sequential
from pullback.lower.outline import defined, outline, registers
from pullback.lower.state import Lowering
from pullback.lower.values import Val

SHORT = 64
"""A loop of so few rounds is not worth the change of the register."""

EXACT = frozenset({"neg", "abs", "select", "max", "min", "sign", "flush", "undefined"})
"""Real primitives that give none but their operands, or no subnormal number."""


def repeated(program: Program) -> frozenset[str]:
    """Return the functions that may be called many times in one run: recursive ones, those that are
    called in loops, and all their callees."""
    calls = {name: callees(f) for name, f in program.functions.items()}

    def closed(start: set[str]) -> set[str]:
        work = list(start)
        while work:
            more = set(calls[work.pop()]) - start
            start |= more
            work.extend(more)
        return start

    inside = {
        let.op.function
        for f in program.functions.values()
        for outer in all_lets(f.body) if isinstance(outer.op, (Loop, While, Build, Sum_))
        for _, block in sub_blocks(outer.op)
        for let in all_lets(block) if isinstance(let.op, Call)
    }
    recursive = {name for name in calls if name in closed(set(calls[name]))}
    return frozenset(closed(inside | recursive))


# --- cells that are read to be added to others --------------------------------------------------

SUMS = {"add": slice(0, 2), "sub": slice(0, 2), "neg": slice(0, 1), "fma": slice(2, 3),
        "fnma": slice(2, 3), "fmaz": slice(2, 3), "fnmaz": slice(2, 3)}  # fmt: skip
"""Primitives by which a number gets into a sum, and the operands that are its summands."""


def passed_on(program: Program) -> frozenset[Op]:
    """Return the reads of cells of which the content only goes into other cells, as it is or in a
    sum. Only products decay; a number that is passed on is flushed where it gets into one."""
    reads: dict[Var, Op] = {}
    sums: dict[Var, list[Atom]] = {}
    elsewhere: list[Atom] = []

    def block(b: Block) -> None:
        elsewhere.extend(b.results)
        for let in b.lets:
            match let.op:
                case AccRead() | AccTake():
                    reads[let.vars[0]] = let.op
                case AccAdd():
                    pass
                case Prim(name, args) if name in SUMS:
                    sums[let.vars[0]] = list(args[SUMS[name]])
                    elsewhere.extend(args[: SUMS[name].start])
                case _:
                    elsewhere.extend(atoms(let.op))
            for _, inner in sub_blocks(let.op):
                block(inner)

    for f in program.functions.values():
        block(f.body)
    used = set(elsewhere)
    while elsewhere:
        v = elsewhere.pop()
        more = sums.pop(v, []) if isinstance(v, Var) else []
        used.update(more)
        elsewhere.extend(more)
    return frozenset(op for v, op in reads.items() if v not in used)


# --- loops that compute cotangents only ---------------------------------------------------------


def flushing_loops(program: Program) -> frozenset[Op]:
    """Return the outermost loops that compute cotangents only."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return frozenset()
    again = repeated(program)
    found: set[Op] = set()

    def block(b: Block) -> None:
        for let in b.lets:
            match let.op:
                case Loop() if long(let.op) and only_cotangents(let.op):
                    found.add(let.op)
                case If():
                    for _, arm in sub_blocks(let.op):
                        block(arm)
                case _:
                    pass

    for name, f in program.functions.items():
        if name not in again:
            block(f.body)
    return frozenset(found)


def long(op: Loop) -> bool:
    """Whether the loop may have many iterations."""
    return not isinstance(op.count, Lit) or op.count.value > SHORT


def only_cotangents(op: Loop) -> bool:
    """Whether all real arithmetic in the loop comes from the cotangents that it carries."""
    carried = frozenset(op.carried) & _handed_on(op)
    found = _Cotangents(set(carried))
    return bool(carried) and found.rounds(op.carried, op.body)


def _handed_on(op: Loop) -> set[Var]:
    """Return the carried variables that are cotangents: their next values are flushed."""
    ends = {let.vars[0] for let in op.body.lets
            if isinstance(let.op, Prim) and let.op.name == "flush"}  # fmt: skip
    return {v for v, r in zip(op.carried, op.body.results, strict=False) if r in ends}


@dataclass
class _Cotangents:
    """The variables that come from cotangents, as far as the walk has come."""

    known: set[Atom] = field(default_factory=set)

    def block(self, block: Block) -> bool:
        """Whether a block has no other arithmetic on reals."""
        return all(map(self.let, block.lets))

    def let(self, let: Let) -> bool:
        op = let.op
        match op:
            case Prim(name, args):
                mine = self.know(let.vars, args)
                return mine or name in EXACT or not _rounds(let)
            case Index(array, _, _):
                self.know(let.vars, (array,))
                return True
            case Update(array, _, value, _):
                self.know(let.vars, (array, value))
                return True
            case If(_, then, orelse):
                fits = self.block(then) and self.block(orelse)
                for v, *arms in zip(let.vars, then.results, orelse.results, strict=True):
                    self.know((v,), tuple(arms))
                return fits
            case Build(_, _, body) | Sum_(_, _, body):
                fits = self.block(body)
                for v, r in zip(let.vars, body.results, strict=True):
                    mine = self.know((v,), (r,))
                    fits = fits and (mine or isinstance(op, Build))  # a sum is arithmetic too
                return fits
            case Loop(_, _, carried, inits, body):
                for c, i in zip(carried, inits, strict=True):
                    self.know((c,), (i,))
                fits = self.rounds(carried, body)
                for v, r in zip(let.vars, body.results, strict=True):
                    self.know((v,), (r,))
                return fits
            case AccNew() | AccAdd() | AccRead() | AccTake():
                return True
            case _:
                return False

    def rounds(self, carried: tuple[Var, ...], body: Block) -> bool:
        """The same for the body of a loop, whose carried variables get the results of the iteration
        before."""
        while True:
            fits = self.block(body)
            more = {
                c for c, r in zip(carried, body.results, strict=False) if r in self.known
            } - self.known
            if not more:
                return fits
            self.known |= more

    def know(self, results: tuple[Var, ...], operands: tuple[Atom, ...]) -> bool:
        """Return whether an operand comes from a cotangent; if so, note that the results do too."""
        if self.known.isdisjoint(operands):
            return False
        self.known.update(results)
        return True


def _rounds(let: Let) -> bool:
    """Whether the result of a primitive may be subnormal where its operands are not."""
    assert isinstance(let.op, Prim)
    if not any(isinstance(v.type, Real) for v in let.vars):
        return work_of(let.op) is Work.MORE
    return let.op.name != "to_real" or any(isinstance(a.type, Real) for a in let.op.args)


# --- the function of such a loop ------------------------------------------------------------------


def in_own_function(lo: Lowering, op: Loop, bound: tuple[Var, ...]) -> list[Val]:
    """Lower the loop as a function that sets the control register."""
    lo.flushing = True
    try:
        code, out = lo.record(lambda: sequential.loop(lo, op, bound))
    finally:
        lo.flushing = False
    inside = defined(code)
    back = tuple(dict.fromkeys(r for x in out for r in registers(x) if r in inside))
    name = f"flush.{lo.unit.program.main}.{len(lo.unit.functions)}"
    if not outline(lo, name, code, back, flushes=True):
        return sequential.loop(lo, op, bound)
    return out


__all__ = ["flushing_loops", "in_own_function", "passed_on", "repeated"]
