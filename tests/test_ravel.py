"""``pb.ravel`` of plain trees takes a quick way, which gives what the other one gives."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

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


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Point(NamedTuple):
    x: float
    y: Any


@dataclass
class Option:
    spot: float
    strike: float


@dataclass(frozen=True)
class Checked:
    a: float
    b: np.ndarray

    def __post_init__(self) -> None:
        if self.a > 50.0:
            raise ValueError("not run for what is made of a vector")


class Layer:
    def __init__(self, w: Any, scale: Any) -> None:
        self.w, self.scale = w, scale


@dataclass(frozen=True)
class Leaf:
    value: float


@dataclass(frozen=True)
class Fork:
    left: Fork | Leaf
    right: Fork | Leaf


@dataclass(frozen=True)
class Chain:
    value: float | None
    next: Chain | None


def weight(t: Any) -> Any:
    return t.value**2 if isinstance(t, Leaf) else weight(t.left) * 2.0 + weight(t.right)


def squares(c: Any) -> Any:
    out = 0.0
    while c is not None:
        if c.value is not None:
            out += c.value * c.value
        c = c.next
    return out


SHARED = Leaf(3.0)
WAYS_BACK: list[tuple[Any, Callable[[Any], Any]]] = [
    ({"a": np.log(10.0), "b": 2.0}, lambda t: t["a"] * t["b"]),
    ([np.float64(2.0), np.float64(3.0)], lambda t: sum(v * v for v in t)),
    (np.array(3.0), lambda t: t * t),
    (np.ones((2, 2)).T[::-1], lambda t: np.sum(t @ t)),
    (Option(3.0, 2.0), lambda t: t.spot * t.strike),
    ([Option(3.0, 2.0), Option(1.0, 5.0)], lambda t: sum(o.spot * o.strike for o in t)),
    (Checked(49.0, np.ones(3)), lambda t: t.a * np.sum(t.b)),
    (Point(1.0, [2.0, 3.0]), lambda t: t.x * t.y[1]),
    (Layer(M, Layer(np.float64(2.0), 7)), lambda t: np.sum(t.w) * t.scale.w * t.scale.scale),
    ({Colour.RED: 1.5, 2: 3.0, "c": Colour.BLUE},
     lambda t: t[Colour.RED] * (t[2] if t["c"] is Colour.BLUE else 0.0)),
    (Fork(SHARED, Fork(SHARED, Leaf(2.0))), weight),
    (Chain(1.0, Chain(None, Chain(2.0, None))), squares),
    ({"f": np.sin, "k": np.int64(3), "small": np.arange(3, dtype=np.int8), "x": 2.0},
     lambda t: t["f"](t["x"]) * t["k"] * t["small"][2]),
    ([1.5, 2], lambda t: t[0] * t[1]),
    ((None, "linear", True, [[], [1.5]]), lambda t: t[3][1][0] if t[1] == "linear" else 0.0),
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(WAYS_BACK)))
def test_every_way_back_compiles(k: int) -> None:
    tree, loss = WAYS_BACK[k]
    x, back = pb.ravel(tree)
    x = x + 2.0  # what was checked when it was made may not hold any more
    value, gradient = pb.value_and_grad(lambda x: loss(back(x)))(x)
    assert np.isclose(value, loss(back(x)), rtol=1e-14)
    steps = [1e-5 * e for e in np.eye(len(x))]
    slopes = [(loss(back(x + h)) - loss(back(x - h))) / 2e-5 for h in steps]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-8, atol=1e-8)


def test_what_a_way_back_makes_in_compiled_code() -> None:
    """What is made is Python's: classes, and what is shared."""
    x, back = pb.ravel(WAYS_BACK[10][0])
    made = pb.jit(back)(x)
    assert made == back(x) and made.left is made.right.left
    x, back = pb.ravel(Layer(np.float64(2.0), Option(1.0, 3.0)))
    layer = pb.jit(back)(x)
    assert (type(layer), type(layer.w), layer.scale) == (Layer, np.float64, Option(1.0, 3.0))


def test_a_way_back_that_is_too_large_says_so() -> None:
    chain = None
    for k in range(3000):
        chain = Chain(float(k), chain)
    x, back = pb.ravel(chain)
    assert back(x).value == 2999.0
    with pytest.raises(pb.PullbackError, match=r"pb.ravel.*\n(.*\n)*.*by their places"):
        pb.jit(lambda x: squares(back(x)))(x)
