"""A sum as sequential loops that carry the totals.

    s = sum(i < n, j < m) e    ==>    s = loop i < n, t = 0.0. (loop j < m, u = t. u + e)
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.core.build import lit
from pullback.core.terms import Atom, Block, Let, Loop, Prim, Sum_, Var

Like = Callable[[tuple[Var, ...]], tuple[Var, ...]]


def loops_of_sum(let: Let, op: Sum_, like: Like) -> Let:
    """Return the loops; ``like`` gives fresh variables that are as active as others."""

    def level(axis: int, totals: tuple[Var, ...]) -> tuple[tuple[Let, ...], tuple[Var, ...]]:
        """Return the lets that continue the totals over the axes from this one on."""
        if axis == len(op.extents):
            nexts = like(let.vars)
            adds = tuple(
                Let((n,), Prim("add", (t, r)))
                for n, t, r in zip(nexts, totals, op.body.results, strict=True)
            )
            return (*op.body.lets, *adds), nexts
        inner, outs = like(let.vars), like(let.vars)
        lets, nexts = level(axis + 1, inner)
        loop = Loop(op.extents[axis], op.indices[axis], inner, totals, Block(lets, nexts))
        return (Let(outs, loop, let.site),), outs

    zeros: tuple[Atom, ...] = tuple(lit(0.0, v.type) for v in let.vars)
    inner = like(let.vars)
    lets, nexts = level(1, inner)
    loop = Loop(op.extents[0], op.indices[0], inner, zeros, Block(lets, nexts))
    return Let(let.vars, loop, let.site)


__all__ = ["loops_of_sum"]
