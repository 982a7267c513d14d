"""Index-set splitting: split a reverse loop at the iteration that takes from the cell to which all
others add.

    loop j < n.                            loop p < 2.     the rounds before j = k, those after it
      d = take h[i, j]                       s = loop j in these, with s = 0.
      h[k, j] += d; h[i, k] += d    ==>        d = take h[i, j]; h[k, j] += d
                                               in s + d
                                             h[i, k] += s
                                             loop j = k, after the first.     as it was

The reverse sweep of ``t[i, j] = min(t[i, j], t[i, k] + t[k, j])``, as of other tables that are
updated in place, takes in each iteration from another cell and adds to a cell that is the same in
all iterations. The two are the same cell in one iteration only, whose number is available before
the loop. Without that iteration the sum can wait, and the remaining loops have cells of their own
(``separate.py``), so they run in lanes. A loop of few iterations runs unsplit, at the cost of a
test.
"""

from __future__ import annotations

from pullback.core.build import Builder, f64, i64
from pullback.core.frozen import dataclass
from pullback.core.terms import (
    AccAdd,
    Atom,
    Block,
    Function,
    If,
    Let,
    Loop,
    Prim,
    Program,
    Var,
    sub_blocks,
)
from pullback.core.traverse import defined, map_blocks, map_functions, refresh
from pullback.core.types import F64, I64
from pullback.lower.separate import Access, Rounds, moving, summands

FEWEST = 16
"""Loops of fewer rounds stay as they were: most of them would be left when whole blocks of lanes
are through."""


def split_loops(program: Program) -> Program:
    """Return the program with those loops split that are separate afterwards."""
    return map_functions(program, _function)


def _function(f: Function) -> Function:
    return Function(f.name, f.params, _Splitter(Rounds()).block(f.body), f.results)


@dataclass(frozen=True, slots=True)
class _Meeting:
    """The index ``moves``, which differs in each iteration, equals ``stays`` in one of them; the
    only other effects at this accumulator are additions."""

    moves: Atom
    stays: Atom
    additions: tuple[AccAdd, ...]


@dataclass(frozen=True, slots=True)
class _Splitter:
    rounds: Rounds

    def block(self, block: Block) -> Block:
        lets: list[Let] = []
        for let in block.lets:
            op = map_blocks(let.op, self.block) if any(sub_blocks(let.op)) else let.op
            self.rounds.know(let)
            met = self.meeting(op) if isinstance(op, Loop) else None
            if met is None:
                lets.append(let if op is let.op else Let(let.vars, op, let.site))
            else:
                assert isinstance(op, Loop)
                b = Builder()
                loop = _split(b, op, met)
                lets += [*b.lets, Let(let.vars, loop, let.site)]
        return Block(tuple(lets), block.results)

    def meeting(self, op: Loop) -> _Meeting | None:
        """Return the indices that meet in one iteration of the loop, if the loop is separate
        without this iteration only."""
        found = self.rounds.accesses(op)
        if found is None or summands(op) is None:
            return None
        steps, fixed = moving(op), defined(op.body) | {op.index, *op.carried}
        met: list[_Meeting] = []
        for root in found.taken & found.changed:
            if not found.differ(root, steps):
                one = _met(found.of[root], steps, fixed)
                if one is None:
                    return None
                met.append(one)
        if not met or any((m.moves, m.stays) != (met[0].moves, met[0].stays) for m in met):
            return None
        return _Meeting(met[0].moves, met[0].stays, tuple(a for m in met for a in m.additions))


def _met(accesses: list[Access], steps: dict[Atom, int], varies: set[Var]) -> _Meeting | None:
    """Return the indices that meet on some axis of an accumulator."""
    for axis in zip(*(access.where for access in accesses), strict=False):
        indices = dict.fromkeys(axis)
        moves = [a for a in indices if a in steps]
        stays = [a for a in indices if a not in varies]
        if len(indices) == 2 and len(moves) == len(stays) == 1:
            there = [x.op for x, a in zip(accesses, axis, strict=True) if a == stays[0]]
            additions = tuple(x for x in there if isinstance(x, AccAdd))
            if len(additions) == len(there) and varies.isdisjoint(
                a for x in additions for a in x.indices
            ):
                return _Meeting(moves[0], stays[0], additions)
    return None


