"""Sorting by NumPy's functions: the order of NumPy's stable sort over dtypes, views and axes, equal
elements, NaN and zeros; derivatives that follow the elements; and the same without them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.core import numpy_sorts
from pullback.core.build import Builder
from pullback.core.prims_order import ORDER
from pullback.core.types import F64, I64, Array
from tests.core.programs import program, var
from tests.lower.agreement import agree
from tests.test_c_functions import at

DTYPES = ("float64", "float32", "int64", "int32", "bool")
EXTENTS = (0, 1, 2, 5, 300, 4097)


def vector(dtype: str, n: int) -> Any:
    rng = np.random.default_rng(n)
    x = (rng.integers(-9, 9, n) if n % 2 else 30.0 * rng.normal(size=n)).astype(dtype)
    if dtype.startswith("float") and n > 4:
        x[[0, 1, 2, n // 2, n - 1]] = 0.0, -0.0, np.nan, np.inf, np.nan
    return x


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_order_is_numpys(dtype: str) -> None:
    places, ascending = pb.jit(lambda v: np.argsort(v)), pb.jit(lambda v: np.sort(v))
    for n in EXTENTS:
        x = vector(dtype, n)
        for v in (x, x[::-1], x[::2]):
            np.testing.assert_array_equal(places(v), np.argsort(v, kind="stable"))
            found = ascending(v)
            np.testing.assert_array_equal(found, np.sort(v))
            assert found.dtype == v.dtype


def test_along_axes() -> None:
    x = np.random.default_rng(1).normal(size=(4, 7, 5))
    for axis in (0, 1, 2, -1, None):
        np.testing.assert_array_equal(pb.jit(lambda v: np.sort(v, axis))(x), np.sort(x, axis))
        places = pb.jit(lambda v: np.argsort(v, axis))(x)
        np.testing.assert_array_equal(places, np.argsort(x, axis, kind="stable"))


WEIGHTS = np.arange(1.0, 8.0) ** 1.5
X = np.random.default_rng(3).normal(size=7)


def weighted(x: Any) -> Any:
    return np.sum(np.sort(x) ** 3 * WEIGHTS)


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_derivatives_follow_the_elements(method: str) -> None:
    order = np.argsort(X)
    wanted, second = np.empty(7), np.empty(7)
    wanted[order], second[order] = 3.0 * X[order] ** 2 * WEIGHTS, 6.0 * X[order] * WEIGHTS
    np.testing.assert_allclose(pb.grad(weighted, method=method)(X), wanted, 1e-13)
    hessian = pb.jacfwd(pb.grad(weighted, method=method))(X)
    np.testing.assert_allclose(hessian, np.diag(second), 1e-12)
    equal = pb.grad(lambda v: np.sort(v) @ np.array([1.0, 2.0, 4.0]), method=method)
    np.testing.assert_array_equal(equal(np.array([5.0, 3.0, 3.0])), [4.0, 1.0, 2.0])


def test_forward_mode_and_maps() -> None:
    np.testing.assert_allclose(pb.jacfwd(weighted)(X), pb.grad(weighted)(X), 1e-13)
    rows = np.random.default_rng(4).normal(size=(3, 7))
    np.testing.assert_array_equal(pb.vmap(lambda v: np.sort(v))(rows), np.sort(rows, axis=1))
    median = pb.grad(lambda v: np.median(v))(np.array([3.0, 1.0, 2.0, 4.0]))
    np.testing.assert_array_equal(median, [0.5, 0.0, 0.5, 0.0])


@pytest.mark.parametrize("name", ORDER.rows)
@pytest.mark.parametrize("t", [F64, I64])
def test_loop_code_does_what_the_row_means(name: str, t: Any) -> None:
    for n in (0, 1, 2, 40):
        x = vector("float64" if t == F64 else "int64", 2 * n + 1)
        b, param = Builder(), var("x", Array(t, 1))
        agree(program([param], b, b.prim(name, param)), [x])


def test_without_numpys_sorts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert numpy_sorts.available()
    monkeypatch.setattr(numpy_sorts, "available", lambda: False)
    f = lambda v: np.sort(v)[np.argsort(v)]  # meant
    np.testing.assert_array_equal(pb.jit(f)(X), f(X))
    assert "places" not in pb.show(f, X)


def test_a_function_of_c_sorts_by_loops() -> None:
    status, value, gradient = at(pb.cfunc(weighted), X)  # NumPy's functions would be refused
    assert (status, value) == (0, weighted(X))
    np.testing.assert_allclose(gradient, pb.grad(weighted)(X), 1e-13)
