"""Newton's method: gradient and Hessian inside one compiled function, which is differentiated."""

import numpy as np
from scipy.optimize import minimize

import pullback as pb


def cost(x, w):
    return np.sum((x - w) ** 4) + np.sum(x * x) + x[0] * x[1]


def minimum(w):
    x = np.zeros(len(w))
    for _ in range(20):
        x = x - np.linalg.solve(pb.hessian(cost)(x, w), pb.grad(cost)(x, w))
    return x


w = np.array([1.0, -0.5, 2.0])
x = pb.jit(minimum)(w)
sensitivity = pb.jacobian(minimum)(w)  # how the minimum moves with w
print(x)
print(sensitivity)

# the same by SciPy and differences
assert np.allclose(x, minimize(cost, np.zeros(3), (w,), tol=1e-12).x, atol=1e-5)
h = 1e-5
e = np.array([h, 0.0, 0.0])
moved = pb.jit(minimum)(w + e) - pb.jit(minimum)(w - e)
assert np.allclose(sensitivity[:, 0], moved / (2 * h), atol=1e-6)
