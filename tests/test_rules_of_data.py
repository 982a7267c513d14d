"""Rules of the user's own for trees and lists of arrays, and checkpoints of these, against the same
functions without a rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call.driver import gradient
from tests import campaign


@dataclass(frozen=True)
class Leaf:
    value: float
    weights: np.ndarray


@dataclass(frozen=True)
class Fork:
    left: Leaf | Fork
    right: Leaf | Fork


def scaled(tree: Leaf | Fork, by: float) -> Leaf | Fork:
    match tree:
        case Leaf(v, w):
            return Leaf(by * v * v, w * v)
        case Fork(left, right):
            return Fork(scaled(left, by), scaled(right, 2.0 * by))


def total(tree: Leaf | Fork) -> float:
    match tree:
        case Leaf(v, w):
            return v * np.sum(w * w)
        case Fork(left, right):
            return total(left) + 2.0 * total(right)


def pulled(tree: Any, by: float, ct: Any) -> Any:
    """Return the cotangent of the tree."""
    match tree, ct:
        case Leaf(v, w), Leaf(a, b):
            return Leaf(2.0 * by * v * a + np.sum(w * b), v * b)
        case Fork(left, right), Fork(a, b):
            return Fork(pulled(left, by, a), pulled(right, 2.0 * by, b))
        case _:
            raise ValueError("another tree")


def pulled_by(tree: Any, ct: Any) -> Any:
    """Return the cotangent of the factor."""
    match tree, ct:
        case Leaf(v, _), Leaf(a, _):
            return v * v * a
        case Fork(left, right), Fork(a, b):
            return pulled_by(left, a) + 2.0 * pulled_by(right, b)
        case _:
            raise ValueError("another tree")


def pushed(tree: Any, by: float, t: Any, moved: float) -> Any:
    match tree, t:
        case Leaf(v, w), Leaf(a, b):
            return Leaf(moved * v * v + 2.0 * by * v * a, w * a + b * v)
        case Fork(left, right), Fork(a, b):
            return Fork(pushed(left, by, a, moved), pushed(right, 2.0 * by, b, 2.0 * moved))
        case _:
            raise ValueError("another tree")


by_pull: Any = pb.custom_vjp(lambda tree, by: scaled(tree, by))
by_pull.defvjp(
    lambda n, by: (scaled(n, by), (n, by)),
    lambda r, ct: (pulled(r[0], r[1], ct), pulled_by(r[0], ct)),
)
by_push: Any = pb.custom_jvp(lambda tree, by: scaled(tree, by))
by_push.defjvp(lambda x, t: (scaled(*x), pushed(x[0], x[1], t[0], t[1])))
again: Any = pb.checkpoint(scaled)

TREE = Fork(Leaf(2.0, np.array([1.0, -0.5])), Fork(Leaf(0.5, np.ones(3)), Leaf(1.5, np.ones(1))))
POINT = (TREE, 0.75)
ALONG = (Fork(Leaf(1.0, np.array([0.5, 2.0])), TREE.right), -0.5)


def flat(x: Any) -> Any:
    return pb.ravel(x)[0]


@pytest.mark.parametrize(
    "ruled", campaign.part("agreement", [by_pull, by_push, again], 3, core=())
)
def test_trees_go_in_and_out(ruled: Any) -> None:
    def f(tree: Any, by: Any) -> Any:
        return total(ruled(tree, by)) * by

    def plain(tree: Any, by: Any) -> Any:
        return total(scaled(tree, by)) * by

    value, grads = pb.value_and_grad(f, (0, 1))(*POINT)
    assert value == plain(*POINT)
    expected = flat(pb.grad(plain, (0, 1))(*POINT))
    np.testing.assert_allclose(flat(grads), expected, rtol=1e-13)
    _, evaluated = gradient(f, POINT, (0, 1), "eval")
    np.testing.assert_allclose(flat(evaluated), expected, rtol=1e-13)
    tangent = pb.jvp(f, POINT, ALONG)[1]
    np.testing.assert_allclose(tangent, expected @ flat(ALONG), rtol=1e-13)
    if ruled in campaign.rotated("agreement", "second", (by_pull, by_push)):
        second, wanted = (
            flat(pb.jvp(pb.grad(g, (0, 1)), POINT, ALONG)[1]) for g in (f, plain)
        )
        np.testing.assert_allclose(second, wanted, rtol=1e-12)


def test_in_loops_and_of_captured_trees() -> None:
    def chained(ruled: Any) -> Callable[..., Any]:
        def f(tree: Any, xs: Any) -> Any:
            s = 0.5
            for x in xs:
                s = s * x + total(ruled(tree, s * x)) * 0.01
            return s

        return f

    xs = np.array([0.5, 0.25, 0.75])
    expected = flat(pb.grad(chained(scaled), (0, 1))(TREE, xs))
    np.testing.assert_allclose(flat(pb.grad(chained(by_pull), (0, 1))(TREE, xs)), expected)
    rows = pb.jacfwd(lambda b: np.stack([total(by_push(TREE, b)), b]))(0.5)
    np.testing.assert_allclose(rows, [total(scaled(TREE, 1.0)), 1.0], rtol=1e-13)


def test_lists_of_arrays() -> None:
    doubled: Any = pb.custom_vjp(lambda xs: [x * x for x in xs])
    doubled.defvjp(
        lambda xs: ([x * x for x in xs], xs),
        lambda xs, ct: ([2.0 * x * c for x, c in zip(xs, ct)],),
    )
    xs = [np.array([1.0, 2.0]), np.arange(3.0)]

    def f(xs: Any) -> Any:
        return sum(np.sum(x * x) for x in doubled(xs))

    for x, g in zip(xs, pb.grad(f)(xs), strict=True):
        np.testing.assert_allclose(g, 4.0 * x**3, rtol=1e-14)
    for x, g in zip(xs, pb.hvp(f, (xs,), (xs,))[0], strict=True):
        np.testing.assert_allclose(g, 12.0 * x**3, rtol=1e-14)


def ruled_by(back: Any) -> Any:
    made: Any = pb.custom_vjp(total)
    made.defvjp(lambda n: (total(n), n), back)
    return made


LEAF = Leaf(2.0, np.ones(2))
SHARED = Fork(LEAF, LEAF)
WRONG: list[tuple[Any, Any, type[Exception], str]] = [
    (TREE, lambda n, ct: (LEAF,), ValueError, "gives a .co.tangent of another structure"),
    (SHARED, lambda n, ct: (pulled(n, ct, n),), ValueError, "gives two different .co.tangents"),
    (TREE, lambda n, ct: (None,), TypeError, "gives None for data"),
    (TREE, lambda n, ct: (ct,), TypeError, "gives a float64 as the cotangent"),
]


@pytest.mark.parametrize("k", range(len(WRONG)))
def test_a_wrong_cotangent_names_the_rule(k: int) -> None:
    given, back, error, text = WRONG[k]
    with pytest.raises(error, match=f"the rule of 'total' {text}"):
        pb.grad(ruled_by(back))(given)


def test_a_dict_with_other_keys_names_the_rule() -> None:
    made: Any = pb.custom_vjp(lambda d: d["a"] * 2.0)
    made.defvjp(lambda d: (d["a"] * 2.0, None), lambda r, ct: ({"b": ct},))
    with pytest.raises(TypeError, match="gives a dict with the keys 'b' as the cotangent of"):
        pb.grad(made)({"a": 1.0})
