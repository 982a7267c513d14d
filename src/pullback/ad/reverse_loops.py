"""The reverse of loops: of parallel ones in any order, of sequential ones backwards.

The forward values that the reverse of a parallel loop reads are computed again or were stored. They
are computed again if that happens only once: the body reads nothing that is updated later, calls
nothing that contains a loop, and the loops in it, which run again too, are not deep. Of rows of
sums, such as a matrix times a vector, the few numbers are stored to which each row comes down.
"""

from __future__ import annotations

import math

from pullback.ad.contributions import handed_on, is_short
from pullback.ad.emit import Emit
from pullback.ad.flow import block_vars
from pullback.ad.frames import Frame, Plan
from pullback.ad.independent import independent
from pullback.ad.loop_residuals import Handed, handed_over
from pullback.ad.narrow import without_dead
from pullback.ad.sweep import (
    Callees,
    Cts,
    Got,
    Sweep,
    has_effect,
    keys_of,
    leaf_type,
    or_zero,
)
from pullback.core.build import Builder, i64, lit
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Call,
    Index,
    Let,
    Lit,
    Loop,
    Ruled,
    Sum_,
    Var,
    Vjp,
    While,
    sub_blocks,
)
from pullback.core.traverse import called, free_variables, refresh
from pullback.core.types import I64, Array, Bool, Int, Real

RECOMPUTE_DEPTH = 2
"""Inside a recomputed region, loops nested deeper than this store instead."""

FEW = 2
"""So many numbers are stored for each sum instead of adding up again."""

NEVER = 1000
"""The depth of what must not be recomputed at all."""


# -- parallel loops -----------------------------------------------------------------------------


def parallel(
    s: Sweep, f: Frame, let: Let, op: Build | Sum_, got: Got, ct: Cts, b: Builder
) -> None:
    """C{build}, C{sum}: iterations are independent, so is their reverse."""
    if not any(
        c is not None or s.is_touched(f.look(v)[1:]) or f.spaces.composite(v.type)
        for v, c in zip(let.vars, got, strict=True) if f.active(v)
    ):
        return
    again = _recomputable(s, f, op)
    g = f.child()
    for i in op.indices:
        g.bind(i, (Var(i.name, i.type),))
    g.open(op.body)
    rb, gct = Builder(), Cts()
    where = tuple(g.variable(i) for i in op.indices)
    for v, r, c in zip(let.vars, op.body.results, got, strict=True):
        _seed_element(s, f, g, v, r, c, where, gct, rb)
    s.within(s.recomputing or again).block(g, op.body, gct, rb)
    keys = keys_of([gct])
    results = tuple(s.leaf(f, gct, key, rb) for key in keys)
    reverse = rb.block(results)
    if not keys and not has_effect(reverse):
        return
    extents = tuple(f.value(n) for n in op.extents)
    if again and not s.recomputing and _comes_down(s, f, g, op, reverse, where):
        again = False
    if again:
        whole = Builder()
        Emit(s.callees, g, trusted=True).lets(op.body, whole)
        reverse = refresh(reverse)  # it may restore arrays, which binds their names again
        both = Block(tuple(whole.lets) + reverse.lets, reverse.results)
        body, indices = without_dead(both), where
    else:
        body, indices = _stored(f, let, g, where, reverse, True)
    outs = b.let(Sum_(extents, indices, body), tuple(leaf_type(f, key) for key in keys))
    for (v, k), out in zip(keys, outs, strict=True):
        s.add(f, ct, v, k, out, b)


def _seed_element(
    s: Sweep, f: Frame, g: Frame, v: Var, r: Atom, c: list[Atom | None] | None,
    where: tuple[Var, ...], gct: Cts, rb: Builder,
) -> None:
    """Return the cotangent of one element of a result; of a sum, that of the result itself."""
    if not f.active(v):
        return
    if isinstance(v.type, Array):
        s.touch(g.look(r)[1:])
        if g.active(r):
            leaves = f.spaces.cotangent(v.type.elem)
            for k, (h, t) in enumerate(zip(f.handles(v), leaves, strict=True)):
                s.add(g, gct, r, k, s.read(h, where, t, rb), rb)
    else:
        for k, leaf in enumerate(c or ()):
            s.add(g, gct, r, k, leaf, rb)


