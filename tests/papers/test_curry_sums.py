"""The Differentiable Curry with sums, declared types and recursion (section 6.2)."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import pullback as pb
from pullback.papers.language.build import E, fun, if_, lam, letrec, prim, reals, tuple_
from pullback.papers.language.eval import evaluate
from pullback.papers.language.terms import (
    B,
    Case,
    Con,
    Context,
    Data,
    DataDecl,
    Fst,
    Fun,
    Inl,
    Inr,
    Lam,
    Let,
    LetRec,
    Match,
    MatchArm,
    Pair,
    Plus,
    Prod,
    R,
    Rec,
    Source,
    Type,
    Var,
    Z,
)
from pullback.papers.language.values import ConV, Inj, pair, real
from pullback.papers.methods import Unsupported, run
from tests.papers.conformance import claim
from tests.papers.generate import (
    STANDARD,
    Generator,
    close,
    count,
    finite_difference,
    random_cotangent,
    random_value,
)
from tests.papers.test_curry_combinators import primitive_calls, rnn

ALL = ("curry.simple", "curry.dependent", "curry.erased")
LIST = Data("List")
LISTS = DataDecl("List", (), (("End", ()), ("More", (R, LIST))))
STEP = fun(R, R, R)
w, h0, x, y = (E(Var(v)) for v in ("w", "h0", "x", "y"))


def list_of(*xs: float) -> ConV:
    out = ConV("End", ())
    for v in reversed(xs):
        out = ConV("More", (v, out))
    return out


def network() -> Source:
    """The paper's runRNN: ``fold`` is a recursive function over a recursive type."""
    go, g = E(Var("fold")), E(Var("g"))
    fold = Rec("fold", Fun(STEP, fun(R, LIST, R)), Lam("g", STEP, Lam("h", R, Lam(
        "xs", LIST, Match(Var("xs"), (
            MatchArm("End", (), Var("h")),
            MatchArm("More", ("v", "rest"),
                     go(g, g(E(Var("h")), E(Var("v"))), E(Var("rest"))).t)))))))
    cell = lam("h", R, lambda h: lam("v", R, lambda v: prim("sin", w * h + v)))
    body = LetRec((fold,), Let("g", cell, go(g, h0, E(Var("xs"))).t))
    return Source((*reals("w", "h0"), ("xs", LIST)), body, R, (LISTS,))


@claim("DC-24")
def test_the_network_as_a_fold_over_a_list(row: str) -> None:
    for method in ALL:
        for xs in ((), (0.1,), (0.1, -0.4, 0.9)):
            folded = run(method, network(), (0.7, 0.3, list_of(*xs)), 1.0)
            dw, dh, dxs = folded.cotangents
            if xs:
                unrolled = run(method, rnn(len(xs)), (0.7, 0.3, *xs), 1.0)
                assert close((folded.value,), (unrolled.value,), 1e-12)
                assert close((dw, dh, dxs), (*unrolled.cotangents[:2], list_of(
                    *map(real, unrolled.cotangents[2:]))), 1e-12)
            else:
                assert folded.cotangents == (0.0, 1.0, list_of())
        assert close((dw,), (0.116294,), 1e-5)  # the paper's network of three steps
    # E calls each primitive once for every step, as in the unrolled network (DC-23)
    for steps in (1, 6):
        o = run("curry.dependent", network(), (0.7, 0.3, list_of(*[0.1] * steps)), 1.0)
        assert primitive_calls(o) == (3 * steps, 3 * steps)


def test_the_network_of_a_user() -> None:
    def step(params: float, hidden: float, v: float) -> float:
        return math.tanh(params * hidden + v)

    def run_rnn(params: float, hidden: float, n: int) -> float:
        def go(h: float, k: int) -> float:
            return h if k == 0 else go(step(params, h, 0.1 * k), k - 1)
        return go(hidden, n)

    wanted = pb.value_and_grad(run_rnn)(0.7, 0.3, 3)
    for method in ALL:
        value, pullback = pb.vjp(run_rnn, 0.7, 0.3, 3, method=method)
        assert close((value,), (wanted[0],), 1e-12)
        assert close((pullback(1.0)[0],), (wanted[1],), 1e-12)


