"""Compile the first round of a loop apart where it settles what every later round branches on.

    loop i < n with first = True, s = 0.0          if 0 < n
      t = if first then x[i] else s * x[i]   ==>     then loop j < n - 1 with s = x[0]
      return False, t                                       return s * x[j + 1]
                                                     else 0.0

Such a flag says whether a variable is still None, which type it has (``total = 0`` before a loop
that adds arrays), or that a round is the first. Without it no round keeps for the reverse sweep
which way it went, and what is left may be a sum or run in lanes. LLVM peels loops for the same
reason ("turn a phi into an invariant"), but it comes after differentiation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from pullback.core.build import Builder, i64
from pullback.core.terms import Atom, Block, Function, If, Let, Lit, Loop, Program, Var, While
from pullback.core.traverse import all_lets, map_blocks, map_functions, refresh, substitute, uses
from pullback.core.types import I64
from pullback.opt.scalar.simplify import simplify

T = TypeVar("T")
_MOST = 200
"""Loops with more lets than this are not written twice."""


def peel_rounds(program: Program) -> Program:
    """Return the program with such loops after their first round."""
    walk = _Peeler()
    peeled = map_functions(
        program, lambda f: Function(f.name, f.params, walk.block(f.body), f.results)
    )
    return simplify(peeled) if walk.changed else program


class _Peeler:
    """The walk over the functions, inner loops first."""

    def __init__(self) -> None:
        self.changed = False

    def block(self, block: Block) -> Block:
        return Block(tuple(y for x in block.lets for y in self.lets(x)), block.results)

    def lets(self, let: Let) -> Iterable[Let]:
        op = map_blocks(let.op, self.block)
        if isinstance(op, (Loop, While)):
            settled = _settled(op)
            if settled and self.is_worth_it(op, settled):
                self.changed = True
                return _peeled(op, settled, let)
        return (Let(let.vars, op, let.site),)

    def is_worth_it(self, op: Loop | While, settled: Iterable[int]) -> bool:
        """Whether a round reads what is settled, and is short."""
        blocks = (op.body,) if isinstance(op, Loop) else (op.cond, op.body)
        flags = {op.carried[k] for k in settled}
        if all(flags.isdisjoint(uses(b)) for b in blocks):
            return False
        return sum(1 for b in blocks for _ in all_lets(b)) <= _MOST


def _settled(op: Loop | While) -> dict[int, Lit]:
    """Return the carried variables that are one constant before and another one after every
    round; none of a loop that emits arrays."""
    if len(op.body.results) > len(op.carried):
        return {}
    pairs = enumerate(zip(op.body.results, op.inits, strict=True))
    return {
        k: r for k, (r, init) in pairs
        if isinstance(r, Lit) and isinstance(init, Lit) and r != init
    }  # fmt: skip


def _peeled(op: Loop | While, settled: dict[int, Lit], let: Let) -> list[Let]:
    """Return the first round, if there is one, and the loop over the other ones."""
    head, arm, rest = Builder(), Builder(), Builder()
    known: dict[Var, Atom] = {op.carried[k]: r for k, r in settled.items()}
    first: dict[Var, Atom] = dict(zip(op.carried, op.inits, strict=True))
    kept = [k for k in range(len(op.carried)) if k not in settled]
    again: Loop | While
    if isinstance(op, Loop):
        index = Var(op.index.name, I64)
        begins: Atom = head.prim("lt", i64(0), op.count)
        given = arm.extend(refresh(op.body, {**first, op.index: i64(0)}))
        known[op.index] = rest.prim("add", index, i64(1))
        after = rest.extend(substitute(op.body, known))
        again = Loop(
            arm.prim("sub", op.count, i64(1)), index, _of(op.carried, kept), _of(given, kept),
            rest.block(_of(after, kept)),
        )  # fmt: skip
    else:
        (begins,) = head.extend(refresh(op.cond, first))
        given = arm.extend(refresh(op.body, first))
        after = rest.extend(substitute(op.body, known))
        again = While(
            _of(op.carried, kept), _of(given, kept), substitute(op.cond, known),
            rest.block(_of(after, kept)),
        )  # fmt: skip
    made = iter(arm.let(again, tuple(let.vars[k].type for k in kept), let.site))
    results = tuple(settled[k] if k in settled else next(made) for k in range(len(op.carried)))
    both = If(begins, arm.block(results), Block((), op.inits))
    return [*head.lets, Let(let.vars, both, let.site)]


def _of(items: Sequence[T], kept: Iterable[int]) -> tuple[T, ...]:
    return tuple(items[k] for k in kept)


__all__ = ["peel_rounds"]
