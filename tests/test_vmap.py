"""``pb.vmap``: axes as trees, every element's own path, operators below and above it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

import pullback as pb

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
    (lambda: pb.vmap(len)([XS, XS]), pb.UnsupportedError, "mapping over a list of array"),
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
