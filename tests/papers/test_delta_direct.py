"""Krawiec et al., sections 2 to 5.2: the language, forward mode, dense and symbolic deltas."""

from __future__ import annotations

import doctest
import math
import random
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from pullback.papers.delta import dense as delta_dense
from pullback.papers.delta import symbolic as delta_symbolic
from pullback.papers.delta.arrays import ARRAY
from pullback.papers.delta.eval import MAP
from pullback.papers.delta.families import Leaves
from pullback.papers.delta.ground import Polytypic
from pullback.papers.delta.rows import LIBRARY
from pullback.papers.delta.show import show_delta
from pullback.papers.delta.wrapper import gradient
from pullback.papers.dual.forward import forward, push, split, zipped
from pullback.papers.language.build import E, lam, prim, reals, tuple_, tuple_type
from pullback.papers.language.check import check_source, types_of
from pullback.papers.language.eval import evaluate
from pullback.papers.language.terms import (
    ONE,
    App,
    Case,
    Fst,
    Fun,
    Inl,
    Inr,
    Lam,
    Let,
    Lit,
    Pair,
    Plus,
    Prod,
    R,
    Source,
    Type,
    Var,
    Z,
)
from pullback.papers.language.traverse import subterms
from pullback.papers.language.values import Inj, map_reals, reals_in
from pullback.papers.stages import translated
from tests.papers.conformance import claim
from tests.papers.generate import (
    FIG1,
    close,
    count,
    dbl,
    finite_difference,
    inner,
    random_cotangent,
    random_program,
    sumsq,
)

x, y = Var("x"), Var("y")
STAGES: dict[str, Callable[[Source, Any, Any], tuple[Any, Any]]] = {
    "dense": delta_dense.gradient,
    "symbolic": delta_symbolic.gradient,
    "map": lambda s, a, ct: gradient(s, a, ct, MAP),
    "array": lambda s, a, ct: gradient(s, a, ct, ARRAY),
}


@pytest.mark.parametrize(
    "module", ["rows", "families", "maps", "zips", "ground", "types", "direct", "dense", "symbolic",
               "monadic", "eval", "arrays", "wrapper", "show"])
def test_docstrings(module: str) -> None:
    found = doctest.testmod(import_module(f"pullback.papers.delta.{module}"))
    assert found.failed == 0


def primal(s: Source, args: tuple[object, ...]) -> object:
    return evaluate(s.body, dict(zip((v for v, _ in s.context), args)), LIBRARY)[0]


def slope(small: int, large: int, n: int, m: int) -> float:
    return math.log(large / small) / math.log(m / n)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("fragment", ["RG", "RGH", "RGA"])
def test_random_programs(stage: str, fragment: str) -> None:
    for seed in range(count(60)):
        s, args = random_program(seed, fragment, 20)
        value = primal(s, args)
        ct = random_cotangent(value, random.Random(seed))
        found, grads = STAGES[stage](s, args, ct)
        assert found == value
        assert close(grads, finite_difference(s, args, ct), 1e-5)


@claim("KR-1")
def test_language(row: str) -> None:
    # The discrete types here are Z, 1 and sums of them; strings are not in the language.
    k = Source((("x", R), ("n", Z)), Let("f", lam("a", R, lambda a: a * a), Case(
        Inl(prim("add", Var("n"), Lit(1)), R), "l", Pair(App(Var("f"), x), Var("l")),
        "r", Pair(Var("r"), Lit(0)))), Prod(R, Z))
    check_source(k)
    for stage in STAGES.values():
        assert stage(k, (3.0, 7), (1.0, ())) == ((9.0, 8), (6.0, ()))


