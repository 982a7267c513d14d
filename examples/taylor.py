"""Automatic Taylor arithmetic: numbers that carry derivatives, written by the user as a dataclass.

A function of such numbers gives its own Taylor coefficients; Pullback differentiates through the
arithmetic. The main program solves an equation of motion by Taylor series and asks how the end
depends on the start.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import pullback as pb


@dataclass(frozen=True)
class Jet:
    """a + b h + c h^2 + O(h^3)"""

    a: float
    b: float
    c: float

    def __add__(self, o: Jet) -> Jet:
        return Jet(self.a + o.a, self.b + o.b, self.c + o.c)

    def __mul__(self, o: Jet) -> Jet:
        return Jet(
            self.a * o.a, self.a * o.b + self.b * o.a, self.a * o.c + self.b * o.b + self.c * o.a
        )

    def __neg__(self) -> Jet:
        return Jet(-self.a, -self.b, -self.c)

    def at(self, h: float) -> float:
        return self.a + h * (self.b + h * self.c)


def sine(x: Jet) -> Jet:
    s, c = math.sin(x.a), math.cos(x.a)
    return Jet(s, c * x.b, c * x.c - 0.5 * s * x.b * x.b)


def swing(angle: float, speed: float, steps: int, h: float = 0.05) -> float:
    """The angle of a damped pendulum after some steps, each by its Taylor series."""
    for _ in range(steps):
        pull = -sine(Jet(angle, speed, 0.0)) + -(Jet(0.1, 0.0, 0.0) * Jet(speed, 0.0, 0.0))
        faster = Jet(speed, pull.a, 0.5 * pull.b)
        angle, speed = Jet(angle, speed, 0.5 * pull.a).at(h), faster.at(h)
    return angle


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    return swing, (*rng.normal(size=2).tolist(), n)


def main():
    angle, (by_angle, by_speed) = pb.value_and_grad(swing, argnums=(0, 1))(1.0, 0.2, 200)
    print(f"angle at time 10: {angle:.5f}, by the first {by_angle:+.5f}, by speed {by_speed:+.5f}")
    bent = pb.grad(pb.grad(swing))(1.0, 0.2, 200)
    print(f"second derivative by the first angle: {bent:+.5f}")
    near = (swing(1.0 + 1e-5, 0.2, 200) - swing(1.0 - 1e-5, 0.2, 200)) / 2e-5
    assert abs(near - by_angle) < 1e-7


if __name__ == "__main__":
    main()
