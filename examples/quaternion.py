"""Rotation of vectors by a quaternion: the example of Krawiec et al. (2022), section 4, as records.

The main program prints the three rows of the Jacobian at the paper's point, and finds a rotation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import pullback as pb


@dataclass(frozen=True)
class Vector:
    x: float
    y: float
    z: float

    def __add__(self, o: Vector) -> Vector:
        return Vector(self.x + o.x, self.y + o.y, self.z + o.z)

    def scale(self, k: float) -> Vector:
        return Vector(k * self.x, k * self.y, k * self.z)

    def dot(self, o: Vector) -> float:
        return self.x * o.x + self.y * o.y + self.z * o.z

    def cross(self, o: Vector) -> Vector:
        return Vector(
            self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x
        )


@dataclass(frozen=True)
class Quaternion:
    x: float
    y: float
    z: float
    w: float


def rotate(v: Vector, q: Quaternion) -> Vector:
    u, s = Vector(q.x, q.y, q.z), q.w
    along = u.scale(2.0 * u.dot(v))
    return along + v.scale(s * s - u.dot(u)) + u.cross(v).scale(2.0 * s)


def misfit(q: Quaternion, before: list[Vector], after: list[Vector]) -> float:
    """Between rotated vectors and where they should be; q need not be of length 1."""
    total = 0.0
    for a, b in zip(before, after):
        gap = rotate(a, q) + b.scale(-1.0)
        total += gap.dot(gap)
    return total / len(before)


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    before = [Vector(*rng.normal(size=3)) for _ in range(n)]
    half = 0.5 * 0.8
    turn = Quaternion(0.0, math.sin(half), 0.0, math.cos(half))
    return misfit, (Quaternion(0.1, 0.2, -0.1, 0.9), before, [rotate(v, turn) for v in before])


def main():
    print("derivatives of each coordinate by q.x, q.y, q.z, q.w, v.x, v.y, v.z:")
    q, v = Quaternion(1.1, 2.2, 3.3, 4.4), Vector(5.5, 6.6, 7.7)
    _, pullback = pb.vjp(rotate, v, q)
    for seed in (Vector(1.0, 0.0, 0.0), Vector(0.0, 1.0, 0.0), Vector(0.0, 0.0, 1.0)):
        by_v, by_q = pullback(seed)
        print(np.round([by_q.x, by_q.y, by_q.z, by_q.w, by_v.x, by_v.y, by_v.z], 2))
    _, (q, before, after) = inputs(10, 0)
    both = pb.value_and_grad(misfit)
    for _ in range(100):
        value, d = both(q, before, after)
        q = Quaternion(*(getattr(q, k) - 0.05 * getattr(d, k) for k in ("x", "y", "z", "w")))
    found = ", ".join(f"{k} {getattr(q, k):+.4f}" for k in ("x", "y", "z", "w"))
    print(f"turn found: {found} (true: y {math.sin(0.4):.4f}, w {math.cos(0.4):.4f})")
    assert value < 1e-6


if __name__ == "__main__":
    main()
