"""Dual-numbers reverse AD: arrays that are used once, and how the stages stand to other systems."""

from __future__ import annotations

import doctest
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from pullback.core import prims
from pullback.papers.delta import dense as delta_dense
from pullback.papers.delta.dense import K1
from pullback.papers.dual import arrays as dual_arrays
from pullback.papers.dual.arrays import LINEAR_ARRAYS, array_of, modify
from pullback.papers.dual.ground import prepared
from pullback.papers.dual.naive import n1
from pullback.papers.dual.types import Duals, cotangent, parametric
from pullback.papers.language.build import lam, let, let_pair, op, prim, reals
from pullback.papers.language.check import NestedTypeError, check
from pullback.papers.language.eval import evaluate
from pullback.papers.language.prims import partial
from pullback.papers.language.terms import Fst, Fun, Lit, Pair, Prod, R, Snd, Source, Var
from pullback.papers.language.values import Inj, map_reals, reals_in, tuple_value
from tests.papers.conformance import claim
from tests.papers.dual import LINEAR, STAGES, outcome, slope
from tests.papers.generate import FULL, close, count, dbl, random_program, sumsq
from tests.papers.test_dual_costs import leaves, sumsq_cost

x = Var("x")


def test_the_figure() -> None:
    found = doctest.testmod(dual_arrays)
    assert found.failed == 0 and found.attempted > 0


# --- Fig. 11 --------------------------------------------------------------------------------------


def inside(body: Any, n: int = 3, fill: float = 0.5) -> Any:
    """The value of alloc n fill body."""
    t = op("alloc", n, fill, lam("a", array_of(R), body))
    check(t, library=LINEAR_ARRAYS)
    return evaluate(t, {}, LINEAR_ARRAYS)[0]


@claim("DN-45")
def test_arrays_used_once(row: str) -> None:
    read = lambda i, a: let_pair(("v", "w"), op("get", i, a), lambda v, w: Pair(
        v.t, op("freeze", w)))
    # alloc: all cells are the initial value; size is the length, and stays
    assert inside(lambda a: op("freeze", a)) == [0.5, 0.5, 0.5] and inside(
        lambda a: op("freeze", a), 0) == []
    assert inside(lambda a: let_pair(("n", "b"), op("size", a), lambda n, b: let_pair(
        ("m", "c"), op("size", op("set", 1, 2.0, b)), lambda m, c: Pair(
            Pair(n.t, m.t), op("freeze", c))))) == ((3, 3), [0.5, 2.0, 0.5])
    # get after set: what was set at i, what was there at any other place; get changes nothing
    for i in range(3):
        for j in range(3):
            value, after = inside(lambda a, i=i, j=j: read(j, op("set", i, 9.0, a)))
            assert value == (9.0 if i == j else 0.5)
            assert after == [9.0 if k == i else 0.5 for k in range(3)]
    # set after set at one place: the last one; sets at two places commute; set of what is there
    last = lambda a: op("freeze", op("set", 1, 2.0, op("set", 1, 1.0, a)))
    assert inside(last) == [0.5, 2.0, 0.5]
    one, other = (inside(lambda a, p=p, q=q: op("freeze", op("set", p, float(p), op(
        "set", q, float(q), a)))) for p, q in ((0, 2), (2, 0)))
    assert one == other == [0.0, 0.5, 2.0]
    same = lambda a: let_pair(("v", "w"), op("get", 1, a), lambda v, w: op(
        "freeze", op("set", 1, v, w)))
    assert inside(same) == [0.5] * 3
    # modify is get and set; modify twice is modify by the composition
    double = lam("v", R, lambda v: v + v)
    assert inside(lambda a: op("freeze", modify(Lit(2), double, a.t))) == [0.5, 0.5, 1.0]
    assert inside(lambda a: op("freeze", modify(Lit(2), double, modify(
        Lit(2), double, a.t)))) == [0.5, 0.5, 2.0]
    # allocBeside gives the witness back and a new array; dealloc gives its second argument
    both = inside(lambda a: let_pair(("w", "b"), op("allocBeside", 2, 7, a), lambda w, b: Pair(
        op("freeze", w), op("freeze", b))))
    assert both == ([0.5] * 3, [7, 7])
    assert inside(lambda a: let_pair(("w", "b"), op("allocBeside", 2, 7, a), lambda w, b: op(
        "freeze", op("dealloc", b, op("set", 0, 4.0, w))))) == [4.0, 0.5, 0.5]
    # what was given away is gone: the array itself, and its handle
    for again in (
        lambda a: op("dealloc", a, op("freeze", a)),
        lambda a: Pair(op("freeze", a), op("freeze", a)),
        lambda a: let("b", op("set", 0, 1.0, a), lambda b: Pair(op("freeze", b), op("size", a))),
    ):
        with pytest.raises(RuntimeError, match="consumed"):
            evaluate(op("alloc", 3, 0.5, lam("a", array_of(R), again)), {}, LINEAR_ARRAYS)
    # a frozen array is a value, which later writing in the array it comes from cannot change
    frozen = inside(lambda a: op("freeze", op("set", 0, 1.0, a)))
    at = let("v", Var("frozen"), lambda v: Pair(op("@", v, 0), op("@", v, 2)))
    assert evaluate(at, {"frozen": frozen}, LINEAR_ARRAYS)[0] == (1.0, 0.5)


