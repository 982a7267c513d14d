"""Triple numbers: value, first and second derivative at once (Krawiec et al., section 8.6).

    T(R) = R * (R * R), otherwise homomorphic                       (x, x', x'')
    T{r} = (r, 0, 0)
    T{op(t1..tn)} = (op x, Σ_i p_i x_i', Σ_i (p_i x_i'' + p_i' x_i'))   p_i = (∂_i op)(x1..xn)
    p_i' is the tangent of p_i along (x1'..xn'): the forward mode F of the term ∂_i op

so f(x) becomes (f x, f' x', f'' x'^2 + f' x''), and a product (xy, x'y + xy', x''y + 2x'y' + xy'').
``delta.lazy`` has the same by overloading.

>>> from pullback.papers.language.terms import Let
>>> from pullback.papers.language.build import reals
>>> from pullback.papers.language.pretty import show
>>> x, y, z = Var("x"), Var("y"), Var("z")
>>> FIG1 = Source(reals("x", "y"), Let("z", prim("add", x, y), prim("mul", x, z)), R)
>>> second(FIG1, (3.0, 4.0), (1.0, 0.0))
(21.0, 10.0, 2.0)
>>> cube = Source(reals("x"), prim("mul", x, prim("mul", x, x)), R)
>>> second(cube, (2.0,), (1.0,))
(8.0, 12.0, 12.0)
>>> print(show(triples(Source(reals("x"), prim("sin", x), R))[0].body))
let p = let a = (fst x, fst (snd x)) in (cos (fst a), -sin (fst a) * snd a) in
(sin (fst x), (fst p * fst (snd x), fst p * snd (snd x) + snd p * fst (snd x)))
"""

from __future__ import annotations

from collections.abc import Sequence

from pullback.papers.dual.block import Block, operands, retyped
from pullback.papers.dual.forward import by_columns
from pullback.papers.dual.forward import f as forward_term
from pullback.papers.dual.ground import DUAL_SOURCE, prepared
from pullback.papers.dual.types import Duals, dual_decls, dual_type, parametric
from pullback.papers.language.build import lets, prim
from pullback.papers.language.check import Types, check, types_of
from pullback.papers.language.eval import evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.prims import arity, partial, split_type, times
from pullback.papers.language.terms import (
    App,
    DataDecl,
    Fst,
    Lam,
    Lit,
    Pair,
    Prim,
    Prod,
    R,
    Snd,
    Source,
    Term,
    Type,
    Var,
    fresh,
)
from pullback.papers.language.traverse import deeply, map_parts
from pullback.papers.language.values import map_reals, reals_in, tuple_value
from pullback.papers.methods import Method, Outcome, register

TRIPLE = Prod(R, Prod(R, R))


def t3(t: Term, types: Types, n: Duals) -> Term:
    """T{t}."""

    def go(t: Term) -> Term:
        match t:
            # T{r} = (r, 0, 0)
            case Lit(float()):
                return Pair(t, Pair(Lit(0.0), Lit(0.0)))
            # T{op(t1..tn)} = (op x, Σ_i p_i x_i', Σ_i (p_i x_i'' + p_i' x_i'))
            case Prim(op, _, static):
                b = Block()
                xs, active = operands(t, lambda ts: list(map(go, ts)), types, b)
                y = Prim(op, tuple(xs), static)
                return b.close(y if types[t] != R else Pair(y, slopes(
                    t, xs, kinds(t, types), active, b)))
            # T{x} = x   T{(s,t)} = (T{s},T{t})   T{\x.t} = \x. T{t}   and all others likewise
            case _:
                return map_parts(go, retyped(t, lambda a: dual_type(a, n)))

    return go(t)


def kinds(t: Prim, types: Types) -> list[Type]:
    """Return the types of the arguments of a primitive."""
    n = arity(t.op)
    if len(t.args) == 1 and n > 1:  # op on a tuple
        return split_type(types[t.args[0]], n)
    return [types[a] for a in t.args]


def slopes(
    t: Prim, xs: Sequence[Term], of: Sequence[Type], active: Sequence[tuple[int, Term]], b: Block
) -> Term:
    """(Σ_i p_i x_i', Σ_i (p_i x_i'' + p_i' x_i'))."""
    first: list[Term] = []
    second: list[Term] = []
    for i, u in active:
        value, slope = coefficient(t, i, xs, of, dict(active), b)
        first.append(times(t.op, value, Fst(u)))
        second.append(times(t.op, value, Snd(u)))
        if slope is not None:
            second.append(times(t.op, slope, Fst(u)))
    return Pair(total(first), total(second))


def coefficient(
    t: Prim, i: int, xs: Sequence[Term], of: Sequence[Type], tangents: dict[int, Term], b: Block
) -> tuple[Term, Term | None]:
    """p_i and p_i': F of the i-th partial at the duals (x_j, x_j')."""
    names = [fresh("a") for _ in xs]
    p = partial(t.op, i, [Var(v) for v in names], t.static)
    if isinstance(p, Lit):
        return p, None
    lifted = forward_term(p, types_of(p, dict(zip(names, of, strict=True))), Duals(Prod(R, R)))
    at = [(v, Pair(x, Fst(tangents[j]) if j in tangents else Lit(0.0)) if kind == R else x)
          for j, (v, x, kind) in enumerate(zip(names, xs, of, strict=False))]
    both = b.name("p", lets(at, lifted))
    return Fst(both), Snd(both)


def total(terms: Sequence[Term]) -> Term:
    """t1 + t2 + ..; 0 if there is none."""
    out: Term = terms[0] if terms else Lit(0.0)
    for t in terms[1:]:
        out = prim("add", out, t)
    return out


def triples(source: Source) -> tuple[Lam, tuple[DataDecl, ...]]:
    """T{\\x. t}, type-checked, and the declarations that it needs."""
    program, types = prepared(source)
    n = Duals(TRIPLE, None, parametric(source.decls))
    out = t3(program, types, n)
    assert isinstance(out, Lam)
    decls = (*source.decls, *dual_decls(source.decls, n))
    check(out, (), decls)
    return out, decls


def second(
    source: Source, args: tuple[object, ...], tangents: tuple[object, ...],
    machine: Machine | None = None,
) -> tuple[object, object, object]:  # fmt: skip
    """Return the value and the first and second derivative along a line: of g(t) = f(args + t *
    tangents) at 0."""
    term, _ = deeply(lambda: triples(source))
    steps = iter(reals_in(list(tangents)))
    given = tuple(map_reals(lambda r: (r, (next(steps), 0.0)), a) for a in args)
    like, _ = evaluate(source.body, dict(zip((x for x, _ in source.context), args, strict=False)))
    out, _ = evaluate(App(term, Var("input")), {"input": tuple_value(*given)}, machine=machine)
    found = reals_in(out)

    def part(k: int) -> object:
        values = iter(found[k::3])
        return map_reals(lambda _: next(values), like, discrete=k > 0)

    return part(0), part(1), part(2)


def run_triples(source: Source, args: tuple[object, ...], seed: object) -> Outcome:
    """Return the cotangents from the first derivatives, one run for each real of the input."""
    m = Machine()
    env = dict(zip((x for x, _ in source.context), args, strict=True))
    value, forward = evaluate(source.body, env)
    cotangents = by_columns(args, seed, lambda tangents: second(source, args, tangents, m)[1])
    return Outcome(value, cotangents, forward, m.cost, m, triples(source)[0])


register(Method(
    "delta.triples", "value, first and second derivative, one run per input (section 8.6)",
    DUAL_SOURCE, run_triples, orders=2))
