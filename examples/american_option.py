"""An American put option on a binomial lattice, and all its sensitivities from one gradient."""

import math

import numpy as np

import pullback as pb


def american_put(spot, strike, rate, volatility, years, steps):
    """The price; at every node of the lattice the holder may sell."""
    dt = years / steps
    up = math.exp(volatility * math.sqrt(dt))
    discount = math.exp(-rate * dt)
    chance = (1.0 / discount - 1.0 / up) / (up - 1.0 / up)
    values = np.zeros(steps + 1)
    for i in range(steps + 1):
        values[i] = max(strike - spot * up ** (2.0 * i - steps), 0.0)
    for level in range(steps - 1, -1, -1):
        for i in range(level + 1):
            held = discount * (chance * values[i + 1] + (1.0 - chance) * values[i])
            values[i] = max(held, strike - spot * up ** (2.0 * i - level))
    return values[0]


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    return american_put, (100.0 + rng.normal(), 104.0 + rng.normal(), 0.03, 0.25, 1.0, n)


def main():
    price, greeks = pb.value_and_grad(american_put, argnums=(0, 2, 3, 4))(
        100.0, 105.0, 0.04, 0.3, 1.0, 400
    )
    print(f"price {price:.4f}")
    for name, value in zip(("delta", "rho", "vega", "theta"), greeks):
        print(f"{name:6} {value:+.4f}")
    assert -1.0 < greeks[0] < 0.0 < greeks[2]


if __name__ == "__main__":
    main()
