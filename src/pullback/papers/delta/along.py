"""Derivatives along a line by towers, and gradients from them (Krawiec et al., section 8.6).

>>> from pullback.papers.language.build import prim, reals
>>> sine = Source(reals("x"), prim("sin", Var("x")), R)
>>> derivatives(sine, (0.0,), (1.0,), 5)
[0.0, 1.0, 0.0, -1.0, 0.0, 1.0]
"""

from __future__ import annotations

import math

from pullback.papers.delta.towers import towers
from pullback.papers.dual.forward import by_columns
from pullback.papers.dual.ground import DUAL_SOURCE
from pullback.papers.language.eval import apply as call
from pullback.papers.language.eval import evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.terms import App, R, Source, Var
from pullback.papers.language.traverse import deeply
from pullback.papers.language.values import ConV, Inj, map_reals, real, reals_in, tuple_value
from pullback.papers.methods import Method, Outcome, Unsupported, register


def line(args: tuple[object, ...], direction: tuple[object, ...]) -> object:
    """Return the towers of args + t * direction at t = 0."""

    def constant(r: float) -> ConV:
        return ConV("Tower", (r, lambda _: constant(0.0)))

    steps = iter(reals_in(list(direction)))

    def variable(r: float) -> ConV:
        step = next(steps)
        return ConV("Tower", (r, lambda _: constant(step)))

    return tuple_value(*(map_reals(variable, a) for a in args))


def derivatives(
    source: Source, args: tuple[object, ...], direction: tuple[object, ...], n: int
) -> list[float]:
    """g(0), g'(0), .., the n-th derivative of g(t) = f(args + t * direction), for a real f."""
    if source.result != R:
        raise Unsupported("towers: the result must be a real")
    _, whole, _ = deeply(lambda: towers(source))
    m = Machine()

    given = line(args, direction)
    found, _ = evaluate(App(whole, Var("input")), {"input": given}, machine=m)
    out: list[float] = []
    while True:
        assert isinstance(found, ConV)
        out.append(real(found.fields[0]))
        if len(out) > n:
            return out
        found, _ = call(found.fields[1], (), machine=m)


def run_towers(source: Source, args: tuple[object, ...], seed: object) -> Outcome:
    """Return the cotangents from the first two heads of towers, one run for each real of the
    input."""
    m = Machine()
    env = dict(zip((x for x, _ in source.context), args, strict=True))
    value, forward = evaluate(source.body, env)
    _, whole, _ = deeply(lambda: towers(source))

    def column(tangents: tuple[object, ...]) -> object:
        found, _ = evaluate(App(whole, Var("input")), {"input": line(args, tangents)}, machine=m)
        slopes = (call(t.fields[1], (), machine=m)[0] for t in towers_in(found))
        heads = iter([real(t.fields[0]) for t in slopes if isinstance(t, ConV)])
        return map_reals(lambda _: next(heads), value, discrete=True)

    return Outcome(value, by_columns(args, seed, column), forward, m.cost, m, whole)


def towers_in(v: object) -> list[ConV]:
    """Return the towers of a value, from left to right."""
    match v:
        case ConV("Tower", _):
            return [v]
        case ConV(_, parts) | (tuple() as parts) | (list() as parts):
            return [t for part in parts for t in towers_in(part)]
        case Inj(_, part):
            return towers_in(part)
        case _:
            return []


register(Method(
    "delta.towers", "lazy towers of all derivatives, one run per input (section 8.6)",
    DUAL_SOURCE, run_towers, orders=math.inf))
