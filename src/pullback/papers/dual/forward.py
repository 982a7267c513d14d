"""F: forward mode by dual numbers (Smeding & Vákár, Fig. 1b; Krawiec et al., Figs. 3, 4, 16).

    F(R) = R * R, otherwise homomorphic
    F{r} = (r, 0)
    F{op(t1..tn)} = let (x1,u1) = F{t1} in .. in (op(x1..xn), (∂op/∂x_1)(x..) * u1 + ..)
    F{sign t} = sign (fst F{t})
    zip_R (s,d) = (s,d)       tangent_R (s,d) = d          primal_R (s,d) = s

One run for each real of the input gives the columns of the Jacobian (Forward Plan).

>>> from pullback.papers.language.terms import Let
>>> from pullback.papers.language.build import prim, reals
>>> from pullback.papers.language.pretty import show
>>> x, y, z = Var("x"), Var("y"), Var("z")
>>> FIG1 = Source(reals("x", "y"), Let("z", prim("add", x, y), prim("mul", x, z)), R)
>>> print(show(forward(FIG1)[0].body))
let x1 = fst x in
let y = snd x in
let z = (fst x1 + fst y, 1 * snd x1 + 1 * snd y) in
(fst x1 * fst z, fst z * snd x1 + fst x1 * snd z)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from pullback.papers.dual.block import Block, operands, retyped
from pullback.papers.dual.ground import DUAL_SOURCE, prepared
from pullback.papers.dual.types import Duals, dual_decls, dual_type, parametric
from pullback.papers.language.arrays import OPS
from pullback.papers.language.build import prim
from pullback.papers.language.check import Types, check
from pullback.papers.language.eval import evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Library
from pullback.papers.language.prims import dop
from pullback.papers.language.terms import (
    App,
    DataDecl,
    Lam,
    Lit,
    Op,
    Pair,
    Prim,
    Prod,
    R,
    Source,
    Term,
    Var,
)
from pullback.papers.language.traverse import deeply, map_parts
from pullback.papers.language.values import ConV, Inj, map_reals, reals_in, tuple_value
from pullback.papers.methods import Method, Outcome, register

Known = Mapping[str, Callable[[Term], Term]]
"""What becomes of operations that are primitives R^n -> R^m: of their translated argument."""


def f(t: Term, types: Types, n: Duals, known: Known = MappingProxyType({})) -> Term:
    """F{t}."""

    def go(t: Term) -> Term:
        match t:
            # F{r} = (r, 0)        F{n} = n for integers
            case Lit(float()):
                return Pair(t, Lit(0.0))
            # F{op(t1..tn)} = let (x1,u1) = F{t1} in .. (op(x1..xn), dop_1(x1..xn)(u1) + ..)
            case Prim(op, _, static):
                b = Block()
                xs, us = operands(t, lambda ts: list(map(go, ts)), types, b)
                primal = Prim(op, tuple(xs), static)
                if types[t] != R:  # F{sign t} = sign (fst F{t})
                    return b.close(primal)
                terms: list[Term] = [dop(op, k, xs, u, static) for k, u in us]
                tangent = terms[0] if terms else Lit(0.0)
                for u in terms[1:]:
                    tangent = prim("add", tangent, u)
                return b.close(Pair(primal, tangent))
            # F{f : R^n -> R^m}: Fig. 14, given by the caller
            case Op(name, (arg,)) if name in known:
                return known[name](go(arg))
            # F{x} = x   F{(s,t)} = (F{s},F{t})   F{\x.t} = \x. F{t}   and all others likewise
            case _:
                return map_parts(go, retyped(t, lambda a: dual_type(a, n)))

    return go(t)


def forward(
    source: Source, known: Known = MappingProxyType({}), library: Library = OPS
) -> tuple[Lam, tuple[DataDecl, ...]]:
    """F{\\x. t}, type-checked, and the declarations that it needs."""
    program, types = prepared(source, library)
    n = Duals(Prod(R, R), None, parametric(source.decls))
    out = f(program, types, n, known)
    assert isinstance(out, Lam)
    decls = (*source.decls, *dual_decls(source.decls, n))
    check(out, (), decls, library)
    return out, decls


def zipped(value: object, tangent: object) -> object:
    """zip: a value of duals. The tangent has () for integers, and the shape of the value."""
    match value, tangent:
        # zip_R (s,d) = (s,d)
        case float(), float():
            return value, tangent
        case list(), list():
            return [zipped(x, u) for x, u in zip(value, tangent, strict=True)]
        # zip_{A*B} ((a,b),(u,v)) = (zip_A (a,u), zip_B (b,v))
        case (a, b), (u, v):
            return zipped(a, u), zipped(b, v)
        # zip_{A+B} (inl a, inl u) = inl (zip_A (a,u)), constructors likewise
        case Inj(i, a), Inj(j, u) if i == j:
            return Inj(i, zipped(a, u))
        case ConV(c, xs), ConV(d, us) if c == d:
            return ConV(c, tuple(map(zipped, xs, us)))
        # zip_K (k,_) = k
        case (int() | ()), ():
            return value
        case _:
            raise ValueError("a tangent of another shape than the value")


def split(value: object, like: object) -> tuple[object, object]:
    """(primal, tangent) of a value of duals, in the shape of a plain value."""
    parts = iter(reals_in(value))
    both = [(p, next(parts)) for p in parts]
    primals, tangents = (iter([b[k] for b in both]) for k in (0, 1))
    return (map_reals(lambda _: next(primals), like),
            map_reals(lambda _: next(tangents), like, discrete=True))


def push(
    source: Source, args: tuple[object, ...], tangents: tuple[object, ...],
    machine: Machine | None = None, known: Known = MappingProxyType({}), library: Library = OPS,
) -> tuple[object, object]:
    """Return the value and the tangent of the result."""
    term, _ = deeply(lambda: forward(source, known, library))
    env = {"input": zipped(tuple_value(*args), tuple_value(*tangents))}
    names = dict(zip((x for x, _ in source.context), args, strict=True))
    like, _ = evaluate(source.body, names, library)
    out, _ = evaluate(App(term, Var("input")), env, library, machine)
    return split(out, like)


def run_forward(source: Source, args: tuple[object, ...], seed: object) -> Outcome:
    """Run the Forward Plan: one run for each real of the input, paired with the seed."""
    term, _ = deeply(lambda: forward(source))
    m = Machine()
    env = dict(zip((x for x, _ in source.context), args, strict=True))
    value, forward_cost = evaluate(source.body, env)

    def column(tangents: tuple[object, ...]) -> object:
        env = {"input": zipped(tuple_value(*args), tuple_value(*tangents))}
        out, _ = evaluate(App(term, Var("input")), env, machine=m)
        return split(out, value)[1]

    cotangents = by_columns(args, seed, column)
    return Outcome(value, cotangents, forward_cost, m.cost, m, term)


def by_columns(
    args: tuple[object, ...], seed: object, column: Callable[[tuple[object, ...]], object]
) -> tuple[object, ...]:
    """Return the cotangents from the columns of the Jacobian: ``column`` of each unit tangent is
    the tangent of the result, which is paired with the cotangent of the result."""
    zeros = tuple(map_reals(lambda _: 0.0, a, discrete=True) for a in args)
    made: list[float] = []
    for k in range(sum(len(reals_in(a)) for a in args)):
        places: Iterator[int] = iter(range(10**9))

        def unit(_: float, k: int = k, places: Iterator[int] = places) -> float:
            return 1.0 if next(places) == k else 0.0

        tangents = tuple(map_reals(unit, z) for z in zeros)
        u = column(tangents)
        made.append(sum((p * q for p, q in zip(reals_in(u), reals_in(seed), strict=True)), 0.0))
    columns = iter(made)
    return tuple(map_reals(lambda _: next(columns), z) for z in zeros)


register(Method(
    "forward", "F: forward mode, one run per input (Figs. 3, 4, 16)",
    DUAL_SOURCE, run_forward))