def _stored(
    f: Frame, let: Let, g: Frame, where: tuple[Var, ...], reverse: Block, stored: bool
) -> tuple[Block, tuple[Var, ...]]:
    """Return the reverse body, with indices of its own, on the values that the forward loop stored.
    """
    reverse, residuals = g.settle(reverse, where)
    there = _results(f, let, g)
    new = tuple(v for v in residuals if v not in there)
    kept = tuple(f.add(v.name + "s", Array(v.type, len(where))) for v in new)
    f.plans[let] = Plan((g,), (new,), kept, stored=stored)
    there.update(zip(new, kept, strict=True))
    fresh = tuple(Var(i.name, i.type) for i in where)
    rename: dict[Var, Atom] = dict(zip(where, fresh, strict=True))
    load = Builder()
    for v in residuals:
        rename[v] = load.index(there[v], fresh, checked=False)
    body = refresh(reverse, rename)
    return Block(tuple(load.lets) + body.lets, body.results), fresh


def _results(f: Frame, let: Let, g: Frame) -> dict[Var, Var]:
    """Return the arrays of numbers that a ``Build`` makes anyway and nobody updates, by the
    variable of the body that holds an element."""
    if not isinstance(let.op, Build):
        return {}
    return {
        _var(g.value(r)): _var(f.value(v))
        for v, r in zip(let.vars, let.op.body.results, strict=True)
        if isinstance(r, Var) and isinstance(r.type, Real) and not f.facts.gone(v)
    }


def _comes_down(
    s: Sweep, f: Frame, g: Frame, op: Build | Sum_, reverse: Block, where: tuple[Var, ...]
) -> bool:
    """Whether the body sums up numbers, or reads such sums in a product of matrices, and its
    reverse reads so few other values than those that it stores fewer than it would read to compute
    them again. (A ``Sum_`` may become one loop with its reverse sweep, where they are there.)"""
    if not isinstance(op, Build) or _depth(s.callees, op.body) > 1:
        return False
    sums = [
        x for x in op.body.lets
        if (isinstance(x.op, Sum_) and not _is_short(x.op))
        or (isinstance(x.op, Index) and x.op.array in f.facts.products)
    ]  # fmt: skip
    if not sums:
        return False
    own, extra = dict(g.own), g.extra
    _, residuals = g.settle(reverse, where)
    g.own, g.extra = own, extra
    scalars = all(isinstance(v.type, (Real, Int, Bool)) for v in residuals)
    return scalars and len(residuals) <= FEW * sum(len(x.vars) for x in sums)


def _is_short(op: Sum_) -> bool:
    """Whether a sum has so few terms that it is added up again for nothing."""
    return all(isinstance(n, Lit) for n in op.extents) and is_short(
        lit(math.prod(int(n.value) for n in op.extents if isinstance(n, Lit)), I64)
    )


def _recomputable(s: Sweep, f: Frame, op: Build | Sum_) -> bool:
    """Whether the loop's body is run again in the reverse sweep."""
    if any(f.spaces.bears(r.type) and not isinstance(r.type, Real) for r in op.body.results):
        return False  # handles in the results name cells: a second run would name others
    bound = {*block_vars(op.body), *op.indices}
    if any(f.facts.gone(v) for v in free_variables(op.body) if v not in bound):
        return False
    depth = _depth(s.callees, op.body)
    return depth <= RECOMPUTE_DEPTH if s.recomputing else depth < NEVER


