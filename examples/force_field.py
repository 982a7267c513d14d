"""Least squares with a Jacobian: a potential between atoms, found from measured forces.

The model is a potential with three parameters (Morse's); what is measured are forces, which are its
derivative by the distance. So the Jacobian of the residuals is a derivative of a derivative, and
each of the two may be taken forward or in reverse.
"""

import numpy as np
import scipy.optimize

import pullback as pb


def morse(distances, parameters):
    depth, width, rest = parameters[0], parameters[1], parameters[2]
    return np.sum(depth * (1.0 - np.exp(-width * (distances - rest))) ** 2)


def residuals(derivative):
    """What is left of the forces; ``derivative`` is the operator that makes them."""

    def left(parameters, distances, forces):
        return -derivative(morse)(distances, parameters) - forces

    return left


def misfit(parameters, distances, forces):
    return np.sum(residuals(pb.grad)(parameters, distances, forces) ** 2)


TRUTH = np.array([4.5, 1.9, 0.75])


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    distances = rng.uniform(0.6, 2.0, n)
    depth, width, rest = TRUTH
    decay = np.exp(-width * (distances - rest))
    forces = 2.0 * depth * width * (decay - 1.0) * decay + 0.02 * rng.normal(size=n)
    return misfit, (np.array([3.0, 1.5, 1.0]), distances, forces)


def main():
    _, (start, *data) = inputs(40, 2)
    jacobians = [
        outer(residuals(inner))(start, *data)
        for outer in (pb.jacfwd, pb.jacrev)
        for inner in (pb.jacfwd, pb.grad)
    ]
    assert np.allclose(jacobians, jacobians[0], rtol=1e-11, atol=1e-13)
    left = residuals(pb.grad)
    found = scipy.optimize.least_squares(pb.jit(left), start, pb.jacobian(left), args=tuple(data))
    print(f"depth, width, rest: {np.round(found.x, 3)} after {found.nfev} steps")
    assert np.allclose(found.x, TRUTH, atol=0.05)


if __name__ == "__main__":
    main()
