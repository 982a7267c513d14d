"""Krawiec et al., section 8.7: selective fusion."""

from __future__ import annotations

import doctest
import math
from typing import cast

from pullback.papers.delta import fusion as delta_fusion
from pullback.papers.delta.eval import MAP
from pullback.papers.delta.fusion import fuse
from pullback.papers.delta.monadic import K
from pullback.papers.delta.rows import LIBRARY
from pullback.papers.delta.types import duals
from pullback.papers.language.build import E, lam, prim
from pullback.papers.language.check import types_of
from pullback.papers.language.eval import evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.terms import App, Fst, Lam, Let, Lit, Prod, R, Snd, Var
from pullback.papers.language.values import ConV
from tests.papers.conformance import claim


def test_docstring() -> None:
    assert doctest.testmod(delta_fusion).failed == 0


def outer_binds(f: Lam, arg: object, n: int) -> tuple[float, list[ConV]]:
    """Value and the right sides of the outer bindings when a translated f runs."""
    call = App(App(f, Var("a")), MAP.start(Lit(n)))
    m = Machine()
    out, _ = evaluate(Let("deltaLet", MAP.delta_let, call), {"a": arg}, LIBRARY, m)
    (value, _), (_, made) = cast("tuple[tuple[float, ConV], tuple[int, ConV]]", out)
    rhs: list[ConV] = []
    while made.name == "Bind":
        rhs.insert(0, cast(ConV, made.fields[1]))
        made = cast(ConV, made.fields[2])
    return value, rhs


@claim("KR-59")
def test_selective_fusion(row: str) -> None:
    two_arguments()
    f = lam("x", R, lambda x: x * prim("sin", x))
    dual = (2.0, ConV("Var", (1,)))
    plain = K(types_of(f), duals(MAP.state)).fn(f)
    value, unfused = outer_binds(plain, dual, 2)
    fused_value, fused = outer_binds(fuse(f), dual, 2)
    assert value == fused_value == 2 * math.sin(2.0)
    assert len(unfused) == 2 and len(fused) == 1
    (scale,) = fused
    assert scale.name == "Scale" and scale.fields[1] == ConV("Var", (1,))
    assert abs(cast(float, scale.fields[0]) - 0.0770037537) < 1e-10


def two_arguments() -> None:
    f = lam("p", Prod(R, R), lambda p: E(Fst(p.t)) * (E(Fst(p.t)) + E(Snd(p.t))))
    arg = ((3.0, ConV("Var", (1,))), (4.0, ConV("Var", (2,))))
    value, (rhs,) = outer_binds(fuse(f), arg, 3)
    assert value == 21.0
    assert [cast(ConV, d).fields[0] for d in rhs.fields] == [10.0, 3.0]