def _depth(callees: Callees, block: Block) -> int:
    """Return how deeply loops nest in a block. A callee that loops decides for itself what it
    recomputes: were it recomputed here too, a chain of calls would run its last function once per
    level."""
    depth = 0
    for let in block.lets:
        inner = max((_depth(callees, sub) for _, sub in sub_blocks(let.op)), default=0)
        match let.op:
            case Build() | Sum_() | Loop() | While():
                inner += 1
            case Call(name, _):
                inner = 0 if callees.straight(name) else NEVER
            case Ruled():
                inner = 0 if all(map(callees.straight, called(let.op))) else NEVER
            case Vjp():
                inner = NEVER
            case _:
                pass
        depth = max(depth, inner)
    return depth


# -- sequential loops ---------------------------------------------------------------------------


def sequential(
    s: Sweep, f: Frame, let: Let, op: Loop | While, got: Got, ct: Cts, b: Builder
) -> None:
    """C{loop}: the iterations backwards, each with the residuals that it emitted; in any order if
    they are independent.

    ``live``: the cotangent leaves that the carried variables have in some iteration.
    """
    n = len(op.carried)
    for v in let.vars[:n]:
        s.touch(f.look(v)[1:])
    live = [(j, k) for j in range(n) for k, c in enumerate(got[j] or ()) if c is not None]
    sure = [(j, k) for j, k in live if _at(got[j], k) not in s.sums.where]
    while True:
        g, rb, gct, ins = _iteration(s, f, let, op, live, sure)
        more = [
            (j, k) for j, c in enumerate(op.carried) for k, leaf in enumerate(gct.get(c, ()))
            if leaf is not None and (j, k) not in live
        ]
        if not more:
            break
        live = live + more
    for i in op.inits:
        s.touch(f.look(i)[1:])
    closed = [s.leaf(f, gct, (op.carried[j], k), rb) for j, k in live]
    outs = tuple(handed_on(rb, op.count if isinstance(op, Loop) else None, ins, closed))
    for c in op.carried:
        gct.pop(c, None)
    keys = keys_of([gct])
    if isinstance(op, Loop) and not live and _in_any_order(s, f, let, op, g, rb, gct, ct, b):
        return
    sums = tuple(Var("acc", leaf_type(f, key)) for key in keys)
    totals = tuple(
        s.sums.sum(rb, x, s.leaf(f, gct, key, rb))
        for x, key in zip(sums, keys, strict=True)
    )
    arrays = [k for k, c in enumerate(op.carried) if c in f.facts.restored.versions]
    reverse = rb.block((*outs, *totals, *(s.now[op.carried[k]] for k in arrays)))
    if not live and not keys and not arrays and not has_effect(reverse):
        return
    ends = tuple(_var(g.value(op.body.results[k])) for k in arrays)
    body, trips, j, versions, over = _backwards(
        f, let, op, g, reverse, ends, bool(live or keys or arrays)
    )
    first = tuple(
        or_zero(_at(got[c], k), leaf_type(f, (op.carried[c], k))) for c, k in live
    ) + tuple(lit(0.0, x.type) for x in sums)
    first += tuple(s.restored(f, let.vars[k], b) for k in arrays)
    first += tuple(x.last for x in over)
    res = tuple(Var("t", v.type) for v in (*ins, *sums))
    back = tuple(s.back_at(f, _var(op.inits[k])) for k in arrays)
    loop = Loop(trips, j, (*ins, *sums, *versions, *(x.after for x in over)), first, body)
    unread = tuple(Var(x.after.name, x.after.type) for x in over)
    b.lets.append(Let((*res, *back, *unread), loop))
    for (n, k), r in zip(live, res, strict=False):
        s.add(f, ct, op.inits[n], k, r, b)
    for (v, k), r in zip(keys, res[len(live):], strict=True):
        s.add(f, ct, v, k, r, b)


