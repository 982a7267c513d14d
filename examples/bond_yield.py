"""Bisection with an exact derivative: the yield of a bond, and its risk to every cash flow.

Bisection itself has derivative zero almost everywhere: its result moves in jumps. One step of
Newton's method after it repairs that: the step is small, but its derivative is that of the
implicit function. ``pb.stop_gradient`` says that the start of the step is a constant.
"""

import numpy as np

import pullback as pb


def present_value(rate, flows, times):
    return sum(flows[i] * (1.0 + rate) ** (-times[i]) for i in range(len(flows)))


def bond_yield(price, flows, times):
    """The rate at which the flows are worth the price."""
    low, high = -0.5, 1.0
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        if present_value(middle, flows, times) > price:
            low = middle
        else:
            high = middle
    rate = pb.stop_gradient(0.5 * (low + high))
    slope = sum(-times[i] * flows[i] * (1.0 + rate) ** (-times[i] - 1.0) for i in range(len(flows)))
    return rate - (present_value(rate, flows, times) - price) / slope


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    times = np.arange(1, n + 1) * (10.0 / n)
    flows = rng.uniform(20.0, 40.0, n) / n
    flows[-1] += 80.0
    return bond_yield, (100.0, flows, times)


def main():
    _, (price, flows, times) = inputs(10, 3)
    rate, (by_price, by_flows) = pb.value_and_grad(bond_yield, argnums=(0, 1))(price, flows, times)
    print(f"yield {rate:.4%}; if the price were higher by 1: {by_price:+.4%}")
    print("if the payment of year 1, 2, ... were higher by 1, in percent:")
    print(np.round(100.0 * by_flows, 3))
    higher = bond_yield(price + 1e-5, flows, times)
    assert abs((higher - rate) / 1e-5 - by_price) < 1e-4


if __name__ == "__main__":
    main()
