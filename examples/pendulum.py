"""A double pendulum by Verlet steps: choose the first push so that it ends upright.

The state is a record; accelerations come from the 2 x 2 mass matrix.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy.optimize

import pullback as pb


@dataclass(frozen=True)
class State:
    upper: float
    lower: float
    upper_speed: float
    lower_speed: float


def accelerations(s):
    gravity, gap = 9.81, s.upper - s.lower
    mix = math.cos(gap)
    right_upper = -(s.lower_speed**2) * math.sin(gap) - 2.0 * gravity * math.sin(s.upper)
    right_lower = s.upper_speed**2 * math.sin(gap) - gravity * math.sin(s.lower)
    scale = 2.0 - mix * mix
    return (right_upper - mix * right_lower) / scale, (
        2.0 * right_lower - mix * right_upper
    ) / scale


def step(s, dt):
    a, b = accelerations(s)
    half_upper, half_lower = s.upper_speed + 0.5 * dt * a, s.lower_speed + 0.5 * dt * b
    moved = State(s.upper + dt * half_upper, s.lower + dt * half_lower, half_upper, half_lower)
    a, b = accelerations(moved)
    return State(moved.upper, moved.lower, half_upper + 0.5 * dt * a, half_lower + 0.5 * dt * b)


def miss(push, start, steps, dt=0.01):
    """How far from straight up and at rest the pendulum is at the end."""
    state = State(start.upper, start.lower, push[0], push[1])
    for _ in range(steps):
        state = step(state, dt)
    height = 2.0 * math.cos(state.upper) + math.cos(state.lower)
    return 3.0 + height + 0.02 * (state.upper_speed**2 + state.lower_speed**2)


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    return miss, (rng.normal(size=2), State(*(0.1 * rng.normal(size=4)).tolist()), n)


def main():
    start, both = State(0.0, 0.0, 0.0, 0.0), pb.value_and_grad(miss)
    tries = [
        scipy.optimize.minimize(both, np.array([first, 0.0]), (start, 60), jac=True)
        for first in (6.0, 8.0, 10.0)
    ]
    best = min(tries, key=lambda found: found.fun)
    print(f"push {np.round(best.x, 3)} misses by {best.fun:.4f} (no push: 6)")
    assert best.fun < 1.0


if __name__ == "__main__":
    main()