def _in_any_order(
    s: Sweep, f: Frame, let: Let, op: Loop, g: Frame, rb: Builder, gct: Cts, ct: Cts, b: Builder
) -> bool:
    """Emit the reverse of a loop as a sum, if its iterations are independent and it restores
    nothing; return whether that was so."""
    keys = keys_of([gct])
    reverse = rb.block(tuple(s.leaf(f, gct, key, rb) for key in keys))
    if f.facts.restored.versions.isdisjoint(op.carried) and independent(reverse, g):
        if keys or has_effect(reverse):
            body, indices = _stored(f, let, g, (g.iteration(),), reverse, False)
            extent = b.prim("max", f.value(op.count), i64(0))
            outs = b.let(Sum_((extent,), indices, body), tuple(leaf_type(f, k) for k in keys))
            for (v, k), out in zip(keys, outs, strict=True):
                s.add(f, ct, v, k, out, b)
        return True
    return False


def _at(leaves: list[Atom | None] | None, k: int) -> Atom | None:
    return leaves[k] if leaves is not None else None


def _iteration(
    s: Sweep, f: Frame, let: Let, op: Loop | While, live: list[tuple[int, int]],
    sure: list[tuple[int, int]],
) -> tuple[Frame, Builder, Cts, tuple[Var, ...]]:
    """Emit the reverse of one iteration; ``ins``: the cotangents of the values that it passes on.
    All but the ``sure`` ones may begin without a cotangent, and count as absent where they are 0.
    """
    g = f.loop_child(op)
    g.open(op.body, repeated=True)
    rb, gct = Builder(), Cts()
    ins = tuple(Var("d", leaf_type(f, (op.carried[j], k))) for j, k in live)
    for (j, k), d in zip(live, ins, strict=True):
        if s.callees.wild and (j, k) not in sure:
            s.sums.nonzero(rb, d)
        s.add(g, gct, op.body.results[j], k, d, rb)
    for r in op.body.results:
        s.touch(g.look(r)[1:])
    n = len(op.carried)
    for v, r in zip(let.vars[n:], op.body.results[n:], strict=True):
        _seed_element(s, f, g, v, r, None, (g.iteration(),), gct, rb)
    for c, r in zip(op.carried, op.body.results, strict=False):
        if c in f.facts.restored.versions:
            s.back_at(g, _var(r))
    s.block(g, op.body, gct, rb)
    return g, rb, gct, ins


def _backwards(
    f: Frame, let: Let, op: Loop | While, g: Frame, reverse: Block, ends: tuple[Var, ...],
    carries: bool,
) -> tuple[Block, Atom, Var, tuple[Var, ...], list[Handed]]:
    """Return the body of the reverse loop, its trip count and its index, which counts from the end,
    the restored arrays that it carries, and the other values that one iteration passes to the next.

    ``ends``: the restored arrays after the iteration; the last one that is put back carries them.
    """
    reverse, residuals = g.settle(reverse, (g.iteration(), *ends))
    old = handed_over(f, let, op, g, residuals, carries)
    residuals = tuple(v for v in residuals if all(v is not x.after for x in old))
    kept = tuple(f.add(v.name + "s", Array(v.type, 1)) for v in residuals)
    plan = Plan((g,), (residuals,), kept)
    f.plans[let] = plan
    if isinstance(op, While):
        plan.trips = f.add("trips", I64)
    trips: Atom = f.value(op.count) if isinstance(op, Loop) else plan.trips or i64(0)
    j = Var("j", I64)
    load = Builder()
    i = load.prim("sub", load.prim("sub", trips, i64(1)), j)
    versions = tuple(Var(v.name, v.type) for v in ends)
    rename: dict[Var, Atom] = {g.iteration(): i, **dict(zip(ends, versions, strict=True))}
    for v, array in zip(residuals, kept, strict=True):
        rename[v] = load.index(array, (i,), checked=False)
    # the cotangents that the loop carries are bound by the reverse loop itself: not renamed
    over = [Handed(Var(x.after.name, x.after.type), x.last, x.begin) for x in old]
    rename.update((x.after, new.after) for x, new in zip(old, over, strict=True))
    body = refresh(reverse, rename)
    begins = (rename[x.begin] for x in over)
    whole = Block(tuple(load.lets) + body.lets, (*body.results, *begins))
    return whole, trips, j, versions, over


def _var(a: Atom) -> Var:
    assert isinstance(a, Var), a
    return a
