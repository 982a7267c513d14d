"""An ordinary differential equation, differentiated in its parameters and its initial state."""

import numpy as np
from scipy.integrate import solve_ivp

import pullback as pb


def field(y, rate):
    return np.array([y[1], -rate * y[0] - 0.1 * y[1]])


def end(y0, rate, n=200, time=3.0):
    y, h = y0, time / n
    for _ in range(n):  # Runge and Kutta's fourth order
        a = field(y, rate)
        b = field(y + 0.5 * h * a, rate)
        c = field(y + 0.5 * h * b, rate)
        d = field(y + h * c, rate)
        y = y + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
    return y


y0 = np.array([1.0, 0.0])
by_state = pb.jacobian(end)(y0, 2.0)
by_rate = pb.jacobian(end, argnums=1)(y0, 2.0)
print(by_state, by_rate)


# the same by SciPy's solver and differences
def solved(y0, rate):
    return solve_ivp(lambda t, y: field(y, rate), (0.0, 3.0), y0, rtol=1e-11, atol=1e-12).y[:, -1]


differences = (solved(y0, 2.0 + 1e-5) - solved(y0, 2.0 - 1e-5)) / 2e-5
assert np.allclose(by_rate, differences, rtol=1e-5)
assert np.allclose(by_state[:, 0], solved(y0, 2.0), rtol=1e-6)  # the equation is linear