def test_arrays_used_twice() -> None:
    wrong = {
        "set": lambda a: Pair(op("freeze", op("set", 0, 1.0, a)), op("freeze", op(
            "set", 0, 2.0, a))),
        "get": lambda a: Pair(op("freeze", a), Fst(op("get", 0, a))),
        "size": lambda a: Pair(op("freeze", a), Fst(op("size", a))),
        "allocBeside": lambda a: Pair(op("freeze", a), op("freeze", Snd(op(
            "allocBeside", 1, 1.0, a)))),
        "dealloc": lambda a: Pair(op("freeze", a), op("dealloc", a, 1.0)),
        "freeze": lambda a: Pair(op("freeze", a), op("freeze", a)),
    }
    for name, body in wrong.items():
        with pytest.raises(RuntimeError, match=f"{name}: a handle that was consumed"):
            evaluate(op("alloc", 3, 0.5, lam("a", array_of(R), body)), {}, LINEAR_ARRAYS)
        with pytest.raises(NestedTypeError, match="consumed"):
            inside(body)
    for i in (-1, 3):
        for body in (lambda a, i=i: Fst(op("get", i, a)), lambda a, i=i: op(
                "freeze", op("set", i, 1.0, a))):
            with pytest.raises(IndexError):
                inside(body)


# --- costs ----------------------------------------------------------------------------------------


@claim("DN-36")
def test_depth_of_a_leaf(row: str) -> None:
    """The Cayley stage: an input's backpropagator costs the depth of its leaf. The sum of squares
    is more and more quadratic in a left-nested tuple, n log n in a balanced one."""
    left, balanced = (sumsq_cost(STAGES["N3"], shape) for shape in (False, True))
    sizes = [32, 64, 128] + [256, 512, 1024] * FULL
    rising = [slope(left, a, b) for a, b in pairwise(sizes)]
    assert rising == sorted(rising) and rising[0] > 1.2 and rising[-1] > (1.85 if FULL else 1.5)
    assert slope(balanced, sizes[0], sizes[-1]) <= 1.25


@claim("DN-65")
def test_the_two_naive_ways(row: str) -> None:
    """Vectorised forward mode takes n times as long; naive backpropagators are exponential."""
    def vectorised(n: int) -> float:
        return delta_dense.run(sumsq(n, True), (leaves(n, True),), 1.0).cost

    assert 1.9 <= slope(vectorised, 48, 96) <= 2.1
    calls = [sum(outcome(STAGES["N1"], dbl(n), (1.0,), 1.0).machine.calls) for n in (6, 7, 8, 9)]
    assert calls == [2 ** (n + 1) - 1 for n in (6, 7, 8, 9)]