class Branching(Generator):
    """Programs with sums and branches, of functions too."""

    def type(self, depth: int, arrays: bool = True) -> Type:
        return super().type(depth, False)


def program(seed: int) -> tuple[Source, tuple[Any, ...]]:
    rng = random.Random(f"λ∂ with sums/{seed}")
    g = Branching(rng, "RGH")
    context: Context = (("x", R), *((v, g.type(2)) for v in ("y", "w")[: rng.randrange(3)]))
    g.scope = list(context)
    result = rng.choice((R, R, g.type(2)))
    body = g.term(result, rng.randint(2, 18))
    return Source(context, body, result), tuple(random_value(t, rng) for _, t in context)


# recursive functions that capture reals, functions and themselves; sums that hold functions; trees
CAPTURES = Source(reals("x", "y"), letrec(
    "go", Fun(R, R), "k", lambda go, k: if_(prim("lt", k, 0.5), y, x * go(k - 1.0) + y * go(
        k - 2.0)), lambda go: go(4.0) * go(3.0) + x), R)
RETURNED = Source(reals("x", "y"), letrec(
    "go", Fun(R, Fun(R, R)), "k", lambda go, k: if_(
        prim("lt", k, 0.5), lam("u", R, lambda u: u * x),
        lam("u", R, lambda u: y * E(go(k - 1.0).t)(u * u))), lambda go: go(2.0)(x)), R)
GIVEN = Source(reals("x", "y"), letrec(
    "go", Fun(R, R), "k", lambda go, k: if_(prim("lt", k, 0.5), x, y * go(k - 1.0)),
    lambda go: Let("t", lam("f", Fun(R, R), lambda f: f(2.0) + f(3.0) * x),
                   E(Var("t"))(go).t)), R)
HELD = Source(reals("x", "y"), Let("f", Case(
    prim("sign2", x), "l", Inl(lam("u", R, lambda u: u * y), R), "r", Inr(
        (x * y).t, Fun(R, R))), Case(
    Var("f"), "g", (E(Var("g"))(x) + E(Var("g"))(y)).t, "v", (E(Var("v")) * x).t)), R)
TREE = Data("Tree", (R,))
TREES = DataDecl("Tree", ("a",), (
    ("Leaf", (Z, )), ("One", (R,)), ("Node", (TREE, TREE))))
_f = E(Var("f"))
TREE_PRODUCT = Source((("t", TREE), ("x", R)), LetRec((Rec("f", Fun(TREE, R), Lam("s", TREE, Match(
    Var("s"), (MatchArm("Leaf", ("n",), x.t), MatchArm("One", ("v",), (E(Var("v")) * x).t),
               MatchArm("Node", ("l", "r"), (_f(E(Var("l"))) * _f(E(Var("r")))).t))))),),
    tuple_(_f(E(Var("t"))), Con("Node", (Var("t"), Con("One", ((x * x).t,), TREE)), TREE))),
    Prod(R, TREE), (TREES,))
RECURSIVE: list[tuple[Source, tuple[Any, ...]]] = [
    (CAPTURES, (0.7, -0.4)), (RETURNED, (0.7, -0.4)), (GIVEN, (0.7, -0.4)),
    (HELD, (0.7, -0.4)), (HELD, (-0.7, -0.4)),
]


