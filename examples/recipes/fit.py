"""Fit a curve: the parameters are a dict, the optimiser is SciPy's."""

import numpy as np
from scipy.optimize import curve_fit, minimize

import pullback as pb

rng = np.random.default_rng(1)
t = np.linspace(0.0, 5.0, 60)
y = 2.5 * np.exp(-1.3 * t) + 0.5 + 0.01 * rng.normal(size=t.size)


def loss(p, t, y):
    prediction = p["scale"] * np.exp(-p["rate"] * t) + p["offset"]
    return np.mean((prediction - y) ** 2)


start = {"scale": 1.0, "rate": 1.0, "offset": 0.0}
x0, back = pb.ravel(start)  # a vector for SciPy, and the way back
objective = pb.value_and_grad(lambda x: loss(back(x), t, y))
p = back(minimize(objective, x0, jac=True, method="BFGS").x)
print(p)

# the same with a routine that takes differences
other, _ = curve_fit(lambda t, a, b, c: a * np.exp(-b * t) + c, t, y, (1.0, 1.0, 0.0))
assert np.allclose([p["scale"], p["rate"], p["offset"]], other, rtol=1e-4)
