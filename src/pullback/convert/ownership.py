"""Updates happen in place, so nobody may see the old array any more: copies where somebody would.

An ``Update`` consumes its array. In place it is right when the array's storage is *owned* (made in
this function: by ``Build``, ``copy``, an earlier update, a callee that returns fresh storage; or
carried by a loop that was entered with such an array; or a parameter that callers give away) and
when nothing that may share the storage is read afterwards. Elsewhere this pass inserts ``copy``:
before the update, before the call of a function that updates its parameter, before the loop that
carries the array, or at the end of the loop's body. ``main`` and functions that derivative terms
name own none of their parameters. The front end refuses updates that a user could see from outside,
so copies are rare; they make the meaning of Core (arrays are values) hold.

Storage is named by *roots*: the variables that were bound to fresh storage, parameters and carried
variables. Every variable has

    outer    the roots that its own storage may be        (arrays)
    inner    the roots that may be reached through its elements or fields

The pass walks forwards for the roots and then backwards with the set of live variables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from pullback.core.calls import call_order
from pullback.core.consumption import consumed_params
from pullback.core.prims import TABLE
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
    Inject,
    Jvp,
    Let,
    Loop,
    Op,
    Prim,
    Program,
    Sum_,
    Update,
    Var,
    Vjp,
    While,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import all_lets, free_variables, map_functions
from pullback.core.types import Array, Named, Sum, Type

Roots = frozenset[Var]
NONE: Roots = frozenset()
NOBODY: frozenset[int] = frozenset()

# Views whose elements are distinct places of the array's storage; of a broadcast they are not.
EXACT_VIEWS = frozenset({"slice", "pick", "transpose", "expand", "reshape", "stop_gradient"})
FRESH = frozenset({"copy", "stack"}) | {n for n, row in TABLE.items() if row.cost == "cubic"}


def own_updates(program: Program) -> Program:
    """The program with a ``copy`` wherever an update in place would be seen."""
    order = call_order(program)
    lent = {program.main} | {
        let.op.function
        for f in program.functions.values()
        for let in all_lets(f.body)
        if isinstance(let.op, Vjp | Jvp)
    }
    consumes = {
        name: NOBODY if name in lent else given
        for name, given in consumed_params(program).items()
    }
    # Which functions return fresh storage: at first all, until that agrees with their bodies.
    p = _Pass(consumes, {name: (True,) * len(f.results) for name, f in program.functions.items()})
    while True:
        before = dict(p.fresh)
        for name in order:
            _roots_of_function(p, program.functions[name])
        if p.fresh == before:
            break
        p = _Pass(consumes, p.fresh)
    return map_functions(
        program, lambda f: Function(f.name, f.params, _block(p, f.body, _Live(p)), f.results)
    )


@dataclass
class _Pass:
    """What is known of every variable, loop and function so far.

    ``consumes``: per function, the parameters whose storage it takes over. ``fresh``: per function
    and result, whether the caller owns it. ``consumed``: per loop, which carried arrays its body
    updates. ``touched``: the roots that some update takes over."""

    consumes: dict[str, frozenset[int]]
    fresh: dict[str, tuple[bool, ...]]
    outer: dict[Var, Roots] = field(default_factory=dict)
    inner: dict[Var, Roots] = field(default_factory=dict)
    owned: set[Var] = field(default_factory=set)
    touched: set[Var] = field(default_factory=set)
    consumed: dict[Op, frozenset[int]] = field(default_factory=dict)

    def outer_of(self, atom: Atom) -> Roots:
        return self.outer.get(atom, NONE) if isinstance(atom, Var) else NONE

    def inner_of(self, atom: Atom) -> Roots:
        return self.inner.get(atom, NONE) if isinstance(atom, Var) else NONE

    def all_of(self, *some: Atom) -> Roots:
        sets = [s for a in some for s in (self.outer_of(a), self.inner_of(a)) if s]
        return sets[0].union(*sets[1:]) if sets else NONE

    def bind(self, var: Var, outer: Roots, inner: Roots, owned: bool) -> None:
        """Record the roots of ``var``, as far as its type can share storage at all."""
        if not _holds_array(var.type):
            return
        if isinstance(var.type, Array):
            self.outer[var] = outer
            if _holds_array(var.type.elem):
                self.inner[var] = inner
            if owned:
                self.owned.add(var)
        else:
            self.inner[var] = outer | inner


def _holds_array(t: Type) -> bool:
    match t:
        case Array() | Named():
            return True
        case Sum(variants):
            return any(_holds_array(f) for v in variants for f in v.fields)
        case _:
            return False


# --- forwards: the roots --------------------------------------------------------------------------


def _roots_of_function(p: _Pass, f: Function) -> None:
    for k, v in enumerate(f.params):
        p.bind(v, frozenset({v}), frozenset({v}), k in p.consumes[f.name])
    _roots_of_block(p, f.body)
    counts = Counter(r for a in f.body.results for r in p.all_of(a))
    p.fresh[f.name] = tuple(
        a in p.owned and all(counts[r] == 1 for r in p.outer_of(a)) for a in f.body.results
    )


def _roots_of_block(p: _Pass, block: Block) -> None:
    for let in block.lets:
        _roots_of_let(p, let)


def _roots_of_let(p: _Pass, let: Let) -> None:
    """Bind the roots of the let's variables, and of those of its blocks."""
    op = let.op
    match op:
        case Prim(name, args):
            for v in let.vars:
                if name in EXACT_VIEWS:
                    p.bind(v, p.outer_of(args[0]), p.inner_of(args[0]), args[0] in p.owned)
                elif name in FRESH:
                    p.bind(v, frozenset({v}), p.inner_of(args[0]), True)
                else:
                    p.bind(v, p.all_of(*args) | {v}, p.all_of(*args), False)
        case Inject(_, _, fields):
            p.bind(let.vars[0], NONE, p.all_of(*fields), False)
        case Index(a, _, _):
            p.bind(let.vars[0], p.inner_of(a), p.inner_of(a), False)
        case Update(a, _, value, _):
            p.touched |= p.outer_of(a)
            v = let.vars[0]
            p.bind(v, frozenset({v}), p.inner_of(a) | p.all_of(value), True)
        case If(_, then, orelse):
            for block in (then, orelse):
                _roots_of_block(p, block)
            _join(p, let.vars, (then, orelse))
        case Case(a, arms):
            for arm in arms:
                for v in arm.fields:
                    p.bind(v, p.inner_of(a), p.inner_of(a), False)
                _roots_of_block(p, arm.body)
            _join(p, let.vars, tuple(arm.body for arm in arms))
        case Build(_, _, body) | Sum_(_, _, body):
            _roots_of_block(p, body)
            for v, a in zip(let.vars, body.results):
                p.bind(v, frozenset({v}), p.all_of(a), True)
        case Loop(_, _, carried, inits, body):
            _roots_of_loop(p, let, carried, inits, (body,))
        case While(carried, inits, cond, body):
            _roots_of_loop(p, let, carried, inits, (cond, body))
        case Call(name, args):
            given = p.all_of(*args)
            for k in p.consumes[name]:
                p.touched |= p.outer_of(args[k])
            for v, is_fresh in zip(let.vars, p.fresh[name]):
                me = frozenset({v})
                p.bind(v, me if is_fresh else me | given, me | given, is_fresh)
        case _:
            given = p.all_of(*atoms(op))
            for v in let.vars:
                p.bind(v, given | {v}, given | {v}, False)


