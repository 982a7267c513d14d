"""Operators over arrays without elements: the shapes are those that arrays with elements would
have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.structures import leaves

X, NONE, ROWS = np.ones(3), np.ones(0), np.ones((0, 3))


@dataclass(frozen=True)
class Pair:
    left: Any
    right: Any


def parts(p: Any) -> Any:
    return {"y": p["a"][:0] * p["b"], "z": Pair(p["a"] * p["b"], p["b"] * 2.0)}


def stepped(x: Any) -> Any:
    y = x * 2.0
    for _ in range(3):
        y = y * x
    return {"y": y, "s": np.sum(y)}


def energy(x: Any) -> Any:
    return np.sum(x * x)


PARTS = [(0, 3), (0,), (3, 3), (3,), (3,), ()]

CASES: list[tuple[Callable[[], Any], list[tuple[int, ...]]]] = [
    (lambda: pb.jacrev(lambda x: x[:0] * 2)(X), [(0, 3)]),
    (lambda: pb.jacfwd(lambda x: x[:0] * 2)(X), [(0, 3)]),
    (lambda: pb.jacobian(lambda x: x[:, :0] * 2)(np.ones((2, 3))), [(2, 0, 2, 3)]),
    (lambda: pb.jacrev(lambda x: np.stack([np.sum(x), 2.0]))(NONE), [(2, 0)]),
    (lambda: pb.jacfwd(lambda x: np.stack([np.sum(x), 2.0]))(NONE), [(2, 0)]),
    (lambda: pb.jacrev(parts)({"a": X, "b": 2.0}), PARTS),
    (lambda: pb.jacfwd(parts)({"a": X, "b": 2.0}), PARTS),
    (lambda: pb.hessian(energy)(ROWS), [(0, 3, 0, 3)]),
    (lambda: pb.hessian(lambda x: x[:0] ** 2)(X), [(0, 3, 3)]),
    (lambda: pb.vmap(stepped)(ROWS), [(0, 3), (0,)]),
    (lambda: pb.vmap(stepped, in_axes=1, out_axes={"y": 1, "s": 0})(ROWS.T), [(3, 0), (0,)]),
    (lambda: pb.vmap(pb.grad(energy))(ROWS), [(0, 3)]),
    (lambda: pb.vmap(pb.jacrev(lambda x: x[:, None] * np.ones(2)))(ROWS), [(0, 3, 2, 3)]),
    (lambda: pb.vmap(pb.vmap(lambda x: x * np.ones((2, 1))))(ROWS), [(0, 3, 2, 1)]),
    (lambda: pb.jacrev(pb.vmap(lambda x: x * X))(NONE), [(0, 3, 0)]),
    (lambda: pb.vjp(pb.vmap(lambda x: x[:2]), ROWS)[1](np.ones((0, 2))), [(0, 3)]),
]


@pytest.mark.parametrize("k", range(len(CASES)))
def test_shapes_without_elements(k: int) -> None:
    run, shapes = CASES[k]
    assert [np.shape(x) for x in leaves(run())] == shapes


def test_a_shape_that_only_elements_could_tell_is_refused() -> None:
    def chosen(x: Any) -> Any:
        return x[x > 0.5]

    assert pb.vmap(chosen)(np.ones((2, 3))).shape == (2, 3)
    with pytest.raises(ValueError, match="no element that could tell the shape"):
        pb.vmap(chosen)(ROWS)