@claim("KR-2")
def test_polytypic(row: str) -> None:
    p, t = Polytypic(()), Prod(R, Plus(R, Z))
    env = {"r": 2.0, "s": (3.0, Inj(0, 5.0)), "t": (1.0, Inj(0, 4.0)), "u": (1.0, Inj(1, 7)),
           "d": ((3.0, 1.0), Inj(0, (5.0, 0.0)))}
    s, u, r = Var("s"), Var("u"), Var("r")

    def value(term: object) -> object:
        return evaluate(term, env, LIBRARY)[0]

    assert value(p.times(t, r, s)) == (6.0, Inj(0, 10.0))
    assert value(p.times(t, r, u)) == (2.0, Inj(1, 7))
    assert value(p.plus(t, s, Var("t"))) == (4.0, Inj(0, 9.0))
    assert value(p.dot(t, s, Var("t"))) == 23.0
    assert value(p.dot(t, u, u)) == 1.0
    # of discrete parts ⊕ takes the left one, and ⊙ nothing
    env["w"] = (0.5, Inj(1, 9))
    assert value(p.plus(t, u, Var("w"))) == (1.5, Inj(1, 7))
    assert value(p.plus(t, Var("w"), u)) == (1.5, Inj(1, 9)) and value(p.dot(t, u, Var("w"))) == 0.5
    first = Leaves("primal", Fst, lambda a: a, lambda a: a)
    assert value(p.map(t, Var("d"), first)) == (3.0, Inj(0, 5.0))
    for term in (p.plus(t, s, u), p.dot(t, s, u), p.plus(t, u, s)):
        with pytest.raises(RuntimeError, match="different shapes"):
            value(term)


def tangents(args: tuple[object, ...], rng: random.Random) -> tuple[object, ...]:
    return tuple(map_reals(lambda _: rng.uniform(-1, 1), a, discrete=True) for a in args)


def moved(args: tuple[object, ...], ds: tuple[object, ...], h: float) -> tuple[object, ...]:
    steps = iter(reals_in(list(ds)))
    return tuple(map_reals(lambda r: r + h * next(steps), a) for a in args)


@claim("KR-3")
def test_specification(row: str) -> None:
    for seed in range(count(80)):
        s, args = random_program(seed, "RGH", 20)
        rng = random.Random(seed)
        ds = tangents(args, rng)
        value, dt = push(s, args, ds)
        up, down = (primal(s, moved(args, ds, h)) for h in (1e-6, -1e-6))
        step = [(a - b) / 2e-6 for a, b in zip(reals_in(up), reals_in(down))]
        assert all(abs(a - b) <= 1e-5 * max(1, abs(a), abs(b))
                   for a, b in zip(reals_in(dt), step, strict=True))
        ct = random_cotangent(value, rng)
        assert close(gradient(s, args, ct)[1], finite_difference(s, args, ct), 1e-5)


@claim("KR-4")
def test_lemma_1(row: str) -> None:
    for seed in range(count(500)):
        s, args = random_program(seed, "RGH", 25)
        rng = random.Random(seed)
        ds = tangents(args, rng)
        value, dt = push(s, args, ds)
        ct = random_cotangent(value, rng)
        grads = gradient(s, args, ct, ARRAY)[1]
        a, b = inner(ct, dt), inner(list(grads), list(ds))
        assert abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b), *map(abs, reals_in(list(grads))))


@claim("KR-5")
def test_plans(row: str) -> None:
    s = Source(reals("x", "y", "z"), tuple_(
        E(x) * E(y), E(y) * E(Var("z"))), Prod(R, R))
    args = (2.0, 3.0, 5.0)
    columns = [reals_in(push(s, args, tuple(float(i == k) for i in range(3)))[1])
               for k in range(3)]  # a runs
    rows = [reals_in(list(gradient(s, args, seed)[1])) for seed in ((1.0, 0.0), (0.0, 1.0))]
    assert rows == [[3.0, 2.0, 0.0], [0.0, 5.0, 3.0]]  # b runs
    assert [list(c) for c in zip(*columns)] == rows


@claim("KR-6")
def test_forward_typing(row: str) -> None:
    for seed in range(count(200)):
        s, _ = random_program(seed, "RGH", 20)
        forward(s)  # which checks the type of what it makes
    assert push(FIG1, (3.0, 4.0), (1.0, 0.0)) == (21.0, 10.0)


