"""Run a loop that is the same in every iteration of the loop around it once, before that one.

    build i < n. let a = build j < m. f(j) in g(a, i)
        ==>   a = if 0 < n then build j < m. f(j) else ...;  build i < n. g(a, i)

Of an operation that computes both, the part that is the same is divided from the part that is not
(``division.py``, ``rows.py``). So the rows of a Jacobian, and of a Hessian, share the work that
does not depend on the direction. What moves ends, and is run by the first iteration, so no program
does more work than before; what is kept in an array costs more than a read: a loop or a call of a
function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pullback.core.build import Builder, i64, lit
from pullback.core.call_graph import call_order
from pullback.core.effects import Effect
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Function,
    If,
    Let,
    Lit,
    Loop,
    Op,
    Program,
    Sum_,
    Var,
    sub_blocks,
)
from pullback.core.traverse import map_blocks, refresh
from pullback.core.types import I64, Array, Type
from pullback.opt.control.division import Divider
from pullback.opt.control.rows import needed, read_by
from pullback.opt.scalar.bounds import loop_indices


def hoist_loops(program: Program) -> Program:
    """Return the program with loops before the loops in which they are invariant, and with loops
    divided into the part that is invariant and the rest."""
    divider = Divider(program)
    hoister = _Hoister(divider)
    for name in call_order(program):
        f = program.functions[name]
        divider.functions[name] = Function(name, f.params, hoister.block(f.body), f.results)
    return Program(divider.functions, program.decls, program.main)


class _Hoister:
    """The walk over the functions, inner loops first."""

    def __init__(self, divider: Divider) -> None:
        self.divider = divider

    def block(self, block: Block) -> Block:
        out: list[Let] = []
        for let in block.lets:
            op = map_blocks(let.op, self.block)
            if isinstance(op, (Build, Sum_, Loop)):
                op = self.outer(op, out)
            out.append(let if op is let.op else Let(let.vars, op, let.site))
        return Block(tuple(out), block.results)

    def outer(self, op: Build | Sum_ | Loop, out: list[Let]) -> Op:
        """Return the loop without what is the same in all iterations and costs something, which
        goes to ``out``."""
        divider = self.divider
        ((bound, body),) = sub_blocks(op)
        if not any(divider.is_long(let.op) for let in body.lets):
            return op
        taken = divider.storage.taken(op)
        parts = divider.parts(body.lets, set(bound), taken=taken)
        lets = parts.lets
        wanted = [
            same and divider.is_long(let.op) for let, same in zip(lets, parts.same, strict=True)
        ]
        moved = self.moved(lets, wanted)
        wrong = divider.storage.wrong(replace(parts, same=moved), taken)
        if wrong:  # an update that is the same in all iterations, too, stays
            moved = self.moved(lets, [w and k not in wrong for k, w in enumerate(wanted)])
            if divider.storage.wrong(replace(parts, same=moved), taken):
                return op
        if not any(moved) and len(lets) == len(body.lets) and all(
            new is old for new, old in zip(lets, body.lets, strict=True)
        ):
            return op
        before = [let for let, goes in zip(lets, moved, strict=False) if goes]
        stay = [let for let, goes in zip(lets, moved, strict=False) if not goes]
        rest = Block(tuple(stay), body.results)
        if before:
            self.if_any(op, before, rest, out)
        return map_blocks(op, lambda _: rest)

    def moved(self, lets: Sequence[Let], wanted: Sequence[bool]) -> list[bool]:
        """Which lets go before the loop: the wanted ones, what they need, and what may raise before
        those of them that may raise."""
        moved = needed(lets, wanted)
        raising = [Effect.RAISE in self.divider.effects(let.op) for let in lets]
        last = max((k for k, goes in enumerate(moved) if goes and raising[k]), default=-1)
        return needed(lets, [goes or (raising[k] and k < last) for k, goes in enumerate(moved)])

    def if_any(
        self, op: Build | Sum_ | Loop, before: list[Let], rest: Block, out: list[Let]
    ) -> None:
        """Emit the lets if the loop has a first iteration; otherwise nothing that is read, of the
        same extents where these are known."""
        extents = [n for _, n in loop_indices(op)]
        unsure = [n for n in extents if not (isinstance(n, Lit) and int(n.value) > 0)]
        if not unsure:
            out.extend(before)
            return
        b = Builder()
        conds = [b.prim("gt", n, i64(0)) for n in unsure]
        cond = conds[0]
        for other in conds[1:]:
            cond = b.prim("and", cond, other)
        used = read_by(rest.lets) | {a for a in rest.results if isinstance(a, Var)}
        found = tuple(v for let in before for v in let.vars if v in used)
        then = refresh(Block(tuple(before), found))
        otherwise = Builder()
        inside = {v for let in before for v in let.vars}
        known = {
            v: let.op.extents for let in before for v in let.vars
            if isinstance(let.op, Build) and inside.isdisjoint(let.op.extents)
        }  # fmt: skip
        nothing = tuple(_unread(otherwise, v.type, known.get(v)) for v in found)
        out.extend(b.lets)
        out.append(Let(found, If(cond, then, otherwise.block(nothing))))


def _unread(b: Builder, t: Type, extents: tuple[Atom, ...] | None) -> Atom:
    """Zero, or an array of a single cell with these extents, or of no elements."""
    if not isinstance(t, Array):
        return lit(0, t)
    count = i64(1 if extents else 0)
    indices = tuple(Var("i", I64) for _ in range(t.rank))
    body = Builder()
    zeros = body.block((_unread(body, t.elem, None),))
    (made,) = b.let(Build(tuple(count for _ in indices), indices, zeros), (t,))
    return b.prim("broadcast", made, *extents) if extents else made


__all__ = ["hoist_loops"]
