"""The table of interactions: each operator with nesting, with recursion and data, with dicts, with
``method="dual"``, with packed arguments, and called from several threads. A cell is right (equal to
the same program without the operator) or refused with a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb

X = np.array([0.3, -0.7, 1.1])


@dataclass(frozen=True)
class Leaf:
    value: float


@dataclass(frozen=True)
class Node:
    left: Leaf | Node
    right: Leaf | Node


Tree = Leaf | Node
TREE = Node(Node(Leaf(0.5), Leaf(-1.0)), Leaf(2.0))


def total(tree: Tree) -> float:
    match tree:
        case Leaf(value):
            return math.sin(value) * value
        case Node(left, right):
            return total(left) * 2.0 + total(right)


def wave(x: float) -> float:
    return math.sin(x) * x


@pb.custom_vjp
def ruled(x: float) -> float:
    return math.sin(x) * x


def _forward(x: float) -> Any:
    return math.sin(x) * x, x


def _backward(x: float, ct: float) -> Any:
    return (ct * (math.cos(x) * x + math.sin(x)),)


ruled.defvjp(_forward, _backward)

called = pb.custom_jvp(pb.pure_callback(lambda x: math.sin(x) * x, 0.0))
called.defjvps(lambda t, out, x: t * (math.cos(x) * x + math.sin(x)))

Scalar = Callable[[Any], Any]
OPERATORS: dict[str, tuple[Callable[[Scalar], Scalar], Callable[[Scalar], Scalar]]] = {
    # an operator of a function of a number, and the same without it
    "vmap": (
        lambda f: lambda x: np.sum(pb.vmap(f)(np.stack([x, 2.0 * x]))),
        lambda f: lambda x: f(x) + f(2.0 * x),
    ),
    "jet": (
        lambda f: lambda x: pb.jet(f, (x,), ((1.0, 0.0),))[1][1],
        lambda f: lambda x: pb.jvp(lambda y: pb.jvp(f, (y,), (1.0,))[1], (x,), (1.0,))[1],
    ),
    "checkpoint": (lambda f: pb.checkpoint(lambda x: f(x) * x), lambda f: lambda x: f(x) * x),
    "rule": (lambda f: lambda x: f(ruled(x)), lambda f: lambda x: f(wave(x))),
    "callback": (lambda f: lambda x: f(called(x)), lambda f: lambda x: f(wave(x))),
}


def nesting(change: Any) -> Scalar:
    inner = change(wave)
    return lambda x: pb.grad(inner)(x) * x + pb.jvp(inner, (x,), (x,))[1]


def recursion(change: Any) -> Scalar:
    def power(x: Any, n: int) -> Any:
        return x if n == 0 else wave(power(x, n - 1))

    return change(lambda x: power(x, 3))


def data(change: Any) -> Scalar:
    def inside(x: Any) -> Any:
        return total(Node(Leaf(x), Node(Leaf(x * x), Leaf(1.0))))

    return change(inside)


def dicts(change: Any) -> Scalar:
    def inside(x: Any) -> Any:
        d = {"a": x, "b": [x * x, 1.0]}
        d["c"] = d["a"] * d["b"][0]
        return d["c"] + d["b"][1] * wave(d["a"])

    return change(inside)


def plain(change: Any) -> Scalar:
    return change(wave)


CELLS = [nesting, recursion, data, dicts]


@pytest.mark.parametrize("cell", CELLS, ids=lambda c: c.__name__)
@pytest.mark.parametrize("name", OPERATORS)
def test_values_and_gradients(name: str, cell: Any) -> None:
    made, expected = (cell(change) for change in OPERATORS[name])
    value, gradient = pb.value_and_grad(made)(0.7)
    other, wanted = pb.value_and_grad(expected)(0.7)
    assert value == pytest.approx(other, rel=1e-12)
    assert gradient == pytest.approx(wanted, rel=1e-11)


@pytest.mark.parametrize("name", OPERATORS)
def test_dual_numbers(name: str) -> None:
    made, expected = (plain(change) for change in OPERATORS[name])
    assert pb.grad(made, method="dual")(0.7) == pytest.approx(pb.grad(expected)(0.7), rel=1e-11)


@pytest.mark.parametrize("name", OPERATORS)
def test_packed_arguments(name: str) -> None:
    made, expected = (plain(change) for change in OPERATORS[name])
    weights = {"w": X, "tree": TREE}
    packed = pb.pack(weights)

    def with_data(f: Scalar) -> Any:
        return lambda d: f(d["w"][0]) + total(d["tree"]) * d["w"][1]

    found = pb.unpack(pb.grad(with_data(made))(packed))
    wanted = pb.grad(with_data(expected))(weights)
    np.testing.assert_allclose(found["w"], wanted["w"], rtol=1e-11)
    assert found["tree"].right.value == pytest.approx(wanted["tree"].right.value, rel=1e-12)


@pytest.mark.parametrize("name", OPERATORS)
def test_threads(name: str) -> None:
    gradient = pb.grad(plain(OPERATORS[name][0]))
    places = np.linspace(0.1, 1.0, 16)
    alone = [gradient(x) for x in places]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(gradient, places)) == alone
