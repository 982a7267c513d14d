"""The row for systems of equations with sparse matrices: x with A x = b (``sparse_solutions``).

    sparse_solve(reals, words; turned)    the reals of x

``reals`` are the values of the entries of A, and then b; so the derivative of A is that of its
entries: of x it is A^-1 (db - dA x), and cotangents c give w = A^-T c to b and -w x' to A."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pullback.core.rows import ZERO, Mark, Row, Static, Table, Whole
from pullback.core.sparse_solutions import sparse_solution
from pullback.core.terms import Atom, Build, Lit, Loop, Sum_, Update, Var
from pullback.core.types import F64, I64, Array, Type

if TYPE_CHECKING:
    from pullback.core.build import Builder

SPARSE = Table()
_VECTOR = Array(F64, 1)
_ONE = Lit(1, I64)

Args = tuple[Atom, ...]
Given = tuple[Atom | None, ...]


def _rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
    if types != (_VECTOR, Array(I64, 1), I64) or len(static) != 1:
        raise TypeError(f"takes reals, words and a size, not {types}")
    return (_VECTOR,)


def _meaning(reals: object, words: object, count: int, turned: int) -> object:
    return sparse_solution(reals, words, turned)  # type: ignore[arg-type]  # of the evaluator


class _Equations:
    """The parts of a system, as Core."""

    def __init__(self, b: Builder, args: Args, turned: int) -> None:
        self.b, (self.reals, self.words, self.size) = b, args
        self.columns = b.index(self.words, (Lit(0, I64),), checked=False)
        self.entries = b.prim("floordiv", b.dim(self.words, 0), Lit(2, I64))
        self.turned = turned

    def place(self, b: Builder, k: Atom, second: int) -> Var:
        """The row of an entry, or the column."""
        at = b.prim("add", k, _ONE)
        if second != self.turned:
            at = b.prim("add", at, self.entries)
        return b.index(self.words, (at,), checked=False)

    def at(self, b: Builder, place: Atom, column: Atom) -> Var:
        """Where an item of x or b stands."""
        return b.prim("add", b.prim("mul", place, self.columns), column)

    def vector(self, size: Atom, item: Callable[[Builder, Var], Atom]) -> Var:
        """The vector of these items."""
        i, inner = Var("i", I64), type(self.b)()
        body = inner.block((item(inner, i),))
        return self.b.let(Build((size,), (i,), body), (_VECTOR,))[0]

    def joined(self, entry: Callable[[Builder, Var], Atom], right: Atom) -> Var:
        """The values of entries, and behind them a right side."""

        def item(b: Builder, i: Var) -> Atom:
            behind = b.prim("sub", i, self.entries)
            is_right = b.prim("ge", behind, Lit(0, I64))
            there = b.prim("select", is_right, behind, Lit(0, I64))
            k = b.prim("select", is_right, Lit(0, I64), i)
            mine = b.index(right, (there,), checked=False)
            return b.prim("select", is_right, mine, entry(b, k))

        return self.vector(self.b.prim("add", self.entries, self.size), item)

    def solved(self, right: Atom, turned: int) -> Var:
        """The solution for another right side."""
        reals = self.joined(lambda b, k: b.index(self.reals, (k,), checked=False), right)
        return self.b.prim("sparse_solve", reals, self.words, self.size, static=(turned,))


def _tangent(b: Builder, args: Args, d: Given, x: Atom, static: Static) -> Atom:
    e, moved = _Equations(b, args, _turned(static)), d[0]
    assert moved is not None
    behind = e.vector(
        e.size, lambda c, i: c.index(moved, (c.prim("add", i, e.entries),), checked=False)
    )
    at, right, inner = Var("at", I64), Var("right", _VECTOR), type(b)()
    k, j = inner.prim("floordiv", at, e.columns), inner.prim("mod", at, e.columns)
    slope = inner.index(moved, (k,), checked=False)
    value = inner.index(x, (e.at(inner, e.place(inner, k, 1), j),), checked=False)
    to = e.at(inner, e.place(inner, k, 0), j)
    old = inner.index(right, (to,), checked=False)
    new = inner.prim("sub", old, inner.prim("mul", slope, value))
    (stored,) = inner.let(Update(right, (to,), new, False), (_VECTOR,))
    count = b.prim("mul", e.entries, e.columns)
    loop = Loop(count, at, (right,), (behind,), inner.block((stored,)))
    return e.solved(b.let(loop, (_VECTOR,))[0], _turned(static))


def _cotangents(b: Builder, args: Args, ct: Atom, x: Atom, static: Static) -> Given:
    e = _Equations(b, args, _turned(static))
    w = e.solved(ct, 1 - _turned(static))

    def entry(c: Builder, k: Var) -> Atom:
        j, inner = Var("j", I64), type(b)()
        back = inner.index(w, (e.at(inner, e.place(inner, k, 0), j),), checked=False)
        value = inner.index(x, (e.at(inner, e.place(inner, k, 1), j),), checked=False)
        body = inner.block((inner.prim("mul", back, value),))
        return c.prim("neg", c.let(Sum_((e.columns,), (j,), body), (F64,))[0])

    return e.joined(entry, w), None, None


def _turned(static: Static) -> int:
    (turned,) = static
    assert isinstance(turned, int)
    return turned


SPARSE.add(Row(
    "sparse_solve", 3, _rule, _meaning, (Mark.WHOLE, ZERO, ZERO), {"array": "lower"}, effect=True,
    cost="size", whole=Whole(_tangent, _cotangents),
))  # fmt: skip

__all__ = ["SPARSE"]
