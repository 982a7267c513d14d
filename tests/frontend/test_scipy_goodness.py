"""Tests of counts and means, densities of matrices, transformations of ``scipy.stats``: SciPy's
values, and derivatives by central differences."""

from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

import pullback as pb
from tests.campaign import part
from tests.frontend.numpy_cases import check_derivatives

A = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.0]])
B = np.array([[1.0, 0.2, 0.0], [0.2, 2.0, 0.1], [0.0, 0.1, 1.5]])
X, W = np.array([0.5, 1.2, 2.1]), np.array([1.2, 0.4, 0.9, 2.2])
GAPS = np.array([0.5, np.nan, 2.1, 0.3, 0.9])

CASES: list[tuple[str, Any, Any]] = [
    ("Welch's test", lambda x: stats.ttest_ind(
        x, np.array([0.3, 0.5, 1.7]) * x[0], equal_var=False).pvalue, W),
    ("multivariate_t", lambda x: stats.multivariate_t.logpdf(x, shape=A, df=3.0)
     + stats.multivariate_t.logpdf(X, loc=x, shape=A, df=x[2] + 3), X),
    ("wishart", lambda x: stats.wishart.logpdf(A * x[0], 4.0 + x[2], B * x[2])
     + stats.invwishart.logpdf(A * x[2], 4.0 + x[0], B), X),
    ("matrix_normal", lambda x: stats.matrix_normal.logpdf(
        np.outer(x, x[:2]), rowcov=A, colcov=B[:2, :2] * x[0]), X),
    ("multinomial", lambda x: stats.multinomial.logpmf([1, 2, 0], 3, x / np.sum(x))
     + stats.multinomial.pmf([1, 2, 0], 3, x / np.sum(x)), X),
    ("chisquare", lambda x: stats.chisquare(x).pvalue
     + stats.power_divergence(x, lambda_="cressie-read").statistic
     + stats.power_divergence(x, lambda_=0).statistic, W),
    ("of statistics", lambda x: stats.ttest_ind_from_stats(
        x[0], x[1], 10, x[2], x[3], 12, equal_var=False).pvalue, W),
    ("energy_distance", lambda x: stats.energy_distance(x, [0.1, 0.5, 1.3])
     + stats.energy_distance(x, [0.1, 0.5], [1.0, 2, 1, 1], [1, 3.0]), W),
    ("transformations", lambda x: np.sum(stats.yeojohnson(x - 1, x[0]))
     + stats.yeojohnson_llf(0.3, x - 1) + np.sum(stats.boxcox(x, x[1])), W),
]  # fmt: skip


@pytest.mark.parametrize("case", part("agreement", CASES, 4), ids=lambda c: c[0])
def test_values_and_derivatives(case: Any) -> None:
    _, f, x = case
    np.testing.assert_allclose(pb.jit(f)(x), f(x), 1e-13)
    check_derivatives(f, (x,))


def test_nan_is_left_out_of_a_vector() -> None:
    def summaries(x):
        return (stats.skew(x, nan_policy="omit"), stats.gmean(x, nan_policy="omit"),
                stats.sem(x, nan_policy="omit"), stats.describe(x, nan_policy="omit").variance,
                stats.kurtosis(x, nan_policy="omit", bias=False))  # fmt: skip

    np.testing.assert_allclose(pb.jit(summaries)(GAPS), summaries(GAPS), 1e-14)
    np.testing.assert_allclose(
        pb.jit(lambda x: stats.zscore(x, nan_policy="omit"))(GAPS),
        stats.zscore(GAPS, nan_policy="omit"), 1e-14,
    )  # fmt: skip
    good = GAPS[[0, 2, 3, 4]]
    slope = pb.grad(lambda x: stats.skew(x, nan_policy="omit"))(GAPS)
    np.testing.assert_allclose(slope[[0, 2, 3, 4]], pb.grad(stats.skew)(good), 1e-12)
    assert slope[1] == 0.0
    with pytest.raises(ValueError, match="The input contains nan values"):
        pb.jit(lambda x: stats.sem(x, nan_policy="raise"))(GAPS)


def test_the_likelihood_of_an_exponent_is_smooth_at_zero() -> None:
    def likelihood(s):
        return stats.boxcox_llf(s, W)

    h = 1e-4
    wanted = (likelihood(h) - likelihood(-h)) / (2 * h)
    assert pb.grad(likelihood)(0.0) == pytest.approx(wanted, 1e-6)


def test_an_exponent_that_is_found_moves_with_the_numbers() -> None:
    """SciPy's exponent is exact to 1e-7: the derivative is compared with that of an exact one."""
    def likelihood(c, x):
        y = (x**c - 1.0) / c
        far = y - np.sum(y) / len(x)
        return (c - 1.0) * np.sum(np.log(x)) - len(x) / 2 * np.log(np.sum(far * far) / len(x))

    def exact(x):
        return optimize.brentq(lambda c: likelihood(c + 1e-30j, x).imag, -1.9, 1.95, xtol=1e-15)

    x, d, h = np.append(W, [0.7, 1.9]), np.cos(np.arange(6.0)), 1e-5
    (y, c), (want, at) = pb.jit(lambda x: stats.boxcox(x))(x), stats.boxcox(x)
    np.testing.assert_allclose(np.append(y, c), np.append(want, at), 1e-14)
    slope = (exact(x + h * d) - exact(x - h * d)) / (2 * h)
    assert pb.grad(lambda x: stats.boxcox(x)[1])(x) @ d == pytest.approx(slope, 1e-5)
    assert pb.jit(stats.yeojohnson_normmax)(x - 1.0) == stats.yeojohnson_normmax(x - 1.0)
