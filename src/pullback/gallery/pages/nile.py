"""
The Nile, by a Kalman smoother
==============================

From 1871 to 1970 the flow of the Nile was measured every year at Aswan. The local level model says
that there is a level that wanders a little from year to year, and that each year's flow is the
level and something that happens that year only (J. Durbin and S. J. Koopman, *Time Series Analysis
by State Space Methods*, chapter 2). How much is which is found by maximum likelihood.

What is differentiated is, first, the Kalman filter: a loop with a state that is an object. Its
second derivatives say how well the two variances are known. Then the smoother, which keeps lists on
the way forward and runs through them backwards: its Jacobian by the data says which years the level
of a year rests on. Nothing of it is rewritten as a scan; the textbook's loops are the program.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

import pullback as pb
from pullback.gallery.series import series
from pullback.gallery.style import BLUE, GREY, INK, ORANGE, panels

YEARS, FLOW = series("nile")


@dataclass
class Level:
    """What is known of the level: its mean and its variance."""

    mean: float
    variance: float

    def wander(self, variance):
        self.variance += variance

    def see(self, flow, variance):
        """Learn from one year's flow; return the logarithm of its likelihood."""
        surprise, spread = flow - self.mean, self.variance + variance
        gain = self.variance / spread
        self.mean += gain * surprise
        self.variance *= 1.0 - gain
        return -0.5 * (math.log(2.0 * math.pi * spread) + surprise * surprise / spread)


def minus_log_likelihood(logs, flow):
    """``logs``: the logarithms of the variances of a year and of the level's steps."""
    yearly, step = math.exp(logs[0]), math.exp(logs[1])
    level = Level(flow[0], yearly)  # the first year tells where the level is
    total = 0.0
    for seen in flow[1:]:
        level.wander(step)
        total -= level.see(seen, yearly)
    return total


# %%
# The fit, with deviations from the Hessian. Durbin and Koopman have 15099 and 1469.1.

start = np.array([9.0, 8.0])
found = minimize(pb.value_and_grad(minus_log_likelihood), start, (FLOW,), jac=True)
hessian = pb.hessian(minus_log_likelihood)(found.x, FLOW)
deviations = np.sqrt(np.diag(np.linalg.inv(hessian)))
for name, log, deviation in zip(("year", "step of the level"), found.x, deviations):
    low, high = math.exp(log - 2 * deviation), math.exp(log + 2 * deviation)
    print(f"variance of a {name}: {math.exp(log):.1f} (95%: {low:.0f} to {high:.0f})")

# %%
# The smoother goes back over the years and corrects each level by what came later.


def smoothed(flow, logs):
    """The means and variances of the levels, given all years."""
    yearly, step = math.exp(logs[0]), math.exp(logs[1])
    level = Level(flow[0], yearly)
    filtered = [(level.mean, level.variance)]
    for seen in flow[1:]:
        level.wander(step)
        level.see(seen, yearly)
        filtered.append((level.mean, level.variance))
    mean, variance = filtered[-1]
    means, variances = [mean], [variance]
    for before, spread in reversed(filtered[:-1]):
        gain = spread / (spread + step)
        mean = before + gain * (mean - before)
        variance = spread + gain * gain * (variance - spread - step)
        means.append(mean)
        variances.append(variance)
    return np.array(means[::-1]), np.array(variances[::-1])


mean, variance = smoothed(FLOW, found.x)
weights = pb.jacrev(smoothed)(FLOW, found.x)[0]

# %%
# The level falls about 1899, when the building of the first dam at Aswan began. Right: the weights
# of the years in the level of three years, which are rows of the Jacobian.

figure, (left, right) = panels(1, 2, width=10.5)
left.plot(YEARS, FLOW, "o", color=GREY, ms=3.5, label="measured")
band = 1.645 * np.sqrt(variance)
left.fill_between(YEARS, mean - band, mean + band, color=BLUE, alpha=0.2, lw=0, label="90%")
left.plot(YEARS, mean, color=BLUE, label="level")
left.set(xlabel="year", ylabel="flow ($10^8$ m$^3$)", title="The Nile at Aswan")
left.legend(ncols=3, loc="upper right")
for year, colour in ((1871, ORANGE), (1899, BLUE), (1940, INK)):
    right.plot(YEARS, weights[year - 1871], color=colour, label=f"level of {year}")
right.set(xlabel="year", ylabel="weight", title="What a level rests on")
right.legend()

CHECKED = [
    (minus_log_likelihood, (start, FLOW)),
    (minus_log_likelihood, (found.x, FLOW)),
    (smoothed, (FLOW[:12], found.x)),
]
