"""Make updates happen in place: insert copies where other code would see the update.

An ``Update`` consumes its array. In place it is right if the storage of the array is *owned*
(allocated in this function: by ``Build``, ``copy``, an earlier update, a callee that returns fresh
storage; or carried by a loop that was entered with such an array; or a parameter that callers give
away) and if no variable that may share the storage is read afterwards. Elsewhere this pass inserts
``copy``: before the update, before the call of a function that updates its parameter, before the
loop that carries the array, or at the end of the loop's body. An update inside of an element asks
the same of everything in the array; if that fails, the array is copied with its elements.

``main`` and functions that derivative terms name own none of their parameters. A result of a call
that is an unchanged argument counts as the argument (``passed``). The front end refuses updates
that a user could see from outside, so copies are rare; they make the meaning of Core (arrays are
values) hold.

The pass walks forwards for the roots (``roots``) and then backwards with the set of live variables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pullback.convert.passed import without_passed
from pullback.convert.roots import (
    NOBODY,
    Facts,
    Given,
    Roots,
    holds_array,
    roots_of_function,
)
from pullback.core.build import Builder
from pullback.core.call_graph import call_order
from pullback.core.consumption import consumed_params, is_inside
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
    Prim,
    Program,
    Ruled,
    Sum_,
    Update,
    Var,
    Vjp,
    While,
    atoms,
    sub_blocks,
)
from pullback.core.traverse import all_lets, called, free_variables, map_functions
from pullback.core.types import I64, Array


def own_updates(program: Program) -> Program:
    """Return the program with a ``copy`` wherever other code would see an update in place."""
    program = without_passed(program)
    order = call_order(program)
    lent = {program.main} | {
        name
        for f in program.functions.values()
        for let in all_lets(f.body)
        if isinstance(let.op, (Vjp, Jvp, Ruled))
        for name in called(let.op)
    }
    consumes = {
        name: NOBODY if name in lent else given
        for name, given in consumed_params(program).items()
    }
    # Which functions return fresh storage: at first all, then fewer and fewer, until their bodies
    # do what is said of them. What they dig in is found on the way, and only grows; then all of
    # that begins again.
    first = {name: Given.best(len(f.results)) for name, f in program.functions.items()}
    p = Facts(consumes, dict.fromkeys(order, NOBODY), dict(first), decls=program.decls)
    while True:
        before = dict(p.given), dict(p.digs)
        for name in order:
            roots_of_function(p, program.functions[name])
        if (p.given, p.digs) == before:
            break
        given = p.given if p.digs == before[1] else dict(first)
        p = Facts(consumes, p.digs, given, decls=program.decls)
    return map_functions(
        program, lambda f: Function(f.name, f.params, _block(p, f.body, _Live(p)), f.results)
    )


# --- backwards: who still looks -------------------------------------------------------------------


class _Live:
    """The live variables, and how many of them share each root; changes can be undone."""

    def __init__(self, p: Facts) -> None:
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
        """Return the variables that have become live since the trail had the length ``mark``, and
        undo these changes."""
        added = [v for v in self.trail[mark:] if v in self.variables]
        del self.trail[mark:]
        self.forget(added)
        return added


def _storage(p: Facts, a: Atom, deep: bool) -> Roots:
    """Return the roots that an update of the array, or inside of its elements, takes over."""
    return p.all_of(a) if deep else p.outer_of(a)


def _is_free(p: Facts, a: Atom, deep: bool) -> bool:
    return a in p.owned and (not deep or p.is_whole(a))


def _copy(p: Facts, atom: Atom, out: list[Let], deep: bool) -> Atom:
    """Emit a fresh copy (``deep``: also of its elements) to ``out``, which is in reverse order of
    execution."""
    b = Builder()
    new = _copied(b, atom, deep)
    out.extend(reversed(b.lets))
    if isinstance(new, Var) and not deep:
        p.bind(new, frozenset({new}), p.inner_of(atom), owned=True)
    return new


def _copied(b: Builder, atom: Atom, deep: bool) -> Atom:
    assert isinstance(atom, Var)
    if not (deep and isinstance(atom.type, Array) and holds_array(atom.type.elem)):
        new = Var(atom.name, atom.type)
        b.lets.append(Let((new,), Prim("copy", (atom,))))
        return new
    extents = tuple(b.dim(atom, axis) for axis in range(atom.type.rank))
    indices = tuple(Var("i", I64) for _ in extents)
    body = Builder()
    item = body.index(atom, indices, checked=False)
    block = body.block((_copied(body, item, deep),))
    return b.let(Build(extents, indices, block), (atom.type,), names=(atom.name,))[0]


def _block(p: Facts, block: Block, live: _Live) -> Block:
    live.use(block.results)
    return _lets(p, block, live, [], block.results)


def _lets(
    p: Facts, block: Block, live: _Live, out: list[Let], results: tuple[Atom, ...]
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
            live.use((*atoms(copied.op), *_outside(copied.op)))
    return Block(tuple(reversed(out)), results)


def _op(p: Facts, op: Op, live: _Live, before: list[Let]) -> Op:
    """Return the op with the copies that it needs inside; copies that it needs before it go to
    ``before``."""
    match op:
        case Update(a, idx, value, checked):
            deep = is_inside(op)
            if _is_free(p, a, deep) and not live.reads(_storage(p, a, deep)):
                return op
            return Update(_copy(p, a, before, deep), idx, value, checked)
        case Call(name, args) if p.consumes[name]:
            return Call(name, _given(p, p.consumes[name], p.digs[name], args, live, before))
        case If(cond, then, orelse):
            first, second = _branches(p, (then, orelse), live)
            return If(cond, first, second)
        case Case(a, arms):
            bodies = _branches(p, tuple(arm.body for arm in arms), live)
            return Case(
                a, tuple(CaseArm(arm.fields, b) for arm, b in zip(arms, bodies, strict=True))
            )
        case Build(extents, indices, body):
            live.use(free_variables(body, indices))
            return Build(extents, indices, _block(p, body, live))
        case Sum_(extents, indices, body):
            live.use(free_variables(body, indices))
            return Sum_(extents, indices, _block(p, body, live))
        case Loop(n, index, carried, inits, body):
            live.use(_outside(op))
            inits = _given(p, p.consumed[op], p.dug[op], inits, live, before)
            new_body = _loop_body(p, op, carried, body, live)
            live.forget(carried)
            return Loop(n, index, carried, inits, new_body)
        case While(carried, inits, cond, body):
            live.use(_outside(op))
            inits = _given(p, p.consumed[op], p.dug[op], inits, live, before)
            new_body = _loop_body(p, op, carried, body, live)
            new_cond = _block(p, cond, live)
            live.forget(carried)
            return While(carried, inits, new_cond, new_body)
        case _:
            return op


def _branches(p: Facts, blocks: tuple[Block, ...], live: _Live) -> tuple[Block, ...]:
    """Rewrite the blocks of a branch; in each, the variables that are live after the branch are
    live, but not those that other blocks use."""
    used: list[Var] = []
    new = []
    for block in blocks:
        mark = len(live.trail)
        new.append(_block(p, block, live))
        used.extend(live.since(mark))
    live.use(used)
    return tuple(new)


def _outside(op: Op) -> list[Var]:
    """Return the variables from outside that the blocks of a loop read: they are live in every
    iteration."""
    return [v for bound, block in sub_blocks(op) for v in free_variables(block, bound)]


def _given(
    p: Facts,
    taken: frozenset[int],
    dug: frozenset[int],
    args: tuple[Atom, ...],
    live: _Live,
    before: list[Let],
) -> tuple[Atom, ...]:
    """Return the arguments of a loop or callee that takes over the storage of the arguments
    ``taken`` (and of the elements of those in ``dug``): these must be owned, and nobody else may
    see them."""
    new = list(args)
    for k in sorted(taken, key=lambda k: (k in dug, k)):  # of two that share, copy the shallow one
        others = p.all_of(*new[:k], *new[k + 1 :])
        mine = _storage(p, args[k], k in dug)
        if not _is_free(p, args[k], k in dug) or live.reads(mine) or mine & others:
            new[k] = _copy(p, args[k], before, k in dug)
    return tuple(new)


def _loop_body(
    p: Facts, op: Op, carried: tuple[Var, ...], body: Block, live: _Live
) -> Block:
    """The body; the next value of an updated array must be owned and distinct from the others."""
    consumed, dug = p.consumed[op], p.dug[op]
    lent = {c for k, c in enumerate(carried) if k not in consumed}
    lent |= {p.inside(c) for k, c in enumerate(carried) if k not in dug}
    results = list(body.results)
    out: list[Let] = []
    for k in sorted(consumed, key=lambda k: (k in dug, k)):
        others = p.all_of(*(a for j, a in enumerate(results) if j != k))
        a, deep = body.results[k], k in dug
        mine = _storage(p, a, deep)
        owned = _is_free(p, a, deep) and not mine & lent
        if not owned or live.reads(mine) or mine & others:
            results[k] = _copy(p, a, out, deep)
    live.use(body.results)
    return _lets(p, body, live, out, tuple(results))
