"""Densities of vectors, matrices and counts, of ``scipy.stats``, as plain Python that the front end
compiles. The name of a text is that of the method and that of the distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.domains import Array, Matrix
from pullback.frontend.library.text.scipy_multivariate import (
    _factor,
    _one_result,
    logpdf_of_multivariate_normal,
)
from pullback.frontend.library.text_helpers import unsupported


def logpdf_of_multivariate_t(x: Array, loc: Any = None, shape: Any = 1, df: Any = 1) -> Any:
    points, matrix = np.asarray(x) * 1.0, np.asarray(shape) * 1.0
    if matrix.ndim != 2:
        unsupported("multivariate_t of another than a matrix of shape", "pass a matrix")
    n = matrix.shape[0]
    if df == np.inf:
        return logpdf_of_multivariate_normal(points, loc, matrix)
    if df <= 0:
        raise ValueError("'df' must be greater than zero.")
    if points.ndim == 0:
        unsupported("a number as a point of several dimensions", "pass all its coordinates")
    _one_result(points, n)
    half = _factor(matrix)
    centre = np.zeros(n) if loc is None else np.asarray(loc) * 1.0
    z = scipy.linalg.solve_triangular(half, (points - centre).reshape(-1, n).T, lower=True)
    t = 0.5 * (df + n)
    size = scipy.special.gammaln(t) - scipy.special.gammaln(0.5 * df) - (
        0.5 * n * np.log(df * math.pi) + np.sum(np.log(np.diag(half))))  # fmt: skip
    logs = size - t * np.log(1.0 + np.sum(z * z, axis=0) / df)
    return logs[0] if points.ndim == 1 else logs.reshape(points.shape[:-1])


def pdf_of_multivariate_t(x: Array, loc: Any = None, shape: Any = 1, df: Any = 1) -> Any:
    return np.exp(logpdf_of_multivariate_t(x, loc, shape, df))


def _square(x: Any, what: str) -> Matrix:
    a = np.asarray(x) * 1.0
    if a.ndim != 2:
        unsupported(what + " that is no matrix", "pass a matrix")
    if a.shape[0] != a.shape[1]:
        raise ValueError("Array 'scale' must be square if it is two dimensional")
    return a


def _wishart_size(df: Any, n: int) -> Any:
    return 0.5 * df * n * math.log(2.0) + scipy.special.multigammaln(0.5 * df, n)


def logpdf_of_wishart(x: Matrix, df: Any, scale: Any) -> Any:
    point, matrix = _square(x, "a point of wishart"), _square(scale, "a scale")
    n = matrix.shape[0]
    if df <= n - 1:
        raise ValueError("Degrees of freedom must be greater than the dimension of scale matrix "
                         "minus 1.")  # fmt: skip
    here, half = np.linalg.cholesky(point), np.linalg.cholesky(matrix)
    ratio = scipy.linalg.solve_triangular(half, here, lower=True)
    logs = (df - n - 1.0) * np.sum(np.log(np.diag(here))) - 0.5 * np.sum(ratio * ratio)
    return logs - df * np.sum(np.log(np.diag(half))) - _wishart_size(df, n)


def pdf_of_wishart(x: Matrix, df: Any, scale: Any) -> Any:
    return np.exp(logpdf_of_wishart(x, df, scale))


def logpdf_of_invwishart(x: Matrix, df: Any, scale: Any) -> Any:
    point, matrix = _square(x, "a point of invwishart"), _square(scale, "a scale")
    n = matrix.shape[0]
    if df <= n - 1:
        raise ValueError("Degrees of freedom must be greater than the dimension of scale matrix "
                         "minus 1.")  # fmt: skip
    here, half = np.linalg.cholesky(point), np.linalg.cholesky(matrix)
    ratio = scipy.linalg.solve_triangular(here, half, lower=True)
    logs = df * np.sum(np.log(np.diag(half))) - 0.5 * np.sum(ratio * ratio)
    return logs - (df + n + 1.0) * np.sum(np.log(np.diag(here))) - _wishart_size(df, n)


def pdf_of_invwishart(x: Matrix, df: Any, scale: Any) -> Any:
    return np.exp(logpdf_of_invwishart(x, df, scale))


def _side(cov: Any, mean: Any, axis: int) -> Matrix:
    """Return the covariance along an axis; without a mean a number stands for one row or column."""
    matrix = np.asarray(cov) * 1.0
    if matrix.ndim == 0:
        matrix = matrix * np.eye(1 if mean is None else mean.shape[axis])
    elif matrix.ndim == 1:
        matrix = np.diag(matrix)
    name = ("row", "col")[axis]
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"Array `{name}cov` must be square.")
    if mean is not None and mean.shape[axis] != matrix.shape[0]:
        raise ValueError(
            f"Arrays `mean` and `{name}cov` must have the same number of "
            f"{('rows', 'columns')[axis]}."
        )
    return matrix


def logpdf_of_matrix_normal(
    X: Matrix, mean: Any = None, rowcov: Any = 1, colcov: Any = 1
) -> Any:
    point = np.asarray(X) * 1.0
    if point.ndim != 2:
        unsupported("several points of matrix_normal", "a comprehension over the points")
    n, m = point.shape
    centre = None if mean is None else np.asarray(mean) * 1.0
    if centre is not None and centre.ndim != 2:
        raise ValueError("Array `mean` must be two dimensional.")
    rows, columns = _side(rowcov, centre, 0), _side(colcov, centre, 1)
    if rows.shape[0] != n or columns.shape[0] != m:
        raise ValueError(
            "The shape of array `X` is not compatible with the distribution parameters."
        )
    left, right = _factor(rows), _factor(columns)
    far = point if centre is None else point - centre
    half = scipy.linalg.solve_triangular(left, far, lower=True)
    z = scipy.linalg.solve_triangular(right, half.T, lower=True)
    logs = m * np.sum(np.log(np.diag(left))) + n * np.sum(np.log(np.diag(right)))
    return -0.5 * (n * m * math.log(2.0 * math.pi) + np.sum(z * z)) - logs


def pdf_of_matrix_normal(X: Matrix, mean: Any = None, rowcov: Any = 1, colcov: Any = 1) -> Any:
    return np.exp(logpdf_of_matrix_normal(X, mean, rowcov, colcov))


def logpmf_of_multinomial(x: Array, n: Any, p: Array) -> Any:
    """The last probability is what the others leave, as in SciPy."""
    counts, given = np.asarray(x), np.asarray(p) * 1.0
    if given.ndim != 1:
        unsupported("several vectors of probabilities", "a comprehension over them")
    others = given[:-1]
    shares = np.concatenate((others, np.atleast_1d(1.0 - np.sum(others))))
    logs = scipy.special.gammaln(n + 1.0) + np.sum(
        scipy.special.xlogy(counts, shares) - scipy.special.gammaln(counts + 1.0), axis=-1
    )
    inside = (np.sum(counts, axis=-1) == n) & np.all(counts >= 0, axis=-1) & np.all(
        counts == np.floor(counts), axis=-1)  # fmt: skip
    wrong = np.any(shares < 0.0) or np.any(shares > 1.0) or n < 0
    return np.where(inside, logs, -np.inf) + (np.nan if wrong else 0.0)


def pmf_of_multinomial(x: Array, n: Any, p: Array) -> Any:
    return np.exp(logpmf_of_multinomial(x, n, p))
