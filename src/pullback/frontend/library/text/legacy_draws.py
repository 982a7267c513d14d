"""The functions of ``numpy.random``: methods of one generator that all share."""

from __future__ import annotations

from typing import Any

from pullback.frontend.library.drawing import shared


def seed(seed: Any = None) -> None:
    shared("numpy").seed(seed)


def standard_normal(size: Any = None) -> Any:
    return shared("numpy").standard_normal(size)


def standard_cauchy(size: Any = None) -> Any:
    return shared("numpy").standard_cauchy(size)


def standard_exponential(size: Any = None) -> Any:
    return shared("numpy").standard_exponential(size)


def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    return shared("numpy").normal(loc, scale, size)


def laplace(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    return shared("numpy").laplace(loc, scale, size)


def gumbel(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    return shared("numpy").gumbel(loc, scale, size)


def logistic(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    return shared("numpy").logistic(loc, scale, size)


def exponential(scale: Any = 1.0, size: Any = None) -> Any:
    return shared("numpy").exponential(scale, size)


def rayleigh(scale: Any = 1.0, size: Any = None) -> Any:
    return shared("numpy").rayleigh(scale, size)


def gamma(shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
    return shared("numpy").gamma(shape, scale, size)


def lognormal(mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    return shared("numpy").lognormal(mean, sigma, size)


def standard_gamma(shape: Any, size: Any = None) -> Any:
    return shared("numpy").standard_gamma(shape, size)


def beta(a: Any, b: Any, size: Any = None) -> Any:
    return shared("numpy").beta(a, b, size)


def chisquare(df: Any, size: Any = None) -> Any:
    return shared("numpy").chisquare(df, size)


def noncentral_chisquare(df: Any, nonc: Any, size: Any = None) -> Any:
    return shared("numpy").noncentral_chisquare(df, nonc, size)


def f(dfnum: Any, dfden: Any, size: Any = None) -> Any:
    return shared("numpy").f(dfnum, dfden, size)


def noncentral_f(dfnum: Any, dfden: Any, nonc: Any, size: Any = None) -> Any:
    return shared("numpy").noncentral_f(dfnum, dfden, nonc, size)


def standard_t(df: Any, size: Any = None) -> Any:
    return shared("numpy").standard_t(df, size)


def pareto(a: Any, size: Any = None) -> Any:
    return shared("numpy").pareto(a, size)


def weibull(a: Any, size: Any = None) -> Any:
    return shared("numpy").weibull(a, size)


def power(a: Any, size: Any = None) -> Any:
    return shared("numpy").power(a, size)


def wald(mean: Any, scale: Any, size: Any = None) -> Any:
    return shared("numpy").wald(mean, scale, size)


def vonmises(mu: Any, kappa: Any, size: Any = None) -> Any:
    return shared("numpy").vonmises(mu, kappa, size)


def triangular(left: Any, mode: Any, right: Any, size: Any = None) -> Any:
    return shared("numpy").triangular(left, mode, right, size)


def poisson(lam: Any = 1.0, size: Any = None) -> Any:
    return shared("numpy").poisson(lam, size)


def binomial(n: Any, p: Any, size: Any = None) -> Any:
    return shared("numpy").binomial(n, p, size)


def negative_binomial(n: Any, p: Any, size: Any = None) -> Any:
    return shared("numpy").negative_binomial(n, p, size)


def geometric(p: Any, size: Any = None) -> Any:
    return shared("numpy").geometric(p, size)


def zipf(a: Any, size: Any = None) -> Any:
    return shared("numpy").zipf(a, size)


def logseries(p: Any, size: Any = None) -> Any:
    return shared("numpy").logseries(p, size)


def hypergeometric(ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> Any:
    return shared("numpy").hypergeometric(ngood, nbad, nsample, size)


def multinomial(n: Any, pvals: Any, size: Any = None) -> Any:
    return shared("numpy").multinomial(n, pvals, size)


def dirichlet(alpha: Any, size: Any = None) -> Any:
    return shared("numpy").dirichlet(alpha, size)


def permutation(x: Any) -> Any:
    return shared("numpy").permutation(x)


def shuffle(x: Any) -> None:
    shared("numpy").shuffle(x)


def random_sample(size: Any = None) -> Any:
    return shared("numpy").random_sample(size)


def random(size: Any = None) -> Any:
    return shared("numpy").random(size)


def rand(*args: Any) -> Any:
    return shared("numpy").rand(*args)


def randn(*args: Any) -> Any:
    return shared("numpy").randn(*args)


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    return shared("numpy").uniform(low, high, size)


def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
    return shared("numpy").randint(low, high, size, dtype)


def ranf(size: Any = None) -> Any:
    return shared("numpy").random_sample(size)


def sample(size: Any = None) -> Any:
    return shared("numpy").random_sample(size)


def choice(a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Any:
    return shared("numpy").choice(a, size, replace, p)


def multivariate_normal(mean: Any, cov: Any, size: Any = None) -> Any:
    return shared("numpy").multivariate_normal(mean, cov, size)
