"""Constructive solid geometry, differentiable: rays march through a tree of smooth solids.

The scene is a tree of dataclasses; the distance to it is a recursive function; a ray walks on in a
``while`` loop until it is near. The main program moves a ball until the picture fits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

import pullback as pb


@dataclass(frozen=True)
class Vec:
    x: float
    y: float
    z: float

    def __add__(self, other: Vec) -> Vec:
        return Vec(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vec) -> Vec:
        return Vec(self.x - other.x, self.y - other.y, self.z - other.z)

    def scaled(self, by: float) -> Vec:
        return Vec(self.x * by, self.y * by, self.z * by)

    def norm(self) -> float:
        return math.sqrt(self.x * self.x + self.y * self.y + self.z * self.z)


@dataclass(frozen=True)
class Ball:
    centre: Vec
    radius: float


@dataclass(frozen=True)
class Floor:
    height: float


@dataclass(frozen=True)
class SmoothUnion:
    left: Solid
    right: Solid
    width: float


@dataclass(frozen=True)
class Without:
    left: Solid
    right: Solid


Solid = Ball | Floor | SmoothUnion | Without


def distance(solid: Solid, p: Vec) -> float:
    """From p to the surface, negative inside."""
    match solid:
        case Ball(centre, radius):
            return (p - centre).norm() - radius
        case Floor(height):
            return p.y - height
        case SmoothUnion(left, right, width):
            a, b = distance(left, p), distance(right, p)
            mix = max(width - abs(a - b), 0.0) / width
            return min(a, b) - 0.25 * mix * mix * width
        case Without(left, right):
            return max(distance(left, p), -distance(right, p))


def depth(solid: Solid, eye: Vec, ray: Vec) -> float:
    """How far along the ray the surface is; 10 where it is farther."""
    t, gap, steps = 0.0, 1.0, 0
    while gap > 1e-12 and t < 10.0 and steps < 300:
        gap = distance(solid, eye + ray.scaled(t))
        t += gap
        steps += 1
    return min(t, 10.0)


def picture_loss(solid: Solid, rays: np.ndarray, depths: np.ndarray) -> float:
    eye = Vec(0.0, 0.5, -3.0)
    total = 0.0
    for i in range(len(rays)):
        ray = Vec(rays[i, 0], rays[i, 1], 1.0)
        total += (depth(solid, eye, ray.scaled(1.0 / ray.norm())) - depths[i]) ** 2
    return total / len(rays)


def scene(ball: Ball) -> Solid:
    bitten = Without(ball, Ball(Vec(0.5, 0.9, -0.6), 0.5))
    return SmoothUnion(Floor(-0.5), bitten, 0.4)


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    solid = scene(Ball(Vec(0.1, 0.2, 0.1), 0.8))
    return picture_loss, (solid, rng.uniform(-0.1, 0.1, (n, 2)), rng.uniform(2.0, 3.0, n))


def main():
    grid = np.linspace(-0.1, 0.1, 10)
    rays = np.array([[x, y] for y in grid for x in grid])
    eye, truth = Vec(0.0, 0.5, -3.0), scene(Ball(Vec(0.0, 0.2, 0.0), 0.8))
    look = pb.jit(lambda s, x, y: depth(s, eye, Vec(x, y, 1.0).scaled(1.0 / Vec(x, y, 1.0).norm())))
    depths = np.array([look(truth, x, y) for x, y in rays])
    ball, both = Ball(Vec(0.15, 0.3, 0.1), 0.7), pb.value_and_grad(picture_loss)
    for step in range(61):
        loss, slope = both(scene(ball), rays, depths)
        if step % 20 == 0:
            c = ball.centre
            place = f"({c.x:.3f}, {c.y:.3f}, {c.z:.3f})"
            print(f"step {step:2d}: loss {loss:.5f}, centre {place}, radius {ball.radius:.3f}")
        d = slope.right.left
        ball = replace(
            ball, centre=ball.centre - d.centre.scaled(0.05), radius=ball.radius - 0.05 * d.radius
        )
    assert loss < 1e-3


if __name__ == "__main__":
    main()
