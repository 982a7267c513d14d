"""A hidden Markov model: the forward algorithm in logarithms, trained by its gradient."""

import math

import numpy as np
import scipy.optimize

import pullback as pb


def log_sum_exp(xs):
    top = max(xs)
    return top + math.log(sum(math.exp(x - top) for x in xs))


def normalised(row):
    return row - log_sum_exp(row)


def negative_log_likelihood(jumps, emissions, symbols):
    """Of a sequence of symbols, given unnormalised log probabilities, one row for each state."""
    states = len(jumps)
    log_jump = np.array([normalised(row) for row in jumps])
    log_emit = np.array([normalised(row) for row in emissions])
    alpha = np.array([log_emit[s, symbols[0]] - math.log(states) for s in range(states)])
    for t in range(1, len(symbols)):
        arrived = [log_sum_exp(alpha + log_jump[:, s]) for s in range(states)]
        alpha = np.array([arrived[s] + log_emit[s, symbols[t]] for s in range(states)])
    return -log_sum_exp(alpha) / len(symbols)


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    state, symbols = 0, []
    for _ in range(n):
        state = state if rng.uniform() < 0.9 else 1 - state
        symbols.append(rng.choice(3, p=[0.7, 0.2, 0.1] if state == 0 else [0.1, 0.3, 0.6]))
    return negative_log_likelihood, (
        rng.normal(size=(2, 2)) * 0.1 + np.eye(2),
        rng.normal(size=(2, 3)) * 0.5,
        np.array(symbols),
    )


def main():
    _, (jumps, emissions, symbols) = inputs(600, 2)
    gradient = pb.value_and_grad(negative_log_likelihood, argnums=(0, 1))

    def both(flat):
        value, (by_jumps, by_emissions) = gradient(
            flat[:4].reshape(2, 2), flat[4:].reshape(2, 3), symbols
        )
        return value, np.concatenate([by_jumps.ravel(), by_emissions.ravel()])

    start = np.concatenate([jumps.ravel(), emissions.ravel()])
    found = scipy.optimize.minimize(both, start, jac=True, options={"maxiter": 60})
    rows = np.exp(found.x[:4].reshape(2, 2))
    print(f"loss {both(start)[0]:.4f} -> {found.fun:.4f}; probabilities of the jumps:")
    print(np.round(rows / rows.sum(axis=1, keepdims=True), 2))
    assert found.fun < both(start)[0]


if __name__ == "__main__":
    main()
