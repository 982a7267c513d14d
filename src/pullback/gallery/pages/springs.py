"""
Springs that just hold together
===============================

A net of springs loses some of them by chance. If too many are gone, it falls apart; shortly before,
its stiffness hangs on few springs. Which ones? The stiffness is the force that it takes to pull the
net by one unit, and its derivatives by the strengths of the springs say how much each of them
bears.

What is differentiated is a program about a graph: a search finds the part of the net that is fixed
at both ends (a queue, a set of what has been seen, an exception where there is no such part); then
conjugate gradients find the equilibrium, with as many rounds as it takes, over dicts from nodes to
their neighbours. No matrix is ever built.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np
from matplotlib.collections import LineCollection

import pullback as pb
from pullback.gallery.style import BLUE, GREY, ORANGE, panels


@dataclass(frozen=True)
class Spring:
    a: int
    b: int


class FallenApart(Exception):
    """No way leads from one end to the other."""


def spanning(springs, nodes, left, right):
    """Whether each node hangs on the left end, by a search in breadth."""
    neighbours = {node: [] for node in range(nodes)}
    for spring in springs:
        neighbours[spring.a].append(spring.b)
        neighbours[spring.b].append(spring.a)
    queue, seen = deque(left), set(left)
    while queue:
        for other in neighbours[queue.popleft()]:
            if other not in seen:
                seen.add(other)
                queue.append(other)
    if not any(node in seen for node in right):
        raise FallenApart
    return [node in seen for node in range(nodes)]


def pulled(strengths, springs, u):
    """The forces of all springs on the nodes that are at ``u``."""
    force = np.zeros(len(u))
    for k, spring in enumerate(springs):
        f = strengths[k] * (u[spring.b] - u[spring.a])
        force[spring.a] += f
        force[spring.b] -= f
    return force


def equilibrium(strengths, springs, free, u):
    """Where nodes come to rest; those that are not free stay where ``u`` says."""
    residual = pulled(strengths, springs, u) * free
    direction, square = residual, residual @ residual
    while square > 1e-20:
        pull = -pulled(strengths, springs, direction) * free
        step = square / (direction @ pull)
        u = u + step * direction
        residual = residual - step * pull
        before, square = square, residual @ residual
        direction = residual + square / before * direction
    return u


def stiffness(strengths, springs, width, height):
    """The force at the right end when it is pulled by 1."""
    left = [row * width for row in range(height)]
    right = [row * width + width - 1 for row in range(height)]
    hangs = spanning(springs, width * height, left, right)
    free, u = np.zeros(width * height), np.zeros(width * height)
    for node in range(width * height):
        column = node % width
        if column == width - 1:
            u[node] = 1.0
        elif column > 0 and hangs[node]:
            free[node] = 1.0
    return -np.sum(pulled(strengths, springs, equilibrium(strengths, springs, free, u))[right])


# %%
# A net of 14 by 9 nodes, from which springs are lost by chance: more and more of the same order.

WIDTH, HEIGHT = 14, 9
whole = [
    Spring(y * WIDTH + x, (y + dy) * WIDTH + x + dx)
    for y in range(HEIGHT) for x in range(WIDTH) for dx, dy in ((1, 0), (0, 1))
    if x + dx < WIDTH and y + dy < HEIGHT
]  # fmt: skip
order = np.random.default_rng(11).permutation(len(whole))
both = pb.value_and_grad(stiffness)
shares, values = np.arange(1.0, 0.3, -0.02), []
for share in shares:
    net = [whole[k] for k in order[: round(share * len(whole))]]
    try:
        values.append(both(np.ones(len(net)), net, WIDTH, HEIGHT)[0])
    except FallenApart:
        values.append(0.0)
        print(f"fallen apart where {share:.0%} of the springs are left")
        break
shares = shares[: len(values)]

# %%
# The derivatives in the last net that held. Their sum is the stiffness itself, since a net of
# springs that are twice as strong is twice as stiff.

last = [whole[k] for k in order[: round(shares[-2] * len(whole))]]
strengths = np.ones(len(last))
value, bears = both(strengths, last, WIDTH, HEIGHT)
print(f"stiffness {value:.4f}, sum of its derivatives {bears.sum():.4f}")
half = np.sort(bears)[::-1].cumsum() < 0.5 * bears.sum()
print(f"{half.sum()} of {len(last)} springs bear half of it")

figure, (left_axis, right_axis) = panels(1, 2, width=10.5)
left_axis.plot(shares, values, "o-", color=BLUE, ms=4)
left_axis.axvline(0.5, color=GREY, lw=1, ls="--")
left_axis.text(0.51, 0.42, "an endless net\nfalls apart here", fontsize=9)
left_axis.set(xlabel="share of springs that are left", ylabel="stiffness", title="The whole net")
lines = [[(s.a % WIDTH, s.a // WIDTH), (s.b % WIDTH, s.b // WIDTH)] for s in last]
part = np.sqrt(np.clip(bears / bears.max(), 0.0, 1.0))
right_axis.add_collection(LineCollection(lines, colors=GREY, linewidths=0.7))
right_axis.add_collection(
    LineCollection(lines, colors=ORANGE, linewidths=5 * part, capstyle="round", zorder=3)
)
right_axis.set(
    xlim=(-0.5, WIDTH - 0.5), ylim=(-0.5, HEIGHT - 0.5), aspect="equal", xticks=[], yticks=[],
    title=f"What bears the net with {shares[-2]:.0%} of its springs",
)  # fmt: skip

net = [Spring(0, 1), Spring(1, 2), Spring(3, 4), Spring(4, 5), Spring(1, 4)]
CHECKED = [(stiffness, (np.array([1.0, 0.6, 0.8, 1.3, 0.5]), net, 3, 2))]
assert math.isclose(bears.sum(), value, rel_tol=1e-6)