@claim("DN-71")
def test_operations_of_any_arity(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """sum_n costs n, and so does its gradient."""
    add = prims.TABLE["add"]
    for n in (8, 32, 64, 128):
        monkeypatch.setitem(prims.TABLE, f"sum{n}", replace(
            add, name=f"sum{n}", arity=n, partials=(add.partials[0],) * n,
            rule=lambda types, static: (types[0],), numpy=lambda *xs: np.float64(sum(xs))))
    one = partial("sum8", 5, [Var("v")] * 8)
    assert isinstance(one, Lit) and one.value == 1.0

    def cost(name: str, n: int) -> float:
        s = Source(reals("x"), prim(f"sum{n}", *[x] * n), R)
        out = outcome(STAGES[name], s, (2.0,), 1.0)
        assert out.cotangents == (float(n),)
        return out.reverse

    for name in LINEAR:
        assert 0.9 <= slope(lambda n, name=name: cost(name, n), 32, 128) <= 1.05


# --- other systems --------------------------------------------------------------------------------


@claim("DN-64")
def test_a_backpropagator_is_a_dense_tangent(row: str) -> None:
    """(R -o c) ≅ c: every backpropagator of N1's result, applied to 1, is K1's tangent there."""
    compared = 0
    for seed in range(count(200)):
        s, args = random_program(seed, "RGH", 20)
        program, types = prepared(s)
        value = tuple_value(*args)
        c, kept = cotangent(program.type), parametric(s.decls)
        duals = Duals(Prod(R, Fun(R, c, "-o")), None, kept)
        naive = n1(program.body, types, duals, Var("whole"))
        k1 = K1(types, delta_dense.dense(program.type, kept)).term(program.body)
        with_functions = with_each(value, scaler)
        with_vectors = with_each(value, lambda hot: hot)
        found = evaluate(
            naive, {program.x: with_functions, "whole": value}, STAGES["N1"](s).library)
        plus = lambda p: delta_plus(p[0], p[1])
        times = lambda p: map_reals(lambda r: p[0] * r, p[1])
        dense = evaluate(k1, {program.x: with_vectors, "plus": plus, "times": times,
                              "zeros": map_reals(lambda _: 0.0, value)})
        for d, tangent in zip(seconds(found[0]), seconds(dense[0]), strict=True):
            assert close(reals_in(d(1.0)), reals_in(tangent), 1e-12), seed
            compared += 1
    assert compared > 0.75 * count(200)


def seconds(v: Any) -> list[Any]:
    """The second halves of the dual numbers in a value: of the pairs that begin with a float."""
    match v:
        case list():
            return [d for part in v for d in seconds(part)]
        case (float(), d):
            return [d]
        case (a, b):
            return [*seconds(a), *seconds(b)]
        case Inj(_, part):
            return seconds(part)
        case _:
            return []


def one_hots(value: object) -> list[Any]:
    """For each real of a value, the value that is 1 there and 0 elsewhere."""
    out = []
    for k in range(len(reals_in(value))):
        places = iter(range(10**6))
        out.append(map_reals(lambda _, p=places, k=k: float(next(p) == k), value))
    return out


def with_each(value: object, second: Any) -> Any:
    """Dual numbers that carry what is made of their one-hot vector."""
    hots = iter(one_hots(value))
    return map_reals(lambda r: (r, second(next(hots))), value)


def scaler(hot: object) -> Any:
    return lambda z: map_reals(lambda r: r * z, hot, discrete=True)


def delta_plus(a: Any, b: Any) -> Any:
    other = iter(reals_in(b))
    return map_reals(lambda r: r + next(other), a)
