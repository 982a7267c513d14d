"""A solver inside the model: stiffnesses of a loaded net of springs, found from how far it sags.

Conjugate gradients run until the residual is small; the matrix is only ever a function.
"""

import math

import numpy as np
import scipy.optimize

import pullback as pb


def conjugate_gradients(apply, right, tolerance=1e-10):
    """x with apply(x) = right, for a symmetric positive definite ``apply``."""
    x, residual, direction = np.zeros(len(right)), right, right
    square = np.sum(residual * residual)
    while square > tolerance * tolerance:
        image = apply(direction)
        length = square / np.sum(direction * image)
        x = x + length * direction
        residual = residual - length * image
        before, square = square, np.sum(residual * residual)
        direction = residual + (square / before) * direction
    return x


def sag(log_stiffness, load):
    """Displacements of a chain of springs, fixed at both ends; one spring more than loads."""
    stiffness = np.exp(log_stiffness)

    def apply(x):
        padded = np.concatenate([np.zeros(1), x, np.zeros(1)])
        tension = stiffness * (padded[1:] - padded[:-1])
        return tension[:-1] - tension[1:]

    return conjugate_gradients(apply, load)


def misfit(log_stiffness, load, measured):
    gap = sag(log_stiffness, load) - measured
    return np.sum(gap * gap)


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    return misfit, (0.3 * rng.normal(size=n + 1), rng.uniform(0.5, 1.0, n) / n, rng.normal(size=n))


def main():
    truth, load = 0.5 * np.sin(np.arange(9.0)), np.ones(8)
    measured = sag(truth, load)
    both = pb.value_and_grad(misfit)
    found = scipy.optimize.minimize(both, np.zeros(9), (load, measured), jac=True, tol=1e-12)
    print(f"misfit {both(np.zeros(9), load, measured)[0]:.3f} -> {found.fun:.1e}")
    print("stiffness:", np.round(np.exp(found.x), 3))
    assert math.sqrt(found.fun) < 1e-3


if __name__ == "__main__":
    main()
