"""Nonlinear least squares: SciPy's solver with a Jacobian that is exact."""

import numpy as np
from scipy.optimize import least_squares

import pullback as pb

rng = np.random.default_rng(2)
t = np.linspace(0.0, 10.0, 40)
y = 1.5 * np.sin(0.9 * t + 0.3) + 0.02 * rng.normal(size=t.size)


def residuals(p):
    amplitude, frequency, phase = p
    return amplitude * np.sin(frequency * t + phase) - y


found = least_squares(pb.jit(residuals), [1.0, 1.0, 0.0], jac=pb.jacobian(residuals))
print(found.x, "after", found.nfev, "evaluations")

# the same by differences
other = least_squares(residuals, [1.0, 1.0, 0.0])
assert np.allclose(found.x, other.x, rtol=1e-5)