def _split(b: Builder, op: Loop, met: _Meeting) -> Loop:
    """Return the two parts; for few iterations, empty parts and the loop unsplit."""
    n = op.count
    at, step = _round_of(b, op, met)
    many = b.prim("ge", n, i64(FEWEST))
    within = b.prim("and", b.prim("ge", at, i64(0)), b.prim("lt", at, n))
    before = b.prim("select", within, at, n)
    after = b.prim("sub", b.prim("sub", n, before), i64(1))
    one = b.prim("select", within, i64(1), i64(0))
    p, carried = Var("p", I64), _fresh(op.carried)
    part = Builder()
    first = part.prim("eq", p, i64(0))
    length = part.prim("select", first, before, after)
    rounds = part.prim("select", many, length, i64(0))
    low = part.prim("select", first, i64(0), part.prim("add", before, i64(1)))
    values = _part(part, op, met, carried, low, rounds, step)
    left = part.prim("select", many, part.prim("select", first, one, i64(0)), n)
    start = part.prim("select", many, before, i64(0))
    values = _as_it_was(part, op, values, start, left)
    parts = b.prim("select", many, i64(2), i64(1))
    return Loop(parts, p, carried, op.inits, part.block(values))


def _round_of(b: Builder, op: Loop, met: _Meeting) -> tuple[Atom, int]:
    """Return the number of the iteration in which the indices meet, and the difference of ``moves``
    between two iterations: 1 or -1."""
    steps = moving(op)
    made = {let.vars[0]: let.op for let in op.body.lets if len(let.vars) == 1}
    x, at = met.moves, met.stays
    while x is not op.index:
        assert isinstance(x, Var)
        match made[x]:
            case Prim("add", (u, v)):
                x, other = (u, v) if u in steps else (v, u)
                at = b.prim("sub", at, other)
            case Prim("sub", (u, v)) if u in steps:
                x, at = u, b.prim("add", at, v)
            case Prim("sub", (u, v)):
                x, at = v, b.prim("sub", u, at)
            case _:
                raise AssertionError("no index that moves")
    return at, steps[met.moves]


def _part(
    b: Builder, op: Loop, met: _Meeting, inits: tuple[Atom, ...], low: Atom, count: Atom, step: int
) -> tuple[Atom, ...]:
    """Emit iterations in which no indices meet; additions to cells that stay are summed first."""
    r, body = Var("j", I64), Builder()
    if step > 0:
        index = body.prim("add", low, r)
    else:  # the loop goes through cells backwards: lanes are cells that follow each other
        last = b.prim("sub", count, i64(1))
        index = body.prim("sub", b.prim("add", low, last), body.prim("sub", last, r))
    carried, sums = _fresh(op.carried), tuple(Var("s", F64) for _ in met.additions)
    rest = tuple(x for x in op.body.lets if x.op not in met.additions)
    every = Block(rest, (*op.body.results, *(a.value for a in met.additions)))
    found = body.extend(
        refresh(every, {op.index: index, **dict(zip(op.carried, carried, strict=True))})
    )
    results, values = found[: len(carried)], found[len(carried) :]
    wide = (v if v.type == F64 else body.prim("to_real", v, static=(F64,)) for v in values)
    added = tuple(body.prim("add", s, v) for s, v in zip(sums, wide, strict=True))
    loop = Loop(
        count, r, (*carried, *sums), (*inits, *(f64(0) for _ in sums)),
        body.block((*results, *added)),
    )  # fmt: skip
    out = b.let(loop, tuple(v.type for v in loop.carried))
    cells = Builder()
    for a, total in zip(met.additions, out[len(carried) :], strict=True):
        cells.let(AccAdd(a.handle, a.indices, total), ())
    nothing = b.prim("le", count, i64(0))  # the cells need not exist then
    b.let(If(nothing, Block((), ()), cells.block()), ())
    return out[: len(carried)]


def _as_it_was(
    b: Builder, op: Loop, inits: tuple[Atom, ...], start: Atom, count: Atom
) -> tuple[Atom, ...]:
    """Emit iterations of the original loop, from one of them on."""
    r, body, carried = Var("j", I64), Builder(), _fresh(op.carried)
    index = body.prim("add", start, r)
    names: dict[Var, Atom] = {op.index: index, **dict(zip(op.carried, carried, strict=True))}
    results = body.extend(refresh(op.body, names))
    loop = Loop(count, r, carried, inits, body.block(results))
    return b.let(loop, tuple(v.type for v in carried))


def _fresh(variables: tuple[Var, ...]) -> tuple[Var, ...]:
    return tuple(Var(v.name, v.type) for v in variables)
