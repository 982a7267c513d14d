"""``pb.check_grads``: what it accepts, and what it says of what is wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb


@pb.custom_vjp
def wrong(x, y):
    return x * x * y


wrong.defvjp(lambda x, y: (x * x * y, (x, y)), lambda r, ct: (2.0 * r[0] * r[1] * ct, r[0] * ct))


@pb.custom_jvp
def wrong_second(x):
    return math.sin(x)


@pb.custom_jvp
def cosine(x):
    return math.cos(x)


wrong_second.defjvps(lambda t, out, x: cosine(x) * t)
cosine.defjvps(lambda t, out, x: math.sin(x) * t)


@dataclass(frozen=True)
class Body:
    mass: float
    place: Any
    n: int


def energy(bodies: list[Any], d: Any) -> Any:
    return wrong(bodies[0].mass, d["k"]) + np.sum(bodies[1].place ** 2) * bodies[1].n


def test_a_wrong_rule_is_caught_and_its_leaf_named() -> None:
    with pytest.raises(AssertionError, match="disagree") as caught:
        pb.check_grads(lambda x, y: wrong(x, y), (3.0, 2.0))
    assert "args[1]" in str(caught.value) and "args[0]" not in str(caught.value)
    bodies = [Body(1.5, np.ones(2), 2), Body(2.5, np.ones(2), 3)]
    with pytest.raises(AssertionError, match="disagree") as caught:
        pb.check_grads(lambda b, d: energy(list(b), d), (tuple(bodies), {"k": 2.0, "j": 1.0}))
    assert "args[1]['k']" in str(caught.value) and "args[0]" not in str(caught.value)


def test_a_rule_may_be_wrong_in_the_second_order_only() -> None:
    pb.check_grads(lambda x: wrong_second(x), (0.7,))
    with pytest.raises(AssertionError, match=r"order 2"):
        pb.check_grads(lambda x: wrong_second(x), (0.7,), order=2)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: math.log(x), 0.01), (lambda x: math.sin(1e8 * x), 1e-8),
        (lambda x: x * x, 1e6), (lambda x: math.exp(20.0 * x), 0.5), (lambda x: 1.0 / x, 1e-3),
        (lambda x: math.sqrt(x), 1e-6), (lambda x: abs(x), 0.25), (lambda x: math.tan(x), 1.57),
    ],
)  # fmt: skip
def test_steps_fit_the_function(f: Any, x: float) -> None:
    pb.check_grads(f, (x,))


def test_a_kink_is_named() -> None:
    for f, x in (
        (lambda x: max(0.0, x), 0.0), (lambda x: abs(x - 1.0) * 1e3, 1.0 + 1e-6),
        (lambda x: np.sum(np.maximum(x, 0.5)), np.array([0.5, 2.0])),
        (lambda x: 1.0 if x > 0.3 else 2.0 * x, 0.3),
    ):  # fmt: skip
        with pytest.raises(AssertionError, match="has a kink at the point or nearer"):
            pb.check_grads(f, (x,))
    with pytest.raises(AssertionError, match="disagree") as caught:
        pb.check_grads(lambda x: x * pb.stop_gradient(x), (3.0,))
    assert "kink" not in str(caught.value)


def test_many_leaves() -> None:
    many = {f"k{i}": 10.0 ** (i % 5) for i in range(40)}
    pb.check_grads(lambda d: math.fsum([v * v for v in d.values()]), (many,), rtol=1e-4)
