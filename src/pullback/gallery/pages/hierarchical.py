"""
Eight schools, by Hamiltonian Monte Carlo
=========================================

Eight schools tried a coaching for a test, and each measured its effect with an error (D. Rubin,
"Estimation in parallel randomized experiments", 1981). Are the schools alike? The hierarchical
model says that effects are drawn from a normal distribution whose mean and spread are unknown as
well. It is the textbook example for a posterior that is hard to sample.

What is differentiated is the density; the sampler is written beside it, and both are compiled
together: Hamiltonian Monte Carlo with leapfrog steps calls ``pb.grad`` inside of its loop. With the
compiled sampler being an ordinary function, one can differentiate through *it*, too: the last line
asks how the end of a trajectory depends on the data.
"""

import math
from dataclasses import dataclass

import numpy as np

import pullback as pb
from pullback.gallery.style import BLUE, GREY, INK, ORANGE, panels

EFFECTS = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
ERRORS = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])


@dataclass(frozen=True)
class Schools:
    """What is not known: the mean, the logarithm of the spread, and how each school differs."""

    mean: float
    log_spread: float
    offsets: np.ndarray

    def effects(self):
        return self.mean + math.exp(self.log_spread) * self.offsets


def unpack(theta):
    return Schools(theta[0], theta[1], theta[2:])


def log_density(theta, effects, errors):
    """Mean ~ normal(0, 5), spread ~ half Cauchy(5), offsets ~ normal(0, 1)."""
    schools = unpack(theta)
    spread = math.exp(schools.log_spread)
    prior = -0.5 * (schools.mean / 5.0) ** 2 + schools.log_spread - math.log(25.0 + spread * spread)
    misses = (effects - schools.effects()) / errors
    return prior - 0.5 * np.sum(schools.offsets**2) - 0.5 * np.sum(misses**2)


def leapfrog(theta, momentum, steps, length, effects, errors):
    slope = pb.grad(log_density)
    momentum = momentum + 0.5 * length * slope(theta, effects, errors)
    for step in range(steps):
        theta = theta + length * momentum
        weight = 1.0 if step < steps - 1 else 0.5
        momentum = momentum + weight * length * slope(theta, effects, errors)
    return theta, momentum


def sample(theta, momenta, lengths, levels, effects, errors):
    """One chain; the random numbers come from outside."""
    draws, taken = [], 0
    for i in range(len(momenta)):
        new, end = leapfrog(theta, momenta[i], 12, lengths[i], effects, errors)
        before = log_density(theta, effects, errors) - 0.5 * np.sum(momenta[i] ** 2)
        after = log_density(new, effects, errors) - 0.5 * np.sum(end**2)
        if levels[i] < after - before:
            theta = new
            taken += 1
        draws.append(theta)
    return np.array(draws), taken


# %%
# Four chains of 2000 draws.

run, chains = pb.jit(sample), []
for seed in range(4):
    rng = np.random.default_rng(seed)
    n = 2000
    draws, taken = run(
        rng.normal(size=10), rng.normal(size=(n, 10)), rng.uniform(0.1, 0.3, n),
        np.log(rng.uniform(size=n)), EFFECTS, ERRORS,
    )  # fmt: skip
    chains.append(draws[200:])
    print(f"chain {seed}: {taken / n:.0%} taken, mean effect {draws[200:, 0].mean():.2f}")
chains = np.array(chains)
between, within = chains.mean(axis=1).var(axis=0, ddof=1), chains.var(axis=1, ddof=1).mean(axis=0)
print(f"largest R-hat: {np.sqrt(1.0 + between / within).max():.4f}")

# %%
# How the end of one trajectory depends on what the first school measured, through twelve steps.


def trajectory(effects):
    return leapfrog(np.zeros(10), np.ones(10), 12, 0.1, effects, ERRORS)[0]


print("d end / d effect of the first school:", np.round(pb.jacrev(trajectory)(EFFECTS)[:3, 0], 4))

# %%
# Left: each school's own estimate, and what the model makes of it. Right: the funnel.

theta = chains.reshape(-1, 10)
spread = np.exp(theta[:, 1])
effects = theta[:, :1] + spread[:, None] * theta[:, 2:]
figure, (left, right) = panels(1, 2, width=10.0)
places = np.arange(8)
left.errorbar(
    places - 0.12, EFFECTS, ERRORS, fmt="o", color=GREY, capsize=2, label="school alone"
)
low, middle, high = np.quantile(effects, [0.16, 0.5, 0.84], axis=0)
left.errorbar(
    places + 0.12, middle, [middle - low, high - middle], fmt="o", color=BLUE, capsize=2,
    label="all together",
)  # fmt: skip
left.axhline(theta[:, 0].mean(), color=ORANGE, lw=1, label="mean of all")
left.set(xticks=places, xticklabels=list("ABCDEFGH"), xlabel="school", ylabel="effect (points)")
left.set_title("Effects, with one deviation")
left.legend(fontsize=9)
right.plot(effects[::3, 0], spread[::3], ".", ms=2, alpha=0.35, color=BLUE)
right.set(yscale="log", ylim=(0.05, 60), xlim=(-30, 50))
right.set(xlabel="effect of school A", ylabel="spread between schools", title="The posterior")
right.tick_params(colors=INK)

few = np.random.default_rng(9).normal(size=(2, 10)), np.full(2, 0.1), np.full(2, -50.0)
CHECKED = [
    (log_density, (theta[5], EFFECTS, ERRORS)),
    (trajectory, (EFFECTS,)),
    (sample, (theta[9], *few, EFFECTS, ERRORS)),
]
