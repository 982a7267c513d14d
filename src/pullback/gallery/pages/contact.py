"""
Pushing one disc with another: control through contacts
=======================================================

On a table lie three discs. A force moves the first of them; it cannot reach the goal itself, so it
pushes the second one, which hits the third one, which shall come to rest at the goal. Which force
is needed at each time?

At each step of the simulation the impulses between touching discs are found together: no two may
come through each other, and discs only push. This problem is solved by rounds over all pairs until
nothing changes (projected Gauss and Seidel), a ``while`` loop for which nobody knows how many
rounds it takes. Tools that want all loops bounded would stop it early, or have an implicit
derivative written by hand. Here it is differentiated as it runs, inside of the loop over time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.patches import Circle
from scipy.optimize import minimize

import pullback as pb
from pullback.gallery.style import BLUE, GREEN, GREY, INK, ORANGE, SKY, panels

RADIUS, STEP, STEPS, FRICTION = 0.25, 0.04, 90, 0.8
CONTROLS = 15


@dataclass
class Disc:
    x: float
    y: float
    vx: float = 0.0
    vy: float = 0.0


@dataclass
class Contact:
    """Two discs, with the direction from one to the other and the gap between them."""

    first: int
    second: int
    nx: float
    ny: float
    gap: float
    impulse: float = 0.0


def contacts(discs):
    """The pairs that are so near that they could touch within this step."""
    found = []
    for i in range(len(discs)):
        for j in range(i + 1, len(discs)):
            a, b = discs[i], discs[j]
            dx, dy = b.x - a.x, b.y - a.y
            distance = math.hypot(dx, dy)
            if distance < 2.0 * RADIUS + 0.3:
                found.append(Contact(i, j, dx / distance, dy / distance, distance - 2.0 * RADIUS))
    return found


def push_apart(discs):
    """Change the velocities so that no disc will be inside of another after the step."""
    touching = contacts(discs)
    change = 1.0
    while change > 1e-12:
        change = 0.0
        for c in touching:
            a, b = discs[c.first], discs[c.second]
            speed = (b.vx - a.vx) * c.nx + (b.vy - a.vy) * c.ny + c.gap / STEP
            impulse = max(c.impulse - 0.5 * speed, 0.0)
            more = impulse - c.impulse
            c.impulse = impulse
            a.vx -= more * c.nx
            a.vy -= more * c.ny
            b.vx += more * c.nx
            b.vy += more * c.ny
            change = max(change, abs(more))


def advance(discs, fx, fy):
    discs[0].vx += STEP * fx
    discs[0].vy += STEP * fy
    push_apart(discs)
    for disc in discs:
        disc.x += STEP * disc.vx
        disc.y += STEP * disc.vy
        disc.vx *= 1.0 - FRICTION * STEP
        disc.vy *= 1.0 - FRICTION * STEP


def simulate(forces):
    """The places of all discs at all times; a force acts for some steps, then the next one."""
    discs = [Disc(0.0, 0.0), Disc(1.2, 0.1), Disc(2.1, 0.5)]
    places = []
    for step in range(STEPS):
        k = step * CONTROLS * 2 // STEPS  # the second half of the time there is no force
        if k < CONTROLS:
            advance(discs, forces[2 * k], forces[2 * k + 1])
        else:
            advance(discs, 0.0, 0.0)
        places.append([[disc.x, disc.y] for disc in discs])
    return np.array(places)


def cost(forces, goal):
    last = simulate(forces)[-1, 2] - goal
    return last @ last + 2e-4 * np.sum(forces * forces)


# %%
# The first guess pushes to the right, and the third disc misses the goal by far.

GOAL = np.array([3.0, 1.7])
start = np.tile([1.8, 0.15], CONTROLS)
history = []
found = minimize(
    pb.value_and_grad(cost), start, (GOAL,), jac=True, method="L-BFGS-B", options={"maxiter": 60},
    callback=lambda intermediate_result: history.append(intermediate_result.fun),
)  # fmt: skip
ends = simulate(found.x)[-1, 2]
print(f"cost {cost(start, GOAL):.3f} -> {found.fun:.4f} in {found.nfev} gradients")
print(f"the third disc comes to rest at ({ends[0]:.3f}, {ends[1]:.3f}); goal {GOAL}")

# %%
# Left and middle: the ways of the discs, which are drawn at the beginning (dashed) and at the end.
# Right: the forces.

figure, axes = panels(1, 3, width=11.5, height=3.9)
for axis, forces, name in ((axes[0], start, "First guess"), (axes[1], found.x, "Found")):
    places = simulate(forces)
    for k, colour in enumerate((BLUE, SKY, GREEN)):
        begin = ((0.0, 0.0), (1.2, 0.1), (2.1, 0.5))[k]
        axis.plot(*places[:, k].T, color=colour, lw=1.2)
        axis.add_patch(Circle(begin, RADIUS, fill=False, ec=GREY, ls="--"))
        axis.add_patch(Circle(places[-1, k], RADIUS, color=colour, alpha=0.5, lw=0))
    axis.plot(*GOAL, "*", color=ORANGE, ms=14)
    axis.set(title=name, aspect="equal", xlim=(-0.5, 4.2), ylim=(-1.3, 3.0))
times = np.repeat(np.arange(CONTROLS + 1), 2)[1:-1] * STEP * STEPS / CONTROLS / 2
for k, colour, label in ((0, INK, "to the right"), (1, ORANGE, "upwards")):
    axes[2].plot(times, np.repeat(found.x[k::2], 2), color=colour, label=label)
axes[2].set(xlabel="time (s)", ylabel="force", title="The force")
axes[2].legend(fontsize=9)

CHECKED = [(cost, (start, GOAL)), (cost, (0.5 * start + 0.5 * found.x, GOAL))]
