"""Compute before a loop everything that is the same in all its iterations.

Ops of one step move: scalar primitives, extents, views, reads of elements that certainly exist.
They must be pure and safe to run although the loop may have no iterations. So nothing that can
raise moves, and no loop or call either: running it in vain could cost more than the program. Out of
a branch only cheap ops move.

An op that the first iteration certainly runs, but that must not run without one, moves under a
condition:

    sum i < n. a[0] * x[i]   ==>   t = if 0 < n then a[0] else 0.0;  sum i < n. t * x[i]
"""

from __future__ import annotations

from pullback.core.build import Builder, i64, lit
from pullback.core.effects import Effect, EffectsOf, Work, may_duplicate
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    Case,
    CaseArm,
    Function,
    If,
    Index,
    Let,
    Loop,
    Op,
    Prim,
    Program,
    Sum_,
    Var,
    While,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import (
    all_lets,
    defined,
    free_variables,
    free_variables_of,
    map_blocks,
    refresh,
)
from pullback.core.types import Bool, Int, Real
from pullback.opt.arrays.shapes import stable_arrays
from pullback.opt.scalar.bounds import Checks, loop_indices
from pullback.opt.scalar.ranges import Form


def hoist_invariants(program: Program) -> Program:
    """Return the program with loop-invariant steps before their loops."""
    return _hoisted(program, _Hoister)


def hoist_arithmetic(program: Program) -> Program:
    """Return the program with loop-invariant operations on reals before their loops, no reads and
    nothing out of branches: their reverse is then done once, behind the loop."""
    return _hoisted(program, _Arithmetic)


def _hoisted(program: Program, hoister: type[_Hoister]) -> Program:
    stable, effects = stable_arrays(program), EffectsOf(program)
    functions = {
        name: hoister(stable, effects).function(f) for name, f in program.functions.items()
    }
    return Program(functions, program.decls, program.main)


