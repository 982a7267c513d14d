"""Drop everything that is not needed: lets, results of branches and loops, carried values (with the
cycles through the loop that keep them alive), parameters, results and whole functions.

One worklist over the whole program marks variables, from the results of ``main`` and from the ops
that must run (they can raise or change an accumulator) back to the operands of these. A result of a
branch needs that result of every block; a carried value its initial and its next value; a result of
a call that result of the callee; a parameter the argument of every call. Everything without a mark
is then removed. ``main`` and the functions that derivative terms name keep their parameters and
results. Additions to accumulators are needed where one is read (``unread_accumulators``).
"""

from __future__ import annotations

from collections.abc import Iterable

from pullback.core.effects import EffectsOf
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    Case,
    CaseArm,
    Function,
    If,
    Jvp,
    Let,
    Loop,
    Op,
    Program,
    Ruled,
    Sum_,
    Var,
    Vjp,
    While,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import called
from pullback.opt.unread_accumulators import drop_unread


def drop_dead(program: Program) -> Program:
    """Return the program without everything that its results, errors and accumulations do not
    depend on."""
    while True:
        program = _needed(program)
        rest = drop_unread(program)  # which may leave values that nobody needs
        if rest is program:
            return program
        program = rest


def _needed(program: Program) -> Program:
    marks = _Marks(program)
    marks.run()
    functions = {}
    for name, f in program.functions.items():
        if name in marks.reached:
            params = tuple(f.params[k] for k in marks.params(f))
            results = marks.results(f)
            body = _block(marks, f.body, results)
            functions[name] = Function(name, params, body, tuple(f.results[k] for k in results))
    return Program(functions, program.decls, program.main)


