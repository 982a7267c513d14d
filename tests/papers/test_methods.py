"""``method=``: every method of the papers on users' functions, against the compiled default."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call.by_method import method_names
from pullback.call.methods import CHAD
from pullback.papers.language.terms import Op
from pullback.papers.methods import METHODS, Curried
from tests import campaign
from tests.harness import distance
from tests.programs import Program, corpus

NAMES = ("polynomial", "two_numbers", "with_int", "shared", "constants")
PROGRAMS = [p for p in corpus() if p.name in NAMES]


def arguments(program: Program) -> tuple[Any, ...]:
    return program.make_args(np.random.default_rng(1), 3)


BOTH = [(p, m) for p in PROGRAMS for m in method_names()
        if campaign.chosen("papers", f"{p}, {m}", 6)]  # fmt: skip


@pytest.mark.parametrize(("program", "method"), BOTH, ids=[f"{p}-{m}" for p, m in BOTH])
def test_a_method_agrees_with_the_default(program: Program, method: str) -> None:
    args, argnums = arguments(program), program.argnums
    wanted = pb.value_and_grad(program.f, argnums)(*args)
    found = pb.value_and_grad(program.f, argnums, method=method)(*args)
    assert distance(wanted, found) < 1e-9
    assert distance(wanted[1], pb.grad(program.f, argnums, method=method)(*args)) < 1e-9
    assert pb.cost(program.f, *args, method=method) > pb.cost(program.f, *args)


def looping(x: float, n: int) -> float:
    for _ in range(n):
        x = x * x if x > 0.5 else x + x
    return x


def test_what_a_paper_has_not_is_refused() -> None:
    for method in ("curry.simple", "curry.dependent"):
        with pytest.raises(NotImplementedError, match="language has no") as e:
            pb.grad(looping, method=method)(0.7, 3)
        assert isinstance(e.value, pb.PullbackError)


def pairs(p: tuple[float, list[float]], c: float) -> float:
    f = lambda u: c * u + p[0]
    return f(f(p[0])) * c


def test_results_have_the_users_structure() -> None:
    for method in ("curry.simple", "curry.dependent"):
        wanted = pb.grad(pairs, (0, 1))((2.0, [1.0]), 3.0)
        found = pb.grad(pairs, (0, 1), method=method)((2.0, [1.0]), 3.0)
        assert distance(wanted, found) < 1e-12


def quotient(x: float, y: float) -> float:
    return x / y


def with_beside(x: float) -> tuple[float, tuple[int, float]]:
    return x * x, (3, x + 1.0)


def test_unknown_methods_are_refused_at_once() -> None:
    with pytest.raises(ValueError, match=r"no method 'tape'.*\n.*chad"):
        pb.grad(quotient, method="tape")
    assert pb.grad(quotient, method="chad")(1.0, 2.0) == 0.5


@pytest.mark.parametrize("method", method_names()[:1])
def test_operators_by_a_method(method: str, capsys: pytest.CaptureFixture[str]) -> None:
    gradient = pb.grad(with_beside, has_aux=True, method=method)
    assert gradient(3.0) == (6.0, (3, 4.0))
    both = pb.value_and_grad(with_beside, has_aux=True, method=method)
    assert both(x=3.0) == ((9.0, (3, 4.0)), 6.0)
    assert pb.cost(pb.grad(quotient, -1, method=method), 1.0, 2.0) == pb.cost(
        quotient, 1.0, 2.0, method=method)
    text = pb.show(quotient, 1.0, 2.0, method=method)
    assert text and capsys.readouterr().out == text + "\n"
    assert CHAD not in method_names()


@dataclass(frozen=True)
class Place:
    height: float
    slopes: np.ndarray


def placed(p: Place, n: int, y: float) -> tuple[Place, tuple[int, float]]:
    return Place(p.height * y, p.slopes * p.height), (n, y * p.height)


def halves(x: tuple[float, float], n: int) -> tuple[tuple[float, int], float]:
    return (x[0] * x[1], n), math.sin(x[0])


@pytest.mark.parametrize("method", method_names())
def test_pullbacks_by_a_method(method: str) -> None:
    for arrays, f, args in ((False, halves, ((0.5, 2.0), 3)),
                            (True, placed, (Place(2.0, np.array([1.0, 2.0])), 3, 5.0))):
        if arrays and Op not in METHODS[method].source.terms:
            continue
        out, pull = pb.vjp(f, *args, method=method)
        wanted, compiled = pb.vjp(f, *args)
        assert distance(wanted, out) < 1e-12
        slopes = np.array([1.0, 10.0])
        for _ in range(2):  # again and again, at the point where it was made
            for ct in ((Place(1.0, slopes), (None, 2.0)) if arrays else ((2.0, None), 3.0), None):
                assert distance(compiled(ct), pull(ct)) < 1e-12
            if arrays:
                args[0].slopes[0] = 7.0
    out, pull, aux = pb.vjp(with_beside, 3.0, has_aux=True, method=method)
    assert (out, aux, pull(2.0)) == (9.0, (3, 4.0), (12.0,))


def waves(x: float, y: float) -> tuple[float, float]:
    z = math.log(x) * math.cos(y)
    return math.sin(z * x), z + y


@pytest.mark.parametrize("method", method_names())
def test_a_pullback_is_the_closure_of_the_stage(method: str) -> None:
    pull: Any = pb.vjp(waves, 0.5, 0.25, method=method)[1]
    run = pull._pullback.run
    before, roles = dict(run.machine.counts), list(run.machine.roles)
    seeds = ((1.0, 0.0), (0.0, 1.0), (2.0, -3.0))
    found = [pull(ct) for ct in seeds]
    wanted = pb.vjp(waves, 0.5, 0.25)[1]
    assert distance([wanted(ct) for ct in seeds], found) < 1e-12
    # CH0 and S run a function again for each call of it, and that is what is wrong with them.
    again = ("chad.higher", "chad.bagged", "curry.simple")
    if isinstance(METHODS[method].runner, Curried) and method not in again:
        # no call runs the program: no log, of which no partial has one, and no new backpropagator
        # of an operation
        log = "prim:log"
        assert run.machine.counts.get(log, 1) == before.get(log, 1) == 1
        assert run.machine.roles.count("op") == roles.count("op")
        steps = [run.back(ct)[1] for ct in (*seeds, seeds[0])]
        assert steps[0] == steps[-1]
        assert max(steps) <= 6 * run.forward


@pytest.mark.parametrize("method", method_names())
def test_the_cost_of_a_method(method: str) -> None:
    costs = [pb.cost(polynomials[n], 0.5, method=method) for n in (1, 2)]
    assert pb.cost(polynomials[1], 0.5) < costs[0] < costs[1]


polynomials = {1: lambda x: x * x * x, 2: lambda x: x * x * x * x}


@dataclass(frozen=True)
class Leaf:
    value: float


@dataclass(frozen=True)
class Fork:
    left: Fork | Leaf
    right: Fork | Leaf


def product(tree: Fork | Leaf) -> float:
    match tree:
        case Leaf(value):
            return value
        case Fork(left, right):
            return product(left) * product(right)


def test_a_node_that_is_shared_is_no_variable_of_these_methods() -> None:
    leaf = Leaf(3.0)
    shared, apart = Fork(leaf, leaf), Fork(leaf, Leaf(2.0))
    with pytest.raises(NotImplementedError, match="node that is shared"):
        pb.grad(product, method="dual.tape")(shared)
    assert pb.grad(product, method="dual")(shared) == Fork(Leaf(6.0), Leaf(6.0))
    assert pb.grad(product, method="dual.tape")(apart) == Fork(Leaf(2.0), Leaf(3.0))
    by_x = pb.value_and_grad(lambda t, x: x * product(t), 1, method="dual.tape")
    assert by_x(shared, 2.0) == (18.0, 9.0)
