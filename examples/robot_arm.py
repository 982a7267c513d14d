"""Inverse kinematics: an arm of many joints reaches around an obstacle."""

import math

import numpy as np
import scipy.optimize

import pullback as pb


def reach_cost(angles, target, obstacle, radius):
    """How far the hand is from the target, with a penalty for joints inside the obstacle."""
    x, y, heading, penalty = 0.0, 0.0, 0.0, 0.0
    length = 4.0 / len(angles)
    for turn in angles:
        heading += turn
        x += length * math.cos(heading)
        y += length * math.sin(heading)
        inside = radius - math.sqrt((x - obstacle[0]) ** 2 + (y - obstacle[1]) ** 2)
        if inside > 0.0:
            penalty += inside * inside
    gap = (x - target[0]) ** 2 + (y - target[1]) ** 2
    return gap + 10.0 * penalty + 1e-3 * np.sum(angles * angles)


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    return reach_cost, (
        rng.normal(size=n) * 0.5 / math.sqrt(n), np.array([2.0, 1.5]), np.array([1.5, 0.5]), 0.6
    )  # fmt: skip


def main():
    _, (angles, target, obstacle, radius) = inputs(8, 0)
    both = pb.value_and_grad(reach_cost)
    found = scipy.optimize.minimize(both, angles, (target, obstacle, radius), jac=True)
    print("angles:", np.round(found.x, 2))
    print(f"cost {both(angles, target, obstacle, radius)[0]:.3f} -> {found.fun:.4f}")
    assert found.fun < 0.1


if __name__ == "__main__":
    main()
