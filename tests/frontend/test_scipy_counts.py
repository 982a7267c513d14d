"""Tests of counts, bins and shares of ``scipy.stats``, QR with pivoting, signed logarithms of sums
and sparse blocks: SciPy's values, and derivatives by central differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg as sl
import scipy.sparse as ss
import scipy.special as sp
import scipy.stats as st

import pullback as pb
from tests.campaign import part
from tests.frontend.numpy_cases import check_derivatives

V = np.array([0.4, 1.2, -0.7, 2.2, 0.9, 0.15])
W = np.array([1.0, -1.0, 2.0, -3.0, 0.0, 1.0])
M = np.array([[2.0, 0.3, -0.1], [0.2, 1.5, 0.4], [0.1, -0.3, 2.8]])

CASES: list[tuple[str, Any, Any]] = [
    ("discoveries", lambda x: (st.false_discovery_control(np.abs(x) / 4),
                               st.false_discovery_control(np.abs(x) / 9, method="by")), V),
    ("two classes", lambda x: tuple(st.pointbiserialr(W > 0, x)), V),
    ("binomial", lambda x: (
        st.binomtest(3, 10, x[0]).pvalue, st.binomtest(9, 10, x[0]).pvalue,
        st.binomtest(7, 10, x[0], alternative="less").pvalue,
        st.binomtest(7, 10, x[0], alternative="greater").statistic), V),
    ("bins", lambda x: tuple(st.binned_statistic(V, x * x, how, 3)[0] for how in
                             ("mean", "sum", "std", "median", "min", "max", "count")), V + 0.1),
    ("edges", lambda x: tuple(st.binned_statistic(x, x, bins=4))[:2], V),
    ("given edges", lambda x: st.binned_statistic(x, None, "count", [-1.0, 0.5, 1.0])[::2], V),
    ("shares", lambda x: (
        st.ecdf(x).cdf.quantiles, st.ecdf(np.round(x)).sf.probabilities,
        st.ecdf(x).cdf.evaluate(np.array([-9.0, 0.5, 9.0])), st.ecdf(x).sf.evaluate(x)), V),
    ("signs", lambda x: (
        *sp.logsumexp(x, return_sign=True), *sp.logsumexp(x, b=W, return_sign=True),
        *sp.logsumexp(x.reshape(2, 3), axis=1, b=-x.reshape(2, 3), return_sign=True)), V),
    ("pivots", lambda a: (*sl.qr(a, pivoting=True), *sl.qr(a[:2], mode="r", pivoting=True),
                          *sl.qr(a[:, :2], mode="economic", pivoting=True)), M),
    ("blocks", lambda a: (
        ss.block_array([[ss.csr_array(a), None], [None, ss.csr_array(a * a)]]) @ V,
        ss.bmat([[ss.csr_matrix(a), a], [None, ss.csr_matrix(a)]]) @ V,
        ss.kron(ss.csr_array(a), ss.eye_array(3)).toarray()), M),
]  # fmt: skip


def _total(found: Any) -> Any:
    """Return a sum with weights, which tells its items apart."""
    total: Any = 0.0
    for k, v in enumerate(found if isinstance(found, tuple) else (found,)):
        total = total + np.sum(v) * (1.0 + 0.1 * k)
    return total


@pytest.mark.parametrize("case", part("agreement", CASES, 5), ids=lambda c: c[0])
def test_values_and_derivatives(case: Any) -> None:
    _, f, x = case
    mine, theirs = pb.jit(f)(x), f(x)
    pairs = zip(mine, theirs, strict=True) if isinstance(theirs, tuple) else [(mine, theirs)]
    for one, other in pairs:
        np.testing.assert_allclose(one, other, 1e-9, 1e-12)

    def loss(x):
        return _total(f(x))

    check_derivatives(loss, (x,), 1e-5)


TABLES = [[[8, 2], [1, 5]], [[3, 0], [1, 5]], [[0, 0], [1, 5]], [[9, 9], [9, 9]], [[0, 7], [6, 1]]]


def test_tables_of_counts() -> None:
    for side in ("two-sided", "less", "greater"):
        for table in TABLES:
            mine = pb.jit(lambda t, side=side: st.fisher_exact(t, side))(np.array(table))
            np.testing.assert_allclose(tuple(mine), tuple(st.fisher_exact(table, side)), 1e-10)


def test_all_counts_of_a_binomial_test() -> None:
    found = pb.jit(lambda k, p: st.binomtest(k, 12, p).pvalue)
    for k in range(13):
        for p in (0.0, 0.1, 0.35, 0.5, 0.75, 1.0):
            np.testing.assert_allclose(found(k, p), st.binomtest(k, 12, p).pvalue, 1e-10)


def test_what_the_run_refuses() -> None:
    for f, reason in [
        (lambda a: ss.kron(ss.csr_array(a), ss.csr_array(a)).toarray(), "the second matrix is"),
        (lambda a: ss.bmat([[ss.csc_matrix(a)]]).toarray(), "all are csc"),
        (lambda a: st.fisher_exact(a).pvalue, "2x2 table"),
        (lambda a: sp.logsumexp(a / 0.0, return_sign=True), "infinite numbers"),
    ]:
        with pytest.raises(NotImplementedError, match=reason), np.errstate(all="ignore"):
            pb.jit(f)(M)
