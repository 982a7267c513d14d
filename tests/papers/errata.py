"""The errata of the papers as programs: what is printed goes wrong, and what is here does not.

``ERRATA[number]`` runs both; the numbers are those of rows and comments ("H-1" and on).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from pullback.papers.chad.arrays import array_rule
from pullback.papers.chad.cells import make
from pullback.papers.chad.program import run_monadic
from pullback.papers.chad.workers import Frame
from pullback.papers.curry import dependent as curry_dependent
from pullback.papers.curry.combinators import COMBINATORS
from pullback.papers.curry.environments import LIBRARY as ENVIRONMENTS
from pullback.papers.curry.simple import LIBRARY as CALLS
from pullback.papers.curry.simple import simple
from pullback.papers.delta.fusion import fuse
from pullback.papers.delta.primitives import Primitive, variant
from pullback.papers.delta.show import delta_of, show_delta
from pullback.papers.dual import mutable as dual_mutable
from pullback.papers.dual import staged as dual_staged
from pullback.papers.language.build import E, lam, op, prim, reals, tuple_
from pullback.papers.language.check import check
from pullback.papers.language.eval import evaluate
from pullback.papers.language.linear import plus
from pullback.papers.language.machine import Machine
from pullback.papers.language.ops import Row, pure, sig
from pullback.papers.language.terms import (
    App,
    Arr,
    Build,
    Data,
    DataDecl,
    Lam,
    Let,
    Lit,
    Op,
    Pair,
    Prod,
    R,
    Snd,
    Source,
    Var,
    Z,
)
from pullback.papers.language.values import Inj, pair
from pullback.papers.methods import run
from tests.papers.generate import FIG1, STANDARD

x, y = E(Var("x")), E(Var("y"))
PATCH = pytest.MonkeyPatch


def h1(patch: PATCH) -> None:
    """DN Fig. 12: the loop of SResolve ends above ID 0, and the first input gets 0."""
    assert run("dual.mutable", FIG1, (3.0, 4.0), 1.0).cotangents == (10.0, 3.0)
    whole = dual_mutable.downto

    def above_zero(n: Any, start: Any, body: Any) -> Any:
        loop = whole(n, start, body)
        return type(loop)(loop.acc, loop.x, loop.t, loop.z, Build(
            prim("sub", loop.a.n, 1), loop.a.i, loop.a.t))

    patch.setattr(dual_mutable, "downto", above_zero)
    assert run("dual.mutable", FIG1, (3.0, 4.0), 1.0).cotangents == (0.0, 3.0)


def h2(patch: PATCH) -> None:
    """DN Fig. 8: a Deinterleave that calls, and does not stage, calls y's twice."""
    source, args, seed, _, gradient = STANDARD["SHARE"]
    done = run("dual.staged", source, args, seed)
    assert done.cotangents == gradient and done.machine.calls == [1, 1, 1]
    patch.setattr(dual_staged, "Deinterleave", lambda *a, leaf, **k: DEINTERLEAVE(
        *a, leaf=lambda t: Snd(Snd(t)), **k))
    done = run("dual.staged", source, args, seed)
    assert done.cotangents == gradient and done.machine.calls == [1, 2, 1]


DEINTERLEAVE = dual_staged.Deinterleave


def h12(patch: PATCH) -> None:
    """DN section 9: T2 = C3 Int T1 T2 has no value by call by value; with another case it has."""
    printed = DataDecl("T2", (), (("C3", (Z, Data("T1"), Data("T2"))),))
    assert not inhabited("T2", {"T1": DataDecl("T1", (), (("C2", (R,)),)), "T2": printed})
    mended = DataDecl("T2", (), (*printed.constructors, ("C4", ())))
    assert inhabited("T2", {"T1": DataDecl("T1", (), (("C2", (R,)),)), "T2": mended})


def inhabited(name: str, decls: dict[str, DataDecl]) -> bool:
    """Whether a declared type has a finite value."""
    have: set[str] = set()
    for _ in decls:
        have |= {d.name for d in decls.values() if any(
            all(not isinstance(f, Data) or f.name in have for f in fields)
            for _, fields in d.constructors)}
    return name in have


