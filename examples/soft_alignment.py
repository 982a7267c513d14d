"""Soft dynamic time warping: how far two curves are, whatever the pace at which each is drawn.

The table of the dynamic program is filled in place, entry by entry; its gradient costs a small
constant factor of that. The main program draws an average of three curves of different pace.
"""

import math

import numpy as np

import pullback as pb


def soft_min(a, b, c, width):
    least = min(a, b, c)
    weights = sum(math.exp((least - x) / width) for x in (a, b, c))
    return least - width * math.log(weights)


def distance(xs, ys, width=0.1):
    n, m = len(xs), len(ys)
    table = np.full((n + 1, m + 1), 1e6)
    table[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            near = soft_min(table[i, j], table[i, j + 1], table[i + 1, j], width)
            table[i + 1, j + 1] = (xs[i] - ys[j]) ** 2 + near
    return table[n, m]


def curve(n, pace):
    return np.sin(2.0 * np.pi * np.linspace(0.0, 1.0, n) ** pace)


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    return distance, (curve(n, 1.0) + 0.1 * rng.normal(size=n), curve(n + 1, 1.5))


def main():
    curves = [curve(20, 0.7), curve(30, 1.0), curve(25, 1.6)]
    mean = np.zeros(20)
    both = pb.value_and_grad(distance)
    for step in range(101):
        pairs = [both(mean, c) for c in curves]
        if step % 50 == 0:
            print(f"step {step:3d}: sum of distances {sum(value for value, _ in pairs):.4f}")
        mean = mean - 0.05 * sum(slope for _, slope in pairs)
    print("average curve:", np.round(mean[::4], 2))
    assert sum(value for value, _ in pairs) < 1.0


if __name__ == "__main__":
    main()
