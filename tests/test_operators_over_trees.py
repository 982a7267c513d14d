"""Operators over structures, inside compiled code too, and programs that print and call Python
functions: what runs once, and in which order."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb

X = np.array([0.3, -0.7, 1.1])
CALLS: list[float] = []


def python_sine(x: float) -> float:
    CALLS.append(x)
    print("sine of", x)
    return math.sin(x)


called = pb.custom_jvp(pb.pure_callback(python_sine, 0.0))
called.defjvps(lambda t, out, x: t * math.cos(x))


def with_aux(x):
    return np.array([called(x[0]) * x[1], x[2]]), {"a": x * 2.0}


MATRIX = np.array([[math.cos(0.3) * -0.7, math.sin(0.3), 0.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize("inside", [False, True])
def test_jacfwd_with_aux_runs_the_function_once(inside: bool) -> None:
    CALLS.clear()
    f = pb.jacfwd(with_aux, has_aux=True)
    matrix, aux = (pb.jit(lambda x: f(x)) if inside else f)(X)
    np.testing.assert_allclose(matrix, MATRIX, rtol=1e-14)
    np.testing.assert_array_equal(aux["a"], 2.0 * X)
    assert CALLS == [0.3]


def test_aux_inside_compiled_and_differentiated_code() -> None:
    def f(x):
        return np.sum(x**2), {"n": len(x), "y": x * x}

    def inside(x):
        (value, aux), gradient = pb.value_and_grad(f, has_aux=True)(x)
        _, pull, more = pb.vjp(f, x, has_aux=True)
        rows, last = pb.jacrev(f, has_aux=True)(x)
        total = value + np.sum(gradient) + np.sum(aux["y"]) * more["n"]
        return total + np.sum(pull(1.0)[0]) + np.sum(rows) * last["n"]

    expected = 4.0 * np.sum(X * X) + 10.0 * np.sum(X)
    assert pb.jit(inside)(X) == pytest.approx(expected, rel=1e-13)
    np.testing.assert_allclose(pb.grad(inside)(X), 8.0 * X + 10.0, rtol=1e-13)


def tree(p):
    return {"y": p["w"] * p["b"][0], "k": 3, "z": (p["b"][1], p["n"])}


TREE = {"w": X, "b": (2.0, 3.0), "n": 4}


@pytest.mark.parametrize("inside", [False, True])
def test_none_stands_for_the_cotangent_of_what_has_no_derivative(inside: bool) -> None:
    def pulled(p):
        return pb.vjp(tree, p)[1]({"y": X, "k": None, "z": (1.0, None)})[0]["w"]

    found = (pb.jit(pulled) if inside else pulled)(TREE)
    np.testing.assert_allclose(found, 2.0 * X, rtol=1e-15)


@pytest.mark.parametrize("operator", [pb.jacfwd, pb.jacrev, pb.jacobian])
def test_jacobians_of_trees_inside_are_laid_out_as_outside(operator: Any) -> None:
    def f(q):
        return {"y": q["w"] * q["b"][0], "z": (q["b"][1] * q["b"][0],)}

    def parts(p):
        found = operator(f)({"w": p["w"], "b": p["b"]})
        return found["y"]["w"], found["y"]["b"][0], found["z"][0]["b"][1], found["z"][0]["w"]

    for one, other in zip(pb.jit(parts)(TREE), parts(TREE), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-15)
    np.testing.assert_allclose(parts(TREE)[1], X)


def test_vmap_over_trees_and_what_has_no_rows() -> None:
    def f(d, s):
        return {"u": np.sum(d["a"]) * d["b"][0] + d["c"][0], "v": (d["b"][1], s)}

    d = {"a": np.ones((4, 3)), "b": (np.arange(4.0), np.ones((3, 4))), "c": (2.0,)}
    mapped = pb.vmap(f, ({"a": 0, "b": (0, 1), "c": None}, None), {"u": 0, "v": (1, None)})
    for found in (mapped(d, 5.0), pb.jit(lambda d: mapped(d, 5.0))(d)):
        np.testing.assert_array_equal(found["u"], 3.0 * np.arange(4.0) + 2.0)
        assert found["v"][0].shape == (3, 4) and found["v"][1] == 5.0
    nodes = row_of(1)
    with pytest.raises(pb.PullbackError, match="give in_axes=None to what is not mapped"):
        pb.vmap(total)(nodes)
    np.testing.assert_array_equal(pb.vmap(lambda x, t: x * total(t), (0, None))(X, nodes), X)


@dataclass(frozen=True)
class End:
    value: float


@dataclass(frozen=True)
class Row:
    value: float
    rest: Row | End


def total(row: Row | End) -> float:
    found = 0.0
    while isinstance(row, Row):
        found += math.sin(row.value)
        row = row.rest
    return found + row.value


def row_of(n: int) -> Row | End:
    found: Row | End = End(1.0)
    for k in range(n):
        found = Row(0.1 * k, found)
    return found


def test_tangents_by_nodes_inside_are_linear_in_their_number() -> None:
    def along(row: Row | End, tangent: Row | End) -> float:
        return pb.jvp(total, (row,), (tangent,))[1]

    steps = [pb.cost(along, row_of(n), row_of(n)) for n in (50, 100, 200)]
    assert steps[2] - steps[1] == pytest.approx(2 * (steps[1] - steps[0]), rel=0.05)


def test_nondifferentiable_arguments_may_be_trees() -> None:
    @functools.partial(pb.custom_vjp, nondiff_argnums=(0,))
    def scaled(options, x):
        return np.sum(x) * options["k"] * options["l"][1]

    scaled.defvjp(
        lambda o, x: (np.sum(x) * o["k"] * o["l"][1], len(x)),
        lambda o, n, ct: (np.full(n, 7.0 * ct * o["k"]),),
    )
    options = {"k": 2.0, "l": (1.0, 3.0), "name": "any"}
    np.testing.assert_array_equal(pb.grad(lambda x: scaled(options, x))(X), np.full(3, 14.0))
    with pytest.raises(pb.PullbackError, match="options"):  # it would need a cotangent
        pb.grad(lambda x: scaled({"k": 2.0, "l": (x[0], 3.0 * x[1]), "name": "any"}, x))(X)


def test_a_function_that_is_made_inside_needs_its_rule() -> None:
    def f(x):
        g = pb.custom_jvp(lambda y: math.sin(y))
        return g(x)

    with pytest.raises(pb.PullbackError, match=r"say it before: f\.defjvp\(rule\)"):
        pb.jit(f)(1.3)

    def h(x):
        g = pb.custom_jvp(lambda y: math.sin(y))
        g.defjvp(lambda primals, tangents: (g(*primals), 3.0 * tangents[0]))
        return g(x)

    assert pb.value_and_grad(h)(1.3) == (math.sin(1.3), 3.0)


def printing(x):
    print("a", x)
    y = called(x)
    print("b", y)
    for k in range(2):
        y = called(y) * x
        print("c", k)
    return y


@pytest.mark.parametrize("operator", [pb.jit, pb.grad, pb.value_and_grad])
def test_prints_and_python_functions_come_in_the_order_of_the_program(
    operator: Any, capsys: Any
) -> None:
    printing(0.5)
    wanted = capsys.readouterr().out
    operator(printing)(0.5)
    assert capsys.readouterr().out == wanted


def along_constants(x):
    value, tangent = pb.jvp(lambda y: (80.0, {"a": y * y, "b": 2.0}, 3, 2j), (x,), (1.0,))
    first = pb.jet(lambda y: [80.0, y], (x,), ((1.0, 0.0),))[1]
    along = pb.linearize(lambda y: (5.0, y), x)[1](x)
    moved = tangent[0] + tangent[1]["a"] * x + tangent[1]["b"] + abs(tangent[3])
    return value[0] * x + moved + (tangent[2] is None) + first[0][0] + along[0] + along[1]


def jacobians_of_constants(x):
    a = np.array([x, 2.0])
    rows = pb.jacfwd(lambda v: (1.0, v.sum() * x, np.ones(2)))(a)
    return pb.jacfwd(lambda y: 80.0)(x) + rows[0].sum() + rows[1].sum() + rows[2].sum()


@pytest.mark.parametrize("f", [along_constants, jacobians_of_constants])
def test_tangents_of_constants_are_zero(f: Any) -> None:
    assert pb.jit(f)(1.3) == pytest.approx(f(1.3), rel=1e-12)
    slope = (f(1.3 + 1e-5) - f(1.3 - 1e-5)) / 2e-5
    for method in ("chad", "dual"):
        assert pb.grad(f, method=method)(1.3) == pytest.approx(slope, rel=1e-6)


def test_jacobians_of_constants_from_outside() -> None:
    assert pb.jacfwd(lambda x: 80.0)(1.3) == 0.0
    assert pb.jacobian(lambda x: [80.0, x, 1])(1.3) == [0.0, 1.0, None]
    np.testing.assert_array_equal(pb.jacfwd(lambda a: 1.0)(np.ones(2)), np.zeros(2))
