"""The evidence of a Gaussian process, with Cholesky's method written as loops in place."""

import math

import numpy as np
import scipy.optimize

import pullback as pb


def cholesky(matrix):
    """The lower triangular factor, by rows."""
    n = len(matrix)
    factor = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            inner = sum(factor[i, k] * factor[j, k] for k in range(j))
            factor[i, j] = (matrix[i, j] - inner) / factor[j, j]
        factor[i, i] = math.sqrt(matrix[i, i] - sum(factor[i, k] ** 2 for k in range(i)))
    return factor


def forward_substitution(factor, right):
    solution = np.zeros(len(right))
    for i in range(len(right)):
        inner = sum(factor[i, k] * solution[k] for k in range(i))
        solution[i] = (right[i] - inner) / factor[i, i]
    return solution


def negative_evidence(log_scales, xs, ys):
    """``log_scales``: length, height and noise."""
    length, height, noise = (
        math.exp(log_scales[0]),
        math.exp(log_scales[1]),
        math.exp(log_scales[2]),
    )
    n = len(xs)

    def kernel(i, j):
        near = height * math.exp(-0.5 * ((xs[i] - xs[j]) / length) ** 2)
        return near + noise if i == j else near

    factor = cholesky(np.array([[kernel(i, j) for j in range(n)] for i in range(n)]))
    whitened = forward_substitution(factor, ys)
    log_det = sum(math.log(factor[i, i]) for i in range(n))
    return 0.5 * np.sum(whitened * whitened) + log_det + 0.5 * n * math.log(2.0 * math.pi)


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    xs = np.linspace(0.0, 6.0, n)
    ys = np.sin(xs) + 0.1 * rng.normal(size=n)
    return negative_evidence, (np.array([0.1, 0.2, -1.5]), xs, ys)


def main():
    _, (start, xs, ys) = inputs(30, 0)
    both = pb.value_and_grad(negative_evidence)
    found = scipy.optimize.minimize(both, start, (xs, ys), jac=True)
    length, height, noise = np.exp(found.x)
    print(f"length {length:.2f}, height {height:.2f}, deviation of the noise {noise**0.5:.3f}")
    assert 0.05 < noise**0.5 < 0.2


if __name__ == "__main__":
    main()
