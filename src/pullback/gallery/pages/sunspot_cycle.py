"""
Sunspots: the shape of a cycle
==============================

The number of spots on the Sun rises and falls about every eleven years. D. Hathaway, R. Wilson and
E. Reichmann ("The shape of the sunspot cycle", 1994) describe one cycle by a beginning, a height
and a width. We fit all cycles between 1749 and 1983 together, since neighbours overlap.

What is differentiated is a function of a list of objects, one for each cycle, whose loop leaves out
the cycles that have not begun and those that are over. The gradient is a list of objects of the
same class. Packing them into one vector, writing masks for the branches, and unpacking again, which
array tools ask for, is left to ``pb.ravel`` and to Python's own ``if``.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

import pullback as pb
from pullback.gallery.series import series
from pullback.gallery.style import BLUE, GREY, INK, ORANGE, panels

MONTHS, SPOTS = series("sunspots")
quarters = len(SPOTS) // 3
TIMES = MONTHS[: 3 * quarters].reshape(-1, 3).mean(axis=1)
SPOTS = SPOTS[: 3 * quarters].reshape(-1, 3).mean(axis=1)


@dataclass
class Cycle:
    begin: float  # year
    height: float
    width: float  # years

    def spots(self, time):
        """How many spots of this cycle there are; the height is about that of the maximum."""
        age = (time - self.begin) / self.width
        if age <= 0.0 or age > 4.0:
            return 0.0
        return 1.9 * self.height * age**3 / (math.exp(age * age) - 0.71)


def spots(cycles, time):
    return sum(cycle.spots(time) for cycle in cycles)


def misfit(cycles, times, seen):
    """Compare square roots, whose noise is as large for few spots as for many."""
    total = 0.0
    for i in range(len(times)):
        total += (math.sqrt(spots(cycles, times[i]) + 1.0) - math.sqrt(seen[i] + 1.0)) ** 2
    return total / len(times)


# %%
# The first guess takes the years of the minima from the history books, and one shape for all.

MINIMA = [
    1744.5, 1755.2, 1766.5, 1775.5, 1784.7, 1798.3, 1810.6, 1823.3, 1833.9, 1843.5, 1856.0, 1867.2,
    1878.9, 1889.6, 1901.7, 1913.6, 1923.6, 1933.8, 1944.2, 1954.3, 1964.9, 1976.5,
]  # fmt: skip
guess = [Cycle(begin, 100.0, 4.0) for begin in MINIMA]
start, unravel = pb.ravel(guess)
both = pb.value_and_grad(lambda flat: misfit(unravel(flat), TIMES, SPOTS))
bounds = [pair for b in MINIMA for pair in ((b - 3, b + 3), (5.0, 400.0), (2.0, 8.0))]
found = minimize(both, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 150})
cycles = unravel(found.x)
print(f"misfit {both(start)[0]:.2f} -> {found.fun:.2f} in {found.nfev} gradients")

# %%
# What comes out of it is the rule of M. Waldmeier (1935): strong cycles rise fast. The maximum is
# at 1.08 widths after the beginning.

rise = np.array([1.08 * cycle.width for cycle in cycles[1:]])
height = np.array([cycle.height for cycle in cycles[1:]])
print(f"correlation of rise and height: {np.corrcoef(rise, height)[0, 1]:.2f}")

figure, (left, right) = panels(1, 2, width=11.0)
left.plot(TIMES, SPOTS, color=GREY, lw=0.8, label="counted")
model = pb.jit(spots)
left.plot(TIMES, [model(cycles, t) for t in TIMES], color=BLUE, label="fit")
left.set(xlabel="year", ylabel="sunspot number", title="Sunspots")
left.legend(ncols=2)
right.plot(rise, height, "o", color=ORANGE)
for number, (x, y) in enumerate(zip(rise, height), 1):
    right.annotate(f"{number}", (x, y), (4, 3), textcoords="offset points", fontsize=8, color=INK)
right.set(xlabel="rise (years)", ylabel="height", title="Each cycle, with its number")

first = [replace(cycle, begin=cycle.begin - 1750.0) for cycle in cycles[:3]]
CHECKED = [(misfit, (first, TIMES[10:60] - 1750.0, SPOTS[10:60])), (spots, (first, 14.7))]
