"""``pb.jet``: derivatives of higher order along a path."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pullback as pb

W = np.array([[0.5, -1.0], [1.5, 0.75]])
X, V = np.array([0.3, -0.7]), np.array([1.0, 0.5])


def scalar(x: float) -> float:
    return math.exp(math.sin(x))


def branching(x: Any, n: int) -> Any:
    total = 0.0
    for k in range(n):
        total += np.sum(np.tanh(W @ x) ** 2) if total < 1.0 else x[k % 2]
    return {"total": total, "x": x * x}


def test_derivatives_of_a_function_of_a_number() -> None:
    value, derivatives = pb.jet(scalar, (0.5,), ([1.0, 0.0, 0.0, 0.0],))
    expected, f = [], scalar
    for _ in range(3):
        f = pb.grad(f)
        expected.append(f(0.5))
    assert value == scalar(0.5) and len(derivatives) == 4
    assert derivatives[:3] == pytest.approx(expected, rel=1e-13)
    # Faa di Bruno: along a path that curves
    _, (first, second) = pb.jet(scalar, (0.5,), ((2.0, 3.0),))
    assert first == pytest.approx(2.0 * expected[0], rel=1e-14)
    assert second == pytest.approx(4.0 * expected[1] + 3.0 * expected[0], rel=1e-14)


def test_structures_and_control_flow() -> None:
    value, (first, second) = pb.jet(branching, (X, 3), ((V, np.zeros(2)), None))
    assert set(value) == set(second) == {"total", "x"}
    along = lambda x: pb.jvp(lambda y: branching(y, 3)["total"], (x,), (V,))[1]
    assert first["total"] == pytest.approx(along(X), rel=1e-13)
    assert second["total"] == pytest.approx(pb.grad(along)(X) @ V, rel=1e-12)
    np.testing.assert_allclose(second["x"], 2.0 * V * V)


def inside(x: float) -> float:
    return pb.jet(scalar, (x,), ((1.0, 0.0),))[1][1]


def test_inside_of_differentiated_code() -> None:
    third = pb.jet(scalar, (0.5,), ((1.0, 0.0, 0.0),))[1][2]
    assert pb.grad(inside)(0.5) == pytest.approx(third, rel=1e-13)


def test_misuse() -> None:
    with pytest.raises(ValueError, match=r"pb\.jet: orders from 1 to 6 are supported, not 7"):
        pb.jet(scalar, (0.5,), ((1.0,) * 7,))
    with pytest.raises(ValueError, match="series of the primals have different lengths"):
        pb.jet(lambda x, y: x * y, (0.5, 1.0), ((1.0,), (1.0, 0.0)))
    with pytest.raises(ValueError, match="1 primals and 2 series"):
        pb.jet(scalar, (0.5,), ((1.0,), (1.0,)))
    with pytest.raises(TypeError, match="takes a tuple"):
        pb.jet(scalar, 0.5, ((1.0,),))