def _join(p: _Pass, variables: tuple[Var, ...], blocks: tuple[Block, ...]) -> None:
    """A result of a branch is what one of the blocks returns."""
    for k, v in enumerate(variables):
        given = [b.results[k] for b in blocks]
        p.bind(
            v,
            NONE.union(*(p.outer_of(a) for a in given)),
            NONE.union(*(p.inner_of(a) for a in given)),
            all(a in p.owned for a in given),
        )


def _roots_of_loop(
    p: _Pass,
    let: Let,
    carried: tuple[Var, ...],
    inits: tuple[Atom, ...],
    blocks: tuple[Block, ...],
) -> None:
    for c in carried:
        p.bind(c, frozenset({c}), frozenset({c}), True)
    for block in blocks:
        _roots_of_block(p, block)
    results = blocks[-1].results
    consumed = _consumed(p, carried, results)
    p.consumed[let.op] = consumed
    entered = p.all_of(*inits)
    names = frozenset(carried)
    for k, v in enumerate(let.vars):
        me = frozenset({v})
        next_ = results[k]
        if k >= len(carried):  # emitted: a new array of what the body returned
            shared = entered if p.all_of(next_) & names else NONE
            p.bind(v, me, p.all_of(next_) | shared, True)
            continue
        p.touched |= p.outer_of(inits[k]) if k in consumed else NONE
        inner = p.inner_of(next_) | p.inner_of(inits[k])
        inner |= entered if inner & names else NONE
        if k in consumed:
            p.bind(v, me, inner, True)
            continue
        outer = me | p.outer_of(inits[k]) | p.outer_of(next_)
        outer |= entered if p.outer_of(next_) & (names - {carried[k]}) else NONE
        owned = inits[k] in p.owned and (next_ is carried[k] or next_ in p.owned)
        p.bind(v, outer, inner, owned and not p.outer_of(next_) & (names - {carried[k]}))


