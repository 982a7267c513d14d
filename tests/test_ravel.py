"""``pb.ravel`` of plain trees takes a quick way, which gives what the other one gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call import pytrees
from tests import harness

M = np.arange(6.0).reshape(2, 3)
PLAIN: list[Any] = [
    1.5, 3, True, None, M, M.astype(np.float32), M.T[::-1], np.arange(3), np.array([True, False]),
    (), {}, (1.0, (2.0, [3.0]), 4), [1.0, 2.0], [[1.0], [2.0, 3.0]], [M, M[:1]],
    {"w": M, "b": np.zeros(0), "n": 7}, [{"a": 1.0, "b": [M]}, {"a": 2.0, "b": [M, M]}],
    [(1.0, 2), (3.0, 4)], [1, 2, 3], {"two words": 1.0, "": (None, False)},
]  # fmt: skip
OTHERS: list[Any] = [
    [1.0, 2], [True, 1.0], np.float64(2.0), np.array(3.0), [M, M[0]], [M, M.astype(np.float32)],
    {1: 2.0}, "text", [None, 1.0], 2**70, [{"a": 1.0}, {"b": 1.0}], np.arange(3, dtype=np.int32),
    {"name": "linear", "x": 1.0}, [1.0, "a"], object(), np.array(["a"]), [()], [None],
    [[], [1.0]], [],
]  # fmt: skip


def outcome(tree: Any) -> Any:
    try:
        vector, unravel = pb.ravel(tree)
    except Exception as error:
        return type(error), str(error)
    return vector, unravel(2.0 * vector), type(unravel(vector))


@pytest.mark.parametrize("k", range(len(PLAIN) + len(OTHERS)))
def test_both_ways_agree(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = [*PLAIN, *OTHERS][k]
    found = outcome(tree)
    monkeypatch.setattr(pytrees, "quick", lambda tree: None)
    expected = outcome(tree)
    assert repr(found) == repr(expected)
    if k < len(PLAIN):
        monkeypatch.undo()
        assert pytrees.quick(tree) is not None


def test_what_it_returns_shares_no_memory_and_keeps_the_tree_of_the_call() -> None:
    tree = {"w": M.copy(), "v": [1.0, 2.0], "n": np.arange(2)}
    vector, unravel = pb.ravel(tree)
    vector[0], tree["v"][0], tree["n"][0] = 9.0, 7.0, 5
    first, second = unravel(np.arange(8.0)), unravel(np.arange(8.0))
    first["w"][0, 0] = first["n"][0] = 3
    assert tree["w"][0, 0] == 0.0 and second["n"][0] == 0 and second["w"][0, 0] == 0.0
    assert second["v"] == [6.0, 7.0]


def test_a_target_of_a_vector() -> None:
    model = {"w": M, "b": np.ones(2), "s": 0.5}
    vector, unravel = pb.ravel(model)

    def loss(m: Any) -> Any:
        return np.sum(np.tanh(m["w"] @ np.ones(3) + m["b"])) * m["s"]

    gradient = pb.ravel(pb.grad(loss)(unravel(vector)))[0]
    expected = [(loss(unravel(vector + h)) - loss(unravel(vector - h))) / 2e-6
                for h in 1e-6 * np.eye(len(vector))]  # fmt: skip
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)
    assert harness.distance(unravel(vector), model) == 0.0


# --- inside compiled code -------------------------------------------------------------------------


def test_the_way_back_inside_compiled_code() -> None:
    tree = {
        "a": 1.5, "b": (0.5, None, 3, True), "w": M, "few": np.ones(2, np.float32),
        "k": np.array([1, 2]), "l": [1.0, 2.0], "m": [(1.0, 2.0), (3.0, 4.0)], "none": M[:0],
    }  # fmt: skip

    def loss(p: Any) -> Any:
        p["w"][0, 0] *= 2.0
        few = p["few"][0] * p["b"][2] if p["b"][3] else 0.0
        return np.sum(p["w"] @ p["w"].T) * p["a"] + p["l"][1] * p["k"][1] * p["m"][1][0] + few

    x, back = pb.ravel(tree)
    value, gradient = pb.value_and_grad(lambda x: loss(back(x)))(x)
    assert value == loss(back(x))
    for k in range(len(x)):
        step = np.zeros(len(x))
        step[k] = 0.5
        slope = loss(back(x + step)) - loss(back(x - step))  # exact: no number is cubed
        assert np.isclose(gradient[k], slope, rtol=1e-12)
    with pytest.raises(ValueError, match="a vector of shape"):
        pb.jit(lambda x: loss(back(x)))(x[1:])


def test_equal_ways_back_compile_once() -> None:
    def made(start: float) -> Any:
        return pb.ravel({"a": start, "k": np.arange(3)})[1]

    def f(x: Any, back: Any) -> Any:
        p = back(x)
        return p["a"] * p["k"][2]

    first, second = made(1.0), made(2.0)
    assert pb.grad(lambda x: f(x, first))(np.ones(1)) == [2.0]
    assert first.__pullback_operator__[1].__code__ is second.__pullback_operator__[1].__code__