@claim("KR-7")
def test_primal_law(row: str) -> None:
    for seed in range(count(150)):
        s, args = random_program(seed, "RGH", 20)
        assert push(s, args, tangents(args, random.Random(seed)))[0] == primal(s, args)


@claim("KR-8")
def test_binder_types(row: str) -> None:
    def dual(t: Type) -> Type:
        match t:
            case Prod(a, b):
                return Prod(dual(a), dual(b))
            case Fun(a, b):
                return Fun(dual(a), dual(b))
            case _:
                return Prod(R, R) if t == R else t

    body = Let("f", lam("a", Prod(R, Z), lambda a: Fst(a.t)), App(Var("f"), Pair(x, Lit(1))))
    out, _ = forward(Source(reals("x"), body, R))
    assert out.type == Prod(R, R)
    (f,) = [t for t in subterms(out.body) if isinstance(t, Lam)]
    assert f.type == dual(Prod(R, Z))
    types = types_of(out)
    assert types[f] == dual(Fun(Prod(R, Z), R))


@claim("KR-9")
def test_forward_wrapper(row: str) -> None:
    assert push(FIG1, (3.0, 4.0), (1.0, 0.0))[1] == 10.0
    assert push(FIG1, (3.0, 4.0), (0.0, 1.0))[1] == 3.0


@claim("KR-10")
def test_forward_correct(row: str) -> None:
    for seed in range(count(150)):
        s, args = random_program(seed, "RG", 20)
        value = primal(s, args)
        ct = random_cotangent(value, random.Random(seed))
        ds = tangents(args, random.Random(seed + 1))
        slope_ = inner(list(finite_difference(s, args, ct)), list(ds))
        found = inner(ct, push(s, args, ds)[1])
        assert abs(found - slope_) <= 1e-5 * max(1.0, abs(found), abs(slope_))


@claim("KR-62")
def test_general_forward_wrapper(row: str) -> None:
    s = Source((("s", Plus(Prod(R, Z), R)),), Case(
        Var("s"), "p", Pair(prim("mul", Fst(Var("p")), Fst(Var("p"))), Lit(2)),
        "r", Pair(Var("r"), Lit(3))), Prod(R, Z))
    assert push(s, (Inj(0, (3.0, 5)),), (Inj(0, (1.0, ())),)) == ((9.0, 2), (6.0, ()))
    assert push(s, (Inj(1, 4.0),), (Inj(1, 7.0),)) == ((4.0, 3), (7.0, ()))
    with pytest.raises(ValueError, match="shape"):
        zipped(Inj(0, (3.0, 5)), Inj(1, 7.0))
    with pytest.raises(ValueError, match="shape"):
        zipped(Inj(0, 3.0), Inj(1, 7.0))  # alternatives of one type, too
    assert split((3.0, 1.0), 0.0) == (3.0, 1.0)


# --- K1 -------------------------------------------------------------------------------------------


@claim("KR-11")
def test_dense(row: str) -> None:
    assert delta_dense.gradient(FIG1, (3.0, 4.0), 1.0) == (21.0, (10.0, 3.0))
    # a sum adds its tangents, without a multiplication by 1
    plus = Source(reals("x", "y"), prim("add", x, y), R)
    assert translated("K1", plus) == "\\((x, dx), (y, dy)). (x + y, dx ⊕ dy)"


@claim("KR-12")
def test_dense_wrapper(row: str) -> None:
    assert delta_dense.gradient(FIG1, (3.0, 4.0), 2.0)[1] == (20.0, 6.0)


@claim("KR-13")
def test_dense_argument_is_quadratic(row: str) -> None:
    for a in (2, 5, 9):
        p, s = Polytypic(()), tuple_type(*[R] * a)
        made = delta_dense.onehots(p, s, x, lambda u: u, Lit(1.0), delta_dense.dense(s))
        s0, _ = evaluate(made, {"x": evaluate(tuple_(*map(float, range(a))))[0]}, LIBRARY)
        assert len(reals_in(s0)) == a + a * a