def _consumed(p: _Pass, carried: tuple[Var, ...], results: tuple[Atom, ...]) -> frozenset[int]:
    """The carried arrays whose storage the body takes over, or hands to one that it does."""
    consumed = {k for k, c in enumerate(carried) if c in p.touched}
    work = list(consumed)
    while work:
        k = work.pop()
        for j, c in enumerate(carried):
            if j not in consumed and c in p.outer_of(results[k]):
                consumed.add(j)
                work.append(j)
    return frozenset(consumed)


# --- backwards: who still looks -------------------------------------------------------------------


class _Live:
    """The live variables and how many of them share each root; changes can be undone."""

    def __init__(self, p: _Pass) -> None:
        self.p = p
        self.variables: set[Var] = set()
        self.roots: Counter[Var] = Counter()
        self.trail: list[Var] = []

    def use(self, some: Iterable[Atom]) -> None:
        for a in some:
            if isinstance(a, Var) and a not in self.variables:
                shared = self.p.all_of(a)
                if shared:
                    self.variables.add(a)
                    self.roots.update(shared)
                    self.trail.append(a)

    def forget(self, some: Iterable[Atom]) -> None:
        for a in some:
            if isinstance(a, Var) and a in self.variables:
                self.variables.remove(a)
                self.roots.subtract(self.p.all_of(a))

    def reads(self, roots: Roots) -> bool:
        return any(self.roots[r] > 0 for r in roots)

    def since(self, mark: int) -> list[Var]:
        """The variables that have become live since the trail was that long; undo them."""
        added = [v for v in self.trail[mark:] if v in self.variables]
        del self.trail[mark:]
        self.forget(added)
        return added


def _copy(atom: Atom, out: list[Let]) -> Var:
    """A fresh copy; ``out`` is in reverse order of execution."""
    assert isinstance(atom, Var)
    new = Var(atom.name, atom.type)
    out.append(Let((new,), Prim("copy", (atom,))))
    return new


def _block(p: _Pass, block: Block, live: _Live) -> Block:
    live.use(block.results)
    return _lets(p, block, live, [], block.results)


