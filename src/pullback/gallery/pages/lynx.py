"""
Predators and prey, from the predators alone
============================================

For more than a century the Hudson's Bay Company wrote down how many lynxes were trapped in the
Canadian forest. Their number rises and falls every nine or ten years. The equations of A. Lotka and
V. Volterra explain such cycles by two populations; here only one of them was counted. We look for
the rates, and for the unseen hares at the beginning, with which the lynxes come out right.

What is differentiated is the solution of differential equations, by a Runge-Kutta method with a
class for the model. The misfit has many valleys, since a wrong period is out of step after some
cycles; so the fit starts with few years and takes more and more, one compiled function for all.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

import pullback as pb
from pullback.gallery.series import series
from pullback.gallery.style import BLUE, GREEN, GREY, ORANGE, panels

YEARS, LYNX = series("lynx")
FIRST, LAST = 1897, 1934
chosen = (YEARS >= FIRST) & (YEARS <= LAST)
YEARS, LOGS = YEARS[chosen], np.log(LYNX[chosen])

# %%
# The populations are in logarithms, so that they stay positive. Hares have no unit, since nobody
# counted them: 1 is the number at which the lynxes neither grow nor shrink.


@dataclass
class Forest:
    growth: float  # of the hares, where there are no lynxes
    death: float  # of the lynxes, where there are no hares
    balance: float  # the logarithm of the lynxes at which the hares stay as they are
    hares: float
    lynxes: float

    def slopes(self, hares, lynxes):
        eaten = math.exp(lynxes - self.balance)
        return self.growth * (1.0 - eaten), self.death * (math.exp(hares) - 1.0)

    def advance(self, h):
        """One step of the classical Runge-Kutta method."""
        x, y = self.hares, self.lynxes
        a, b = self.slopes(x, y)
        c, d = self.slopes(x + 0.5 * h * a, y + 0.5 * h * b)
        e, f = self.slopes(x + 0.5 * h * c, y + 0.5 * h * d)
        g, k = self.slopes(x + h * e, y + h * f)
        self.hares = x + h * (a + 2.0 * c + 2.0 * e + g) / 6.0
        self.lynxes = y + h * (b + 2.0 * d + 2.0 * f + k) / 6.0


def populations(theta, years, steps=24):
    """Logarithms of hares and lynxes in each year; ``theta``: two rates (logarithms), and so on."""
    forest = Forest(math.exp(theta[0]), math.exp(theta[1]), theta[2], theta[3], theta[4])
    out = [[forest.hares, forest.lynxes]]
    for _ in range(years - 1):
        for _ in range(steps):
            forest.advance(1.0 / steps)
        out.append([forest.hares, forest.lynxes])
    return np.array(out)


def misfit(theta, logs):
    """The mean square of the lynxes' logarithms, and a prior that keeps rates near 1 a year."""
    gaps = populations(theta, len(logs))[:, 1] - logs
    return np.mean(gaps * gaps) + 0.01 * (theta[0] ** 2 + theta[1] ** 2)


# %%
# Ten years first, then six more at a time.

both = pb.value_and_grad(misfit)
theta, path = np.array([-0.5, -0.5, np.mean(LOGS), 0.5, LOGS[0]]), []
for years in [*range(10, len(LOGS), 6), len(LOGS)]:
    found = minimize(both, theta, (LOGS[:years],), jac=True)
    theta = found.x
    path.append((years, theta))
    print(f"{years} years: misfit {found.fun:.3f}, {found.nfev} gradients")
print(f"growth of hares {math.exp(theta[0]):.2f}, death of lynxes {math.exp(theta[1]):.2f} a year")

# %%
# Left: the counts and the fit. Right: the cycle of both populations, hares that nobody saw
# included.

whole = populations(theta, len(LOGS))
figure, (left, right) = panels(1, 2, width=10.0)
left.semilogy(YEARS, np.exp(LOGS), "o", color=ORANGE, label="lynxes trapped")
left.semilogy(YEARS, np.exp(whole[:, 1]), color=BLUE, label="lynxes by the model")
hares = 1000.0 * np.exp(whole[:, 0])
left.semilogy(YEARS, hares, "--", color=GREEN, lw=1.2, label="hares (model, 1000 x)")
left.set(xlabel="year", ylabel="number", title="Canadian lynx")
left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3, fontsize=9)
right.plot(np.exp(whole[:, 0]), np.exp(whole[:, 1]), "o-", color=BLUE, ms=3, lw=0.8)
right.axvline(1.0, color=GREY, lw=1)
right.axhline(math.exp(theta[2]), color=GREY, lw=1)
right.set(xlabel="hares (relative)", ylabel="lynxes", title="The cycle")

CHECKED = [(misfit, (theta, LOGS[:5])), (populations, (path[0][1], 3, 4))]
