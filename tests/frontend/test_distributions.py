"""Distributions of ``scipy.stats``: every method that is compiled beside SciPy's, with arguments
inside of the support, at its ends and outside; derivatives; frozen distributions."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.stats as st

import pullback as pb
from tests import campaign, harness

SHAPES: dict[str, tuple[float, ...]] = {
    **dict.fromkeys(
        ("norm", "expon", "uniform", "laplace", "logistic", "cauchy", "halfnorm", "halfcauchy",
         "gumbel_r", "gumbel_l", "rayleigh", "maxwell"), ()),
    "gamma": (2.5,), "erlang": (3.0,), "beta": (2.3, 0.7), "t": (3.5,), "chi2": (4.0,),
    "f": (3.0, 6.5), "lognorm": (0.8,), "invgamma": (3.2,), "pareto": (2.6,),
    "weibull_min": (1.7,), "weibull_max": (2.2,), "triang": (0.3,), "truncnorm": (-1.0, 2.0),
    "truncexpon": (2.0,), "vonmises": (1.5,), "skewnorm": (1.2,), "genextreme": (0.2,),
    "genpareto": (0.2,), "invgauss": (1.3,), "exponnorm": (1.4,), "loguniform": (0.5, 3.0),
    "powerlaw": (1.8,), "poisson": (2.5,), "binom": (6, 0.3), "bernoulli": (0.3,), "geom": (0.3,),
    "nbinom": (2.5, 0.4), "hypergeom": (20, 7, 8), "betabinom": (6, 2.0, 1.5), "randint": (-1, 5),
    "zipf": (2.5,),
    **dict.fromkeys(
        ("hypsecant", "moyal", "halflogistic", "levy", "wald", "gibrat", "arcsine",
         "semicircular", "anglit", "cosine"), ()),
    "chi": (3.5,), "lomax": (2.6,), "fisk": (2.7,), "burr": (2.5, 1.3), "burr12": (2.5, 1.3),
    "betaprime": (2.3, 3.1), "gengamma": (2.5, 1.4), "gompertz": (0.7,), "invweibull": (2.4,),
    "exponweib": (1.7, 1.2), "halfgennorm": (1.6,), "foldnorm": (0.8,), "nakagami": (1.7,),
    "rice": (0.9,), "ncx2": (3.5, 1.2), "fatiguelife": (0.8,), "loggamma": (1.6,),
    "genlogistic": (1.4,), "dweibull": (1.8,), "dgamma": (1.7,), "gennorm": (1.6,),
    "johnsonsu": (0.4, 1.3), "laplace_asymmetric": (1.4,), "skewcauchy": (0.3,),
    "norminvgauss": (1.5, 0.4), "powernorm": (1.7,), "rdist": (3.4,), "johnsonsb": (0.4, 1.3),
    "bradford": (1.5,), "trapezoid": (0.2, 0.6), "wrapcauchy": (0.4,), "loglaplace": (2.6,),
    "skellam": (2.5, 1.2), "dlaplace": (0.8,), "logser": (0.6,), "planck": (0.7,),
    "boltzmann": (0.7, 6), "yulesimon": (3.4,), "betanbinom": (4, 3.5, 1.5), "zipfian": (1.4, 7),
}  # fmt: skip
LAST = "boltzmann", "zipfian"
"""The distributions whose whole number is the last parameter."""
POINTS = ("logpdf", "pdf", "logpmf", "pmf", "cdf", "logcdf", "sf", "logsf")
MOMENTS = ("mean", "var", "std", "entropy")
X = np.array([-40.0, -3.0, -0.6, 0.0, 0.4, 0.7, 0.9, 1.0, 1.2, 1.7, 2.0, 2.7, 3.1, 9.0, np.nan])
K = np.array([-3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 40])
Q = np.array([-0.1, 0.0, 1e-9, 0.1, 0.3, 0.5, 0.77, 0.999, 1.0, 1.2, np.nan])
NAMES = campaign.part("surface", sorted(SHAPES), 14)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def methods(name: str, *wanted: str) -> tuple[Any, ...]:
    """The bound methods of a distribution that are compiled."""
    from pullback.frontend.library.distributions import CALLS  # it fills the table

    found = (getattr(getattr(st, name), m, None) for m in wanted)
    return tuple(m for m in found if m is not None and m in CALLS)


def near(found: Any, wanted: Any) -> None:
    for mine, theirs in zip(found, wanted, strict=True):
        assert type(mine) is type(theirs)
        assert np.shape(mine) == np.shape(theirs)
        np.testing.assert_allclose(mine, theirs, 1e-9, 1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_of_scipy(name: str) -> None:
    of_points, of_chances = methods(name, *POINTS), methods(name, "ppf", "isf")
    if name == "ncx2":
        of_chances = of_chances[:1]  # isf is ppf of 1 - q, which is rounded
    moments, discrete = methods(name, *MOMENTS), hasattr(getattr(st, name), "pmf")
    at: dict[str, float] = {"loc": 2} if discrete else {"loc": 0.4, "scale": 1.3}

    def f(x, q, at, *shapes):
        points = [m(x, *shapes, **at) for m in of_points]
        return points + [m(q, *shapes, **at) for m in of_chances] + [
            m(*shapes, **at) for m in moments]  # fmt: skip

    x = K if discrete else X
    near(pb.jit(f)(x, Q, at, *SHAPES[name]), f(x, Q, at, *SHAPES[name]))
    wrong = at | ({"loc": np.nan} if discrete else {"scale": -1.0})
    near(pb.jit(f)(x, Q, wrong, *SHAPES[name]), f(x, Q, wrong, *SHAPES[name]))
    rows = np.array([[1.0], [2.0]])
    turned = tuple(rows * s for s in SHAPES[name][:1]) + SHAPES[name][1:]
    near(pb.jit(f)(x, Q, at, *turned), f(x, Q, at, *turned))


@pytest.mark.parametrize("name", NAMES)
def test_derivatives_are_differences(name: str) -> None:
    discrete, inside = hasattr(getattr(st, name), "pmf"), np.array([0.77, 0.83])
    of_points = methods(name, *POINTS[:6])
    shapes = tuple(s for s in SHAPES[name] if isinstance(s, float))
    if name == "zipf" or (discrete and not shapes):
        return  # no derivative by the order of zeta, none by whole numbers
    fixed = tuple(s for s in SHAPES[name] if not isinstance(s, float))
    if name == "ncx2":
        fixed, shapes = shapes[:1], shapes[1:]  # no derivative by the order of ive
    x: Any = np.array([1]) if discrete else inside
    if name in ("pareto", "loguniform", "weibull_max"):
        x = -inside if name == "weibull_max" else 1.0 + inside

    def f(x, scale, *shapes):
        rest = () if discrete else (0.0, scale)
        told = (*shapes, *fixed) if name in LAST else (*fixed, *shapes)
        parts = [m(x, *told, *rest) for m in of_points]
        return sum(np.sum(p * p) * k for k, p in enumerate(parts, 1))

    argnums = tuple(range(1 if discrete else 0, 2 + len(shapes)))
    args = (x, 1.1, *shapes)
    tangents = tuple(harness.direction(np.random.default_rng(1), args[k]) for k in argnums)
    chosen = tuple(args[k] for k in argnums)
    before = args[: argnums[0]]

    def along(*chosen: Any) -> Any:
        return f(*before, *chosen)

    slope = harness.difference(along, chosen, tangents)
    for method in ("chad", "dual"):
        _, gradient = harness.gradient(f, args, argnums, "native", method)
        assert np.isclose(harness.inner(gradient, tangents), slope, 1e-5, 1e-7)

    def first(*chosen: Any) -> Any:
        return pb.jvp(along, chosen, tangents)[1]

    _, second = pb.jvp(first, chosen, tangents)
    assert np.isclose(second, harness.difference(first, chosen, tangents), 1e-4, 1e-5)


PRIOR, OTHER = st.norm(0.5, 2.0), st.gamma(2.5, scale=1.5)
LOGPDF = st.gamma.logpdf


class Model:
    def __init__(self) -> None:
        self.prior = st.beta(2.0, b=3.0)

    def logp(self, x):
        return self.prior.logpdf(x)


MODEL = Model()


def from_outside(x):
    return PRIOR.logpdf(x) + np.sum(OTHER.logpdf(np.array([1.0, 2.0]) * x)) + MODEL.logp(x)


def made_inside(x):
    d = st.norm(x, scale=1.3)
    return d.logpdf(0.2) + d.cdf(0.3) + d.mean() * d.std() + d.var() + d.entropy() + d.ppf(0.3)


def handed_on(x):
    def posterior(distribution, y):
        return distribution.logpdf(y)

    several = [st.norm(x, 1.0), st.norm(0.0, x)]
    return posterior(st.gamma(x), 0.4) + sum(d.logpdf(1.5) for d in several) + LOGPDF(x, 2.0)


def of_whole_numbers(x):
    return st.poisson(x).logpmf(3) + st.poisson.pmf(k=2, mu=x) + st.binom(5, x / 2.0).cdf(2)


@pytest.mark.parametrize("f", [from_outside, made_inside, handed_on, of_whole_numbers])
def test_frozen_ones(f: Any) -> None:
    assert np.isclose(pb.jit(f)(0.7), f(0.7), 1e-12)
    slope = (f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6
    for method in ("chad", "dual"):
        assert np.isclose(pb.grad(f, method=method)(0.7), slope, 1e-7)


def test_a_frozen_one_may_change(monkeypatch: pytest.MonkeyPatch) -> None:
    f = pb.jit(from_outside)
    for prior in (st.norm(0.9, 1.0), st.norm(0.9), st.laplace(0.1, 0.7), st.norm(loc=1.0)):
        monkeypatch.setitem(globals(), "PRIOR", prior)
        assert np.isclose(f(0.7), from_outside(0.7), 1e-12)


def test_types_and_lists() -> None:
    def f(x, y):
        return st.norm.logpdf(x), st.gamma.pdf([1.0, 2], y), st.poisson.logpmf(3, y)

    for x, y in ((np.float32(0.5), np.ones(2, np.float32)), (2, np.arange(2)), (True, 2)):
        near(pb.jit(f)(x, y), f(x, y))


def test_a_distribution_of_ones_own_is_refused() -> None:
    class Odd(st.rv_continuous):
        def _logpdf(self, x):
            return -x

    odd = Odd(name="norm")
    for f in (lambda x: odd.logpdf(x), lambda x: odd(0.0).logpdf(x)):
        with pytest.raises(pb.PullbackError, match="not supported"):
            pb.jit(f)(0.5)