def _lets(
    p: _Pass, block: Block, live: _Live, out: list[Let], results: tuple[Atom, ...]
) -> Block:
    """Walk backwards; ``out`` collects the new lets in reverse order."""
    for let in reversed(block.lets):
        live.forget(let.vars)
        before: list[Let] = []
        op = _op(p, let.op, live, before)
        out.append(let if op is let.op else Let(let.vars, op, let.site))
        out.extend(before)
        live.use(atoms(op))
        for copied in before:
            live.forget(copied.vars)
            live.use(atoms(copied.op))
    return Block(tuple(reversed(out)), results)


def _op(p: _Pass, op: Op, live: _Live, before: list[Let]) -> Op:
    """The op with the copies that it needs inside; those that it needs first in ``before``."""
    match op:
        case Update(a, idx, value, checked):
            if a in p.owned and not live.reads(p.outer_of(a)):
                return op
            return Update(_copy(a, before), idx, value, checked)
        case Call(name, args) if p.consumes[name]:
            return Call(name, _given(p, p.consumes[name], args, live, before))
        case If(cond, then, orelse):
            first, second = _branches(p, (then, orelse), live)
            return If(cond, first, second)
        case Case(a, arms):
            bodies = _branches(p, tuple(arm.body for arm in arms), live)
            return Case(a, tuple(CaseArm(arm.fields, b) for arm, b in zip(arms, bodies)))
        case Build(extents, indices, body):
            live.use(free_variables(body, indices))
            return Build(extents, indices, _block(p, body, live))
        case Sum_(extents, indices, body):
            live.use(free_variables(body, indices))
            return Sum_(extents, indices, _block(p, body, live))
        case Loop(n, index, carried, inits, body):
            live.use(_outside(op))
            inits = _given(p, p.consumed[op], inits, live, before)
            new_body = _loop_body(p, op, carried, body, live)
            live.forget(carried)
            return Loop(n, index, carried, inits, new_body)
        case While(carried, inits, cond, body):
            live.use(_outside(op))
            inits = _given(p, p.consumed[op], inits, live, before)
            new_body = _loop_body(p, op, carried, body, live)
            new_cond = _block(p, cond, live)
            live.forget(carried)
            return While(carried, inits, new_cond, new_body)
        case _:
            return op


def _branches(p: _Pass, blocks: tuple[Block, ...], live: _Live) -> tuple[Block, ...]:
    """Each branch sees what is live after the branch, not what the others use."""
    used: list[Var] = []
    new = []
    for block in blocks:
        mark = len(live.trail)
        new.append(_block(p, block, live))
        used.extend(live.since(mark))
    live.use(used)
    return tuple(new)


def _outside(op: Op) -> list[Var]:
    """The variables of the blocks around that a loop's blocks read: live in every iteration."""
    return [v for bound, block in sub_blocks(op) for v in free_variables(block, bound)]


def _given(
    p: _Pass,
    taken: frozenset[int],
    args: tuple[Atom, ...],
    live: _Live,
    before: list[Let],
) -> tuple[Atom, ...]:
    """What is given to a loop or callee that takes over the storage of the arguments ``taken``:
    these must be owned and seen by nobody else."""
    new = list(args)
    for k in sorted(taken):
        others = p.all_of(*args[:k], *args[k + 1 :])
        mine = p.outer_of(args[k])
        if args[k] not in p.owned or live.reads(mine) or mine & others:
            new[k] = _copy(args[k], before)
    return tuple(new)


def _loop_body(
    p: _Pass, op: Op, carried: tuple[Var, ...], body: Block, live: _Live
) -> Block:
    """The body; the next value of an updated array must be owned and distinct from the others."""
    consumed = p.consumed[op]
    lent = {c for k, c in enumerate(carried) if k not in consumed}
    results = list(body.results)
    out: list[Let] = []
    for k in sorted(consumed):
        others = p.all_of(*(a for j, a in enumerate(body.results) if j != k))
        mine = p.outer_of(body.results[k])
        owned = body.results[k] in p.owned and not mine & lent
        if not owned or live.reads(mine) or mine & others:
            results[k] = _copy(body.results[k], out)
    live.use(body.results)
    return _lets(p, body, live, out, tuple(results))
