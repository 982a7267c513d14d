"""Dual-numbers reverse AD: the Cayley transform, and scalars alone (sections 5 and 6, Fig. 9)."""

from __future__ import annotations

import random
from typing import Any, cast

from pullback.papers.dual import calls as n2
from pullback.papers.dual.block import Block
from pullback.papers.dual.interleave import Interleave
from pullback.papers.dual.rows import zero_of
from pullback.papers.dual.types import Duals
from pullback.papers.language import maps as nested_map
from pullback.papers.language.build import lam, prim
from pullback.papers.language.eval import evaluate
from pullback.papers.language.machine import Machine
from pullback.papers.language.terms import (
    App,
    Fst,
    Fun,
    Lit,
    Plus,
    Prod,
    R,
    Snd,
    Source,
    Term,
    Type,
    Var,
    Z,
)
from pullback.papers.language.values import Inj, map_reals, pair, reals_in
from tests.papers.conformance import claim
from tests.papers.dual import (
    STAGES,
    outcome,
)
from tests.papers.generate import (
    STANDARD,
    count,
)

x, y, z = Var("x"), Var("y"), Var("z")


@claim("DN-32")
def test_cayley(row: str) -> None:
    """rep m = (m +_S): a homomorphism to functions and composition, with an inverse."""
    plus = lambda p, q: n2.LIBRARY["+_S"].run(Machine(), [p, q], ())
    compose = n2.LIBRARY["∘"]
    zero = (0.0, None)
    rep = lambda p: lambda q: plus(p, q)
    fs = [object() for _ in range(3)]
    rng = random.Random(3)

    def some() -> object:
        m: nested_map.Map = None
        for i in rng.sample(range(3), rng.randrange(4)):
            m = nested_map.insert(m, i, (fs[i], float(rng.randrange(9))))
        return float(rng.randrange(9)), m

    def plain(s: object) -> object:
        c, m = pair(s)
        return c, list(nested_map.entries(cast(nested_map.Map, m)))

    for _ in range(count(200)):
        p, q, r = some(), some(), some()
        both = cast(Any, compose.run(Machine(), [rep(p), rep(q)], ()))
        assert plain(rep(plus(p, q))(r)) == plain(both(r))
        assert plain(rep(zero)(r)) == plain(r)
        assert plain(rep(p)(zero)) == plain(p)


@claim("DN-33")
def test_cayley_stage(row: str) -> None:
    for name in ("FIG1", "HO3", "POW5", "SHARE"):
        s, args, seed, value, gradient = STANDARD[name]
        out = outcome(STAGES["N3"], s, args, seed)
        assert (out.value, out.cotangents) == (value, gradient)
        assert max(out.machine.calls) == 1


@claim("DN-34")
def test_one_zero(row: str) -> None:
    for s, args, seed, _, _ in STANDARD.values():
        counts = outcome(STAGES["N3"], s, args, seed).machine.counts
        assert counts["0_c"] == 1 and "+_c" not in counts


@claim("DN-35")
def test_a_change_touches_the_spine(row: str) -> None:
    t: Type = Prod(Prod(R, Z), Prod(R, R))
    duals = Duals(Prod(R, R), Z)

    def leaf(b: Block, v: Term, d: Term) -> Term:
        return lam("z", R, lambda z: App(d, lam("a", R, lambda a: z + a)))

    inter = Interleave(duals, (), leaf=leaf, target=R, update=True)
    b = Block(Lit(0))
    b.name("d", Lit(0))
    changes = inter.go(b, t, Var("v"), lam("f", Fun(R, R), lambda f: f))
    both, _ = evaluate(b.close(changes), {"v": ((1.0, 7), (2.0, 3.0))})
    change = cast(Any, pair(pair(pair(both)[0])[1])[0])(10.0)
    before = ((1.0, ()), (2.0, 3.0))
    after = change(before)
    assert after == ((1.0, ()), (12.0, 3.0))
    assert after[0] is before[0]  # two pairs are new: the whole and its right half


@claim("DN-37")
def test_scalars(row: str) -> None:
    """Integers have the cotangent (): to copy the primal's is the caller's choice."""
    t = Prod(Prod(R, Z), Prod(R, R))
    s = Source((("x", t),), prim("mul", Fst(Fst(x)), Snd(Snd(x))), R)
    value = ((3.0, 7), (4.0, 5.0))
    for name in ("N3m", "N4", "N4a", "N4b", "N5"):
        out = outcome(STAGES[name], s, (value,), 1.0)
        assert out.cotangents == (((5.0, ()), (0.0, 3.0)),)
        reals = iter(reals_in(out.cotangents[0]))
        assert map_reals(lambda _, found=reals: next(found), value) == ((5.0, 7), (0.0, 3.0))


@claim("DN-39")
def test_zero_copies_the_injection(row: str) -> None:
    t = Plus(R, Prod(R, R))
    s = Source((("x", t), ("y", R)), y, R)
    for stage in STAGES.values():
        for value in (Inj(0, 3.0), Inj(1, (3.0, 4.0))):
            assert outcome(stage, s, (value, 1.0), 1.0).cotangents == (zero_of(value), 1.0)
