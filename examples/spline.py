"""A natural cubic spline through free knots, fitted to data."""

import numpy as np
import scipy.optimize

import pullback as pb


def second_derivatives(xs, ys):
    """Of the natural spline through the knots: a tridiagonal system, solved in place."""
    n = len(xs)
    gamma, moment = np.zeros(n), np.zeros(n)
    for i in range(1, n - 1):
        left, right = xs[i] - xs[i - 1], xs[i + 1] - xs[i]
        slope = (ys[i + 1] - ys[i]) / right - (ys[i] - ys[i - 1]) / left
        pivot = 2.0 * (left + right) - left * gamma[i - 1]
        gamma[i] = right / pivot
        moment[i] = (6.0 * slope - left * moment[i - 1]) / pivot
    for i in range(n - 2, 0, -1):
        moment[i] -= gamma[i] * moment[i + 1]
    return moment


def interval(xs, x):
    """The number of the interval that x lies in, by halving."""
    low, high = 0, len(xs) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if xs[middle] > x:
            high = middle
        else:
            low = middle
    return low


def spline(xs, ys, moment, x):
    i = interval(xs, x)
    h = xs[i + 1] - xs[i]
    a, b = (xs[i + 1] - x) / h, (x - xs[i]) / h
    bend = (a**3 - a) * moment[i] + (b**3 - b) * moment[i + 1]
    return a * ys[i] + b * ys[i + 1] + bend * h * h / 6.0


def misfit(ys, xs, places, values):
    """Of the spline with knots (xs, ys) from data."""
    moment = second_derivatives(xs, ys)
    gaps = [spline(xs, ys, moment, places[i]) - values[i] for i in range(len(places))]
    return sum(gap * gap for gap in gaps) / len(gaps)


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    places = np.sort(rng.uniform(0.0, 1.0, 2 * n))
    values = np.sin(7.0 * places) + 0.02 * rng.normal(size=2 * n)
    return misfit, (rng.normal(size=n), np.linspace(0.0, 1.0, n), places, values)


def main():
    _, (_, _, places, values) = inputs(100, 1)
    xs = np.linspace(0.0, 1.0, 9)
    both = pb.value_and_grad(misfit)
    found = scipy.optimize.minimize(both, np.zeros(9), (xs, places, values), jac=True)
    print(f"root mean square misfit {found.fun**0.5:.4f} (noise 0.02)")
    print("knots:", np.round(found.x, 2))
    assert found.fun**0.5 < 0.03


if __name__ == "__main__":
    main()