def h20(patch: PATCH) -> None:
    """KR Fig. 12: the first binding after a inputs has ID a + 1 (so xN is variable N + 7)."""
    seven = Source(reals(*(f"v{k}" for k in range(7))), prim("sin", Var("v0")), R)
    assert show_delta(delta_of(seven, (0.5,) * 7)).startswith("Let 8 = ")


def h21(patch: PATCH) -> None:
    """KR Fig. 12 binds literals, and the invariant of section 5.3.1 says that it need not."""
    source = Source(reals("x"), (x * 2.0).t, R)
    assert show_delta(delta_of(source, (3.0,))).count("Let") == 1
    assert show_delta(delta_of(source, (3.0,), literals=True)).splitlines()[0] == "Let 2 = Zero in"


def h22(patch: PATCH) -> None:
    """KR Fig. 12 was made from right to left; the translation goes from left to right."""
    source = Source(reals("x"), prim("add", prim("sin", x), prim("cos", x)), R)
    first = {order: show_delta(delta_of(source, (0.0,), order=order)).splitlines()[0]
             for order in ("lr", "rl")}
    assert first == {"lr": "Let 2 = Scale 1 (Var 1) in", "rl": "Let 2 = Scale (-0) (Var 1) in"}


def h23(patch: PATCH) -> None:
    """KR Fig. 14 prints df_{i1} for output 1: the coefficients of output j are df_{ji}."""
    polar = Primitive("polar", 2, lambda r, t: (r * math.cos(t), r * math.sin(t)), (
        (lambda r, t: math.cos(t), lambda r, t: -r * math.sin(t)),
        (lambda r, t: math.sin(t), lambda r, t: r * math.cos(t))))
    source = Source(reals("r", "t"), Op("polar", (tuple_(Var("r"), Var("t")),)), Prod(R, R))
    lines = show_delta(delta_of(source, (2.0, 0.0), (1.0, 1.0), variant=variant(polar)))
    assert lines.splitlines()[0] == "Let 3 = Add (Scale 1 (Var 1)) (Scale (-0) (Var 2)) in"
    transposed = [[polar.partials[i][j](2.0, 0.5) for i in (0, 1)] for j in (0, 1)]
    assert transposed != [[df(2.0, 0.5) for df in row] for row in polar.partials]


def h24(patch: PATCH) -> None:
    """KR section 8.7 prints x + sin x for the value of x * sin x."""
    f = lam("x", R, lambda v: v * prim("sin", v))
    whole = Source(reals("x"), App(f, Var("x")), R)
    value = run("delta.fused.runtime", whole, (2.0,), 1.0).value
    assert value == 2.0 * math.sin(2.0) != 2.0 + math.sin(2.0) and isinstance(fuse(f), Lam)


def h40(patch: PATCH) -> None:
    """CHAD Fig. 8: the first line for t ! s must be D[t], the array, which is not the index."""
    at = Op("index", (Var("a"), Var("i")))
    source = Source((("a", Arr(R)), ("i", Z)), at, R)
    assert run_monadic(source, ([4.0, 5.0], 1), 1.0).cotangents == ([0.0, 1.0], ())
    assert callable(array_rule)


def h46(patch: PATCH) -> None:
    """CHAD's Agda code adds cotangents of two branches to 0, which is no monoid."""
    a, b = Inj(0, 1.0), Inj(1, 2.0)
    with pytest.raises(ValueError, match="different shapes"):
        plus(Machine(), a, b)
    agda = lambda p, q: 0.0 if p.tag != q.tag else Inj(p.tag, p.value + q.value)
    assert agda(a, b) == 0.0 and agda(a, Inj(0, 3.0)) == Inj(0, 4.0)  # (a + b) + a = 0 + a
    # and a + (b + a) = a + 0: a, which is not twice a


def h47(patch: PATCH) -> None:
    """CHAD App. E: run must make cells of the values that it begins with, and read them back."""
    cell = make(Machine(), (1.0, 2.0))
    cell.add(Machine(), (10.0, 20.0))
    assert cell.read(Machine()) == (11.0, 22.0)
    source = Source(reals("x"), (x * x).t, R)
    assert run("chad.parallel", source, (3.0,), 1.0).cotangents == (6.0,)


