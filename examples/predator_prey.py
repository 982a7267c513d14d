"""An adaptive Runge-Kutta method with error control, fitted to data: predators and prey.

The solver is a plain ``while`` loop that accepts or rejects steps and chooses their lengths
(Bogacki-Shampine, orders 3 and 2). The gradient goes through the steps that were taken.
"""

import numpy as np
import scipy.optimize

import pullback as pb


def solve(field, state, end, tolerance=1e-5):
    """The state at time ``end`` of d state / dt = field(state)."""
    time, step = 0.0, 0.05
    while time < end:
        step = min(step, end - time)
        k1 = field(state)
        k2 = field(state + 0.5 * step * k1)
        k3 = field(state + 0.75 * step * k2)
        ahead = state + step * (2.0 * k1 + 3.0 * k2 + 4.0 * k3) / 9.0
        k4 = field(ahead)
        error = step * np.max(np.abs(-5.0 * k1 + 6.0 * k2 + 8.0 * k3 - 9.0 * k4)) / 72.0
        if error < tolerance:
            state, time = ahead, time + step
        step = step * min(3.0, 0.9 * (tolerance / (error + 1e-12)) ** (1.0 / 3.0))
    return state


def misfit(rates, start, times, counts):
    """Squared distance from the observed populations, one row of ``counts`` for each time."""

    def field(state):
        prey, predators = state[0], state[1]
        eaten = rates[1] * prey * predators
        return np.array([rates[0] * prey - eaten, rates[3] * eaten - rates[2] * predators])

    state, time, total = start, 0.0, 0.0
    for i in range(len(times)):
        state = solve(field, state, times[i] - time)
        time = times[i]
        total += np.sum((state - counts[i]) ** 2)
    return total / len(times)


TRUTH = np.array([1.1, 0.6, 0.9, 0.7])


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    times = 0.25 * np.arange(1, n + 1)
    counts = 1.5 + rng.normal(size=(n, 2)) * 0.3
    return misfit, (TRUTH + 0.1 * rng.normal(size=4), np.array([2.0, 1.0]), times, counts)


def main():
    _, (rates, start, times, _) = inputs(16, 0)

    def truth(state):
        eaten = TRUTH[1] * state[0] * state[1]
        return np.array([TRUTH[0] * state[0] - eaten, TRUTH[3] * eaten - TRUTH[2] * state[1]])

    counts = np.array([solve(truth, start, t, 1e-8) for t in times])
    both = pb.value_and_grad(misfit)
    found = scipy.optimize.minimize(both, rates, (start, times, counts), jac=True)
    print("rates:", np.round(found.x, 3), "after", found.nfev, "gradients")
    assert np.allclose(found.x, TRUTH, atol=0.02)


if __name__ == "__main__":
    main()
