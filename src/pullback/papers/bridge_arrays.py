"""Core's array primitives in the papers' language, where an array of rank n is an array of arrays.

What is a view in Core is built anew here, so it costs its size.

>>> from pullback.papers.language.pretty import show
>>> print(show(array_prim("slice", [Var("a"), Var("s"), Lit(3), Lit(2)], (0,), 1)))
build 3 (i. a ! (s + i * 2))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pullback.papers.language.build import if_, op, prim
from pullback.papers.language.terms import Build, Foldl, Let, Lit, Map, Op, Prim, Term, Var, fresh

Body = Callable[[Term], Term]


def build(n: Term, body: Body) -> Term:
    """build n (i. body(i))."""
    i = fresh("i")
    return Build(n, i, body(Var(i)))


def over(axis: int, a: Term, body: Body) -> Term:
    """Return the term of ``body`` on every subarray of ``a`` below so many axes."""
    if axis == 0:
        return body(a)
    x = fresh("x")
    return Map(x, over(axis - 1, Var(x), body), a)


def named(t: Term, body: Body) -> Term:
    """let x = t in body(x), but for a variable or literal the body alone."""
    if isinstance(t, Var | Lit):
        return body(t)
    x = fresh("a")
    return Let(x, t, body(Var(x)))


def one(t: Term) -> Term:
    """Return the array [t]."""
    return build(Lit(1), lambda _: t)


def at(a: Term, indices: Sequence[Term]) -> Term:
    """a ! i ! j ..."""
    for i in indices:
        a = op("index", a, i)
    return a


def dim(a: Term, axis: int) -> Term:
    """Return an extent; 0 below an empty one."""
    n = op("length", a)
    if axis == 0:
        return n
    return if_(prim("eq", n, 0), 0, named(at(a, [Lit(0)]), lambda row: dim(row, axis - 1)))


def from_the_end(a: Term, i: Term) -> Term:
    """Return the index with a negative index counted from the end."""
    return prim("select", prim("lt", i, 0), prim("add", i, op("length", a)), i)


def checked(a: Term, indices: Sequence[Term], body: Callable[[Sequence[Term]], Term]) -> Term:
    """Return ``body`` of the indices, as Python means them."""

    def level(sub: Term, k: int, done: list[Term]) -> Term:
        if k == len(indices):
            return body(done)
        return named(from_the_end(sub, indices[k]), lambda i: (
            body([*done, i]) if k + 1 == len(indices)
            else named(at(sub, [i]), lambda row: level(row, k + 1, [*done, i]))))

    return level(a, 0, [])


def update(a: Term, indices: Sequence[Term], v: Term) -> Term:
    """Return the array with one element replaced."""
    i = indices[0]
    if len(indices) > 1:
        v = named(at(a, [i]), lambda row: update(row, indices[1:], v))
    return op("scatter_set", a, one(i), one(v))


def slice_(a: Term, start: Term, n: Term, step: Term) -> Term:
    """a[start], a[start + step], ... : n elements."""
    return build(n, lambda k: at(a, [prim("add", start, prim("mul", k, step))]))


def transpose(a: Term, perm: Sequence[int]) -> Term:
    """Return the axes in the order ``perm``."""
    if tuple(perm) == (1, 0):
        return op("transpose", a)

    def level(k: int, indices: dict[int, Term]) -> Term:
        if k == len(perm):
            return at(a, [indices[axis] for axis in range(len(perm))])
        return build(dim(a, perm[k]), lambda i: level(k + 1, {**indices, perm[k]: i}))

    return level(0, {})


def broadcast(a: Term, extents: Sequence[Term]) -> Term:
    """Return the array with its axes of extent 1 repeated."""
    if not extents:
        return a
    n = op("length", a)
    return build(extents[0], lambda i: named(
        at(a, [prim("select", prim("eq", n, 1), 0, i)]), lambda row: broadcast(row, extents[1:])))


def reshape(a: Term, rank: int, extents: Sequence[Term]) -> Term:
    """Return the same elements in row-major order."""

    def from_flat(flat: Term, sub: Term, left: int) -> Term:
        # Position ``flat`` below ``left`` axes: whole rows first, then inside one.
        if left == 1:
            return at(sub, [flat])
        row = at(sub, [Lit(0)])
        size = dim(row, 0)
        for axis in range(1, left - 1):
            size = prim("mul", size, dim(row, axis))
        return named(size, lambda n: named(
            at(sub, [prim("floordiv", flat, n)]),
            lambda inner: named(prim("mod", flat, n), lambda k: from_flat(k, inner, left - 1))))

    def level(k: int, flat: Term) -> Term:
        if k == len(extents):
            return from_flat(flat, a, rank)
        return build(extents[k], lambda i: named(
            prim("add", prim("mul", flat, extents[k]), i), lambda f: level(k + 1, f)))

    return level(0, Lit(0))


def array_prim(
    name: str, args: Sequence[Term], static: Sequence[object], rank: int
) -> Term | None:
    """Return a primitive on arrays (the first argument has this rank); None if it is none of
    them."""
    axis = static[0] if static and isinstance(static[0], int) else 0
    a = args[0]
    match name:
        case "dim":
            return dim(a, axis)
        case "slice":
            return over(axis, a, lambda sub: slice_(sub, args[1], args[2], args[3]))
        case "pick":
            return over(axis, a, lambda sub: at(sub, [args[1]]))
        case "transpose":
            return transpose(a, [k for k in static if isinstance(k, int)])
        case "expand":
            return over(axis, a, one)
        case "broadcast":
            return broadcast(a, args[1:])
        case "reshape":
            return reshape(a, rank, args[1:])
        case "stack" | "copy":  # an array of arrays is one already, and values never change
            return a
        case "stop_gradient" if rank:
            return over(rank, a, lambda x: Prim("stop_gradient", (x,)))
        case _:
            return None


def total(a: Term, real: bool) -> Term:
    """Return the sum of an array of reals, or of integers."""
    if real:
        return Op("sum", (a,))
    acc, x = fresh("acc"), fresh("x")
    return Foldl(acc, x, prim("add", Var(acc), Var(x)), Lit(0), a)
