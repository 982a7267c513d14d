"""
Implied volatility, and all Greeks
==================================

The market has a price for each option; the formula of F. Black and M. Scholes (1973) has one for
each volatility. The *implied* volatility is the one with which the formula gives the market's
price. Traders then want the Greeks: how the price moves with the spot, with the volatility, with
time, and the second derivatives.

What is differentiated is a method that searches: Newton's, kept inside of a bracket that it halves
where a step leaves it, with an exception for a price that no volatility has. The search is a loop
without a fixed length, and derivatives go through it (how does the implied volatility move with the
quoted price?). The Greeks up to the second order are one call of ``pb.hessian``.
"""

import math

import numpy as np

import pullback as pb
from pullback.gallery.style import BLUE, GREEN, ORANGE, panels


class NoVolatility(ValueError):
    """The price is below the value of exercising at once, or above the spot."""


def normal(x):
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def price(market, strike):
    """A call's price; ``market``: spot, volatility, years to go, rate."""
    spot, volatility, years, rate = market
    spread = volatility * math.sqrt(years)
    d = (math.log(spot / strike) + rate * years) / spread + 0.5 * spread
    return spot * normal(d) - strike * math.exp(-rate * years) * normal(d - spread)


def implied(quote, spot, strike, years, rate):
    """The volatility with which the formula gives the quoted price."""
    low, high = 1e-3, 5.0
    at_least = max(0.0, spot - strike * math.exp(-rate * years))
    if not at_least < quote < spot:
        raise NoVolatility(quote)
    volatility = 0.3
    while True:
        gap = price((spot, volatility, years, rate), strike) - quote
        if gap > 0.0:
            high = volatility
        else:
            low = volatility
        slope = pb.grad(lambda v: price((spot, v, years, rate), strike))(volatility)
        step = gap / slope if slope > 1e-8 else math.inf
        if abs(step) < 1e-12:
            return volatility - step
        volatility -= step
        if not low < volatility < high:
            volatility = 0.5 * (low + high)


# %%
# Quotes for three dates, made from a smile that is usual for shares, and rounded to cents.

SPOT, RATE = 100.0, 0.03
STRIKES = np.arange(70.0, 131.0, 5.0)
DATES = (0.25, 0.5, 1.0)


def smile(strike, years):
    moneyness = math.log(strike / SPOT) / math.sqrt(years)
    return 0.2 - 0.11 * moneyness + 0.13 * moneyness * moneyness


def quote(strike, years):
    return round(price((SPOT, smile(strike, years), years, RATE), strike), 2)


# %%
# Each implied volatility comes with its derivative by the quote, so that one cent of rounding
# becomes an error bar.

both = pb.value_and_grad(implied)
found = {}
for years in DATES:
    rows = []
    for strike in STRIKES:
        try:
            volatility, by_quote = both(quote(strike, years), SPOT, strike, years, RATE)
        except NoVolatility as error:
            print(f"strike {strike:.0f}, {years} years: no volatility has the price {error}")
        else:
            rows.append((strike, volatility, 0.005 * by_quote))
    found[years] = np.array(rows)

# %%
# All Greeks of one option, from one Hessian.

market = np.array([SPOT, 0.2, 0.5, RATE])
gradient = pb.grad(price)(market, 105.0)
hessian = pb.hessian(price)(market, 105.0)
greeks = {
    "delta": gradient[0], "vega": gradient[1], "theta": -gradient[2], "rho": gradient[3],
    "gamma": hessian[0, 0], "vanna": hessian[0, 1], "charm": -hessian[0, 2],
    "volga": hessian[1, 1], "veta": -hessian[1, 2],
}  # fmt: skip
print("  ".join(f"{name} {value:.4f}" for name, value in greeks.items()))
speed = pb.jet(lambda spot: price((spot, 0.2, 0.5, RATE), 105.0), (SPOT,), ((1.0, 0.0, 0.0),))
print(f"the third derivative by the spot: {speed[1][2]:.2e}")

# %%
# Left: the smiles, with the bar of one cent. Right: second-order Greeks along the spot.

figure, (left, right) = panels(1, 2, width=10.0)
for (years, rows), colour in zip(found.items(), (BLUE, ORANGE, GREEN)):
    left.errorbar(*rows.T, fmt="o", ms=4, color=colour, label=f"{years:g} years", capsize=2)
    line = np.linspace(70, 130, 100)
    left.plot(line, [smile(k, years) for k in line], color=colour, lw=0.8)
left.set(xlabel="strike", ylabel="implied volatility", title="Smiles", ylim=(0.15, 0.4))
left.legend()
spots = np.linspace(70, 145, 120)
second = pb.jit(pb.hessian(price))
table = np.array([second(np.array([s, 0.2, 0.5, RATE]), 105.0) for s in spots])
for values, colour, label in (
    (table[:, 0, 0], BLUE, "gamma"),
    (table[:, 0, 1], ORANGE, "vanna"),
    (table[:, 1, 1], GREEN, "volga"),
):
    right.plot(spots, values / np.max(np.abs(values)), color=colour, label=label)
right.set(xlabel="spot", ylabel="relative to its maximum", title="Second derivatives, strike 105")
right.legend()

CHECKED = [
    (implied, (quote(110.0, 0.5), SPOT, 110.0, 0.5, RATE)),
    (price, (market, 105.0)),
    (pb.grad(price), (market, 105.0)),
]
