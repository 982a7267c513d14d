"""Standard errors of a maximum-likelihood fit: the inverse of the Hessian."""

import math

import numpy as np
from scipy.optimize import minimize

import pullback as pb

rng = np.random.default_rng(3)
x = rng.normal(size=(200, 3))
y = (rng.random(200) < 1.0 / (1.0 + np.exp(-x @ np.array([1.0, -2.0, 0.5])))) * 1.0


def minus_log_likelihood(w):
    total = 0.0
    for i in range(len(y)):
        z = np.dot(x[i], w)
        total += math.log1p(math.exp(-abs(z))) + max(z, 0.0) - y[i] * z
    return total


w = minimize(
    pb.value_and_grad(minus_log_likelihood), np.zeros(3), jac=True, method="L-BFGS-B", tol=1e-12
).x
errors = np.sqrt(np.diag(np.linalg.inv(pb.hessian(minus_log_likelihood)(w))))
for weight, error in zip(w, errors, strict=True):
    print(f"{weight:8.4f} +- {error:.4f}")

# the same by the formula for logistic regression
q = 1.0 / (1.0 + np.exp(-x @ w))
assert np.allclose(errors, np.sqrt(np.diag(np.linalg.inv((x.T * (q * (1.0 - q))) @ x))))
