"""Loop fission: give additions to neighbouring cells of one accumulator loops of their own.

    sum i < n. (x; h[i] += x; h[i + 1] += -x)    ==>    sum i < n. (x; h[i] += x)
                                                        sum i < n. (x; h[i + 1] += -x)

The reverse of differences and of other stencils adds in this way. In lanes, an addition to the
cells i + 1 to i + 8 overlaps the cells i to i + 7 that have just been stored, and its load waits
until that store is in the cache. In separate loops the blocks do not overlap; a few operations are
done twice.
"""

from __future__ import annotations

from pullback.core.effects import Work, in_any_order, work_of
from pullback.core.terms import (
    AccAdd,
    AccNew,
    AccRead,
    Atom,
    Block,
    Build,
    Function,
    Let,
    Op,
    Prim,
    Program,
    Sum_,
    Var,
    atoms,
)
from pullback.core.traverse import defined, map_blocks, map_functions, refresh
from pullback.lower.separate import Rounds

MOST = 3
"""So many loops may be made of one."""

LONGEST = 8
"""An addition that needs more operations than this is not moved."""


def separate_neighbours(program: Program, rounds: Rounds | None = None) -> Program:
    """Return the program with such sums split. ``rounds`` gets the facts on which that depends."""
    rounds = rounds or Rounds()

    def block(old: Block) -> Block:
        lets: list[Let] = []
        for let in old.lets:
            rounds.know(let)
            if isinstance(let.op, Sum_):
                first, *others = apart(let.op, let.op.body, rounds) or [let.op]
                lets.append(Let(let.vars, first, let.site))
                lets += [Let((), op) for op in others]
            elif isinstance(let.op, Build):
                lets.append(let)  # what is inside runs in its lanes
            else:
                lets.append(Let(let.vars, map_blocks(let.op, block), let.site))
        return Block(tuple(lets), old.results)

    return map_functions(program, lambda f: Function(f.name, f.params, block(f.body), f.results))


def apart(op: Sum_, body: Block, rounds: Rounds) -> list[Sum_]:
    """Return a sum with this body, and the loops of the additions that leave it; nothing if none
    do."""
    if not (all(_simple(x.op) for x in body.lets) and _reads_elsewhere(body, rounds)):
        return []
    places: dict[Atom, dict[tuple[Atom, ...], list[Let]]] = {}
    for x in body.lets:
        if isinstance(x.op, AccAdd):
            places.setdefault(x.op.handle, {}).setdefault(x.op.indices, []).append(x)
    moving = _moving(op.indices[-1], body)
    out: list[Sum_] = []
    gone: set[Let] = set()
    for by_place in places.values():
        (first, *others) = by_place
        near = [p for p in others if _neighbours(first, p, moving)]
        if len(near) != len(others) or len(near) >= MOST:
            continue
        for place in near:
            need = _needs(body, by_place[place])
            if need is not None:
                gone.update(by_place[place])
                i = tuple(Var(v.name, v.type) for v in op.indices)
                own = refresh(Block(need, ()), dict(zip(op.indices, i, strict=True)))
                out.append(Sum_(op.extents, i, own))
    if not gone:
        return []
    rest = Block(tuple(x for x in body.lets if x not in gone), body.results)
    return [Sum_(op.extents, op.indices, rest), *out]


def _reads_elsewhere(body: Block, rounds: Rounds) -> bool:
    """Whether all accumulators that the loop reads certainly differ from those to which it adds."""
    read: set[Atom] = set()
    added: set[Atom] = set()
    for let in body.lets:
        match let.op:
            case AccRead(Var() as h, _):
                read.add(rounds.root(h))
            case AccAdd(Var() as h, _, _):
                added.add(rounds.root(h))
            case _:
                pass
    known = all(isinstance(rounds.made.get(h), AccNew) for h in read | added if isinstance(h, Var))
    return not read or (known and read.isdisjoint(added))


def _simple(op: Op) -> bool:
    """Whether it can surely be done in lanes, in any order."""
    return in_any_order(op) or isinstance(op, AccRead)


def _moving(last: Var, body: Block) -> set[Atom]:
    """Return the last index, and the atoms that are this index plus a constant."""
    inside = defined(body)
    moving: set[Atom] = {last}
    for let in body.lets:
        match let.op:
            case Prim("add", (a, b)) if (a in moving) != (b in moving):
                if (b if a in moving else a) not in inside:
                    moving.add(let.vars[0])
            case Prim("sub", (a, b)) if a in moving and b not in moving and b not in inside:
                moving.add(let.vars[0])
            case _:
                pass
    return moving


def _neighbours(a: tuple[Atom, ...], b: tuple[Atom, ...], moving: set[Atom]) -> bool:
    """Whether lanes add to cells of one row at both places."""
    differ = [k for k, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
    return bool(a) and differ == [len(a) - 1] and a[-1] in moving and b[-1] in moving


def _needs(body: Block, additions: list[Let]) -> tuple[Let, ...] | None:
    """Return the lets that some additions need, if they are few."""
    wanted: set[Atom] = set()
    out: list[Let] = []
    operations = 0
    for let in reversed(body.lets):
        if let in additions or not wanted.isdisjoint(let.vars):
            wanted.update(atoms(let.op))
            out.append(let)
            if isinstance(let.op, Prim):
                operations += LONGEST + 1 if work_of(let.op) is Work.FUNCTION else 1
    return tuple(reversed(out)) if operations <= LONGEST else None
