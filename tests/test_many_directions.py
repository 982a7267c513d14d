"""Jacobians and Hessians take many directions at once: the work of the function is done once, and
directions run in lanes, also where they make arrays and go through sequential loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as pb

XS = np.random.default_rng(3).normal(size=(20, 2))
P = np.random.default_rng(4).normal(size=32)


def network(p: Any) -> Any:
    hidden = np.tanh(XS @ np.reshape(p[:16], (8, 2)).T + p[16:24])
    return hidden @ p[24:32]


def loss(p: Any) -> Any:
    return np.sum((network(p) - XS[:, 0]) ** 2)


def carried(x: Any) -> Any:
    state = np.zeros(16)
    for _ in range(10):
        state = np.tanh(0.5 * state + 0.3 * np.roll(state, 1) + x)
    return state


def branching(x: Any) -> Any:
    state, k = x, 0
    while np.sum(state * state) > 1.0 and k < 5:
        state = np.where(state > 0.3, 0.5 * state, np.sin(state)) * x[k]
        k += 1
    return np.cumsum(state)


def by_differences(f: Any, x: Any, h: float = 1e-6) -> Any:
    return np.stack([(f(x + h * e) - f(x - h * e)) / (2.0 * h) for e in np.eye(len(x))], axis=-1)


CASES = [(network, P), (carried, P[:16]), (branching, 0.5 + np.abs(P[:11]))]


@pytest.mark.parametrize("k", range(len(CASES)))
def test_both_modes_give_the_differences(k: int) -> None:
    f, x = CASES[k]
    forward, reverse = pb.jacfwd(f)(x), pb.jacrev(f)(x)
    np.testing.assert_allclose(forward, reverse, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(forward, by_differences(f, x), rtol=1e-6, atol=1e-8)
    assert forward.flags.c_contiguous and reverse.flags.c_contiguous


@pytest.mark.parametrize("f", [loss, lambda x: np.sum(carried(x[:16]) ** 2)])
def test_hessians_are_those_of_products(f: Any) -> None:
    found = pb.hessian(f)(P)
    products = [pb.hvp(f, (P,), (e,))[0] for e in np.eye(len(P))]
    np.testing.assert_allclose(found, np.stack(products), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found, pb.jacrev(pb.grad(f))(P), rtol=1e-10, atol=1e-12)


def arrays_of_arrays(f: Any, x: Any) -> list[str]:
    """The stacks that are copied from an array of arrays."""
    stage = pb.show(f, x).splitlines()
    return [s for s in stage if "= stack" in s and len(s.split("= stack")[1].split()) == 1]


@pytest.mark.parametrize("k", range(2))
def test_directions_run_in_lanes(k: int, capsys: pytest.CaptureFixture[str]) -> None:
    f, x = CASES[k]
    assert not arrays_of_arrays(pb.jacfwd(f), x)
    assert "inhomogeneous" not in pb.show(pb.jacfwd(f), x, stage="loop")


def test_the_function_s_own_work_is_done_once(capsys: pytest.CaptureFixture[str]) -> None:
    program = pb.show(pb.jacfwd(network), P)
    *before, directions, _ = program[: program.rindex("= stack")].split("\n  let ")
    assert "= build" in directions
    assert "tanh" in "".join(before) and "tanh" not in directions


def test_rows_of_several_results_have_memory_of_their_own() -> None:
    """Rows of different lengths, made by one loop, are stored side by side."""

    def f(points: np.ndarray) -> object:
        return points[:, 0] * 3.0, points[2, 1], points[1] * points[0]

    x = np.arange(1.0, 9.0).reshape(4, 2)
    by_first, by_second = np.zeros((4, 4, 2)), np.zeros((2, 4, 2))
    by_first[np.arange(4), np.arange(4), 0] = 3.0
    by_second[[0, 1], 1, [0, 1]], by_second[[0, 1], 0, [0, 1]] = x[0], x[1]
    for operator in (pb.jacfwd, pb.jacrev):
        first, single, second = operator(f)(x)
        assert np.array_equal(first, by_first)
        assert np.array_equal(single, np.eye(8)[5].reshape(4, 2))
        assert np.array_equal(second, by_second)
