"""Newton's method inside: which observation moves the fit, from a derivative of the optimum.

A logistic regression is fitted by Newton's method on its gradient with its Hessian, until the step
is small. What it predicts for a new case is differentiated in the weight of every observation (the
infinitesimal jackknife). The inner derivatives may be taken forward or in reverse, and so may the
outer one.
"""

import numpy as np

import pullback as pb


def loss(fit, weights, features, labels):
    score = features @ fit
    return np.sum(weights * (np.logaddexp(0.0, score) - labels * score)) + 0.05 * np.sum(fit**2)


def prediction(gradient, hessian):
    """The prediction as a function of the weights; Newton's method takes these operators."""

    def predict(weights, features, labels, case):
        fit = np.zeros(features.shape[1])
        step = np.ones(features.shape[1])
        while np.sum(step * step) > 1e-18:
            slope = gradient(loss)(fit, weights, features, labels)
            step = np.linalg.solve(hessian(loss)(fit, weights, features, labels), slope)
            fit = fit - step
        return 1.0 / (1.0 + np.exp(-(case @ fit)))

    return predict


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    features = np.column_stack([np.ones(n), rng.normal(size=(n, 2))])
    labels = (features @ np.array([0.3, 1.5, -1.0]) + rng.logistic(size=n) > 0.0) * 1.0
    case = np.array([1.0, 0.5, 0.5])
    return prediction(pb.grad, pb.hessian), (np.ones(n), features, labels, case)


def main():
    predict, (weights, *data) = inputs(30, 3)
    forward = prediction(pb.jacfwd, lambda f: pb.jacfwd(pb.jacfwd(f)))
    found = [
        outer(inner)(weights, *data)
        for outer in (pb.jacfwd, pb.grad)
        for inner in (forward, predict)
    ]
    assert np.allclose(found, found[0], rtol=1e-9, atol=1e-13)
    strongest = int(np.argmax(np.abs(found[0])))
    print(f"prediction {predict(weights, *data):.4f}; observation {strongest} moves it most")
    without = weights.copy()
    without[strongest] = 0.0
    change = predict(without, *data) - predict(weights, *data)
    print(f"without it: {change:+.4f}, as its derivative says: {-found[0][strongest]:+.4f}")
    assert np.isclose(change, -found[0][strongest], rtol=0.5)


if __name__ == "__main__":
    main()
