"""The log-likelihood of a Gaussian mixture, written as one would write it on paper.

Plain functional Python: it runs as it stands, and ``pb.value_and_grad`` makes the native gradient
of it. A cluster has the logarithm of an unnormalised weight ``alpha``, a mean and the square root Q
of its inverse covariance, lower triangular: the logarithm of the diagonal in ``q``, the strictly
lower part in ``l``, column by column (ADBench; Srajer et al., "A benchmark of selected algorithmic
differentiation tools", 2018).
"""

import math

import numpy as np

from pullback.demo.inputs import Array


def square(u: float) -> float:
    return u * u


def log_sum_exp(v: Array) -> float:
    """log(sum(exp(v))), shifted by the maximum so that nothing overflows."""
    top = np.max(v)
    return top + np.log(sum(np.exp(e - top) for e in v))


def inverse_factor(q: Array, below: Array) -> Array:
    """The lower-triangular Q: exp(q) on its diagonal, ``below`` under it column by column."""
    d = len(q)

    def entry(row: int, col: int) -> float:
        if row > col:
            return below[col * (2 * d - col - 1) // 2 + row - col - 1]
        return np.exp(q[row]) if row == col else 0.0

    return np.array([[entry(row, col) for col in range(d)] for row in range(d)])


def log_likelihood(alphas: Array, means: Array, qs: Array, ls: Array, x: Array) -> float:
    """The sum over points of the log-density: ``log sum_k w_k N(x_i; mean_k, (Q_k^T Q_k)^-1)``."""
    n, d = x.shape
    clusters = len(alphas)
    factors = np.array([inverse_factor(qs[k], ls[k]) for k in range(clusters)])
    heights = np.array([alphas[k] + sum(qs[k]) for k in range(clusters)])

    def log_weight(i: int, k: int) -> float:
        diff = x[i] - means[k]
        distance = sum(
            square(sum(factors[k, row, col] * diff[col] for col in range(row + 1)))
            for row in range(d)
        )
        return heights[k] - 0.5 * distance

    def log_density(i: int) -> float:
        return log_sum_exp(np.array([log_weight(i, k) for k in range(clusters)]))

    constant = -0.5 * n * d * math.log(2.0 * math.pi) - n * log_sum_exp(alphas)
    return constant + sum(log_density(i) for i in range(n))


def log_wishart(qs: Array, ls: Array, gamma: float, m: int) -> float:
    """The log-density of the Wishart prior on all the inverse covariances."""
    clusters, d = qs.shape
    n = d + m + 1
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi) + sum(
        math.lgamma(0.5 * n + 0.5 * (1 - j)) for j in range(1, d + 1)
    )
    constant = n * d * math.log(gamma / math.sqrt(2.0)) - log_gamma
    spread = np.sum(np.exp(2.0 * qs)) + np.sum(ls * ls)
    return clusters * constant - 0.5 * gamma * gamma * spread + m * np.sum(qs)


def objective(
    alphas: Array, means: Array, qs: Array, ls: Array, x: Array, gamma: float, m: int
) -> float:
    """ADBench's mixture objective: the log-likelihood and the log-prior (to be maximised)."""
    return log_likelihood(alphas, means, qs, ls, x) + log_wishart(qs, ls, gamma, m)


def neg_log_likelihood(theta: Array, x: Array, clusters: int) -> float:
    """What the optimiser minimises: theta is alphas, means, qs and ls, flattened in this order."""
    d = x.shape[1]
    a, b, c = clusters, clusters + clusters * d, clusters + 2 * clusters * d
    means = theta[a:b].reshape(clusters, d)
    qs = theta[b:c].reshape(clusters, d)
    ls = theta[c:].reshape(clusters, d * (d - 1) // 2)
    return -log_likelihood(theta[:a], means, qs, ls, x)


def neg_log_posterior(theta: Array, x: Array, clusters: int, gamma: float, m: int) -> float:
    """The same with the Wishart prior added."""
    d = x.shape[1]
    b, c = clusters + clusters * d, clusters + 2 * clusters * d
    qs = theta[b:c].reshape(clusters, d)
    ls = theta[c:].reshape(clusters, d * (d - 1) // 2)
    return neg_log_likelihood(theta, x, clusters) - log_wishart(qs, ls, gamma, m)
