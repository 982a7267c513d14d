"""Densities of vectors, of ``scipy.stats``, as plain Python that the front end compiles. The name
of a text is that of the method and that of the distribution.

SciPy gives a number in place of an array of one number, so how many axes a result has may depend on
how long an array is. A vector is one point, and each row of a matrix is one: the result of a vector
is a number, that of a matrix a vector. Calls of which SciPy makes something else raise
NotImplementedError."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # its modules are imported when they are first used

from pullback.frontend.library.text.domains import Array, Vector
from pullback.frontend.library.text_helpers import unsupported

_SINGULAR = "When `allow_singular is False`, the input matrix must be symmetric positive definite."
_NEGATIVE = "The input matrix must be symmetric positive semidefinite."
_ONE = "an axis of one number, which SciPy leaves out: pass numbers in place of it"
_SEVERAL = "a vector of several points of one coordinate each: make it a column, x[:, None]"


def logpdf_of_multivariate_normal(
    x: Array, mean: Any = None, cov: Any = 1, allow_singular: bool = False
) -> Any:
    points, matrix = _floats(x), _floats(1.0 if cov is None else cov)
    if matrix.ndim > 2:
        raise ValueError("Array 'cov' must be at most two-dimensional")
    if mean is None:
        if matrix.ndim < 2:
            return _of_numbers(points, np.asarray(0.0), matrix, allow_singular)
        return _of_vectors(points, np.zeros(matrix.shape[0]), matrix, allow_singular)
    centre = _floats(mean)
    if centre.ndim == 0:
        return _of_numbers(points, centre, matrix, allow_singular)
    if centre.ndim > 1:
        unsupported("a mean that is no vector", "make it a vector")
    return _of_vectors(points, centre, matrix, allow_singular)


def _floats(x: Any) -> Array:
    """Return numbers as SciPy's densities take them."""
    a = np.asarray(x)
    if a.dtype not in (np.float64, np.float32, np.int64):
        unsupported("a density of other numbers", "convert it to float64")
    return a.astype(np.float64)


def _of_numbers(points: Array, centre: Array, variance: Array, allowed: bool) -> Any:
    if variance.ndim > 0:
        unsupported("a covariance of one number that is an array", "pass a number, or a mean too")
    if points.ndim > 1:
        unsupported("a matrix of points for a density of numbers", "make it a vector")
    if not np.isfinite(variance):
        raise ValueError("array must not contain infs or NaNs")
    if variance < 0.0:
        raise ValueError(_NEGATIVE)
    if variance == 0.0:
        _singular(allowed)
    if points.ndim == 1 and points.shape[0] == 1:
        raise NotImplementedError(_ONE)
    d = points - centre
    return -0.5 * (d * d / variance + np.log(variance) + math.log(2.0 * math.pi))


def _one_result(points: Array, n: int) -> None:
    """Raise NotImplementedError where SciPy's result has other axes than those of the points."""
    if points.ndim == 1 and n == 1 and points.shape[0] != 1:
        raise NotImplementedError(_SEVERAL)
    if points.ndim > 1 and 1 in points.shape[:-1]:
        raise NotImplementedError(_ONE)


def _prepared(points: Array, centre: Vector, cov: Array) -> Array:
    """Return the covariance as a matrix, with SciPy's errors."""
    n = centre.shape[0]
    if points.ndim == 0:
        unsupported("a number as a point of several dimensions", "pass all its coordinates")
    _one_result(points, n)
    matrix = cov
    if cov.ndim == 0:
        matrix = cov * np.eye(n)
    if cov.ndim == 1:
        matrix = np.diag(cov)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            "Array 'cov' must be square if it is two dimensional, but cov.shape = "
            f"({matrix.shape[0]}, {matrix.shape[1]})."
        )
    if matrix.shape[0] != n:
        raise ValueError(
            f"Dimension mismatch: array 'cov' is of shape ({matrix.shape[0]}, {matrix.shape[1]}), "
            f"but 'mean' is a vector of length {n}."
        )
    if points.shape[-1] != n and points.shape[-1] != 1:
        raise ValueError("operands could not be broadcast together")
    return matrix


def _of_vectors(points: Array, centre: Vector, cov: Array, allowed: bool = False) -> Any:
    n = centre.shape[0]
    half = _factor(_prepared(points, centre, cov), allowed)
    flat = (points - centre).reshape(-1, n)
    z = scipy.linalg.solve_triangular(half, flat.T, lower=True)
    sizes = np.sum(z * z, axis=0) + 2.0 * np.sum(np.log(np.diag(half)))
    logs = -0.5 * (sizes + n * math.log(2.0 * math.pi))
    return logs[0] if points.ndim == 1 else logs.reshape(points.shape[:-1])


def _singular(allowed: bool) -> None:
    """Raise SciPy's error for a singular matrix. Where SciPy allows one, its density is that on a
    part of the space, which has no derivative by the matrix."""
    if allowed:
        raise NotImplementedError("a singular covariance: add a small number to the diagonal")
    raise np.linalg.LinAlgError(_SINGULAR)


def _factor(matrix: Array, allowed: bool = False) -> Array:
    """Cholesky's factor, with SciPy's errors."""
    if not np.all(np.isfinite(matrix)):
        raise ValueError("array must not contain infs or NaNs")
    values = np.linalg.eigvalsh(matrix)
    limit = 1e6 * 2.220446049250313e-16 * np.max(np.abs(values))
    if np.min(values) < -limit:
        raise ValueError(_NEGATIVE)
    if np.min(values) <= limit:
        _singular(allowed)
    return np.linalg.cholesky(matrix)


def pdf_of_multivariate_normal(
    x: Array, mean: Any = None, cov: Any = 1, allow_singular: bool = False
) -> Any:
    return np.exp(logpdf_of_multivariate_normal(x, mean, cov, allow_singular))


def logpdf_of_dirichlet(x: Vector, alpha: Vector) -> Any:
    if np.asarray(alpha).dtype == np.float32 or np.asarray(x).dtype == np.float32:
        unsupported("dirichlet of float32", "convert it to float64")
    a, point = _floats(alpha), _floats(x)
    if a.ndim != 1 or point.ndim != 1:
        unsupported("dirichlet of several points", "a comprehension over the points")
    if np.min(a) <= 0:
        raise ValueError("All parameters must be greater than 0")
    if point.shape[0] == a.shape[0] - 1:
        point = np.append(point, 1.0 - np.sum(point))
    elif point.shape[0] != a.shape[0]:
        raise ValueError(
            "Vector 'x' must have either the same number of entries as, or one entry fewer than, "
            f"parameter vector 'a', but alpha.shape = ({a.shape[0]},) and x.shape = "
            f"({point.shape[0]},)."
        )
    if np.min(point) < 0:
        raise ValueError("Each entry in 'x' must be greater than or equal to zero.")
    if np.max(point) > 1:
        raise ValueError("Each entry in 'x' must be smaller or equal one.")
    if np.any((point == 0) & (a < 1)):
        raise ValueError(
            "Each entry in 'x' must be greater than zero if its alpha is less than one."
        )
    if np.abs(np.sum(point) - 1.0) > 1e-9:
        raise ValueError("The input vector 'x' must lie within the normal simplex.")
    size = np.sum(scipy.special.gammaln(a)) - scipy.special.gammaln(np.sum(a))
    return np.sum(scipy.special.xlogy(a - 1, point)) - size


def pdf_of_dirichlet(x: Vector, alpha: Vector) -> Any:
    return np.exp(logpdf_of_dirichlet(x, alpha))