class _Hoister:
    """The walk over one function; inner loops first, with the facts that hold around them."""

    def __init__(self, stable: frozenset[Var], effects: EffectsOf) -> None:
        self.facts = Checks(stable)
        self.effects = effects

    def function(self, f: Function) -> Function:
        return Function(f.name, f.params, self.block(f.body), f.results)

    def block(self, block: Block) -> Block:
        mark = self.facts.ranges.mark()
        out: list[Let] = []
        for let in block.lets:
            start = len(out)
            op = self.op(let.op, out)
            out.append(let if op is let.op else Let(let.vars, op, let.site))
            for new in out[start:]:
                self.facts.learn(new)
        self.facts.ranges.forget(mark)
        return Block(tuple(out), block.results)

    def op(self, op: Op, out: list[Let]) -> Op:
        """Return the op without the lets that are invariant in its loop, which go to ``out``."""
        ranges = self.facts.ranges
        match op:
            case If(cond, then, orelse):
                mark = ranges.mark()
                ranges.assume(cond, True)
                first = self.block(then)
                ranges.forget(mark)
                ranges.assume(cond, False)
                second = self.block(orelse)
                ranges.forget(mark)
                return If(cond, first, second)
            case Case():
                return map_blocks(op, self.block)
            case Build() | Sum_() | Loop():
                mark = ranges.mark()
                for i, n in loop_indices(op):
                    ranges.index(i, n)
                self.facts.shapes.enter(op)
                inner = map_blocks(op, self.block)
                ranges.forget(mark)
                varying = {v for bound, _ in sub_blocks(op) for v in bound}
                return self.guarded(self.outside(inner, varying, out), out)
            case While(carried, _, _, _):
                self.facts.shapes.enter(op)
                return self.outside(map_blocks(op, self.block), set(carried), out)
            case _:
                return op

    def outside(self, op: Op, varying: set[Var], out: list[Let]) -> Op:
        """Return the loop without the lets of its blocks that do not depend on ``varying``
        variables."""
        return map_blocks(op, lambda block: self.split(block, varying, out, False))

    def split(
        self, block: Block, varying: set[Var], out: list[Let], branch: bool
    ) -> Block:
        """Return the lets that must stay; append the others to ``out``."""
        stay = []
        for let in block.lets:
            op = let.op
            match op:
                case If(cond, then, orelse):
                    op = If(
                        cond,
                        self.split(then, varying, out, True),
                        self.split(orelse, varying, out, True),
                    )
                case Case(scrutinee, arms):
                    for arm in arms:
                        varying.update(arm.fields)
                    op = Case(
                        scrutinee,
                        tuple(
                            CaseArm(arm.fields, self.split(arm.body, varying, out, True))
                            for arm in arms
                        ),
                    )
                case _:
                    if varying.isdisjoint(atoms(op)) and self.may_move(op, branch):
                        out.append(let)
                        self.facts.learn(let)
                        continue
            varying.update(let.vars)
            stay.append(let if op is let.op else Let(let.vars, op, let.site))
        return Block(tuple(stay), block.results)

    def may_move(self, op: Op, branch: bool) -> bool:
        match op:
            case Index(a, idx, _):
                exists = may_duplicate(op) and self.facts.in_range(a, idx)
                return not branch and exists
            case _:
                return may_duplicate(op, Work.STEP if branch else Work.FUNCTION)

    # --- what the first round surely does -----------------------------------------------------

    def guarded(self, op: Op, out: list[Let]) -> Op:
        """Return the counted loop without the reads that are the same in every iteration; they are
        done before it, if there is a first iteration."""
        assert isinstance(op, (Build, Sum_, Loop))
        ((bound, body),) = sub_blocks(op)
        inside = {*bound, *defined(body)}
        moved: list[Let] = []
        stay: list[Let] = []
        reached = True  # by every run of the first iteration
        for let in body.lets:
            if self.same_each_round(let, inside, moved, reached):
                moved.append(let)
                inside.difference_update(let.vars)
            else:
                stay.append(let)
                reached = reached and self.goes_on(let.op)
        if not moved:
            return op
        rest = Block(tuple(stay), body.results)
        self.under_condition(op, moved, rest, out)
        return map_blocks(op, lambda _: rest)

    def same_each_round(
        self, let: Let, inside: set[Var], moved: list[Let], reached: bool
    ) -> bool:
        """Whether the let may be done before the first iteration, and is worth a condition."""
        if not let.vars or not all(isinstance(v.type, (Real, Int, Bool)) for v in let.vars):
            return False
        if not inside.isdisjoint(free_variables_of(let.op)):
            return False
        match let.op:
            case Index(_, _, False):
                return reached
            case If():
                return reached and self.is_simple(let.op)
            case Prim():
                needs = {v for m in moved for v in m.vars}
                return not needs.isdisjoint(atoms(let.op)) and self.may_move(let.op, False)
            case _:
                return False

    def is_simple(self, op: If) -> bool:
        """Whether the branch only reads and computes scalars, in single steps."""
        return all(
            (isinstance(let.op, Index) and not let.op.checked)
            or isinstance(let.op, If)
            or self.may_move(let.op, False)
            for _, block in sub_blocks(op)
            for let in all_lets(block)
        )

    def goes_on(self, op: Op) -> bool:
        """Whether the code after the op certainly runs too."""
        ends = all(
            not isinstance(let.op, (Call, While))
            for _, block in sub_blocks(op)
            for let in all_lets(block)
        )
        return ends and not isinstance(op, (Call, While)) and Effect.RAISE not in self.effects(op)

    def under_condition(
        self, op: Build | Sum_ | Loop, moved: list[Let], rest: Block, out: list[Let]
    ) -> None:
        """Emit the moved lets if the loop has a first iteration; otherwise zeros in their place."""
        ranges, b = self.facts.ranges, Builder()
        conds: list[Atom] = [
            b.prim("gt", n, i64(0)) for _, n in loop_indices(op)
            if not ranges.not_negative(ranges.form(n).plus(Form(1, {}), -1))
        ]  # fmt: skip
        if not conds:
            out.extend(moved)
            return
        cond = conds[0]
        for other in conds[1:]:
            cond = b.prim("and", cond, other)
        wanted = free_variables(rest)
        found = tuple(v for let in moved for v in let.vars if v in wanted)
        then = refresh(Block(tuple(moved), found))
        zeros = Block((), tuple(lit(0, v.type) for v in found))
        out.extend(b.lets)
        out.append(Let(found, If(cond, then, zeros)))


class _Arithmetic(_Hoister):
    """The walk that moves operations on reals only."""

    def may_move(self, op: Op, branch: bool) -> bool:
        types = [a.type for a in atoms(op)]
        return (
            isinstance(op, Prim) and not branch and may_duplicate(op, Work.STEP)
            and any(isinstance(t, Real) for t in types)
            and all(isinstance(t, (Real, Int, Bool)) for t in types)
        )

    def guarded(self, op: Op, out: list[Let]) -> Op:
        return op