@claim("DC-28")
def test_control_flow_and_recursion(row: str) -> None:
    for source, args, seed, value, cotangents in (STANDARD["POW5"], STANDARD["ABS-"],
                                                  STANDARD["ABS+"]):
        for method in ALL:
            o = run(method, source, args, seed)
            assert o.value == value and o.cotangents == cotangents
    for source, args in RECURSIVE:
        for method in ALL:
            o = run(method, source, args, 1.0)
            assert close(o.cotangents, finite_difference(source, args, 1.0), 1e-6)
            assert close(o.cotangents, run("chad.closures", source, args, 1.0).cotangents, 1e-12)
    for seed in range(count(60)):
        source, args = program(seed)
        value, _ = evaluate(source.body, dict(zip([v for v, _ in source.context], args)))
        ct = random_cotangent(value, random.Random(seed))
        wanted = run("chad.closures", source, args, ct).cotangents
        for method in ALL:
            o = run(method, source, args, ct)
            assert close((o.value,), (value,), 1e-12), seed
            assert close(o.cotangents, wanted, 1e-9), seed


def test_trees() -> None:
    leaf, one, other = ConV("Leaf", (7,)), ConV("One", (2.0,)), ConV("One", (5.0,))
    tree = ConV("Node", (ConV("Node", (leaf, one)), other))
    zero = ConV("Node", (ConV("Node", (ConV("Leaf", ((),)), ConV("One", (0.0,)))),
                         ConV("One", (0.0,))))
    seed = (1.0, ConV("Node", (zero, ConV("One", (1.0,)))))
    for method in ALL:
        o = run(method, TREE_PRODUCT, (tree, 3.0), seed)
        # x * (2 x) * (5 x), and x * x in the tree
        assert pair(o.value)[0] == 270.0 and o.cotangents[1] == 270.0 + 6.0
        assert o.cotangents[0] == ConV("Node", (
            ConV("Node", (ConV("Leaf", ((),)), ConV("One", (135.0,)))), ConV("One", (54.0,))))


def test_tangents_of_sums() -> None:
    either = Plus(R, Prod(Z, B))
    s = Source((("e", either), ("x", R)), Case(
        Var("e"), "l", tuple_(E(Var("l")) * x, Inl(Pair(Var("l"), Var("x")), Z)),
        "r", tuple_(x, Inr(Fst(Var("r")), Prod(R, R)))), Prod(R, Plus(Prod(R, R), Z)))
    for method in ALL:
        o = run(method, s, (Inj(0, 2.0), 3.0), (1.0, Inj(0, (10.0, 100.0))))
        assert o.cotangents == (Inj(0, 13.0), 102.0)
        o = run(method, s, (Inj(1, (4, Inj(1, ()))), 3.0), (1.0, Inj(1, ())))
        assert o.cotangents == (Inj(1, ((), Inj(1, ()))), 1.0)
        # what is not used has a zero of its own shape
        unused = Source((("e", either), ("t", TREE), ("x", R)), x.t, R, (TREES,))
        o = run(method, unused, (Inj(0, 2.0), ConV("One", (5.0,)), 3.0), 1.0)
        assert o.cotangents == (Inj(0, 0.0), ConV("One", (0.0,)), 1.0)


def test_what_is_refused() -> None:
    even, odd = E(Var("even")), E(Var("odd"))
    some = tuple(Rec(name, Fun(R, R), Lam("k", R, if_(prim("lt", Var("k"), 0.5), last, other(
        E(Var("k")) - 1.0)))) for name, last, other in (("even", x, odd), ("odd", y, even)))
    mutual = Source(reals("x", "y"), LetRec(some, even(3.0).t), R)
    box = DataDecl("Box", (), (("Box", (Fun(R, R),)),))
    holds = Source(reals("x"), Match(Con("Box", (Lam("u", R, Var("u")),), Data("Box")), (
        MatchArm("Box", ("f",), E(Var("f"))(x).t),)), R, (box,))
    for method in ALL:
        with pytest.raises(Unsupported, match="functions that call each other"):
            run(method, mutual, (1.0, 2.0), 1.0)
        with pytest.raises(Unsupported, match="Box holds functions"):
            run(method, holds, (1.0,), 1.0)
