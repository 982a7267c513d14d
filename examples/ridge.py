"""Hyper-parameters tuned through the training: a gradient descent inside, which stops when it may.

A polynomial is fitted by gradient descent until the gradient is small, with a penalty for each
degree. How well it predicts other data is differentiated in the logarithms of the penalties and of
the step, through all steps of the descent. Each of the two derivatives may be taken forward or in
reverse.
"""

import numpy as np
import scipy.optimize

import pullback as pb

DEGREES = np.arange(6)


def predictions(weights, places):
    powers = places[:, None] ** DEGREES
    return powers @ weights


def training_loss(weights, penalties, places, values):
    misfit = predictions(weights, places) - values
    return np.mean(misfit**2) + np.sum(penalties * weights**2)


def validation_loss(derivative):
    """The loss on other data as a function of the settings; ``derivative`` is the operator of the
    descent."""
    slope = derivative(training_loss)

    def loss(settings, places, values, other_places, other_values):
        penalties, step = np.exp(settings[0] + settings[1] * DEGREES), np.exp(settings[2])
        weights = np.zeros(len(DEGREES))
        for _ in range(500):
            down = slope(weights, penalties, places, values)
            if np.sum(down * down) < 1e-5:
                break
            weights = weights - step * down
        misfit = predictions(weights, other_places) - other_values
        return np.mean(misfit**2)

    return loss


START = np.array([-3.0, 0.1, -1.5])


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    places, others = rng.uniform(-1.0, 1.0, n), np.linspace(-1.0, 1.0, n)
    values = np.sin(2.5 * places) + 0.3 * rng.normal(size=n)
    return validation_loss(pb.grad), (START, places, values, others, np.sin(2.5 * others))


def main():
    _, (start, *data) = inputs(12, 7)
    operators = {"forward": pb.jacfwd, "reverse": pb.grad}
    slopes = [
        outer(validation_loss(inner))(start, *data)
        for outer in operators.values()
        for inner in operators.values()
    ]
    assert np.allclose(slopes, slopes[0], rtol=1e-10, atol=1e-14)
    print("derivative by penalty, growth, step:", np.round(slopes[0], 6))
    both = pb.value_and_grad(validation_loss(pb.grad))
    bounds = [(-9.0, -1.5), (-1.0, 0.2), (-2.0, -1.2)]
    found = scipy.optimize.minimize(both, start, tuple(data), jac=True, bounds=bounds)
    print(f"loss on other data: {both(start, *data)[0]:.4f} before, {found.fun:.4f} after")
    assert found.fun < 0.8 * both(start, *data)[0]


if __name__ == "__main__":
    main()
