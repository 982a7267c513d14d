"""Molecules under a force that is cut off: leapfrog steps, and how the end depends on the start."""

import math
from dataclasses import dataclass

import numpy as np

import pullback as pb

CUTOFF = 2.5


@dataclass(frozen=True)
class Bodies:
    places: np.ndarray
    speeds: np.ndarray


def forces(places, strength):
    """Lennard-Jones forces; pairs farther apart than the cutoff do not see each other."""
    n = len(places)
    total = np.zeros((n, 2))
    for i in range(n):
        for j in range(i):
            x, y = places[i, 0] - places[j, 0], places[i, 1] - places[j, 1]
            square = x * x + y * y
            if square < CUTOFF * CUTOFF:
                sixth = 1.0 / square**3
                pull = strength * (2.0 * sixth * sixth - sixth) / square
                total[i, 0] += pull * x
                total[i, 1] += pull * y
                total[j, 0] -= pull * x
                total[j, 1] -= pull * y
    return total


def step(bodies, strength, dt):
    half = bodies.speeds + 0.5 * dt * forces(bodies.places, strength)
    places = bodies.places + dt * half
    return Bodies(places, half + 0.5 * dt * forces(places, strength))


def spread_after(bodies, strength, steps):
    """How far from their middle the bodies are at the end, on average."""
    for _ in range(steps):
        bodies = step(bodies, strength, 0.01)
    n = len(bodies.places)
    middle_x, middle_y = np.sum(bodies.places[:, 0]) / n, np.sum(bodies.places[:, 1]) / n
    return (
        sum(
            math.sqrt((place[0] - middle_x) ** 2 + (place[1] - middle_y) ** 2)
            for place in bodies.places
        )
        / n
    )


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    side = math.ceil(math.sqrt(n))
    grid = np.array([[i % side, i // side] for i in range(n)])
    places = 1.2 * grid + 0.05 * rng.normal(size=(n, 2))
    return spread_after, (Bodies(places, 0.1 * rng.normal(size=(n, 2))), 1.0, 4)


def main():
    _, (bodies, strength, _) = inputs(16, 0)
    gradient = pb.value_and_grad(spread_after, argnums=(0, 1))
    for steps in (10, 50, 200):
        spread, (by_bodies, by_strength) = gradient(bodies, strength, steps)
        by_speeds = np.abs(by_bodies.speeds).max()
        print(
            f"{steps:3d} steps: spread {spread:.4f}, by strength {by_strength:+.4f}, "
            f"by a speed at most {by_speeds:.4f}"
        )
    assert pb.check_grads(spread_after, (bodies, strength, 10)) is None


if __name__ == "__main__":
    main()
