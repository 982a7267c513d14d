"""``pb.jet``: derivatives of higher order along a path."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import campaign

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
    with pytest.raises(ValueError, match=r"pb\.jet: the series have no derivatives"):
        pb.jet(scalar, (0.5,), ((),))
    with pytest.raises(ValueError, match="series of the primals have different lengths"):
        pb.jet(lambda x, y: x * y, (0.5, 1.0), ((1.0,), (1.0, 0.0)))
    with pytest.raises(ValueError, match="1 primals and 2 series"):
        pb.jet(scalar, (0.5,), ((1.0,), (1.0,)))
    with pytest.raises(TypeError, match="takes a tuple"):
        pb.jet(scalar, 0.5, ((1.0,),))


# --- Taylor arithmetic ----------------------------------------------------------------------------


def derivatives(f: Any, x: float, order: int) -> list[float]:
    return list(pb.jet(f, (x,), ((1.0,) + (0.0,) * (order - 1),))[1])


def test_known_series_to_order_20() -> None:
    factorials = np.array([float(math.factorial(k)) for k in range(21)])
    signs = np.array([0.0, 1.0, 0.0, -1.0] * 5 + [0.0])
    cases = [
        (math.exp, 0.0, np.ones(21)),
        (math.sin, 0.0, signs),
        (lambda x: 1.0 / (1.0 - x), 0.0, factorials),
        (math.log1p, 0.0, [0.0] + [-((-1.0) ** k) * factorials[k - 1] for k in range(1, 21)]),
        (math.atan, 0.0, [s * math.factorial(max(k - 1, 0)) for k, s in enumerate(signs)]),
        (lambda x: x**5 * math.exp(x * 0.0), 0.0, [0.0] * 5 + [120.0] + [0.0] * 15),
    ]
    for f, x, expected in cases:
        np.testing.assert_allclose(derivatives(f, x, 20), expected[1:], rtol=1e-11, atol=1e-9)


NUMBERS: list[tuple[Any, float]] = [
    (lambda x: math.sqrt(x) * math.tan(x), 0.7),
    (lambda x: math.log(x) / (2.0 + math.cos(x)), 1.3),
    (lambda x: math.tanh(x) ** 3 + math.atan(x * x), 0.4),
    (lambda x: x**2.5 - 2.0**x + math.pow(x, x), 1.2),
    (lambda x: math.asin(x) * math.acos(x) + math.atan2(x, 1.0 + x), 0.3),
    (lambda x: math.sinh(x) * math.cosh(x) + math.asinh(x) - math.atanh(x), 0.4),
    (lambda x: math.erf(x) + math.erfc(x * x) * math.expm1(x), 0.6),
    (lambda x: abs(x) * max(x, x * x) + min(x * x, 3.0) + math.hypot(x, 2.0), 0.8),
    (lambda x: math.lgamma(x) + math.log2(x) - math.log10(x) + np.cbrt(x), 2.3),
    (lambda x: (x - 0.5) ** 3 / (x + 2.0), 0.5),
    (lambda x: x if x > 1.0 else math.cos(x) * (x // 0.3) + x % 0.3, 0.8),
]


def nested(f: Any, x: float, order: int) -> list[float]:
    found = []
    for _ in range(order):
        f = lambda x, f=f: pb.jvp(f, (x,), (1.0,))[1]
        found.append(pb.jit(f)(x))
    return found


@pytest.mark.parametrize("k", campaign.part("values", range(len(NUMBERS)), 3))
def test_nested_derivatives_agree(k: int) -> None:
    f, x = NUMBERS[k]
    order = 6 if k < 3 else 4
    np.testing.assert_allclose(derivatives(f, x, order), nested(f, x, order), rtol=1e-9, atol=1e-9)


def orbit(p: Any, n: int) -> Any:
    """Arrays that loops carry and update, a call that recurs, and a sum."""

    def power(x: Any, k: int) -> Any:
        return x if k == 0 else power(x * p[0] + 0.1, k - 1)

    state, seen = np.array([p[0], p[1]]), np.zeros(3)
    for k in range(n):
        state = state + 0.1 * np.array([state[1], -np.sin(state[0])])
        seen[k % 3] += state[0] * power(p[1], 2)
    return np.sum(seen * seen), state


def test_loops_updates_and_recursion() -> None:
    along = lambda t: orbit(X + t * V + t * t * X, 5)[0]
    series = ((V, 2.0 * X, np.zeros(2), np.zeros(2)), None)
    _, found = pb.jet(orbit, (X, 5), series)
    expected = nested(along, 0.0, 4)
    np.testing.assert_allclose([d[0] for d in found], expected, rtol=1e-9, atol=1e-9)


def test_gradients_inside_and_outside() -> None:
    slope = lambda x: pb.grad(lambda y: math.sin(y) * math.exp(y * x))(x) * x
    np.testing.assert_allclose(derivatives(slope, 0.4, 4), nested(slope, 0.4, 4), rtol=1e-10)
    gradient = lambda t: pb.grad(lambda y: np.sum(np.tanh(W @ y) ** 3))(X + t * V)
    _, found = pb.jet(gradient, (0.0,), ((1.0, 0.0, 0.0),))
    third = lambda t: pb.jvp(lambda s: pb.jvp(gradient, (s,), (1.0,))[1], (t,), (1.0,))[1]
    np.testing.assert_allclose(found[1], third(0.0), rtol=1e-11)
    outside = pb.grad(lambda x: pb.jet(scalar, (x,), ((1.0, 0.0, 0.0, 0.0),))[1][3])
    assert outside(0.5) == pytest.approx(derivatives(scalar, 0.5, 5)[4], rel=1e-12)


def test_trees() -> None:
    value, (first, second) = pb.jet(
        lambda d: [d["a"] * v for v in d["b"]], ({"a": 2.0, "b": [1.0, 3.0]},),
        (({"a": 1.0, "b": [0.0, 1.0]}, {"a": 0.0, "b": [0.0, 0.0]}),),
    )  # fmt: skip
    assert (value, first, second) == ([2.0, 6.0], [1.0, 5.0], [0.0, 2.0])


def test_order_k_costs_the_square_of_k() -> None:
    def f(x: float) -> float:
        return math.exp(math.sin(x) * x) / (1.0 + math.tanh(x)) + math.log(x) * math.sqrt(x)

    ones = lambda k: tuple(1.0 + 0.1 * j for j in range(k))
    cost = [pb.cost(lambda x, s: pb.jet(f, (x,), (s,)), 0.5, ones(k)) for k in (4, 8, 16)]
    assert cost[1] < 4.0 * cost[0] and cost[2] < 4.0 * cost[1], cost


@pb.custom_jvp
def squared(x: Any) -> Any:
    return x * x


@squared.defjvp
def _(primals: Any, tangents: Any) -> Any:
    (x,), (t,) = primals, tangents
    return x * x, 2.0 * x * t


def test_what_has_no_coefficients_is_nested() -> None:
    f = lambda x: np.sum(np.linalg.solve(W * x + np.eye(2), V)) + squared(x)
    np.testing.assert_allclose(derivatives(f, 0.3, 3), nested(f, 0.3, 3), rtol=1e-11)
    with pytest.raises(pb.PullbackError, match=r"an order above 6 of pb\.jet of 'solve"):
        derivatives(f, 0.3, 7)
