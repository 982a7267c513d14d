"""Divide operations: what does not depend on some variables, and the rest, which reads it.

    loop i < n with p = a, t = b. let s = sin(p) in (s, cos(p) * t)      (t varies, p does not)
        ==>   p, [c] = loop i < n with p = a. (sin(p), emit cos(p));
              t = loop i < n with t = b. c[i] * t

A loop is divided into two if a part of what it carries does not depend: the first keeps, for every
iteration, what the second reads. A branch is divided if its condition does not depend, a function
if some of its results do not. What is cheap is computed again in the second part.

The first parts run before the rest. So the rest consumes no array that a first part has made, and
reads none that a first part has consumed; where it would, nothing is divided.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pullback.core.build import Builder, boolean, i64
from pullback.core.call_graph import recursive_functions
from pullback.core.consumption import summary_of
from pullback.core.effects import PURE, RAISE, Effect, Effects, EffectsOf, Work, work_of
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
    sub_blocks,
)
from pullback.core.traverse import (
    all_lets,
    calls_python,
    free_variables,
    free_variables_of,
    refresh,
    substitute,
)
from pullback.core.types import I64, Array
from pullback.opt.control.dependent_results import Dependence, steered
from pullback.opt.control.rows import Parts, may_be_kept, rows_of, two_builds
from pullback.opt.control.storage_parts import Storage

MOST_INLINED = 400
"""The rest of a called function stands in the loop if it is no larger, so that this has no call."""

CONSUME = frozenset({Effect.CONSUME})
CALL = frozenset({Effect.CALL})


Halves = tuple[Function, Function, Parts]


LONG = frozenset({"div", "sqrt"})
"""Single instructions that take several times as long as a read."""


class Divider:
    """Divides what the functions of a program do. ``ordered``: nothing that can raise goes before
    something that can raise and depends; ``all``: every step is worth being kept, not only loops
    and functions of numbers."""

    def __init__(self, program: Program, ordered: bool = True, all: bool = False) -> None:
        self.program = program
        self.functions = dict(program.functions)
        self.effects = EffectsOf(program)
        self.storage = Storage(program, self.effects)
        self.dependence = Dependence(self.functions, recursive_functions(program))
        self.ordered = ordered
        self.all = all
        self.may = CONSUME | RAISE  # the effects of what may be in a first part
        if ordered and calls_python(program):
            self.may = CONSUME
        elif not ordered:
            self.may |= CALL
        self.halves: dict[tuple[str, tuple[bool, ...]], Halves | None] = {}

    # --- lets ---------------------------------------------------------------------------------

    def parts(
        self, lets: Sequence[Let], varying: set[Var], may: Effects | None = None,
        ordered: bool = True,
        taken: Collection[Atom] = (),
    ) -> Parts:  # fmt: skip
        """Divide the lets of a block: each, or each part of it, is the same or depends on the
        variables. ``may``: the effects of what is the same; ``ordered``: what follows an error that
        depends stays behind it, not only other errors; ``taken``: what is consumed after it."""
        rows, ordered = not ordered, ordered and self.ordered
        may = self.may if may is None else may
        whole = set[Let]()
        while True:
            found, origins, reached = Parts([], [], set(varying), self.is_heavy), list[Let](), True
            for let in lets:
                stays = let in whole or (ordered and not reached)
                allowed = may if reached else may - RAISE
                for part in (let,) if stays else self.divided(let, found.depends, allowed):
                    same = not stays and self.same(part, found.depends, allowed)
                    found.lets.append(part)
                    found.same.append(same)
                    origins.append(let)
                    if not same:
                        found.depends.update(part.vars)
                        raises = self.effects(part.op) & {Effect.RAISE, Effect.CALL}
                        reached = reached and not (raises and self.ordered)
            wrong = self.storage.wrong(found, taken) or (self.twice(found) if rows else {})
            if not wrong:
                return found
            lets = self.without(lets, {origins[k]: vs for k, vs in wrong.items()}, whole)

    def twice(self, parts: Parts) -> dict[int, set[Var]]:
        """What the rest of a loop that builds or sums would do again, as rows of it cannot be kept.
        """
        heavy = self.storage.updated & parts.heavy(self.effects) & parts.read_by_the_rest()
        marked = enumerate(zip(parts.lets, parts.same, strict=True))
        return {
            k: set() for k, (let, same) in marked if same and not heavy.isdisjoint(let.vars)
        }

    def same(self, let: Let, depends: set[Var], may: Effects) -> bool:
        """Whether the let does not depend, and may run before what does."""
        return (
            depends.isdisjoint(free_variables_of(let.op))
            and self.effects(let.op) <= may
            and all(may_be_kept(v.type) for v in let.vars)
            and self.storage.may_move(let.vars)
        )

    def without(
        self, lets: Sequence[Let], wrong: dict[Let, set[Var]], whole: set[Let]
    ) -> Sequence[Let]:
        """The lets, of which ``whole`` gets those that are wrong: of a loop that builds several
        arrays, which have no work in common, maybe some only."""
        out: list[Let] = []
        for let in lets:
            some = wrong.get(let)
            if some is not None:
                out += two_builds(let, some, self.effects, self.is_heavy) or (let,)
                whole.add(out[-1])
            else:
                out.append(let)
        return out

    def divided(
        self, let: Let, varying: set[Var], may: Effects
    ) -> Sequence[Let]:
        """Return the let as parts that depend on the variables and others, which come first."""
        op = let.op
        if varying.isdisjoint(free_variables_of(op)) or (sub_blocks(op) and steered(op, varying)):
            return (let,)
        if isinstance(op, (Build, Sum_)):
            body = self.parts(op.body.lets, varying, may & (RAISE | CALL), ordered=False)
            if self.may_swap(body):
                body = self.parts(op.body.lets, varying, PURE, ordered=False)
            return rows_of(let, op, body, self.effects, self.storage.updated) or (let,)
        if not self.effects(op) <= may:
            return (self.inside(let, op, varying),) if isinstance(op, Loop) else (let,)
        found: Sequence[Let] | None = None
        match op:
            case Loop():
                found = self.loop(let, op, varying) or (self.inside(let, op, varying),)
            case While():
                found = self.loop(let, op, varying)
            case If() | Case():
                found = self.branch(let, op, varying)
            case Call():
                found = self.call(let, op, varying)
            case _:
                pass
        return found or (let,)

    def may_swap(self, body: Parts) -> bool:
        """Whether errors in both parts of the iterations of a loop could change places."""
        raising = [Effect.RAISE in self.effects(let.op) for let in body.lets]
        marked = list(zip(raising, body.same, strict=True))
        return self.ordered and (True, True) in marked and (True, False) in marked

    def is_heavy(self, op: Op) -> bool:
        """Whether the op is worth an array: a loop, or a call of a function of a number."""
        match op:
            case If() | Case():
                return any(self.is_heavy(x.op) for _, b in sub_blocks(op) for x in b.lets)
            case Prim():
                least = Work.STEP if self.all or op.name in LONG else Work.FUNCTION
                return work_of(op) >= least
            case _:
                return self.is_long(op)

    def is_long(self, op: Op) -> bool:
        """Whether the op is a loop, a call or of whole arrays, or has such a one inside."""
        match op:
            case If() | Case():
                return any(self.is_long(x.op) for _, b in sub_blocks(op) for x in b.lets)
            case Prim():
                return work_of(op) is Work.MORE
            case Call(f, _):  # of what recurses the gradient would not share it, either
                return f not in self.dependence.recursive
            case _:
                return isinstance(op, (Build, Sum_, Loop, While))

    # --- loops --------------------------------------------------------------------------------

    def loop(self, let: Let, op: Loop | While, varying: set[Var]) -> Sequence[Let] | None:
        """Divide a sequential loop; None: there is nothing that is worth it."""
        depends = set(varying)
        carried = self.dependence.states(op, depends)
        if isinstance(op, While) and self.dependence.block(op.cond, depends)[0]:
            return None
        results = op.body.results
        while True:
            taken = self.storage.taken(op, carried)
            body = self.parts(op.body.lets, varying | carried, taken=taken)
            more = {c for c, a in zip(op.carried, results, strict=False) if a in body.depends}
            if more <= carried:
                break
            carried |= more
        if isinstance(op, While) and not carried.isdisjoint(free_variables(op.cond)):
            return None
        errors = any(Effect.RAISE in self.effects(x.op) and not same
                     for x, same in zip(body.lets, body.same, strict=True))  # fmt: skip
        if self.may_swap(body) or (isinstance(op, While) and errors):
            return None
        same = [k for k, c in enumerate(op.carried) if c not in carried]
        n = len(op.carried)
        same += [k for k in range(n, len(results)) if results[k] not in body.depends]
        rest = [k for k in range(len(results)) if k not in same]
        if not body.worth():
            return None
        states = [c for c in op.carried if c not in carried]
        kept = self.kept(body, [results[k] for k in rest], states)
        if kept is None or not all(map(self.storage.lasts, kept)):
            return None
        return self.two_loops(let, op, body, same, rest, kept)

    def two_loops(
        self, let: Let, op: Loop | While, body: Parts, same: list[int], rest: list[int],
        kept: list[Var],
    ) -> Sequence[Let]:  # fmt: skip
        """The loop of what is the same, which emits the kept values, and that of the rest."""
        results, n = op.body.results, len(op.carried)
        arrays = [Var(v.name, Array(v.type, 1)) for v in kept]
        outs = tuple(let.vars[k] for k in same)
        carried = tuple(op.carried[k] for k in same if k < n)
        inits = tuple(op.inits[k] for k in same if k < n)
        first: Op
        wanted = (*(results[k] for k in same), *kept)
        if isinstance(op, Loop):
            count, first = op.count, Loop(op.count, op.index, carried, inits, body.first(wanted))
        else:
            trips, trip = Var("trips", I64), Var("trip", I64)
            b = Builder()
            b.lets.extend(body.first(()).lets)
            block = b.block((b.prim("add", trip, i64(1)), *wanted))
            first = While((trip, *carried), (i64(0), *inits), op.cond, block)
            count, outs = trips, (trips, *outs)
        i = Var("i", I64)
        reads = [Let((v,), Index(a, (i,), False)) for v, a in zip(kept, arrays, strict=True)]
        values = tuple(results[k] for k in rest)
        lets = (*reads, *body.rest(values, set(kept)))
        block = Block(lets, values)
        if isinstance(op, Loop):
            block = substitute(block, {op.index: i})
        carried = tuple(op.carried[k] for k in rest if k < n)
        fresh = tuple(Var(c.name, c.type) for c in carried)
        block = refresh(block, dict(zip(carried, fresh, strict=True)))
        second = Loop(count, i, fresh, tuple(op.inits[k] for k in rest if k < n), block)
        return (
            Let((*outs, *arrays), first, let.site),
            Let(tuple(let.vars[k] for k in rest), second, let.site),
        )

    def inside(self, let: Let, op: Loop, varying: set[Var]) -> Let:
        """Return a sequential loop in which loops are divided: the part that is the same in all
        lanes is then done once (``lower/parallel_loops.py``)."""
        depends = set(varying)
        carried = self.dependence.states(op, depends)
        if len(carried) == len(op.carried):
            return let
        depends = varying | carried
        lets: list[Let] = []
        for x in op.body.lets:
            for part in self.divided(x, depends, PURE):
                lets.append(part)
                self.dependence.spread((part,), depends)
        body = Block(tuple(lets), op.body.results)
        return Let(let.vars, Loop(op.count, op.index, op.carried, op.inits, body), let.site)

    def kept(
        self, body: Parts, results: Sequence[Atom], states: Sequence[Var] = ()
    ) -> list[Var] | None:
        """The values of the first part that the rest reads and does not compute again; ``states``:
        what it could not compute. None: some of them cannot be kept."""
        once = set(states)
        for let, same in zip(body.lets, body.same, strict=True):
            read = free_variables_of(let.op)
            if same and (
                self.is_heavy(let.op) or self.effects(let.op) or not once.isdisjoint(read)
                or not self.storage.updated.isdisjoint(read)
            ):  # fmt: skip
                once.update(let.vars)
        asked = body.read_by_the_rest().union(a for a in results if isinstance(a, Var))
        read = (*states, *(v for let in body.lets for v in let.vars))
        found = [v for v in read if v in once and v in asked]
        return found if all(may_be_kept(v.type) for v in found) else None

    # --- branches and calls -------------------------------------------------------------------

    def branch(self, let: Let, op: If | Case, varying: set[Var]) -> Sequence[Let] | None:
        """Divide a branch that does not depend itself; None: nothing in it is worth it."""
        arms = [self.parts(b.lets, varying) for _, b in sub_blocks(op)]
        results = [b.results for _, b in sub_blocks(op)]
        depends = [any(r[k] in arm.depends for r, arm in zip(results, arms, strict=True))
                   for k in range(len(let.vars))]  # fmt: skip
        rest = [k for k, on in enumerate(depends) if on]
        same = [k for k, on in enumerate(depends) if not on]
        if not same and not any(arm.worth() for arm in arms):
            return None
        kept = [self.kept(arm, [r[k] for k in rest]) for arm, r in zip(arms, results, strict=True)]
        if any(some is None for some in kept):
            return None
        places = [(k, v) for k, some in enumerate(kept) for v in some or ()]
        made = [Var(v.name, v.type) for _, v in places]
        firsts, seconds = list[Block](), list[Block]()
        for k, (arm, r) in enumerate(zip(arms, results, strict=True)):
            b = Builder()
            b.lets.extend(arm.first(()).lets)
            given = [v if j == k else b.unread(v.type) for j, v in places]
            firsts.append(b.block((*(r[j] for j in same), *given)))
            names = {v: new for (j, v), new in zip(places, made, strict=True) if j == k}
            values = tuple(r[j] for j in rest)
            block = Block(tuple(arm.rest(values, set(names))), values)
            seconds.append(refresh(block, dict(names)))
        first = Let((*(let.vars[k] for k in same), *made), _with_arms(op, firsts), let.site)
        second = Let(tuple(let.vars[k] for k in rest), _with_arms(op, seconds), let.site)
        if not self.storage.consumed(first).isdisjoint(free_variables_of(second.op)):
            return None
        return first, second

    def call(self, let: Let, op: Call, varying: set[Var]) -> Sequence[Let] | None:
        """Divide a call; None: nothing in the function is worth it."""
        mask = tuple(a in varying for a in op.args)
        found = self.function(op.function, mask)
        if found is None:
            return None
        one, two, parts = found
        results = self.functions[op.function].body.results
        same = [k for k, a in enumerate(results) if a not in parts.depends]
        rest = [k for k, a in enumerate(results) if a in parts.depends]
        kept = tuple(Var("kept", t) for t in one.results[len(same) :])
        given = tuple(a for a, on in zip(op.args, mask, strict=True) if not on)
        first = Let((*(let.vars[k] for k in same), *kept), Call(one.name, given), let.site)
        outs, args = tuple(let.vars[k] for k in rest), (*op.args, *kept)
        if sum(1 for _ in all_lets(two.body)) > MOST_INLINED:
            return first, Let(outs, Call(two.name, args), let.site)
        body = refresh(two.body, dict(zip(two.params, args, strict=True)))
        return first, *_bound(body, outs)

    def function(self, name: str, mask: tuple[bool, ...]) -> Halves | None:
        """The function of what does not depend on the parameters of the mask, with what the other
        one reads; this is given all arguments, and that."""
        key = name, mask
        if key not in self.halves:
            self.halves[key] = None
            if name not in self.dependence.recursive:
                self.halves[key] = self.two_functions(name, mask)
        return self.halves[key]

    def two_functions(self, name: str, mask: tuple[bool, ...]) -> Halves | None:
        f = self.functions[name]
        parts = self.parts(f.body.lets, {p for p, on in zip(f.params, mask, strict=True) if on})
        results = f.body.results
        same = [a for a in results if a not in parts.depends]
        rest = tuple(a for a in results if a in parts.depends)
        kept = self.kept(parts, rest)
        if kept is None or not parts.worth():
            return None
        given = tuple(p for p, on in zip(f.params, mask, strict=True) if not on)
        one = self.made(f"{name}.same", given, parts.first((*same, *kept)))
        block = Block(tuple(parts.rest(rest, set(kept))), rest)
        fresh = tuple(Var(v.name, v.type) for v in (*f.params, *kept))
        block = refresh(block, dict(zip((*f.params, *kept), fresh, strict=True)))
        two = self.made(f"{name}.rest", fresh, block)
        return one, two, parts

    def main(self, count: int, results: int) -> tuple[Program, Program] | None:
        """Divide the main function by its parameters after the first ``count``: the program of the
        first ``results`` results, with what the other one is given in front of these parameters.
        None: one of these results depends on them, or an error or a print."""
        f = self.functions[self.program.main]
        parts = self.parts(f.body.lets, set(f.params[count:]))
        own, rest = f.body.results[:results], f.body.results[results:]
        found = self.kept(parts, rest)
        if found is None or any(a in parts.depends for a in own):
            return None
        block = Block(tuple(parts.rest(rest, set(found))), rest)
        if self.effects.block(block) & {Effect.RAISE, Effect.CALL}:
            return None  # a part that could not be divided would do that too late
        bound = (*f.params[count:], *found)
        kept = (*found, *free_variables(block, bound))
        one = self.made(f"{f.name}.first", f.params[:count], parts.first((*own, *kept)))
        two = self.made(f"{f.name}.rest", (*kept, *f.params[count:]), block)
        halves = (Program(self.functions, self.program.decls, half.name) for half in (one, two))
        return next(halves), next(halves)

    def made(self, name: str, params: tuple[Var, ...], body: Block) -> Function:
        """Add a function to the program."""
        k = 0
        while (chosen := f"{name}{k or ''}") in self.functions:
            k += 1
        types = tuple(a.type for a in body.results)
        fresh = tuple(Var(p.name, p.type) for p in params)
        block = refresh(body, dict(zip(params, fresh, strict=True)))
        f = self.functions[chosen] = Function(chosen, fresh, block, types)
        known = self.storage.known
        known[chosen] = summary_of(f, known)
        self.effects.learn(f, bool(known[chosen].consumes))
        return f


def _bound(block: Block, outs: tuple[Var, ...]) -> tuple[Let, ...]:
    """The lets of a block, its results bound to variables."""
    there = {v for let in block.lets for v in let.vars}
    names: dict[Var, Atom] = {}
    for a, out in zip(block.results, outs, strict=True):
        if isinstance(a, Var) and a in there:
            names.setdefault(a, out)
    bound = {v: out for v, out in names.items() if isinstance(out, Var)}
    lets = [
        Let(tuple(bound.get(v, v) for v in let.vars), let.op, let.site)
        for let in substitute(block, names).lets
    ]
    left = [(a, v) for a, v in zip(block.results, outs, strict=True) if v not in names.values()]
    if left:
        same = Block((), tuple(names.get(a, a) if isinstance(a, Var) else a for a, _ in left))
        lets.append(Let(tuple(v for _, v in left), If(boolean(True), same, same)))
    return tuple(lets)


def _with_arms(op: If | Case, blocks: Sequence[Block]) -> Op:
    if isinstance(op, If):
        return If(op.cond, *blocks)
    arms = []
    for arm, block in zip(op.arms, blocks, strict=True):
        fresh = tuple(Var(v.name, v.type) for v in arm.fields)
        arms.append(CaseArm(fresh, substitute(block, dict(zip(arm.fields, fresh, strict=True)))))
    return Case(op.scrutinee, tuple(arms))


__all__ = ["Divider"]
