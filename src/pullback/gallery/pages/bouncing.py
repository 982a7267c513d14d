"""
A bouncing ball, with events
============================

A ball is thrown, bounces off the ground and off a wall, loses speed each time, and shall land in a
basket. Between two bounces it flies through air that slows it down; at a bounce its speed changes
at once. The time of each bounce follows from the motion.

What is differentiated is a simulation with events: the step in which the ball goes through a
surface is cut at the root of a function (by the method of bisection and then Newton's), so that the
time of the bounce has its right derivative. A simulation with fixed steps that only turns the
velocity round has a wrong derivative, however small its steps are: the picture on the right shows
it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import pullback as pb
from pullback.gallery.style import BLUE, GREEN, GREY, ORANGE, panels

GRAVITY, DRAG, WALL = 9.81, 0.08, 6.0
BASKET = (3.4, 0.0)


@dataclass(frozen=True)
class Ball:
    x: float
    y: float
    vx: float
    vy: float

    def after(self, h: float) -> Ball:
        """A step of the midpoint method."""
        ax, ay = air(self.vx, self.vy)
        mx, my = self.vx + 0.5 * h * ax, self.vy + 0.5 * h * ay
        bx, by = air(mx, my)
        return Ball(self.x + h * mx, self.y + h * my, self.vx + h * bx, self.vy + h * by)

    def gap(self) -> float:
        """How far it is from the nearer surface, negative behind it."""
        return min(self.y, WALL - self.x)

    def bounced(self, kept: float) -> Ball:
        """What it does at the surface: it keeps a part of its speed towards it."""
        if self.y < WALL - self.x:
            return Ball(self.x, self.y, self.vx, -kept * self.vy)
        return Ball(self.x, self.y, -kept * self.vx, self.vy)


def air(vx: float, vy: float) -> tuple[float, float]:
    speed = math.hypot(vx, vy)
    return -DRAG * speed * vx, -GRAVITY - DRAG * speed * vy


def touch(ball: Ball, h: float) -> float:
    """When, within the step, the ball is at the surface."""
    low, high = 0.0, h
    while high - low > 1e-3 * h:
        middle = 0.5 * (low + high)
        if ball.after(middle).gap() > 0.0:
            low = middle
        else:
            high = middle
    time = high
    for _ in range(4):
        slope = pb.grad(lambda t: ball.after(t).gap())(time)
        time -= ball.after(time).gap() / slope
    return time


def thrown(speed: float, angle: float) -> Ball:
    return Ball(0.0, 1.5, speed * math.cos(angle), speed * math.sin(angle))


def flight(speed, angle, kept, bounces, exact=True, h=0.02):
    """Where the ball is on the ground after some bounces (the wall counts as one)."""
    ball, done = thrown(speed, angle), 0
    while done < bounces:
        ahead = ball.after(h)
        if ahead.gap() >= 0.0:
            ball = ahead
        else:
            ball = (ball.after(touch(ball, h)) if exact else ahead).bounced(kept)
            done += 1
            if exact:
                ball = Ball(min(ball.x, WALL - 1e-12), max(ball.y, 1e-12), ball.vx, ball.vy)
    return ball.x


# %%
# Two parameters of the throw are looked for: the third touch (ground, wall, ground) shall be in the
# basket, with as little speed as possible.


def cost(throw, kept):
    return (flight(throw[0], throw[1], kept, 3) - BASKET[0]) ** 2 + 1e-4 * throw[0] ** 2


both, throw, costs = pb.value_and_grad(cost), np.array([8.0, 0.35]), []
for _ in range(60):
    value, slope = both(throw, 0.8)
    costs.append(value)
    length, square = 0.1, slope @ slope
    while cost(throw - length * slope, 0.8) > value - 0.3 * length * square and length > 1e-8:
        length *= 0.5
    throw = throw - length * slope
print(f"speed {throw[0]:.3f} m/s, angle {math.degrees(throw[1]):.2f} degrees")
print(f"it lands at {flight(throw[0], throw[1], 0.8, 3):.4f} m, the basket is at {BASKET[0]} m")

# %%
# How the place of the third touch depends on the angle: with events, and with fixed steps only. The
# second one's values are nearly right, and its derivatives are not those of the ball.

angles = np.linspace(0.3, 0.5, 81)
curves = {}
for exact in (True, False):
    place = pb.value_and_grad(lambda a, exact=exact: flight(8.0, a, 0.8, 3, exact))
    curves[exact] = np.array([place(a) for a in angles])


def path(speed, angle, kept, times):
    """All places up to the third bounce, for the picture."""
    ball, out, done, h = thrown(speed, angle), [], 0, 0.01
    while done < times:
        out.append((ball.x, ball.y))
        ahead = ball.after(h)
        if ahead.gap() < 0.0:
            ball, done = ball.after(touch(ball, h)), done + 1
            out.append((ball.x, ball.y))
            ball = ball.bounced(kept)
            ball = Ball(min(ball.x, WALL - 1e-12), max(ball.y, 1e-12), ball.vx, ball.vy)
        else:
            ball = ahead
    return np.array(out)


figure, (left, right) = panels(1, 2, width=10.5)
left.axhspan(-0.3, 0.0, color=GREY, alpha=0.4, lw=0)
left.axvspan(WALL, WALL + 0.3, color=GREY, alpha=0.4, lw=0)
left.plot(*path(8.0, 0.35, 0.8, 3).T, "--", color=GREY, lw=1.2, label="first guess")
left.plot(*path(*throw, 0.8, 3).T, color=BLUE, label="found")
left.plot(*BASKET, "^", color=ORANGE, ms=11, label="basket", clip_on=False)
left.set(xlabel="x (m)", ylabel="y (m)", title="The throw", ylim=(-0.3, 3.2), xlim=(-0.2, 6.3))
left.legend(ncols=3, loc="upper left", fontsize=9)
for exact, colour, label in ((True, BLUE, "with events"), (False, ORANGE, "fixed steps")):
    right.plot(angles, curves[exact][:, 1], color=colour, label=label)
middle = 0.5 * (angles[1:] + angles[:-1])
slopes = np.diff(curves[True][:, 0]) / np.diff(angles)
right.plot(middle[::4], slopes[::4], "o", mfc="none", color=GREEN, label="differences")
right.set(xlabel="angle (radians)", ylabel="d place / d angle (m)")
right.set_xticks([0.3, 0.35, 0.4, 0.45, 0.5])
right.set_title("The derivative of the third touch")
right.legend()

CHECKED = [(flight, (8.0, 0.35, 0.8, 3)), (cost, (throw, 0.8))]
