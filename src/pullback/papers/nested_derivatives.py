"""Derivatives inside a program: forward mode, written into it (Krawiec et al., section 8.6).

The paper differentiates again what it has differentiated, with dual numbers inside: F's output is a
program of the source language, which any stage can take. So a derivative inside is expanded first:

    jvp f (x1..xn) (u1..un)  =  let x1 = (x1,u1) in .. F{body of f}, the values and the tangents
    vjp f (x1..xn) d         =  (f (x1..xn), d * tangent at (1,0..), d * tangent at (0,1,0..), ..)

where every real of x1..xn is a run of its own (Forward Plan); of an array there is one for each
element. Reverse over forward is free of confusion between the two: what the outer stage sees is an
ordinary program.

>>> from pullback.papers.language.build import prim, reals
>>> from pullback.papers.language.pretty import show
>>> from pullback.papers.language.terms import Var
>>> cube = Source(reals("x"), prim("mul", Var("x"), prim("mul", Var("x"), Var("x"))), R)
>>> print(show(tangent(cube, [Var("y")], [Lit(1.0)])))
let x = (y, 1) in
let t = (fst x * fst x, fst x * snd x + fst x * snd x) in
(fst x * fst t, fst t * snd x + fst x * snd t)
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.core.prims import TABLE
from pullback.papers.delta.families import Leaves, same
from pullback.papers.delta.maps import Maps
from pullback.papers.dual.forward import f as forward_mode
from pullback.papers.dual.ground import unsugared
from pullback.papers.dual.types import Duals, dual_decls, dual_type, parametric
from pullback.papers.language.build import if_, lets, prim, proj, tuple_
from pullback.papers.language.check import types_of
from pullback.papers.language.terms import (
    Arr,
    Build,
    DataDecl,
    Fst,
    Let,
    Lit,
    Op,
    Pair,
    Prim,
    Prod,
    R,
    Snd,
    Source,
    Term,
    Type,
    Var,
    ZipWith,
    fresh,
)
from pullback.papers.language.traverse import rename_apart, substitute, subterms
from pullback.papers.methods import Unsupported


def declared(source: Source) -> tuple[DataDecl, ...]:
    """Return the declarations that the expansion of a derivative of the program needs."""
    return (*source.decls, *dual_decls(source.decls, duals(source)))


def duals(source: Source) -> Duals:
    """F(R) = R * R."""
    return Duals(Prod(R, R), None, parametric(source.decls))


def tangent(source: Source, args: Sequence[Term], tangents: Sequence[Term | None]) -> Term:
    """Return F{body} at these dual numbers: a tangent per argument, None for zero."""
    for s in subterms(source.body):  # 0 times infinity is 0 for one derivative, and not for two
        if isinstance(s, Prim) and s.op in TABLE and TABLE[s.op].product != "mul":
            raise Unsupported(f"a derivative inside a function, of {s.op} with slopes that are "
                              "infinite, is not in the papers' languages")
    n = duals(source)
    maps = Maps(source.decls)
    body = rename_apart(unsugared(source.body))
    out = forward_mode(body, types_of(body, source.context, source.decls), n)
    bound = []
    names = {}
    for (x, t), a, u in zip(source.context, args, tangents, strict=True):
        names[x] = Var(fresh(x))
        bound.append((names[x].name, zipped(maps, t, a, u, n)))
    return maps.close(lets(bound, substitute(out, names)))


def zipped(maps: Maps, t: Type, x: Term, u: Term | None, n: Duals) -> Term:
    """zip of an argument and its tangent."""
    if u is None:
        return maps.map(t, x, Leaves("zip", lambda r: Pair(r, Lit(0.0)), same,
                                     lambda s: dual_type(s, n)))
    if t == R:
        return Pair(x, u)
    if isinstance(t, Arr):
        v, w = fresh("v"), fresh("w")
        return ZipWith(v, w, zipped(maps, t.elem, Var(v), Var(w), n), x, u)
    raise Unsupported("a derivative inside a function is by reals and arrays of them in the "
                      "papers' languages")


def results_of(source: Source, count: int, y: Term) -> list[tuple[Term, Term]]:
    """Return (primal, tangent) of each result: reals."""
    types = split(source.result, count)
    if any(t != R for t in types):
        raise Unsupported("a derivative inside a function is of reals in the papers' languages")
    parts = [proj(y, k, count) for k in range(count)]
    return [(Fst(p), Snd(p)) for p in parts]


def split(t: Type, n: int) -> list[Type]:
    """Return the n components of a tuple type."""
    out: list[Type] = []
    while len(out) < n - 1:
        assert isinstance(t, Prod)
        out.insert(0, t.right)
        t = t.left
    return [t, *out]


def jvp(source: Source, count: int, args: Sequence[Term], wrt: Sequence[int],
        tangents: Sequence[Term]) -> Term:  # fmt: skip
    """Return the results and their tangents."""
    by = dict(zip(wrt, tangents, strict=True))
    y = fresh("y")
    found = results_of(source, count, Var(y))
    whole = tuple_(*(p for p, _ in found), *(u for _, u in found))
    return Let(y, tangent(source, args, [by.get(k) for k in range(len(args))]), whole)


def vjp(source: Source, count: int, args: Sequence[Term], wrt: Sequence[int],
        seeds: Sequence[Term]) -> Term:  # fmt: skip
    """Return the results and the cotangents of the arguments ``wrt``."""
    types = [t for _, t in source.context]

    def slope(k: int, u: Term) -> Term:
        """The seeds times the tangents of the results, for the tangent u of argument k."""
        y = fresh("y")
        out: Term = Lit(0.0)
        terms = [prim("mul", s, du) for s, (_, du) in zip(
            seeds, results_of(source, count, Var(y)), strict=True)]
        for i, t in enumerate(terms):
            out = t if i == 0 else prim("add", out, t)
        return Let(y, tangent(source, args, [u if j == k else None for j in range(len(args))]), out)

    def cotangent(k: int) -> Term:
        if types[k] == R:
            return slope(k, Lit(1.0))
        if types[k] != Arr(R):
            raise Unsupported("a derivative inside a function is by reals and vectors of them in "
                              "the papers' languages")
        i, j = fresh("i"), fresh("j")
        size = Op("length", (args[k],))
        onehot = Build(size, j, if_(prim("eq", Var(i), Var(j)), Lit(1.0), Lit(0.0)))
        return Build(size, i, slope(k, onehot))

    y = fresh("y")
    values = [proj(Var(y), k, count) for k in range(count)]
    return Let(y, inlined(source, args), tuple_(*values, *map(cotangent, wrt)))


def inlined(source: Source, args: Sequence[Term]) -> Term:
    """Return the body at these arguments."""
    names = {x: Var(fresh(x)) for x, _ in source.context}
    return lets([(names[x].name, a) for (x, _), a in zip(source.context, args, strict=True)],
                substitute(source.body, names))


__all__ = ["declared", "jvp", "tangent", "vjp"]
