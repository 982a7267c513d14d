"""A Gaussian process: the marginal likelihood, fitted in the logarithms of its parameters."""

import numpy as np
from scipy.linalg import cho_solve, cholesky
from scipy.optimize import approx_fprime, minimize

import pullback as pb

rng = np.random.default_rng(5)
x = np.sort(rng.uniform(0.0, 10.0, 40))
y = np.sin(x) + 0.1 * rng.normal(size=x.size)


def minus_log_likelihood(log_p):
    length, scale, noise = np.exp(log_p)
    difference = x[:, None] - x[None, :]
    k = scale * np.exp(-0.5 * (difference / length) ** 2) + noise * np.eye(x.size)
    low = cholesky(k, lower=True)
    half = y @ cho_solve((low, True), y)
    return 0.5 * half + np.sum(np.log(np.diag(low))) + 0.5 * x.size * np.log(2.0 * np.pi)


start = np.zeros(3)
found = minimize(pb.value_and_grad(minus_log_likelihood), start, jac=True, method="L-BFGS-B")
length, scale, noise = np.exp(found.x)
print(f"length {length:.3f}, scale {scale:.3f}, noise {noise:.4f}")

# the same by differences
assert np.allclose(
    pb.grad(minus_log_likelihood)(start), approx_fprime(start, minus_log_likelihood), rtol=1e-4
)
assert found.fun <= minimize(minus_log_likelihood, start, method="L-BFGS-B").fun + 1e-3
