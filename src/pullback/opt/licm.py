"""What is the same in every iteration of a loop is computed before it.

Moved are ops that take one step: scalar primitives, extents, views, reads of elements that surely
exist. They must be pure and safe to run although the loop may not run at all, so nothing that can
raise moves, and no loop or call either (running it for nothing could cost more than the program).
Out of a branch only cheap ops move.
"""

from __future__ import annotations

from pullback.core.prims import TABLE, VIEWS
from pullback.core.terms import (
    Block,
    Build,
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
    TapeSum,
    Var,
    While,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import map_blocks
from pullback.opt.bounds import Checks, loop_indices
from pullback.opt.shapes import stable_arrays

_FREE = VIEWS | {"dim", "stop_gradient"}


def hoist_invariants(program: Program) -> Program:
    """The program with loop-invariant steps before their loops."""
    stable = stable_arrays(program)
    functions = {name: _Hoister(stable).function(f) for name, f in program.functions.items()}
    return Program(functions, program.decls, program.main)


class _Hoister:
    """The walk over one function; inner loops first, with the facts that hold around them."""

    def __init__(self, stable: frozenset[Var]) -> None:
        self.facts = Checks(stable)

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
        """The op without what is invariant in its loop; that goes to ``out``."""
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
            case Build() | Sum_() | TapeSum() | Loop():
                mark = ranges.mark()
                for i, n in loop_indices(op):
                    ranges.index(i, n)
                self.facts.shapes.enter(op)
                inner = map_blocks(op, self.block)
                ranges.forget(mark)
                varying = {v for bound, _ in sub_blocks(op) for v in bound}
                return self.outside(inner, varying, out)
            case While(carried, _, _, _):
                self.facts.shapes.enter(op)
                return self.outside(map_blocks(op, self.block), set(carried), out)
            case _:
                return op

    def outside(self, op: Op, varying: set[Var], out: list[Let]) -> Op:
        """The loop without the lets of its blocks that do not depend on ``varying`` variables."""
        return map_blocks(op, lambda block: self.split(block, varying, out, False))

    def split(
        self, block: Block, varying: set[Var], out: list[Let], branch: bool
    ) -> Block:
        """The lets that must stay; the others are appended to ``out``."""
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
            case Prim(name, _, _):
                row = TABLE[name]
                if name in _FREE:
                    return True
                cheap = not any(text.startswith("call:") for text in row.llvm.values())
                return not row.effect and row.cost == "one" and (cheap or not branch)
            case Index(a, idx, False):
                return not branch and self.facts.in_range(a, idx)
            case _:
                return False
