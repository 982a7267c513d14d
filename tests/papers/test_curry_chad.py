"""The Differentiable Curry beside CHAD (section 7): two libraries, and two ways with functions.

A function on which a program depends gets a tangent. In S and in naive higher-order CHAD it is the
list of its calls; in E, and in CHAD after closure conversion, it is that of what it captured."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any, cast

from pullback.papers.chad.higher import HIGHER
from pullback.papers.chad.monadic import CHAD, chad_of
from pullback.papers.chad.naive import c0_of
from pullback.papers.chad.program import pullback
from pullback.papers.chad.types import t2_context
from pullback.papers.closure_conversion import cc, cc_type, scope_of
from pullback.papers.curry.translation import combinators
from pullback.papers.language.build import op
from pullback.papers.language.check import check_source
from pullback.papers.language.eval import apply, evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.terms import EV, App, Fun, Prim, R, Source, Term, Var
from pullback.papers.language.traverse import rename_apart
from pullback.papers.language.values import Packed, Zero, pair, real
from tests.papers.conformance import claim
from tests.papers.generate import close, count
from tests.papers.test_curry_combinators import Lambdas
from tests.papers.test_curry_laws import MULT, SIN, Dependent, Simple, normal

CONTEXT = (("f", Fun(R, R)), ("x", R))


def programs(n: int) -> Iterator[Source]:
    """Programs that call a function they are given."""
    for seed in range(n):
        g = Lambdas(random.Random(f"calls/{seed}"), "RGH", scope=list(CONTEXT))
        parts = App(Var("f"), g.term(R, 6)), g.term(R, 8)
        body: Term = Prim(g.rng.choice(("add", "mul")), parts)
        if g.rng.random() < 0.5:
            body = App(Var("f"), body)
        yield Source(CONTEXT, rename_apart(body), R)


def called(d: object) -> list[Any]:
    return [] if isinstance(d, Zero) else list(cast(Any, d))


@claim("DC-30")
def test_the_libraries_are_chads(row: str) -> None:
    c, at = 5.0, 0.7
    for s in programs(count(60)):
        # S ≅ CH0: the same list of calls
        simple = Simple()
        value, pb = simple.call(simple.value(combinators(s)), (simple.value(SIN), at))
        m = Machine()
        both, _ = evaluate(c0_of(s), {"f": sine, "x": at}, HIGHER, m)
        found, bp = pair(both)
        raw, _ = apply(bp, 1.0, machine=m)
        cells = m.call(HIGHER["emap"].run(m, (raw,), (EV(t2_context(s.context)),)))
        ((_, calls), dx), (listed, dx_s) = cells, pb(1.0)
        assert close([value, dx_s], [found, number(dx)], 1e-12)
        same = list(zip(normal(called(calls)), normal(listed), strict=True))
        assert all(close(list(p), list(q), 1e-9) for p, q in same)
        # E ≅ CHAD after closure conversion: the same tangent of what f captured
        dependent = Dependent()
        f = dependent.call(dependent.value(op("curry", MULT)), c)[0]
        value, pb = dependent.call(dependent.value(combinators(s)), (f, at))
        converted = converted_source(s)
        m = Machine()
        body = pullback(converted, chad_of(converted, check_source(converted, CHAD)))
        both, _ = evaluate(body, {"f": times(c), "x": at}, CHAD, m)
        found, back = pair(both)
        _, ((_, packed), dx) = cast(Any, apply(back, 1.0, machine=m)[0])
        (((), captured), dx_e) = pb(1.0)
        assert close([value, dx_e], [found, number(dx)], 1e-12)
        if isinstance(packed, Packed):
            assert packed.witness == R
            assert close([captured], [number(pair(packed.value)[0])], 1e-9)
        else:
            assert captured == 0.0


def number(d: object) -> float:
    return 0.0 if isinstance(d, Zero) else real(d)


def sine(u: float) -> tuple[float, Any]:
    """sin with its backpropagator, as CH0 has functions."""
    return math.sin(u), lambda d: d * math.cos(u)


def times(c: float) -> Packed:
    """\\u. c * u, closed over c, as CHAD has closures."""
    return Packed(R, (c, lambda p: (p[0] * p[1], lambda d: (p[1] * d, p[0] * d))))


def converted_source(s: Source) -> Source:
    """Closure conversion of a program with a function in its context."""
    types = check_source(s)
    body = cc(s.body, types, scope_of(s, types))
    return Source(tuple((v, cc_type(t)) for v, t in s.context), rename_apart(body), R)
