"""``pb.vmap``: axes as trees, every element's own path, operators below and above it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import pullback as pb
from tests import campaign

XS = np.linspace(-1.0, 2.0, 12).reshape(4, 3)
W = np.array([[0.5, -1.0, 2.0], [1.5, 0.75, -0.5]])


def layer(x: Any, w: Any) -> Any:
    return np.tanh(w @ x)


def test_axes_of_arguments_and_results() -> None:
    expected = np.stack([layer(x, W) for x in XS])
    np.testing.assert_allclose(pb.vmap(layer, (0, None))(XS, W), expected, rtol=1e-14)
    turned = pb.vmap(layer, in_axes=(-1, None), out_axes=1)(XS.T, W)
    np.testing.assert_allclose(turned, expected.T, rtol=1e-14)
    table = pb.vmap(pb.vmap(lambda a, b: a * b, (None, 0)), (0, None))(XS[0], XS[:, 0])
    np.testing.assert_allclose(table, np.outer(XS[0], XS[:, 0]))
    by_name = pb.vmap(layer, (0, None))(w=W, x=XS)
    np.testing.assert_allclose(by_name, expected, rtol=1e-14)
    assert pb.vmap(np.sin)(np.zeros(0)).shape == (0,)
    assert pb.vmap(np.sin)(XS.astype(np.float32)).dtype == np.float32


class Found(NamedTuple):
    value: Any
    fixed: Any
    count: Any


def described(data: Any, scale: Any) -> Any:
    return Found(data["x"] * scale, np.sum(data["all"]), len(data["x"]))


def test_trees_of_axes() -> None:
    data = {"x": XS, "all": W}
    found = pb.vmap(described, ({"x": 1, "all": None}, None), Found(0, None, 0))(data, 2.0)
    assert isinstance(found, Found) and found.value.shape == (3, 4)
    np.testing.assert_allclose(found.value, 2.0 * XS.T)
    assert found.fixed == pytest.approx(np.sum(W))
    np.testing.assert_array_equal(found.count, [4, 4, 4])


def halvings(x: float) -> Any:
    count = 0
    while x > 1.0:
        if count > 40:
            return x, -1
        x = x / 2.0 if count % 2 == 0 else x - 1.0
        count += 1
    return x, count


def test_every_element_goes_its_own_way_and_costs_what_it_costs() -> None:
    xs = np.array([0.5, 3.0, 100.0, 7.0])
    values, counts = pb.vmap(halvings)(xs)
    np.testing.assert_array_equal(values, [halvings(x)[0] for x in xs])
    np.testing.assert_array_equal(counts, [halvings(x)[1] for x in xs])
    long, short = np.array([2.0**40] + [0.5] * 50), np.full(51, 2.0**40)
    mapped = pb.vmap(halvings)
    assert pb.cost(mapped, long) * 8 < pb.cost(mapped, short)


def cube(x: Any) -> Any:
    return np.sum(x**3) + x[0] * x[1]


def through_all(xs: Any) -> Any:
    rows = pb.vmap(pb.grad(cube))(xs)
    moved = pb.vmap(lambda x: pb.jvp(cube, (x,), (x,))[1])(xs)
    return np.sum(rows * rows) + np.sum(moved)


def test_operators_below_and_above() -> None:
    rows = np.stack([pb.grad(cube)(x) for x in XS])
    np.testing.assert_allclose(pb.vmap(pb.grad(cube))(XS), rows, rtol=1e-14)
    curved = np.stack([pb.hessian(cube)(x) for x in XS])
    np.testing.assert_allclose(pb.vmap(pb.hessian(cube))(XS), curved, rtol=1e-14)
    pb.check_grads(through_all, (XS,))
    mapped = pb.vmap(math.sin)
    x = XS[:, 0]
    for operator in (pb.jacfwd, pb.jacrev):
        np.testing.assert_allclose(operator(mapped)(x), np.diag(np.cos(x)), atol=1e-15)


def test_functions_that_capture() -> None:
    def scaled(s: Any) -> Any:
        return np.sum(pb.vmap(lambda x: s * pb.grad(lambda y: s * cube(y))(x))(XS))

    rows = np.stack([pb.grad(cube)(x) for x in XS])
    assert pb.value_and_grad(scaled)(3.0) == pytest.approx((9.0 * rows.sum(), 6.0 * rows.sum()))


@dataclass(frozen=True)
class Chain:
    value: np.ndarray[Any, Any]
    rest: Chain | None = None


def first(chain: Chain) -> Any:
    return np.sum(chain.value)


MISUSED: list[tuple[Any, type[Exception], str]] = [
    (lambda: pb.vmap(layer)(XS, W), ValueError, "the mapped axes have different sizes"),
    (lambda: pb.vmap(layer, (0, 0, 0))(XS, W), ValueError, "for a structure of 2 parts"),
    (lambda: pb.vmap(layer, (None, None))(XS, W), ValueError, "pb.vmap: no argument is mapped"),
    (lambda: pb.vmap(np.sin)(2.0), TypeError, "mapping over a float, which has no axis"),
    (lambda: pb.vmap(np.sin, 2)(XS), ValueError, "mapping over axis 2 of an array"),
    (lambda: pb.vmap(np.sin, 0, 2)(XS), ValueError, "mapping over axis 2 of an array"),
    (lambda: pb.vmap(np.sin, "x")(XS), TypeError, "an axis is a number or None, not 'x'"),
    (lambda: pb.vmap(np.sin, 0, None)(XS), ValueError, "differs from element to element"),
    (lambda: pb.vmap(np.sin(XS)), TypeError, "pb.vmap is applied to a function"),
    (lambda: pb.vmap(first)(Chain(XS, Chain(XS))), pb.UnsupportedError, r"(?s)a Chain.*the loop"),
]


@pytest.mark.parametrize("k", range(len(MISUSED)))
def test_misuse_names_the_operator(k: int) -> None:
    call, error, message = MISUSED[k]
    with pytest.raises(error, match=message):
        call()


def wrong_inside(x: Any) -> Any:
    return pb.vmap(np.sin, "x")(x)


def test_inside_it_is_refused_where_the_user_calls() -> None:
    with pytest.raises(TypeError) as caught:
        pb.jit(wrong_inside)(XS)
    assert "pb.vmap, which is called here: an axis is a number or None" in str(caught.value)
    assert 'return pb.vmap(np.sin, "x")(x)' in str(caught.value)


# --- lists whose length only the run knows --------------------------------------------------------


@dataclass(frozen=True)
class Layer:
    weights: Any
    offset: Any


def network(layers: Any, x: Any) -> Any:
    for layer in layers:
        x = np.tanh(layer.weights @ x + layer.offset)
    return np.sum(x)


def rows(items: Any, scale: Any) -> Any:
    total = 0.0
    for item in items:
        total = total + scale * np.sum(np.sin(item) * item)
    return total


def nested(table: Any) -> Any:
    total = 0.0
    for row in table:
        for x in row:
            total = total * 0.5 + np.sum(x * x)
    return total


def pairs(items: Any) -> Any:
    total = 0.0
    for x, y in items:
        total = total + np.sum(x) * y
    return total


RNG = np.random.default_rng(11)
LAYERS = [Layer(RNG.normal(size=(4, 3, 3)), RNG.normal(size=(4, 3))) for _ in range(3)]
ARRAYS = [RNG.normal(size=(4, 2)) for _ in range(3)]


def of_layers(layers: Any, x: Any) -> Any:
    return np.sum(pb.vmap(network, (0, None))(layers, x) ** 2)


def of_layers_by_hand(layers: Any, x: Any) -> Any:
    total = 0.0
    for i in range(4):
        mine = [Layer(each.weights[i], each.offset[i]) for each in layers]
        total = total + network(mine, x) ** 2
    return total


def of_rows(items: Any, scales: Any) -> Any:
    return np.sum(pb.vmap(rows)(items, scales) ** 2)


def of_rows_by_hand(items: Any, scales: Any) -> Any:
    total = 0.0
    for i in range(4):
        total = total + rows([x[i] for x in items], scales[i]) ** 2
    return total


def of_columns(items: Any, scales: Any) -> Any:
    return np.sum(pb.vmap(rows, (-1, 0))(items, scales) ** 2)


def of_columns_by_hand(items: Any, scales: Any) -> Any:
    total = 0.0
    for i in range(2):
        total = total + rows([x[:, i] for x in items], scales[i]) ** 2
    return total


LISTS = [
    (of_layers, of_layers_by_hand, (LAYERS, np.array([0.5, -1.0, 2.0]))),
    (of_rows, of_rows_by_hand, (ARRAYS, np.array([0.5, -1.0, 2.0, 1.0]))),
    (lambda items, s: of_rows(items[3:], s), lambda items, s: of_rows_by_hand(items[3:], s),
     (ARRAYS, np.array([0.5, -1.0, 2.0, 1.0]))),
    (of_columns, of_columns_by_hand, (ARRAYS, np.array([0.5, -1.0]))),
    (lambda t: np.sum(pb.vmap(nested)(t) ** 2),
     lambda t: sum(nested([[x[i] for x in row] for row in t]) ** 2 for i in range(4)),
     ([ARRAYS, ARRAYS[:1], []],)),
    (lambda t: np.sum(pb.vmap(pairs)(t) ** 2),
     lambda t: sum(pairs([(x[i], y[i]) for x, y in t]) ** 2 for i in range(4)),
     ([(x, x[:, 0] + 1.0) for x in ARRAYS],)),
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(LISTS)))
def test_lists_of_arrays(k: int) -> None:
    """What is written by hand has the same value, and the same derivatives by all modes."""
    mapped, by_hand, args = LISTS[k]
    wrt = tuple(range(len(args)))
    assert pb.value_and_grad(mapped)(*args)[0] == pytest.approx(by_hand(*args), rel=1e-13)
    expected = leaves(pb.grad(by_hand, wrt)(*args))
    for method in campaign.rotated("values", f"lists {k}", ("chad", "dual")):
        found = leaves(pb.grad(mapped, wrt, method=method)(*args))
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)
    value, slope = pb.jvp(mapped, args, args)
    assert value == pytest.approx(by_hand(*args), rel=1e-13)
    both = zip(leaves(args), expected, strict=True)
    assert slope == pytest.approx(sum(float(np.sum(a * b)) for a, b in both), rel=1e-11)
    pb.check_grads(mapped, args)


def leaves(tree: Any) -> list[Any]:
    """The arrays and numbers of a structure, in order."""
    if isinstance(tree, list | tuple):
        return [x for part in tree for x in leaves(part)]
    if isinstance(tree, Layer):
        return [tree.weights, tree.offset]
    return [tree]


def test_lists_that_do_not_fit() -> None:
    inside = pb.vmap(lambda items: np.sum(items[0]))
    with pytest.raises(ValueError, match="different sizes"):
        inside([np.zeros(3), np.zeros(4)])
    with pytest.raises(ValueError, match="no argument is mapped"):
        pb.grad(lambda items: np.sum(pb.vmap(rows, (0, None))(items, 2.0)))(ARRAYS[:0])
    with pytest.raises(pb.PullbackError, match="whose length only the run knows"):
        pb.vmap(rows, ([0, 1, 0], None))(ARRAYS, 2.0)
    with pytest.raises(pb.PullbackError, match=r"(?s)which has no axis.*in_axes=None"):
        inside([1.0, 2.0])
