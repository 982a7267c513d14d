"""Where does the heat come from? An implicit heat equation, solved by Thomas's tridiagonal method.

The source along a rod is found from the temperatures that it leaves after some time: the gradient
goes through every step of the solver.
"""

import numpy as np
import scipy.optimize

import pullback as pb


def thomas(lower, diagonal, upper, right):
    """The solution of a tridiagonal system, in one sweep down and one up."""
    n = len(right)
    slope, solution = np.zeros(n), np.zeros(n)
    slope[0] = upper[0] / diagonal[0]
    solution[0] = right[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i] * slope[i - 1]
        slope[i] = upper[i] / pivot
        solution[i] = (right[i] - lower[i] * solution[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        solution[i] -= slope[i] * solution[i + 1]
    return solution


def heated(source, steps, ratio=0.5):
    """The temperatures after some steps, the ends of the rod held at 0."""
    n = len(source)
    side, middle = np.full(n, -ratio), np.full(n, 1.0 + 2.0 * ratio)
    temperature = np.zeros(n)
    for _ in range(steps):
        temperature = thomas(side, middle, side, temperature + source)
    return temperature


def misfit(source, measured, steps, smoothness=1e-4):
    gap = heated(source, steps) - measured
    return np.sum(gap * gap) + smoothness * np.sum((source[1:] - source[:-1]) ** 2)


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    return misfit, (rng.uniform(0.0, 0.1, n), rng.uniform(0.0, 1.0, n), 8)


def main():
    place = np.linspace(0.0, 1.0, 40)
    truth = 0.1 * np.exp(-200.0 * (place - 0.3) ** 2)
    measured = heated(truth, 20)
    both = pb.value_and_grad(misfit)
    found = scipy.optimize.minimize(both, np.zeros(40), (measured, 20), jac=True, method="L-BFGS-B")
    top = int(np.argmax(found.x))
    print(f"the source is strongest at {place[top]:.2f} (true 0.30), misfit {found.fun:.1e}")
    assert abs(place[top] - 0.3) < 0.06


if __name__ == "__main__":
    main()
