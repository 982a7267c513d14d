"""Sums of products over two free indices are matrix products, which BLAS multiplies above a size.

    build i < n, j < m.                          c = if n m k is large and x is n by k, y k by m
      s = sum l < k. x[i, l] y[l, j]     ==>           then product x y
      e(s)                                             else build i < n, j < m. sum l < k. ...
                                                 build i < n, j < m. e(c[i, j])

It does not matter how the product was written: ``@``, ``einsum``, loops and comprehensions have
become builds and sums. Their adjoints are products again (``core/prims_linear.py``). A contraction
inside a sequential loop, a branch of a loop or another function stays where it is: such matrices
are mostly small, and their elements are fused with what is made of them.

A register tile and a blocked cache make a product of 512 by 512 twenty times as fast as lanes over
its columns; below ``SMALL`` multiplications the call and the copies cost more than they gain.
"""

from __future__ import annotations

from dataclasses import dataclass

from pullback.core.build import Builder, lit
from pullback.core.terms import (
    Atom,
    Block,
    Build,
    Function,
    If,
    Index,
    Let,
    Op,
    Prim,
    Program,
    Sum_,
    Var,
)
from pullback.core.traverse import defined, refresh
from pullback.core.types import F64, I64, Array

SMALL = 16_000
"""With fewer multiplications the sums stay as they are."""

MOST = 1 << 22
"""A product that is no array of the program takes at most so many elements."""

_MATRIX = Array(F64, 2)

Axes = dict[Var, Atom]
"""The indices of the loops around a place, outer ones first, and their extents."""


@dataclass(frozen=True, slots=True)
class _Contraction:
    """The sum over k of ``left[i, k] right[k, j]``; ``turned``: whether each is read transposed."""

    i: Var
    j: Var
    inner: Atom
    left: Atom
    right: Atom
    turned: tuple[bool, bool]


def contract(program: Program) -> Program:
    """Return the program with products of large matrices made by BLAS."""
    main = program.functions[program.main]
    made = Function(main.name, main.params, _block(main.body), main.results)
    return Program({**program.functions, main.name: made}, program.decls, program.main)


def _block(block: Block) -> Block:
    b = Builder()
    for let in block.lets:
        match let.op:
            case If(cond, then, orelse):
                op: Op = If(cond, _block(then), _block(orelse))
            case Build() | Sum_():
                op = _Nest(b, defined(Block((let,), ()))).outermost(let.op)
            case _:
                op = let.op
        b.lets.append(Let(let.vars, op, let.site))
    return b.block(block.results)


class _Nest:
    """A nest of independent loops, which bind the variables ``inside``; products go in front."""

    def __init__(self, front: Builder, inside: set[Var]) -> None:
        self.front = front
        self.inside = inside

    def outermost(self, op: Build | Sum_) -> Op:
        """Return the whole nest, or the product if it is nothing else."""
        match op:
            case Build((n, m), (i, j), Block((Let((s,), inner),), (r,))) if r is s:
                found = self.contraction(inner, {i: n, j: m})
                if found is not None:
                    return self.product(found, (n, m), op)
        return self.loop(op, {})

    def loop(self, op: Build | Sum_, around: Axes) -> Build | Sum_:
        axes = around | dict(zip(op.indices, op.extents, strict=True))
        lets = tuple(self.let(let, axes) for let in op.body.lets)
        return type(op)(op.extents, op.indices, Block(lets, op.body.results))

    def let(self, let: Let, axes: Axes) -> Let:
        found = self.contraction(let.op, axes)
        if found is not None:
            i, j = Var("i", I64), Var("j", I64)
            body = refresh(Block((let,), let.vars), {found.i: i, found.j: j})
            extents = axes[found.i], axes[found.j]
            whole = self.product(found, extents, Build(extents, (i, j), body), MOST)
            (c,) = self.front.let(whole, (_MATRIX,))
            return Let(let.vars, Index(c, (found.i, found.j), False))
        if isinstance(let.op, Build | Sum_):
            return Let(let.vars, self.loop(let.op, axes), let.site)
        return let

    def contraction(self, op: Op, axes: Axes) -> _Contraction | None:
        """Return what a sum contracts, if that is matrices from outside of the nest."""
        match op:
            case Sum_((inner,), (k,), Block((
                Let((x,), Index(a, (_, _) as at, False)), Let((y,), Index(c, (_, _) as to, False)),
                Let((p,), Prim("mul", factors)),
            ), (r,))) if r is p and set(factors) == {x, y} and x is not y:  # fmt: skip
                if a.type != _MATRIX or c.type != _MATRIX or self.inside & {a, c, inner}:
                    return None
                free = [v for v in (*at, *to) if v is not k and isinstance(v, Var) and v in axes]
                if len(free) != 2 or free[0] is free[1] or k not in at or k not in to:
                    return None
                if self.inside & {axes[free[0]], axes[free[1]]}:
                    return None
                if [*axes].index(free[0]) < [*axes].index(free[1]):
                    return _Contraction(free[0], free[1], inner, a, c, (at[0] is k, to[1] is k))
                return _Contraction(free[1], free[0], inner, c, a, (to[0] is k, at[1] is k))
            case _:
                return None

    def product(
        self, c: _Contraction, extents: tuple[Atom, Atom], small: Build, most: int = 0
    ) -> If:
        """Return the matrix: by BLAS, or by the build ``small``."""
        b, (n, m), k = self.front, extents, c.inner
        size = b.prim("mul", n, m)
        tests = [b.prim("ge", b.prim("mul", size, k), lit(SMALL, I64))]
        if most:
            tests.append(b.prim("le", size, lit(most, I64)))
        for matrix, rows, columns, turned in (
            (c.left, n, k, c.turned[0]), (c.right, k, m, c.turned[1]),
        ):  # fmt: skip
            for extent, axis in ((rows, int(turned)), (columns, 1 - int(turned))):
                tests.append(b.prim("eq", b.dim(matrix, axis), extent))
        both = tests[0]
        for test in tests[1:]:
            both = b.prim("and", both, test)
        large = Builder()
        factors = [
            large.prim("transpose", matrix, static=(1, 0)) if turned else matrix
            for matrix, turned in zip((c.left, c.right), c.turned, strict=True)
        ]
        large_block = large.block((large.prim("product", *factors),))
        orelse = Builder()
        return If(both, large_block, orelse.block(orelse.let(small, (_MATRIX,))))


__all__ = ["contract"]