@claim("KR-14")
def test_dense_operations(row: str) -> None:
    costs = {}
    for n in (8, 16, 48, 96):
        s = sumsq(n, balanced=True)
        value = tuple_of(n)
        out = delta_dense.run(s, (value,), 1.0)
        calls = sum(c for role, c in zip(out.machine.roles, out.machine.calls) if role in "⊕⊗")
        assert calls <= 3 * (2 * n - 1)
        costs[n] = out.cost
    assert abs(slope(costs[48], costs[96], 48, 96) - 2) < 0.1
    assert slope(costs[8], costs[16], 8, 16) > 1.5


def tuple_of(n: int) -> object:
    return (tuple_of(n // 2), tuple_of(n - n // 2)) if n > 1 else 1.5


@claim("KR-15")
def test_dense_zeros_depend_on_the_value(row: str) -> None:
    t = Plus(R, Prod(R, R))
    s = Source((("s", t),), Case(
        Var("s"), "a", prim("mul", Var("a"), Lit(3.0)),
        "b", prim("mul", Fst(Var("b")), Lit(2.0))), R)
    assert delta_dense.gradient(s, (Inj(0, 5.0),), 1.0) == (15.0, (Inj(0, 3.0),))
    assert delta_dense.gradient(s, (Inj(1, (5.0, 6.0)),), 1.0) == (10.0, (Inj(1, (2.0, 0.0)),))
    zeros = Polytypic(()).zeros(t, Var("s"))
    assert evaluate(zeros, {"s": Inj(0, 5.0)})[0] == Inj(0, 0.0)
    assert evaluate(zeros, {"s": Inj(1, (5.0, 6.0))})[0] == Inj(1, (0.0, 0.0))


# --- K2 -------------------------------------------------------------------------------------------


@claim("KR-16")
def test_symbolic_delta(row: str) -> None:
    found = show_delta(delta_symbolic.delta_of(FIG1, (3.0, 4.0)))
    assert found == "Add (Scale 7 (OneHot 0)) (Scale 3 (Add (OneHot 0) (OneHot 1)))"


@claim("KR-17")
def test_symbolic_eval_in_place(row: str) -> None:
    out = delta_symbolic.run(FIG1, (3.0, 4.0), 1.0)
    assert (out.value, out.cotangents) == (21.0, (10.0, 3.0))
    assert out.machine.counts["alloc"] == 1


@claim("KR-18")
def test_symbolic_eval_is_linear(row: str) -> None:
    # Every arm of eval2 uses the vector that it is given exactly once, but that addAt i x w reads
    # the place that it writes.
    fn = delta_symbolic.eval2().fn
    uses = {}
    for arm in fn.body.body.arms:
        names = [t for t in subterms(arm.body) if isinstance(t, Var) and t.name == fn.x]
        uses[arm.con] = len(names)
    assert uses == {"Zero": 1, "OneHot": 2, "Scale": 1, "Add": 1}
    # Scaling and adding: eval2 x u w = w + x * u.
    for seed in range(count(40)):
        s, args = random_program(seed, "RG", 20)
        value = primal(s, args)
        ct = random_cotangent(value, random.Random(seed))
        twice = map_reals(lambda r: 2 * r, ct)
        one, two = (delta_symbolic.gradient(s, args, c)[1] for c in (ct, twice))
        assert close(two, tuple(map_reals(lambda r: 2 * r, g) for g in one), 1e-12)


@claim("KR-19")
def test_symbolic_loses_sharing(row: str) -> None:
    for n in (1, 5, 10, 15):
        m = delta_symbolic.run(dbl(n), (1.0,), 1.0).machine
        assert sum(m.calls) == 2 ** (n + 1) - 1


def test_shapes_of_the_result() -> None:
    s = Source(reals("x"), Inr(Pair(x, Inl(x, ONE)), R), Plus(R, Prod(R, Plus(R, ONE))))
    for stage in STAGES.values():
        assert stage(s, (2.0,), Inj(1, (1.0, Inj(0, 5.0))))[1] == (6.0,)
        with pytest.raises(RuntimeError, match="different shapes"):
            stage(s, (2.0,), Inj(0, 1.0))
