"""Optimal transport by Sinkhorn's iteration: points are moved until they are like others."""

import numpy as np

import pullback as pb


def soft_min_rows(costs, width):
    """The soft minimum of every row."""
    least = np.min(costs, axis=1)
    weights = np.sum(np.exp((least[:, None] - costs) / width), axis=1)
    return least - width * np.log(weights)


def transport_cost(xs, ys, width=0.05, rounds=20):
    """What it costs to carry equal masses from the points xs to the points ys."""
    gaps = xs[:, None, :] - ys[None, :, :]
    costs = np.sum(gaps * gaps, axis=2)
    shift_x, shift_y = width * np.log(len(xs)), width * np.log(len(ys))
    f, g = np.zeros(len(xs)), np.zeros(len(ys))
    for _ in range(rounds):
        f = soft_min_rows(costs - g[None, :], width) + shift_y
        g = soft_min_rows(costs.T - f[None, :], width) + shift_x
    return np.mean(f) + np.mean(g)


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    return transport_cost, (rng.normal(size=(n, 2)), rng.normal(size=(n + 1, 2)))


def main():
    rng = np.random.default_rng(0)
    angles = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    points, both = 0.2 * rng.normal(size=(20, 2)), pb.value_and_grad(transport_cost)
    for step in range(61):
        cost, slope = both(points, circle)
        if step % 20 == 0:
            print(f"step {step}: cost {cost:.4f}")
        points = points - 4.0 * slope
    print("distances from the middle:", np.round(np.sort(np.hypot(*points.T))[[0, 10, -1]], 2))
    assert cost < 0.15


if __name__ == "__main__":
    main()
