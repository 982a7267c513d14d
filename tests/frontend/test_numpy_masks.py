"""Masks and index arrays: reading, assignment, sorting, searching; against NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import harness
from tests.campaign import part
from tests.frontend.numpy_cases import check_derivatives, check_value

RNG = np.random.default_rng(5)
X = RNG.normal(size=7)
M = RNG.normal(size=(3, 4))
T = RNG.normal(size=(2, 3, 2))
W = np.arange(1.0, 8.0)
V = np.arange(12.0).reshape(3, 4) ** 1.1
IDX = np.array([0, 2, 2, -1])


def masked(x):
    return np.sum(x[x > 0] ** 2) + x[x < 0].sum() + len(x[x > 0.5])


def masked_rows(m):
    columns = m[:, np.array([True, False, True, True])]
    return np.sum(m[m > 0] ** 2) + np.sum(m[m[:, 0] > 0] ** 3) + np.sum(columns**2)


def assigned_by_mask(x):
    y = x * 1.0
    y[x > 0.3] = 3.0
    y[x < 0] *= x[x < 0]
    return np.sum(y * W)


def assigned_by_mask_of_a_matrix(m):
    y = m * 1.0
    y[m < 0] = m[m < 0] ** 2
    y[[True, False, True]] += m[0]
    return np.sum(y * V)


def lazy(x):
    """The elements that are not selected are outside the domain: no NaN may come from them."""
    y = np.zeros(7)
    y[x > 0] = np.log(x[x > 0])
    y[x < 0] = np.sqrt(-x[x < 0])
    return np.sum(y) + np.sum(np.where(x > 0, np.log(x), 0.0))


def last_writer(x, idx):
    y = np.zeros(7)
    y[idx] = x[:4]
    return np.sum(y * W)


def buffered(x, idx):
    """Every occurrence of an index adds to the same old value."""
    y = x * 2.0
    y[idx] += x[:4]
    return np.sum(y * W)


def swapped(x):
    y = x * 1.0
    y[[0, 1]] = y[[1, 0]]
    y[IDX[:2]] = 2.0 * y[[3, 4]]
    return np.sum(y * W)


def columns_assigned(m):
    y = m * 1.0
    y[:, [0, 0]] += m[:, 1:3]
    y[[1, 2], [0, 1]] = y[0, 0]
    y[1:, [2, 3]] = m[0, 0]
    return np.sum(y**2 * V)


def places(m):
    i, j = np.nonzero(m > 0)
    (k,) = np.where(m[0] > 0)
    flat = np.sum(np.flatnonzero(m > 0)) + np.sum(np.argwhere(m > 0))
    return np.sum(m[i, j] ** 2 * i) + np.sum(k) + flat


def taken(m):
    chosen = np.compress([True, False, True], m, axis=0)
    chosen = chosen + m.compress([True, False, True], axis=0)
    order = np.take_along_axis(m, np.argsort(m, axis=0), 0)
    return (
        np.sum(np.take(m, [0, 1], axis=1) ** 2) + np.sum(np.take(m, [0, 5])) + np.sum(order * V)
        + np.sum(np.extract(m > 0, m) ** 2) + np.sum(chosen**3)
    )  # fmt: skip


def sort_vector(x):
    return np.sum(np.sort(x) * W) + np.sum(x[np.argsort(-x)] * W**2) + np.argsort(x)[0]


def sort_matrix(m):
    line = np.sort(m, axis=None)
    return np.sum(np.sort(m) * V) + np.sum(np.sort(m, axis=0) ** 2 * V) + np.sum(line * V.ravel())


def sort_cube(t):
    return np.sum(np.sort(t, axis=1) * t)


def quantiles(x):
    some = np.quantile(x, np.array([0.1, 0.2, 1.0, 0.0]))
    return np.median(x) + np.median(x[:4]) + np.percentile(x, 77.0) + np.sum(some * some)


def quantiles_of_rows(m):
    rows = np.percentile(m, 30, axis=1)
    return np.sum(np.median(m, axis=0) ** 2) + np.sum(rows**3) + np.median(m)


def interpolated(x):
    inside = np.interp(np.array([-9.0, -0.5, 0.3, 0.31, 9.0]), np.sort(x), x**2)
    return np.sum(inside) + np.sum(np.interp(x, np.linspace(-1, 1, 5), W[:5] ** 2, left=-7.0))


def searched(x):
    left = np.searchsorted(np.linspace(-1, 1, 9), x)
    return np.sum(x * left) + np.searchsorted(np.sort(x), 0.0, side="right")


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (masked, (X,)), (masked_rows, (M,)), (assigned_by_mask, (X,)),
    (assigned_by_mask_of_a_matrix, (M,)), (last_writer, (X, IDX)), (buffered, (X, IDX)),
    (swapped, (X,)), (columns_assigned, (M,)), (places, (M,)), (taken, (M,)),
    (sort_vector, (X,)), (sort_matrix, (M,)), (sort_cube, (T,)), (quantiles, (X,)),
    (quantiles_of_rows, (M,)), (interpolated, (X,)), (searched, (X,)),
]  # fmt: skip


@pytest.mark.parametrize("case", part("agreement", CASES, 3), ids=lambda c: c[0].__name__)
def test_value_and_derivatives(case: Any) -> None:
    f, args = case
    check_value(f, args)
    check_derivatives(f, args)


def test_nothing_leaks_from_what_is_not_selected() -> None:
    with np.errstate(invalid="ignore"):
        check_value(lazy, (X,))
        check_derivatives(lazy, (X,))


def fill(x, idx, v):
    y = x * 1.0
    y[idx] = v
    return y


def pick(x, mask):
    return x[mask]


@pytest.mark.parametrize("tier", ["eval", "native"])
def test_errors(tier: str) -> None:
    with pytest.raises(IndexError):
        harness.run(fill, (X, np.array([7]), 1.0), tier)
    with pytest.raises(IndexError, match="boolean index"):
        harness.run(pick, (X, np.array([True, False])), tier)
    with pytest.raises(ValueError, match="broadcast"):
        harness.run(fill, (X, np.array([1, 2, 3]), np.ones(2)), tier)
    assert np.isnan(harness.run(np_median, (X[:0],), tier))


def np_median(x):
    return np.median(x)


def order(x):
    return np.argsort(x)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 8, 17, 100])
def test_sorting_is_stable_and_nan_is_last(n: int) -> None:
    x = np.round(np.random.default_rng(n).normal(size=n), 1)
    x[n // 2 : n // 2 + 1] = np.nan
    np.testing.assert_array_equal(pb.jit(order)(x), np.argsort(x, kind="stable"))


@pytest.mark.parametrize("x", [X[:0], np.abs(X), -np.abs(X)], ids=["empty", "all", "none"])
def test_masks_that_select_all_or_nothing(x: Any) -> None:
    check_value(lambda x: (x[x > 0], fill(x, x > 0, 2.0)), (x,))
