"""Prices, curves and risk."""

import math

import numpy as np

from tests.programs import real


def normal_cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def black_scholes(spot, strike, rate, volatility, years):
    root = volatility * math.sqrt(years)
    d1 = (math.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / root
    return spot * normal_cdf(d1) - strike * math.exp(-rate * years) * normal_cdf(d1 - root)


def option_book(spot, volatilities, strikes, years, rate):
    """The value of many calls under a surface of volatilities."""
    return sum(
        black_scholes(spot, strikes[i], rate, volatilities[i], years[i])
        for i in range(len(strikes))
    )


def implied_volatilities(prices, strikes):
    """Newton's method for each price, until it stands still; the sum of the squares."""
    total = 0.0
    for i in range(len(prices)):
        v, step, rounds = 0.4, 1.0, 0
        while abs(step) > 1e-10 and rounds < 30:
            d1 = (math.log(1.0 / strikes[i]) + 0.5 * v * v) / v
            vega = math.exp(-0.5 * d1 * d1) / math.sqrt(2.0 * math.pi)
            step = (black_scholes(1.0, strikes[i], 0.0, v, 1.0) - prices[i]) / vega
            v -= step
            rounds += 1
        total += v * v
    return total


def bootstrap(swap_rates):
    """Discount factors from par swap rates, one after the other: each needs all before it."""
    factors = np.zeros(len(swap_rates))
    annuity = 0.0
    for i in range(len(swap_rates)):
        factors[i] = (1.0 - swap_rates[i] * annuity) / (1.0 + swap_rates[i])
        annuity += factors[i]
    return np.sum(factors * factors)


def bootstrapped_hazard(spreads):
    """A hazard rate for every year, each found by Newton's method given those before."""
    alive, total = 1.0, 0.0
    paid, lost = 0.0, 0.0
    for i in range(len(spreads)):
        rate, step, rounds = 0.02, 1.0, 0
        while abs(step) > 1e-13 and rounds < 20:
            left = alive * math.exp(-rate)
            gap = spreads[i] * (paid + left) - 0.6 * (lost + alive - left)
            slope = -left * (spreads[i] + 0.6)
            step = gap / slope
            rate -= step
            rounds += 1
        left = alive * math.exp(-rate)
        paid, lost, alive = paid + left, lost + alive - left, left
        total += rate * rate * (i + 1)
    return 100.0 * total / len(spreads)


def mortgage_duration(rates, payment):
    """Prepayments rise when rates fall; the duration-weighted value of what comes in."""
    balance, discount, value = 1.0, 1.0, 0.0
    for i in range(len(rates)):
        interest = 0.05 / 12.0 * balance
        prepaid = balance * 0.03 / (1.0 + math.exp(100.0 * (rates[i] - 0.04)))
        principal = min(payment - interest + prepaid, balance)
        discount /= 1.0 + rates[i] / 12.0
        value += discount * (interest + principal) * (i + 1) / 12.0
        balance -= principal
    return value


def markowitz(returns, aversion):
    """Weights that solve the first-order conditions, and the utility they reach."""
    n, k = returns.shape
    mean = np.mean(returns, axis=0)
    centred = returns - mean
    covariance = centred.T @ centred / n + 0.1 * np.eye(k)
    weights = np.linalg.solve(aversion * covariance, mean)
    return np.sum(weights * mean) - 0.5 * aversion * np.sum(weights * (covariance @ weights))


def barrier_option(spot, volatility, normals):
    """Knocked out where a path falls below a barrier: early exit, with the survivors' payoff."""
    total = 0.0
    for p in range(len(normals)):
        s, alive = spot, True
        for z in normals[p]:
            s *= math.exp(-0.5 * volatility * volatility * 0.1 + volatility * math.sqrt(0.1) * z)
            if s < 0.7:
                alive = False
                break
        if alive:
            total += max(s - 1.0, 0.0)
    return total / len(normals)


def trinomial_bond(level, slope, spread, steps):
    """A short-rate tree with a callable bond: discounting back, capped at every node."""
    values = np.full(2 * steps + 1, 1.0)
    for t in range(steps - 1, -1, -1):
        new = np.zeros(2 * steps + 1)
        for j in range(steps - t, steps + t + 1):
            rate = level + slope * (j - steps)
            mean = (values[j - 1] + 4.0 * values[j] + values[j + 1]) / 6.0
            new[j] = min(math.exp(-(rate + spread) / steps) * mean + 0.05 / steps, 1.02)
        values = new
    return values[steps]


def surface(rng, n):
    return (
        100.0, rng.uniform(0.1, 0.5, n), rng.uniform(80.0, 120.0, n), rng.uniform(0.2, 3.0, n), 0.02
    )  # fmt: skip


def market(rng, n):
    strikes = rng.uniform(0.8, 1.2, n)
    prices = [black_scholes(1.0, k, 0.0, v, 1.0) for k, v in zip(strikes, rng.uniform(0.2, 0.6, n))]
    return np.array(prices), strikes


PROGRAMS = [
    real("option_book", option_book, surface, (0, 1, 2, 3, 4)),
    real("implied_volatilities", implied_volatilities, market, (0, 1)),
    real("bootstrap", bootstrap, lambda r, n: (r.uniform(0.01, 0.04, n),)),
    real(
        "bootstrapped_hazard",
        bootstrapped_hazard,
        lambda r, n: (r.uniform(0.005, 0.01, n),),
        (0,),
        (3, 8),
    ),
    real("mortgage", mortgage_duration, lambda r, n: (r.uniform(0.02, 0.06, n), 0.01), (0, 1)),
    real("markowitz", markowitz, lambda r, n: (0.3 * r.normal(size=(n, 3)), 2.0), (0, 1)),
    real(
        "barrier_option", barrier_option, lambda r, n: (1.0, 0.3, r.normal(size=(n, 6))), (0, 1, 2)
    ),
    real(
        "callable_bond",
        trinomial_bond,
        lambda r, n: (0.03, 0.002, 0.01, n),
        (0, 1, 2),
        (3, 8),
        growth=(5, 16, 50),
    ),
]