def h48(patch: PATCH) -> None:
    """CHAD App. E: two scopes at once claim one slot of one array; a frame for each does not."""
    trunk = Frame(None)
    left, right = trunk.branch(), trunk.branch()
    for frame, v in ((left, 1.0), (right, 10.0)):
        frame.cells.append(make(Machine(), v))
    assert [f.find(0).read(Machine()) for f in (left, right)] == [1.0, 10.0]
    slots: list[float] = []
    for v in (1.0, 10.0):  # both were told that the height is 0
        slots[0:1] = [v]
    assert slots == [10.0]
    body = Let("t", (x * x).t, (E(Var("t")) + x).t)
    wide = Source(reals("x"), op("sum", Build(Lit(4), "i", body)), R)
    assert run("chad.parallel", wide, (3.0,), 1.0).cotangents == (28.0,)


def h60(patch: PATCH) -> None:
    """DC Fig. 1, BDAPP has no conclusion: (prod b1 b2) ∘ eval is the one that types."""
    f = op("curry", Op("rep", (), ("mul", Prod(R, R))))
    whole = op("comp", op("prod", f, Op("id", (), (R,))), Op("eval", (), (R, R)))
    assert str(check(whole, library=COMBINATORS)) == str(check(
        Op("rep", (), ("sin", R)), library=COMBINATORS))
    assert pair(evaluate(App(simple(whole), Lit(3.0)), {}, CALLS)[0])[0] == 9.0


def h61(patch: PATCH) -> None:
    """DC Fig. 3: snd (f (t,s) gr) applies a pair; (snd (f (t,s))) gr is meant."""
    r, back = 6.0, lambda g: (3.0 * g, 2.0 * g)
    found: Any = (r, back)
    assert found[1](1.0) == (3.0, 2.0)
    with pytest.raises(TypeError):
        found(1.0)
    source, args, seed, _, gradient = STANDARD["HO3"]
    assert run("curry.simple", source, args, seed).cotangents == gradient


def h62(patch: PATCH) -> None:
    """DC Fig. 3: eval's pullback gives a pair, the calls and the tangent of the argument."""
    sine = simple(Op("rep", (), ("sin", R)))
    at = Let("f", sine, App(simple(Op("eval", (), (R, R))), Pair(Var("f"), Lit(0.0))))
    found: Any = evaluate(at, {}, CALLS)[0]
    calls, tangent = found[1](2.0)
    assert (found[0], calls, tangent) == (0.0, [(0.0, 2.0)], 2.0)


def h63(patch: PATCH) -> None:
    """DC Fig. 5: curry (exT τ f) = exT () new_f, but new_f's pullback gives (τ, T[t])."""
    curried = curry_dependent.dependent(op("curry", op("comp", op(
        "prod", Op("id", (), (Prod(R, R),)), Op("id", (), (Prod(R, R),))), Op(
            "proj", (), ("1", 2, Prod(Prod(R, R), Prod(R, R)))))))
    witness = pair(evaluate(curried, {}, ENVIRONMENTS)[0])[0]
    assert witness != () and "Prod" in str(witness)
    # with the printed witness the tangent of the environment is refused
    unit = ENVIRONMENTS.replaced(Row("ty_pair", sig((Data("Ty"), Data("Ty")), Data("Ty")), pure(
        lambda p, q: ENVIRONMENTS["ty_unit"].run(Machine(), (), ()))))
    c = E(Var("c"))
    source = Source(reals("c", "x"), Let("f", lam("u", R, lambda u: c * u), App(
        Var("f"), Var("x"))), R)
    assert run("curry.dependent", source, (5.0, 3.0), 1.0).cotangents == (3.0, 5.0)
    patch.setattr(curry_dependent, "LIBRARY", unit)
    with pytest.raises(TypeError, match="not a tangent"):
        curry_dependent.linearise_dependent(source, (5.0, 3.0), unit).at(1.0)


ERRATA: dict[str, Callable[[PATCH], None]] = {
    "H-1": h1, "H-2": h2, "H-12": h12, "H-20": h20, "H-21": h21, "H-22": h22, "H-23": h23,
    "H-24": h24, "H-40": h40, "H-46": h46, "H-47": h47, "H-48": h48, "H-60": h60, "H-61": h61,
    "H-62": h62, "H-63": h63,
}
"""Which of the errata have executable content, and what that is."""
