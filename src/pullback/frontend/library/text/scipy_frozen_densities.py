"""Frozen densities of vectors and matrices, of ``scipy.stats``: objects that hold the parameters,
as plain Python that the front end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text_helpers import unsupported


class _Density:
    """A density with its parameters."""

    def __init__(self, log: Any, args: Any) -> None:
        self._log = log
        self._args = args

    def logpdf(self, x: Any) -> Any:
        return self._log(x, *self._args)

    def pdf(self, x: Any) -> Any:
        return np.exp(self._log(x, *self._args))


class _Normal(_Density):
    """A normal density, whose mean and covariance are read."""

    def cdf(self, x: Any) -> Any:
        return scipy.stats.multivariate_normal.cdf(x, *self._args)

    def logcdf(self, x: Any) -> Any:
        return scipy.stats.multivariate_normal.logcdf(x, *self._args)

    def entropy(self) -> Any:
        return scipy.stats.multivariate_normal.entropy(*self._args)

    @property
    def mean(self) -> Any:
        """The mean."""
        return self._args[0]

    @property
    def cov(self) -> Any:
        """The covariance."""
        return self._args[1]


class _Masses:
    """The same of whole numbers."""

    def __init__(self, log: Any, args: Any) -> None:
        self._log = log
        self._args = args

    def logpmf(self, x: Any) -> Any:
        return self._log(x, *self._args)

    def pmf(self, x: Any) -> Any:
        return np.exp(self._log(x, *self._args))


def multivariate_normal(mean: Any = None, cov: Any = 1, allow_singular: bool = False,
                        seed: None = None) -> _Normal:  # fmt: skip
    return _Normal(
        lambda x, m, c: scipy.stats.multivariate_normal.logpdf(x, m, c, allow_singular),
        (mean, cov),
    )


def multivariate_t(loc: Any = None, shape: Any = 1, df: Any = 1, allow_singular: bool = False,
                   seed: None = None) -> _Density:  # fmt: skip
    if allow_singular:
        unsupported("allow_singular=True", "add a small number to the diagonal")
    return _Density(
        lambda x, m, c, n: scipy.stats.multivariate_t.logpdf(x, m, c, n), (loc, shape, df)
    )


def dirichlet(alpha: Any, seed: None = None) -> _Density:
    return _Density(lambda x, a: scipy.stats.dirichlet.logpdf(x, a), (alpha,))


def wishart(df: Any = None, scale: Any = None, seed: None = None) -> _Density:
    return _Density(lambda x, n, c: scipy.stats.wishart.logpdf(x, n, c), (df, scale))


def invwishart(df: Any = None, scale: Any = None, seed: None = None) -> _Density:
    return _Density(lambda x, n, c: scipy.stats.invwishart.logpdf(x, n, c), (df, scale))


def matrix_normal(mean: Any = None, rowcov: Any = 1, colcov: Any = 1,
                  seed: None = None) -> _Density:  # fmt: skip
    return _Density(
        lambda x, m, r, c: scipy.stats.matrix_normal.logpdf(x, m, r, c), (mean, rowcov, colcov)
    )


def multinomial(n: Any, p: Any, seed: None = None) -> _Masses:
    return _Masses(lambda x, n, p: scipy.stats.multinomial.logpmf(x, n, p), (n, p))
