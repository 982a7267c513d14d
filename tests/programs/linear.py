"""NumPy's second part in use: linear algebra, masks, sorting, special functions."""

import numpy as np
import scipy.linalg
import scipy.special

from tests.programs import Program


def gaussian_process(x, y, scale):
    """The log-likelihood of a Gaussian process, by a Cholesky factor."""
    gap = x[:, None] - x[None, :]
    kernel = np.exp(-0.5 * (gap / scale) ** 2) + 0.1 * np.eye(len(x))
    low = np.linalg.cholesky(kernel)
    z = scipy.linalg.solve_triangular(low, y, lower=True)
    return -0.5 * z @ z - np.sum(np.log(np.diag(low))) - 0.5 * len(x) * np.log(2 * np.pi)


def ridge(features, y):
    """The residual of a ridge regression, as a function of the features."""
    n = features.shape[1]
    w = np.linalg.solve(features.T @ features + 0.1 * np.eye(n), features.T @ y)
    return np.sum((features @ w - y) ** 2)


def principal_variance(points):
    """The variance along the main axis, and the projection of the first point on it."""
    centred = points - np.mean(points, axis=0)
    w, v = np.linalg.eigh(centred.T @ centred)
    return w[-1] / np.sum(w) + (centred[0] @ v[:, -1]) ** 2


def trimmed_mean(x):
    """The mean without the extreme values, and a penalty on what is negative."""
    ordered = np.sort(x)
    return np.mean(ordered[1:-1]) + np.sum(x[x < 0] ** 2)


def histogram(x, places):
    """Weights added up in bins: a buffered += would count every bin once, so a loop it is."""
    bins = np.zeros(4)
    for k, i in enumerate(places):
        bins[i] += x[k] ** 2
    bins[bins > 1.0] = 1.0
    return np.sum(bins * np.arange(1.0, 5.0))


def gamma_likelihood(x, shape, rate):
    """The log-likelihood of gamma-distributed data."""
    logs = shape * np.log(rate) - scipy.special.gammaln(shape) + (shape - 1.0) * np.log(x)
    return np.sum(logs - rate * x) + np.sum(scipy.special.gammainc(shape, x))


def _points(rng, n):
    return (rng.normal(size=(n + 2, 3)) * np.array([3.0, 1.5, 0.5]),)


PROGRAMS = [
    Program("gaussian_process", gaussian_process,
            lambda rng, n: (np.arange(n) + rng.uniform(0, 0.5, n), rng.normal(size=n), 0.8),
            (0, 1, 2), sizes=(3, 8)),
    Program("ridge", ridge, lambda rng, n: (rng.normal(size=(n, 3)), rng.normal(size=n)),
            (0, 1), sizes=(3, 8)),
    Program("principal_variance", principal_variance, _points, sizes=(3, 8)),
    Program("trimmed_mean", trimmed_mean, lambda rng, n: (rng.normal(size=n),)),
    Program("histogram", histogram,
            lambda rng, n: (rng.normal(size=n), rng.integers(0, 4, n))),
    Program("gamma_likelihood", gamma_likelihood,
            lambda rng, n: (rng.uniform(0.5, 3.0, n), 2.3, 1.7), (0, 1, 2), sizes=(3, 8)),
]  # fmt: skip
