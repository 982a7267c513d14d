"""Masked arrays of NumPy inside of functions: values are NumPy's, derivatives central differences,
and what cannot be told apart from a number is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse

import pullback as pb
from tests.campaign import part

X = np.array([0.5, 1.2, -3.0, 2.0])
M = np.sin(np.arange(12.0)).reshape(3, 4)
GAPS = np.array([1.0, np.nan, 2.0, np.inf])


def parts(x):
    m = np.ma.masked_less(x, 0.0)
    flags = isinstance(m, np.ndarray), isinstance(m, np.ma.MaskedArray), np.ma.isMaskedArray(x)
    return m.data, m.mask, m.count(), m.compressed(), m.fill_value, m.shape, len(m), flags


def arithmetic(x):
    m = np.ma.masked_array(x, mask=x < 0.0)
    made = 2 * m - 1.0, x + m, m / np.array([1.0, 0.0, 2.0, 4.0]), 1 / m, m**2, -m, abs(m)
    return tuple(p for v in made for p in (v.filled(-7.0), v.data, v.mask))


def reductions(x):
    m = np.ma.masked_greater(x, 0.5)
    rows = m.mean(axis=0).filled(0.0), m.sum(1).filled(), m.var(axis=0), m.max(axis=1).filled(0.0)
    whole = m.mean(), m.std(ddof=1), m.max() - m.min(), np.ma.sum(m), m.T.prod(), m.ravel()[0]
    return rows[0], rows[1], rows[2].filled(0.0), rows[3], whole, m.count(axis=0)


def conditions(x):
    y = np.ma.masked_outside(x, -1.0, 1.5)
    z = np.ma.masked_where(np.abs(x) > 2.5, x, copy=False)
    same = (z == 2.0).filled(False), (z > 1.0).filled(True), y.min(), y.mask
    sums = np.ma.log(x).sum(), np.ma.exp(y).mean(), np.ma.sqrt(z).filled(0.0), np.ma.median(y)
    return same, sums, np.ma.masked_equal(x, 2.0).fill_value, np.ma.array(x).mask


def of_ints(x):
    m = np.ma.array(np.arange(4), mask=[0, 0, 1, 0])
    return m.filled(), m.mean(), m.sum(), (m * 2).filled(), m.max(), m.min(), m.fill_value


def updates(x):
    m = np.ma.masked_less(x, 0.0)
    m[0], m[2] = 7.0 * x[1], x[0]
    m[m > 5.0] = np.ma.masked
    n = np.ma.array(x, copy=True)
    n[1:3] = np.ma.masked
    k = m.copy()
    k += 1.0
    k *= np.ma.masked_greater(x, 1.9)
    k /= np.array([1.0, 2.0, 4.0, 0.0])
    k **= 2
    return [(v.filled(-7.0), v.mask) for v in (m, n, k)]


def truths(x):
    m, n = np.ma.masked_array(x, x < 0.0, fill_value=0.0), np.ma.masked_greater(x, 1.9)
    made = m != n, m == n, m != 0.5, n != 0.5, m < 1.0, np.ma.array(x) != 2.0
    return [(v.filled(), v.data, v.fill_value) for v in made]


def slices(x):
    m = np.ma.array(x, mask=x < 0.0)
    return m[1:].sum(), m[::2].filled(0.0), m[x > 0.0].mean(), m[[0, 3]].data, m[3]


def by_numpy(x):
    m = np.ma.array(x, mask=x > 1.9)
    made = np.sqrt(m), np.exp(m), np.log(m), np.abs(m)
    sums = np.mean(m), np.sum(m), np.max(m), np.ma.average(m, weights=x**2), np.ma.min(m)
    return [(v.filled(0.0), v.mask) for v in made], sums


CASES: list[tuple[Any, Any]] = [
    (parts, X), (arithmetic, X), (reductions, M), (conditions, X), (of_ints, X),
    (updates, X), (truths, X), (slices, X), (by_numpy, X),
    (lambda x: np.ma.masked_invalid(x).mean(), GAPS),
]


def flat(found: Any) -> list[Any]:
    return [x for p in found for x in flat(p)] if isinstance(found, tuple | list) else [found]


@pytest.mark.parametrize("k", part("values", list(range(len(CASES))), 3))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_values_are_numpys(k: int) -> None:
    f, x = CASES[k]
    for mine, theirs in zip(flat(pb.jit(f)(x)), flat(f(x)), strict=True):
        np.testing.assert_allclose(mine, theirs, 1e-12)
        assert np.asarray(mine).dtype == np.asarray(theirs).dtype


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_derivatives_by_what_is_not_masked(method: str) -> None:
    def loss(x):
        m = np.ma.masked_array(np.log(x), mask=x < 0.0)
        return (m * m).mean() + (x / np.ma.masked_greater(x, 1.5)).sum() + m.std()

    x, h = np.array([0.5, 1.2, -3.0, 2.0]), 1e-6
    with np.errstate(invalid="ignore"):
        slopes = [(loss(x + h * e) - loss(x - h * e)) / (2 * h) for e in np.eye(4)]
    np.testing.assert_allclose(pb.grad(loss, method=method)(x), slopes, 1e-6, 1e-9)


def test_methods_that_only_numpy_has_are_refused() -> None:
    for f in (lambda x: np.ma.array(x).sort(), lambda x: scipy.sparse.csr_matrix(x).power(2)):
        with pytest.raises(pb.UnsupportedError):
            pb.jit(f)(M)


def test_masked_arrays_cross() -> None:
    def f(m):
        return m * 2.0, np.ma.masked_less(m, 1.0), {"a": np.ma.array(m.data)}

    m = np.ma.array(X, mask=[False, False, True, False], fill_value=-1.0)
    mine, theirs = pb.jit(f)(m), f(m)
    for a, b in zip((*mine[:2], mine[2]["a"]), (*theirs[:2], theirs[2]["a"]), strict=True):
        assert type(a) is type(b) and a.fill_value == b.fill_value and np.all(a.mask == b.mask)
        np.testing.assert_array_equal(a.data, b.data)
    slope = pb.grad(lambda m: (m * m).sum())(m)
    assert isinstance(slope, np.ma.MaskedArray) and slope[2] is np.ma.masked
    np.testing.assert_array_equal(slope.filled(0.0), [1.0, 2.4, 0.0, 4.0])


G = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
HELD = {"a": (1.0, G), "b": [G, 2.0 * G]}


def captured(x):
    m, held, others = G, HELD["a"][1], HELD["b"]
    wrong = isinstance(m, tuple) or isinstance(held, tuple)
    return (m * x).sum() + len(held) + (others[1] * x).sum() + 100.0 * wrong


def test_captured_masked_arrays() -> None:
    assert pb.jit(captured)(2.0) == captured(2.0)
    assert pb.grad(captured)(2.0) == pytest.approx(12.0)


def one_set(m):
    m[0] = 9.0 * m[2]
    return m.sum()


def one_masked(m):
    m[0] = np.ma.masked
    return m.sum()


def all_changed(m):
    m += 1.0
    return m.sum()


@pytest.mark.parametrize("f", [one_set, one_masked, all_changed])
def test_updates_are_seen_outside(f: Any) -> None:
    for mask in ([0, 1, 0], [0, 0, 0], False):
        mine, other = (np.ma.array([1.0, 2.0, 3.0], mask=mask) for _ in range(2))
        assert pb.jit(f)(mine) == f(other)
        np.testing.assert_array_equal(mine.mask, other.mask)
        np.testing.assert_array_equal(mine.data, other.data)


def test_a_hard_mask_is_refused() -> None:
    hard = np.ma.array([1.0, 2.0], mask=[0, 1], hard_mask=True)
    with pytest.raises(pb.PullbackError, match="hard mask"):
        pb.jit(one_set)(hard)


def test_derivatives_of_updates() -> None:
    def loss(x):
        m = np.ma.masked_less(x, 0.0)
        m[0] = x[1] * x[3]
        m[m > 3.0] = np.ma.masked
        return (m * m).sum() + m[1:].mean()

    slopes = [(loss(X + h) - loss(X - h)) / 2e-6 for h in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(pb.grad(loss)(X), slopes, 1e-6, 1e-9)


def updated(x):
    m = np.ma.array(x, mask=x < 0.0)
    m += 1.0  # the numbers are those of x
    return m.sum()


@pytest.mark.parametrize("f", [
    updated, lambda x: np.ma.masked_less(x, 9.0).sum(), lambda x: np.ma.masked_less(x, 0.0)[2],
    lambda x: 1.0 if np.ma.masked_less(x, 0.0) else 2.0,
    lambda x: np.ma.array(x, mask=[[True], [False]]).sum(),
    lambda x: (np.ma.array(np.arange(4), mask=x < 0.0) / 2).filled(),
])  # fmt: skip
def test_what_is_refused(f: Any) -> None:
    with pytest.raises((pb.PullbackError, NotImplementedError)):
        pb.jit(f)(X)
