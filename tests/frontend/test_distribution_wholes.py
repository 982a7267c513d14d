"""What is asked of a whole distribution of ``scipy.stats`` (``stats``, ``moment``, ``expect``,
``fit``), and tests of samples by ranks and by normality: SciPy's values, and derivatives by central
differences."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest
import scipy.stats as st
from scipy import interpolate, optimize

import pullback as pb
from tests.campaign import part
from tests.frontend.numpy_cases import check_derivatives

D = np.random.default_rng(0).normal(size=20)
P = np.exp(D)
V = D[:9] + np.linspace(0.1, 1.0, 9)
X = np.array([1.3])
CASES: list[tuple[str, Any, Any]] = [
    ("stats", lambda x: st.norm.stats(x[0], 2.0) + st.beta(x[0], 2.0).stats("mvsk"), X),
    ("of arrays", lambda x: st.gamma.stats(np.array([1.0, 2.0]) * x[0], moments="mvsk"), X),
    ("of counts", lambda x: st.poisson.stats(x[0], moments="mvsk")
     + st.binom(7, x[0] / 3).stats(moments="mvsk") + st.geom.stats(x[0] / 3, moments="mvsk"), X),
    ("of tails", lambda x: st.t.stats(x[0] + 5, moments="mvsk")
     + st.pareto.stats(x[0] + 5, moments="mvsk") + st.lognorm.stats(x[0], moments="mvsk"), X),
    ("of a power", lambda x: st.weibull_min.stats(x[0], moments="mvsk")
     + st.powerlaw.stats(x[0], moments="mvsk") + st.triang.stats(x[0] - 1, moments="mvsk"), X),
    ("moment", lambda x: (
        st.norm.moment(3, loc=x[0], scale=2.0), st.norm(x[0], 2.0).moment(4),
        st.gamma.moment(2, x[0]), st.uniform.moment(order=4, loc=x[0])), X),
    ("expect", lambda x: (
        st.norm.expect(lambda t: t**2, loc=x[0], scale=2.0), st.norm(x[0], 2.0).expect(np.sin),
        st.expon.expect(lambda t: t * x[0], lb=0.5)), X),
    ("conditional", lambda x: st.norm(0, x[0]).expect(lambda t: t, lb=0.0, conditional=True), X),
    ("expect with shapes", lambda x: (
        st.beta.expect(lambda t: t * t, args=(x[0], 2.0)), st.gamma(x[0]).expect()), X),
    ("expect of counts", lambda x: (
        st.poisson(x[0]).expect(lambda k: k**2), st.binom(5, x[0] / 3).expect(lambda k: 1.0 + k),
        st.poisson.expect(lambda k: k * k, args=(x[0],), loc=2), st.poisson(50 * x[0]).expect()),
     X),
    ("fit", lambda x: st.norm.fit(x * D) + st.expon.fit(x * P) + st.uniform.fit(x * D), X),
    ("fit of sizes", lambda x: (
        st.lognorm.fit(x * P, floc=0) + st.laplace.fit(x * D) + st.halfnorm.fit(P * x)
        + st.rayleigh.fit(P * x, floc=0) + st.gamma.fit(P * x, floc=0)), X),
    ("Student's tests", lambda x: (
        *st.ttest_ind(x, D), st.ttest_ind(x, D, equal_var=False).df,
        1.0 * st.ttest_1samp(x, 0.0).df, st.ttest_rel(x, P[:9])[1]), V),
    ("shapiro", lambda x: tuple(st.shapiro(x)) + tuple(st.shapiro(x[:3])), V),
    ("long shapiro", lambda x: tuple(st.shapiro(x * P)), X),
    ("normality", lambda x: (
        *st.skewtest(x), *st.kurtosistest(x), *st.normaltest(x, axis=0)), V),
    ("contingency", lambda x: tuple(
        st.chi2_contingency(np.array([[3.0, 4.0], [5.0, 7.0]]) * x[0])[:3:2])
     + st.chi2_contingency(np.array([[3.0, 4.0, 5.0], [5.0, 7.0, 1.0]]) * x[0])[:2], X),
    ("kstest", lambda x: (
        st.kstest(x, "norm").statistic, st.kstest(x, "norm", args=(0.1, 1.2)).statistic,
        st.kstest(x, st.norm(0.1, 1.0).cdf, alternative="less").statistic_location), V),
    ("two samples", lambda x: (
        *st.ks_2samp(x, D), st.ks_2samp(x, D, alternative="less").statistic_location), V),
    ("ranks", lambda x: (
        *st.mannwhitneyu(x, D), *st.wilcoxon(x), *st.wilcoxon(x, P[:9], alternative="greater"),
        *st.ranksums(x, D), *st.brunnermunzel(x, D), *st.friedmanchisquare(x, P[:9], D[:9])), V),
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
    for mine, theirs in zip(np.atleast_1d(pb.jit(f)(x)), np.atleast_1d(f(x)), strict=True):
        np.testing.assert_allclose(mine, theirs, 1e-8, 1e-12)

    def loss(x):
        return _total(f(x))

    check_derivatives(loss, (x,), 1e-5)


def test_results_have_the_fields_of_scipys() -> None:
    found, wanted = pb.jit(lambda x: st.ttest_ind(x, D))(V), st.ttest_ind(V, D)
    t, p = found
    np.testing.assert_allclose((t, p, found.df), (*wanted, wanted.df), 1e-12)
    assert (len(found), found[1], type(found).__name__) == (2, p, type(wanted).__name__)
    line, other = pb.jit(lambda x: st.linregress(D[:9], x))(V), st.linregress(D[:9], V)
    np.testing.assert_allclose(line.intercept_stderr, other.intercept_stderr, 1e-12)
    apart, wanted = pb.jit(lambda x: st.kstest(x, "norm"))(V), st.kstest(V, "norm")
    for name in ("statistic", "pvalue", "statistic_location", "statistic_sign"):
        np.testing.assert_allclose(getattr(apart, name), getattr(wanted, name), 1e-12)


def test_a_probability_of_a_distance_has_no_derivative() -> None:
    assert np.isinf(pb.grad(lambda x: st.kstest(x, "norm").pvalue)(V)).any()


def _asked(x):
    r, q = st.ttest_1samp(x, 2.0), st.ttest_1samp(x, 2.5)
    match r:
        case (first, _):
            low = r.confidence_interval(0.9).low + st.ttest_rel(x, D[:9]).confidence_interval().high
            return (isinstance(r, tuple), r == (r[0], r[1]), (r[0], r[1]) == r, r < q, r == q,
                    first, max(r, q)[0], r.index(r[1]), len(r + (1.0,)), low,
                    np.array(r))  # fmt: skip
    return None


def test_results_are_tuples() -> None:
    for mine, theirs in zip(pb.jit(_asked)(V), _asked(V), strict=True):
        np.testing.assert_allclose(mine, theirs, 1e-12)
    check_derivatives(lambda x: np.sum(np.stack(st.ttest_ind(x, D).confidence_interval())), (V,))


def _classes(x):
    r = optimize.minimize(lambda z: np.sum((z - x) ** 2), 0.0 * x)
    s = optimize.root_scalar(lambda z: z**3 - x[0], bracket=(-3.0, 3.0))
    p = interpolate.make_interp_spline(np.arange(9.0), x)
    asked = [isinstance(r, dict), isinstance(r, optimize.OptimizeResult), isinstance(r, Hashable),
             isinstance(s, optimize.RootResults), isinstance(s, (dict, int)), isinstance(s, float),
             isinstance(p, interpolate.BSpline), isinstance(p, interpolate.PPoly)]  # fmt: skip
    match r:
        case optimize.OptimizeResult(x=at):
            return asked, at
    return asked, x


def test_objects_of_scipy_are_of_its_classes() -> None:
    assert pb.jit(_classes)(V)[0] == _classes(V)[0]
    with pytest.raises(pb.UnsupportedError, match="derived from PPoly"):
        pb.jit(lambda x: isinstance(interpolate.CubicSpline(np.arange(9.0), x),
                                    interpolate.CubicSpline))(V)  # fmt: skip
    with pytest.raises(pb.UnsupportedError, match="mapping pattern for a MinimizeResult"):
        pb.jit(_mapped)(V)


def _mapped(x):
    match optimize.minimize(lambda z: np.sum((z - x) ** 2), 0.0 * x):
        case {"x": at}:
            return at
    return x
