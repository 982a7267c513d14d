"""
An orbit around a flattened Earth
=================================

A ground station measures the distance to a satellite during two revolutions. The Earth is not a
ball: its bulge (the term J2 of its gravity) turns the plane of the orbit. We look for the place and
the velocity at the beginning with which the equations of motion give the measured distances.

What is differentiated is a solver. It is the method of Cash and Karp with a control of its error: a
``while`` loop that takes a step again where the step was too long. How many steps there are depends
on the numbers, so the loop has no length that a tracing tool could write down; here it stays a
loop, forward and in reverse, and the gradient is that of the steps that were taken.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy.optimize

import pullback as pb
from pullback.gallery.style import BLUE, GREY, ORANGE, panels

# %%
# Lengths are in thousands of kilometres and times in thousands of seconds.

EARTH, RADIUS, BULGE = 398.6004418, 6.3781366, 1.08262668e-3
TURN, LATITUDE = 0.07292115, 0.84  # the Earth's rotation, and where the station is


def acceleration(r):
    """What the Earth's mass and its bulge do at the place ``r``."""
    square = r @ r
    sun = EARTH / (square * math.sqrt(square))
    bulge = 1.5 * BULGE * (RADIUS * RADIUS / square)
    up = 5.0 * r[2] * r[2] / square
    return -sun * r * (1.0 + bulge * (np.array([1.0, 1.0, 3.0]) - up))


def field(state):
    return np.concatenate([state[3:], acceleration(state[:3])])


# %%
# One step gives two answers, of the orders 5 and 4; their difference is the error.


@dataclass(frozen=True)
class Step:
    state: np.ndarray
    error: float


def cash_karp(y, h):
    k1 = field(y)
    k2 = field(y + h * (k1 / 5))
    k3 = field(y + h * (3 * k1 + 9 * k2) / 40)
    k4 = field(y + h * (3 * k1 - 9 * k2 + 12 * k3) / 10)
    k5 = field(y + h * (-11 / 54 * k1 + 5 / 2 * k2 - 70 / 27 * k3 + 35 / 27 * k4))
    k6 = field(
        y
        + h * (1631 / 55296 * k1 + 175 / 512 * k2 + 575 / 13824 * k3)
        + h * (44275 / 110592 * k4 + 253 / 4096 * k5)
    )
    fifth = y + h * (37 / 378 * k1 + 250 / 621 * k3 + 125 / 594 * k4 + 512 / 1771 * k6)
    fourth = 2825 / 27648 * k1 + 18575 / 48384 * k3 + 13525 / 55296 * k4
    fourth = y + h * (fourth + 277 / 14336 * k5 + k6 / 4)
    return Step(fifth, float(np.max(np.abs(fifth - fourth))))


def advance(state, span, tolerance=1e-7):
    """The state after a time ``span``."""
    time, h = 0.0, 0.2
    while time < span:
        h = min(h, span - time)
        step = cash_karp(state, h)
        if step.error <= tolerance:
            state, time = step.state, time + h
        h *= min(4.0, max(0.2, 0.9 * (tolerance / (step.error + 1e-30)) ** 0.2))
    return state


def station(time):
    """Where the station is, which turns with the Earth."""
    out, up = RADIUS * math.cos(LATITUDE), RADIUS * math.sin(LATITUDE)
    return np.array([out * math.cos(TURN * time), out * math.sin(TURN * time), up])


def distances(start, times):
    """The distances from the station at some times."""
    state, time, out = start, 0.0, []
    for t in times:
        state, time = advance(state, t - time), t
        gap = state[:3] - station(t)
        out.append(math.sqrt(gap @ gap))
    return np.array(out)


def residuals(start, times, ranges):
    """What the distances are off, in units of their noise (50 m)."""
    return (distances(start, times) - ranges) / 5e-5


def misfit(start, times, ranges):
    return np.mean(residuals(start, times, ranges) ** 2)


# %%
# The measurements are made from a known orbit, with noise, at times that are not even. The first
# guess is some tens of kilometres and metres per second off.

rng = np.random.default_rng(4)
TRUTH = np.array([7.2, 0.3, 0.6, -0.9, 5.1, 5.6])
TIMES = np.sort(rng.uniform(0.1, 13.0, 60))
RANGES = distances(TRUTH, TIMES) + 5e-5 * rng.normal(size=len(TIMES))
GUESS = TRUTH + np.array([0.02, -0.03, 0.02, 0.01, -0.02, 0.01])

gradient = pb.value_and_grad(misfit)(GUESS, TIMES, RANGES)[1]
print("gradient of the mean square at the guess:", np.array2string(gradient, precision=3))

# %%
# The gradient is what one needs for descent; for least squares the whole Jacobian is better, and
# with six parameters forward mode has it in six passes.

found = scipy.optimize.least_squares(
    pb.jit(residuals), GUESS, pb.jacfwd(residuals), args=(TIMES, RANGES), x_scale=0.01
)
FIT = found.x
print(f"mean square {misfit(GUESS, TIMES, RANGES):.3g} -> {2 * found.cost / len(TIMES):.3g}")
print(f"after {found.njev} Jacobians; off by")
print("(m)   ", np.round(1e6 * (FIT - TRUTH)[:3], 1))
print("(m/s) ", np.round(1e3 * (FIT - TRUTH)[3:], 4))

# %%
# The distances that are left over look like noise: the orbit is found.


fine = np.linspace(0.0, 13.0, 300)
figure, (left, right) = panels(1, 2)
for start, colour, label in ((GUESS, GREY, "first guess"), (FIT, BLUE, "fit")):
    left.plot(fine, distances(start, fine), color=colour, label=label)
left.plot(TIMES, RANGES, "o", color=ORANGE, markersize=4, label="measured")
left.set(xlabel="time (1000 s)", ylabel="distance (1000 km)", title="What the station sees")
left.legend()
rest = 1e6 * (distances(FIT, TIMES) - RANGES)
right.axhspan(-100, 100, color=BLUE, alpha=0.12, lw=0)
right.plot(TIMES, rest, "o", color=ORANGE, markersize=4)
right.set(xlabel="time (1000 s)", ylabel="fit - measured (m)", title="What is left, with two sigma")

CHECKED = [(misfit, (GUESS, TIMES[:6], RANGES[:6])), (distances, (FIT, TIMES[:4]))]
