"""An epidemic (susceptible, infected, recovered), fitted to weekly counts by Poisson likelihood."""

import math
from typing import NamedTuple

import numpy as np
import scipy.optimize

import pullback as pb


class People(NamedTuple):
    susceptible: float
    infected: float
    recovered: float


def day(people, contacts, recovery):
    """One day later, in four steps, and how many fell ill."""
    fallen_ill = 0.0
    for _ in range(4):
        new = 0.25 * contacts * people.susceptible * people.infected
        well = 0.25 * recovery * people.infected
        people = People(
            people.susceptible - new, people.infected + new - well, people.recovered + well
        )
        fallen_ill += new
    return people, fallen_ill


def negative_log_likelihood(log_rates, weekly, population):
    """``log_rates``: contacts, recovery, and the share of infected at the start."""
    contacts, recovery = math.exp(log_rates[0]), math.exp(log_rates[1])
    first = math.exp(log_rates[2])
    people, total = People(1.0 - first, first, 0.0), 0.0
    for week in range(len(weekly)):
        ill = 0.0
        for _ in range(7):
            people, new = day(people, contacts, recovery)
            ill += new
        expected = population * ill + 1e-6
        total += expected - weekly[week] * math.log(expected)
    return total / population


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    people, weekly = People(0.999, 0.001, 0.0), []
    for _ in range(n):
        ill = 0.0
        for _ in range(7):
            people, new = day(people, 0.35, 0.2)
            ill += new
        weekly.append(float(rng.poisson(2000.0 * ill)))
    return negative_log_likelihood, (np.array([-0.8, -1.4, -6.0]), np.array(weekly), 2000.0)


def main():
    _, (start, weekly, population) = inputs(20, 7)
    both = pb.value_and_grad(negative_log_likelihood)
    found = scipy.optimize.minimize(both, start, (weekly, population), jac=True, method="BFGS")
    contacts, recovery, first = np.exp(found.x)
    print(
        f"contacts {contacts:.3f} a day, ill for {1.0 / recovery:.1f} days, "
        f"reproduction number {contacts / recovery:.2f}, infected at first {first:.1e}"
    )
    assert abs(contacts / recovery - 0.35 / 0.2) < 0.3


if __name__ == "__main__":
    main()