class _Marks:
    """The variables, results and functions that are needed."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.effects = EffectsOf(program)
        self.needed: set[Var] = set()
        self.reached: set[str] = set()
        self.fixed: set[str] = set()  # functions that keep their parameters and results
        self.result_needed: dict[str, set[int]] = {name: set() for name in program.functions}
        # variable -> its let and position there, or the other variables that it needs
        self.home: dict[Var, tuple[Let, int]] = {}
        self.parts: dict[Var, tuple[Atom, ...]] = {}
        self.param: dict[Var, tuple[str, int]] = {}
        self.calls: dict[str, list[Call]] = {name: [] for name in program.functions}
        self.live_ops: set[Op] = set()
        self.around: dict[Block, Op] = {}  # block -> the op that it belongs to
        self.within: dict[Op, Block] = {}  # op -> the block in which it stands
        self.work: list[Var] = []
        self.unscanned: list[Block] = []

    # --- marking ------------------------------------------------------------------------------

    def run(self) -> None:
        main = self.program.functions[self.program.main]
        self.reach(main.name)
        self.fix(main.name)
        while self.work or self.unscanned:
            if self.unscanned:
                self.scan(self.unscanned.pop())
            else:
                self.spread(self.work.pop())

    def need(self, some: Iterable[Atom]) -> None:
        for a in some:
            if isinstance(a, Var) and a not in self.needed:
                self.needed.add(a)
                self.work.append(a)

    def reach(self, name: str) -> None:
        """Note that the function may run: record the let of each of its variables, and mark the ops
        that must run."""
        if name in self.reached:
            return
        self.reached.add(name)
        f = self.program.functions[name]
        for k, v in enumerate(f.params):
            self.param[v] = (name, k)
        self.unscanned.append(f.body)

    def fix(self, name: str) -> None:
        if name not in self.fixed:
            self.fixed.add(name)
            f = self.program.functions[name]
            self.need(f.params)
            for k in range(len(f.results)):
                self.need_result(name, k)

    def need_result(self, name: str, k: int) -> None:
        if k not in self.result_needed[name]:
            self.result_needed[name].add(k)
            self.need(self.program.functions[name].body.results[k : k + 1])

    def scan(self, block: Block) -> None:
        for let in block.lets:
            op = let.op
            self.within[op] = block
            for k, v in enumerate(let.vars):
                self.home[v] = (let, k)
            self.bound(op)
            for _, inner in sub_blocks(op):
                self.around[inner] = op
                self.scan(inner)
            if not self.effects.may_drop(op):
                self.run_op(op)

    def bound(self, op: Op) -> None:
        """Record the needs of the variables that the blocks of the op bind."""
        match op:
            case Case(scrutinee, arms):
                for arm in arms:
                    for v in arm.fields:
                        self.parts[v] = (scrutinee,)
            case Build(_, indices, _) | Sum_(_, indices, _):
                for v in indices:
                    self.parts[v] = ()
            case Loop(_, index, carried, inits, body):
                self.parts[index] = ()
                for v, init, next_ in zip(carried, inits, body.results, strict=False):
                    self.parts[v] = (init, next_)
            case While(carried, inits, _, body):
                for v, init, next_ in zip(carried, inits, body.results, strict=False):
                    self.parts[v] = (init, next_)
            case _:
                return

    def run_op(self, op: Op) -> None:
        """Note that the op will run: mark its operands, and the ops around it."""
        if op in self.live_ops:
            return
        self.live_ops.add(op)
        match op:
            case If(a, _, _) | Case(a, _):
                self.need((a,))
            case Build(extents, _, _) | Sum_(extents, _, _):
                self.need(extents)
            case Loop(n, _, _, _, _):
                self.need((n,))
            case While(_, _, cond, _):
                self.need(cond.results)
            case Call(f, args):
                self.reach(f)
                self.calls[f].append(op)
                params = self.program.functions[f].params
                self.need(a for a, v in zip(args, params, strict=True) if v in self.needed)
            case Vjp() | Jvp() | Ruled():
                for f in called(op):
                    self.reach(f)
                    self.fix(f)
                self.need(atoms(op))
            case _:
                self.need(atoms(op))
        owner = self.around.get(self.within[op])
        if owner is not None:
            self.run_op(owner)

    def spread(self, v: Var) -> None:
        """Mark everything that a needed variable needs."""
        if v in self.home:
            let, k = self.home[v]
            self.run_op(let.op)
            match let.op:
                case Call(f, _):
                    self.need_result(f, k)
                case Loop(_, _, _, inits, _) | While(_, inits, _, _):
                    self.need(inits[k : k + 1])
                case _:
                    pass
            for _, block in _result_blocks(let.op):
                self.need(block.results[k : k + 1])
        elif v in self.param:
            name, k = self.param[v]
            for call in self.calls[name]:
                self.need(call.args[k : k + 1])
        else:
            self.need(self.parts[v])

    # --- what is left -------------------------------------------------------------------------

    def params(self, f: Function) -> list[int]:
        return [k for k, v in enumerate(f.params) if f.name in self.fixed or v in self.needed]

    def results(self, f: Function) -> list[int]:
        return sorted(self.result_needed[f.name])


def _result_blocks(op: Op) -> list[tuple[tuple[Var, ...], Block]]:
    """Return the blocks whose results are the results of the op."""
    blocks = list(sub_blocks(op))
    return blocks[1:] if isinstance(op, While) else blocks


def _block(m: _Marks, block: Block, results: Iterable[int]) -> Block:
    lets = []
    for let in block.lets:
        if let.op in m.live_ops:
            lets.append(_let(m, let))
    return Block(tuple(lets), tuple(block.results[k] for k in results))


def _let(m: _Marks, let: Let) -> Let:
    """Return a let that stays, without the results that nobody needs."""
    op = let.op
    kept = [k for k, v in enumerate(let.vars) if v in m.needed]
    some = tuple(let.vars[k] for k in kept)
    match op:
        case If(cond, then, orelse):
            return Let(some, If(cond, _block(m, then, kept), _block(m, orelse, kept)), let.site)
        case Case(scrutinee, arms):
            new = tuple(CaseArm(arm.fields, _block(m, arm.body, kept)) for arm in arms)
            return Let(some, Case(scrutinee, new), let.site)
        case Build(extents, indices, body):
            new_body = _block(m, body, kept)
            loop_for_errors = Sum_(extents, indices, new_body)
            op = Build(extents, indices, new_body) if kept else loop_for_errors
            return Let(some, op, let.site)
        case Sum_(extents, indices, body):
            return Let(some, Sum_(extents, indices, _block(m, body, kept)), let.site)
        case Loop(n, index, carried, inits, body):
            on, slots, variables = _slots(m, let, carried)
            new_carried, new_inits = tuple(carried[k] for k in on), tuple(inits[k] for k in on)
            loop = Loop(n, index, new_carried, new_inits, _block(m, body, slots))
            return Let(variables, loop, let.site)
        case While(carried, inits, cond, body):
            on, slots, variables = _slots(m, let, carried)
            new_carried, new_inits = tuple(carried[k] for k in on), tuple(inits[k] for k in on)
            test = _block(m, cond, (0,))
            loop_ = While(new_carried, new_inits, test, _block(m, body, slots))
            return Let(variables, loop_, let.site)
        case Call(f, args):
            callee = m.program.functions[f]
            given = tuple(args[k] for k in m.params(callee))
            return Let(tuple(let.vars[k] for k in m.results(callee)), Call(f, given), let.site)
        case _:
            return let


def _slots(
    m: _Marks, let: Let, carried: tuple[Var, ...]
) -> tuple[list[int], list[int], tuple[Var, ...]]:
    """Return the positions of the carried values that stay, those of the results of the body that
    stay, and the variables for these."""
    on = [
        k for k, c in enumerate(carried) if c in m.needed or let.vars[k] in m.needed
    ]
    emitted = [k for k in range(len(carried), len(let.vars)) if let.vars[k] in m.needed]
    slots = on + emitted
    return on, slots, tuple(let.vars[k] for k in slots)
