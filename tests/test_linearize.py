"""``pb.linearize`` runs the function once: a push costs the work of the tangent only."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.ad.differentiate import tangent
from pullback.call import driver
from pullback.call.request import Request, What
from pullback.core.eval import evaluate
from pullback.core.terms import Program
from pullback.core.types import Real
from pullback.pipeline import divided_by_parameters
from tests.test_divided_loops import PROGRAMS, X


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_each_direction_alone(f: Any) -> None:
    x = X.copy()
    out, push = pb.linearize(f, x)
    value = out.copy()
    x[:] = out[...] = 0.0  # the map owns what it needs
    for e in np.eye(len(X)):
        expected, along = pb.jvp(f, (X,), (e,))
        np.testing.assert_allclose(value, expected, rtol=1e-14)
        np.testing.assert_allclose(push(e), along, rtol=1e-13, atol=1e-15)


def halves(f: Any, *args: Any) -> tuple[Program, Program]:
    """The two programs of the linear map."""
    _, unit = driver.found(f, args, Request(What.LINEAR_MAP))
    plan = unit.plan
    found = divided_by_parameters(
        tangent(unit.prepared(unit.source), plan.wrt), len(plan.params), len(plan.results)
    )
    assert found is not None
    return found


def smooth(x):
    total = 0.0
    for k in range(len(x)):
        total += math.tanh(x[k]) * math.exp(math.sin(x[k] * x[k]))
    return total


def recurrence(x):
    y = 0.1
    for k in range(len(x)):
        y = math.sin(y * y + math.exp(-x[k] * y)) * math.sqrt(1.0 + y * y)
    return y


def until(x):
    y = x[0]
    k = 0
    while k < len(x) and y < 100.0:
        y = y + math.exp(math.cos(y) * x[k]) * math.sin(y) ** 2
        k += 1
    return y


def taking_sides(x):
    total = 1.0
    for k in range(len(x)):
        if math.exp(x[k]) > 1.0:
            total = total * math.tanh(x[k] * total)
        else:
            total = total + math.sinh(math.sin(total))
    return total


def helper(y, t):
    a = math.exp(y * t) / (1.0 + math.exp(y))
    return math.sin(a) * math.cosh(a) + math.tanh(math.sinh(a) * y) + math.log(1.0 + a * a)


def calling(x):
    y = 0.3
    for k in range(len(x)):
        y = helper(y, x[k]) + 0.5 * helper(0.1 * y, 1.0)
    return y


@pytest.mark.parametrize("f", [smooth, recurrence, until, taking_sides, calling],
                         ids=lambda f: f.__name__)  # fmt: skip
def test_a_push_costs_the_work_of_the_tangent(f: Any) -> None:
    """No function of a number is computed again, no decision taken again: all that a push does is
    linear in the tangent, or a read."""
    x = 0.4 + np.cos(np.arange(40.0))
    one, two = halves(f, x)
    results, primal = evaluate(one, [x])
    values, push = evaluate(two, [*copy.deepcopy(results[1:]), np.ones(40)])
    value, along = pb.jvp(f, (x,), (np.ones(40),))
    assert results[0] == pytest.approx(value) and values[0] == pytest.approx(along)
    again = [p for p in functions_of(two) if p in {"exp", "sin", "cos", "tanh", "sinh", "sqrt"}]
    assert not again
    _, both = evaluate(driver.found(f, (x,), Request(What.TANGENT))[1].program(False),
                       [x, np.ones(40)])  # fmt: skip
    assert push < 0.75 * both and push + primal < 2.0 * both


def functions_of(program: Program) -> list[str]:
    from pullback.core.terms import Prim
    from pullback.core.traverse import all_lets, reachable

    return [
        let.op.name for name in reachable(program) for let in all_lets(program.functions[name].body)
        if isinstance(let.op, Prim) and isinstance(let.vars[:1] and let.vars[0].type, Real)
    ]  # fmt: skip


def test_structures_none_and_other_operators_over_it() -> None:
    def f(p, n):
        return {"y": p["w"] @ p["x"], "n": n, "z": [p["x"][0] * n, 1.0]}

    p = {"w": np.arange(6.0).reshape(2, 3), "x": np.array([1.0, 2.0, 3.0])}
    along = {"w": np.ones((2, 3)), "x": np.array([1.0, 0.0, 0.0])}
    out, push = pb.linearize(f, p, 2)
    assert out["n"] == 2 and push(along, None)["n"] is None
    np.testing.assert_array_equal(push(along, None)["y"], [6.0, 9.0])
    np.testing.assert_array_equal(push(None, None)["y"], [0.0, 0.0])
    np.testing.assert_array_equal(push({"w": None, "x": [1, 0, 0]}, None)["y"], [0.0, 3.0])
    assert push(along, None)["z"][0] == 2.0
    np.testing.assert_array_equal(pb.jit(lambda t: push(t, None)["y"])(along), [6.0, 9.0])
    rows = pb.vmap(lambda t: push({"w": None, "x": t}, None)["y"])(np.eye(3))
    np.testing.assert_array_equal(rows, p["w"].T)


@pytest.mark.parametrize("tangents", [(1.0, 1), (1.0,), ("a", None), (np.ones(2), None)])
def test_wrong_tangents(tangents: Any) -> None:
    _, push = pb.linearize(lambda x, n: x * n, 2.0, 3)
    with pytest.raises(TypeError):
        push(*tangents)
    _, push = pb.linearize(lambda x: x * x, np.ones(3))
    with pytest.raises(ValueError):
        push(np.ones(4))


def test_python_functions_run_once(capsys: Any) -> None:
    calls: list[float] = []

    def called(x: float) -> float:
        calls.append(x)
        return math.sin(x)

    ruled = pb.custom_jvp(pb.pure_callback(called, 0.0))
    ruled.defjvps(lambda t, out, x: t * math.cos(x))

    def f(x: float) -> float:
        print("at", x)
        return ruled(x) * x

    out, push = pb.linearize(f, 2.0)
    slope = math.cos(2.0) * 2.0 + math.sin(2.0)
    assert push(1.0) == pytest.approx(slope) and push(2.0) == pytest.approx(2.0 * slope)
    assert out == 2.0 * math.sin(2.0) and calls == [2.0]
    assert capsys.readouterr().out == "at 2.0\n"


def test_recursion_and_derivatives_inside_run_again() -> None:
    def power(x, n):
        return x if n == 0 else math.sin(power(x, n - 1)) * x

    _, push = pb.linearize(power, 1.3, 3)
    assert push(1.0, None) == pytest.approx(pb.jvp(power, (1.3, 3), (1.0, None))[1], rel=1e-14)
    _, push = pb.linearize(pb.grad(smooth), X)
    np.testing.assert_allclose(push(X), pb.hvp(smooth, (X,), (X,))[0], rtol=1e-13)
