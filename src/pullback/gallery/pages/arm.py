"""
A robot arm between obstacles
=============================

An arm with five joints shall carry something from one side of a pillar to the other side, smoothly,
with no link touching one of the obstacles. The motion is a list of postures; the cost adds up the
work of the joints, the distance of the hand from its goal, and how deep links are inside obstacles.

What is differentiated is geometry as one writes it: classes for links and obstacles, methods that
each kind of obstacle has in its own way, nearest points with their cases (an end of the link, or a
point between the ends). Each case has its own derivative, and the one that is taken counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.patches import Circle
from scipy.optimize import minimize

import pullback as pb
from pullback.gallery.style import BLUE, GREEN, GREY, ORANGE, SKY, panels

JOINTS, LENGTH, TIMES = 5, 0.5, 16


@dataclass(frozen=True)
class Disc:
    x: float
    y: float
    radius: float

    def depth(self, x, y):
        """How deep a point is inside; negative outside."""
        return self.radius - math.hypot(x - self.x, y - self.y)


@dataclass(frozen=True)
class Wall:
    """All that is below the height ``y``."""

    y: float

    def depth(self, x, y):
        return self.y - y


@dataclass(frozen=True)
class Link:
    x0: float
    y0: float
    x1: float
    y1: float

    def nearest(self, x, y):
        """The point of the link that is nearest to (x, y)."""
        along_x, along_y = self.x1 - self.x0, self.y1 - self.y0
        part = ((x - self.x0) * along_x + (y - self.y0) * along_y) / (along_x**2 + along_y**2)
        if part <= 0.0:
            return self.x0, self.y0
        if part >= 1.0:
            return self.x1, self.y1
        return self.x0 + part * along_x, self.y0 + part * along_y


def links(angles):
    """The links of an arm, each turned against the one before."""
    x, y, heading, out = 0.0, 0.0, 0.0, []
    for turn in angles:
        heading += turn
        x1, y1 = x + LENGTH * math.cos(heading), y + LENGTH * math.sin(heading)
        out.append(Link(x, y, x1, y1))
        x, y = x1, y1
    return out


def inside(link, obstacle):
    """How deep the link is inside the obstacle."""
    if isinstance(obstacle, Disc):
        x, y = link.nearest(obstacle.x, obstacle.y)
        return obstacle.depth(x, y)
    return max(obstacle.depth(link.x0, link.y0), obstacle.depth(link.x1, link.y1))


MARGIN = 0.05


def cost(motion, first, goal, obstacles):
    """``motion``: the angles at each time after the first."""
    total, before = 0.0, first
    for angles in motion.reshape(-1, JOINTS):
        total += len(motion) / JOINTS * np.sum((angles - before) ** 2)
        for link in links(angles):
            for obstacle in obstacles:
                depth = inside(link, obstacle) + MARGIN
                if depth > 0.0:
                    total += 2e3 * depth * depth
        before = angles
    hand = links(before)[-1]
    return total + 1e3 * ((hand.x1 - goal[0]) ** 2 + (hand.y1 - goal[1]) ** 2)


# %%
# The arm starts on the right, beneath a disc, and its goal is on the left, behind another one.

OBSTACLES = [Disc(0.9, 1.2, 0.35), Disc(-0.75, 0.95, 0.3), Disc(0.05, 1.75, 0.25), Wall(-0.15)]
FIRST, GOAL = np.array([0.15, 0.1, 0.1, 0.1, 0.1]), np.array([-1.55, 0.8])
bent = np.array([2.6, -0.1, -0.1, -0.1, -0.1])
start = np.array([FIRST + (k + 1) / TIMES * (bent - FIRST) for k in range(TIMES)]).ravel()
found = minimize(
    pb.value_and_grad(cost), start, (FIRST, GOAL, OBSTACLES), jac=True, method="L-BFGS-B",
    options={"maxiter": 400},
)  # fmt: skip
print(f"cost {cost(start, FIRST, GOAL, OBSTACLES):.1f} -> {found.fun:.2f}, {found.nfev} gradients")
postures = np.vstack([FIRST, found.x.reshape(TIMES, JOINTS)])
deepest = max(inside(k, o) for angles in postures for k in links(angles) for o in OBSTACLES)
print(f"nearest to an obstacle: {-deepest:.3f}")

# %%
# The motion from the straight line between first and last angles, and the one that was found.

figure, axes = panels(1, 2, width=10.5)
for axis, motion, name in (
    (axes[0], np.vstack([FIRST, start.reshape(TIMES, JOINTS)]), "First guess"),
    (axes[1], postures, "Found"),
):
    for obstacle in OBSTACLES:
        if isinstance(obstacle, Disc):
            centre = (obstacle.x, obstacle.y)
            axis.add_patch(Circle(centre, obstacle.radius, color=GREY, alpha=0.5, lw=0))
        else:
            axis.axhspan(-0.5, obstacle.y, color=GREY, alpha=0.5, lw=0)
    for k, angles in enumerate(motion):
        arm = links(angles)
        xs, ys = [0.0] + [i.x1 for i in arm], [0.0] + [i.y1 for i in arm]
        ends = k in (0, TIMES)
        colour = (GREEN if k == 0 else BLUE) if ends else SKY
        width = 2.2 if ends else 0.9
        axis.plot(xs, ys, "o-", ms=3, color=colour, lw=width, zorder=2 + ends)
    axis.plot(*GOAL, "*", color=ORANGE, ms=14, zorder=4)
    axis.set(title=name, aspect="equal", xlim=(-2.2, 2.7), ylim=(-0.4, 2.7))

CHECKED = [(cost, (start[-2 * JOINTS :], FIRST, GOAL, OBSTACLES))]
