"""Merge a reduction with its own reverse sweep into one loop.

The reverse of ``s = sum i < n. e`` runs ``e`` again (DESIGN.md, "Recompute or store"). If the
cotangent of ``s`` does not depend on ``s`` (a log-likelihood: a sum, seeded with 1), the value can
be summed in the same loop:

    let s = sum i < n. e;  pure...;  do sum j < n. e'; acc += ...
    ==>  pure that does not need s;  let s = sum j < n. e'; acc += ...; return e;  the rest

``cse`` then finds ``e`` in ``e'``, and nothing runs twice. Two sums over the same extents in one
block are merged if the later one accumulates and does not depend on the earlier one.
"""

from __future__ import annotations

from pullback.core.effects import EffectsOf
from pullback.core.terms import Atom, Block, Function, Let, Lit, Program, Sum_, Var
from pullback.core.traverse import all_lets, free_variables_of, map_blocks, refresh
from pullback.opt.arrays.storage import updated_arrays


def merge_sums(program: Program) -> Program:
    """Return the program with sums merged with their reverse sweeps."""
    merger = _Merger(EffectsOf(program), updated_arrays(program))
    functions = {
        name: Function(f.name, f.params, merger.block(f.body), f.results)
        for name, f in program.functions.items()
    }
    return Program(functions, program.decls, program.main)


class _Merger:
    def __init__(self, effects: EffectsOf, updated: frozenset[Var]) -> None:
        self.effects = effects
        self.updated = updated

    def block(self, block: Block) -> Block:
        lets = [Let(x.vars, map_blocks(x.op, self.block), x.site) for x in block.lets]
        q = 0
        while q < len(lets):
            merged = self.try_at(lets, q)
            if merged is not None:
                lets, q = merged
            q += 1
        return Block(tuple(lets), block.results)

    def try_at(self, lets: list[Let], q: int) -> tuple[list[Let], int] | None:
        """Merge the sum at ``q`` with an earlier one, if that is allowed."""
        later = lets[q].op
        if not isinstance(later, Sum_) or self.effects.is_pure(later):
            return None
        for p in range(q - 1, -1, -1):
            earlier = lets[p].op
            if (
                isinstance(earlier, Sum_)
                and self.effects.is_pure(earlier)
                and _same_extents(earlier.extents, later.extents)
                and len(list(all_lets(later.body))) > len(list(all_lets(earlier.body)))
                and self.updated.isdisjoint(free_variables_of(earlier))
            ):
                needs = self.dependents(lets, p, q)
                if needs is not None:
                    rest = [x for x in lets[p + 1 : q] if x not in needs]
                    both = _merge(lets[p], earlier, lets[q], later)
                    out = [*lets[:p], *rest, both, *needs, *lets[q + 1 :]]
                    return out, p + len(rest)
        return None

    def dependents(self, lets: list[Let], p: int, q: int) -> list[Let] | None:
        """Return the lets between that need the earlier sum; None if they cannot be moved behind
        the later one."""
        tainted = set(lets[p].vars)
        out: list[Let] = []
        for let in lets[p + 1 : q]:
            if not tainted.isdisjoint(free_variables_of(let.op)):
                if not self.effects.is_pure(let.op):
                    return None
                tainted.update(let.vars)
                out.append(let)
        if not tainted.isdisjoint(free_variables_of(lets[q].op)):
            return None
        return out


def _same_extents(a: tuple[Atom, ...], b: tuple[Atom, ...]) -> bool:
    return len(a) == len(b) and all(
        x is y or (isinstance(x, Lit) and isinstance(y, Lit) and x == y)
        for x, y in zip(a, b, strict=True)
    )


def _merge(first: Let, earlier: Sum_, second: Let, later: Sum_) -> Let:
    rename: dict[Var, Atom] = dict(zip(later.indices, earlier.indices, strict=True))
    body = refresh(later.body, rename)
    merged = Block(earlier.body.lets + body.lets, earlier.body.results + body.results)
    op = Sum_(earlier.extents, earlier.indices, merged)
    return Let(first.vars + second.vars, op, first.site)
