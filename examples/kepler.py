"""Newton's method inside the model: orbits by Kepler's equation, fitted to observed positions.

The position at time t needs E with E - e sin(E) = M. The iteration runs as long as it must, and is
differentiated as it runs: no implicit-function theorem is asked for, none is needed.
"""

import math

import numpy as np
import scipy.optimize

import pullback as pb


def eccentric_anomaly(mean, eccentricity):
    angle = mean + eccentricity * math.sin(mean)
    step = 1.0
    while abs(step) > 1e-9:
        gap = angle - eccentricity * math.sin(angle) - mean
        step = gap / (1.0 - eccentricity * math.cos(angle))
        angle = angle - step
    return angle


def position(orbit, time):
    """Where the body is in its plane; ``orbit`` is (half axis, eccentricity, period)."""
    axis, eccentricity, period = orbit
    angle = eccentric_anomaly(2.0 * math.pi * time / period, eccentricity)
    x = axis * (math.cos(angle) - eccentricity)
    return x, axis * math.sqrt(1.0 - eccentricity * eccentricity) * math.sin(angle)


def misfit(orbit, times, places):
    total = 0.0
    for i in range(len(times)):
        x, y = position(orbit, times[i])
        total += (x - places[i, 0]) ** 2 + (y - places[i, 1]) ** 2
    return total / len(times)


TRUTH = np.array([1.5, 0.4, 1.8])


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    times = np.sort(rng.uniform(0.0, 1.8, n))
    places = np.array([position(TRUTH, t) for t in times])
    return misfit, (np.array([1.4, 0.3, 1.9]), times, places)


def main():
    _, (start, times, places) = inputs(40, 1)
    both = pb.value_and_grad(misfit)
    found = scipy.optimize.minimize(both, start, (times, places), jac=True, tol=1e-12)
    print("half axis, eccentricity, period:", np.round(found.x, 4))
    assert np.allclose(found.x, TRUTH, atol=1e-3)


if __name__ == "__main__":
    main()
