"""A particle filter with common random numbers: the likelihood of a stochastic volatility model."""

import math

import numpy as np
import scipy.optimize

import pullback as pb


def negative_log_likelihood(theta, returns, noise):
    """``noise[t]``: one normal number for each particle at time t; resampling is left out, so the
    weights stay smooth in ``theta`` (persistence, level and roughness of the log volatility)."""
    persistence, level, roughness = np.tanh(theta[0]), theta[1], math.exp(theta[2])
    particles = level + roughness * noise[0]
    log_weights = np.zeros(len(particles))
    for t in range(len(returns)):
        particles = level + persistence * (particles - level) + roughness * noise[t]
        seen = -0.5 * (particles + returns[t] ** 2 * np.exp(-particles))
        log_weights = 0.9 * log_weights + seen
    top = np.max(log_weights)
    return -(top + math.log(np.mean(np.exp(log_weights - top)))) / len(returns)


def inputs(n, seed, particles=8):
    rng = np.random.default_rng(seed)
    log_volatility, returns = -1.0, []
    for _ in range(n):
        log_volatility = -1.0 + 0.9 * (log_volatility + 1.0) + 0.3 * rng.normal()
        returns.append(math.exp(0.5 * log_volatility) * rng.normal())
    theta = np.array([0.5, -0.5, -1.0])
    return negative_log_likelihood, (theta, np.array(returns), rng.normal(size=(n, particles)))


def main():
    _, (theta, returns, noise) = inputs(100, 0, particles=200)
    both = pb.value_and_grad(negative_log_likelihood)
    found = scipy.optimize.minimize(
        both, theta, (returns, noise), jac=True, options={"maxiter": 50}
    )
    first = both(theta, returns, noise)[0]
    print(f"loss {first:.4f} -> {found.fun:.4f}, level {found.x[1]:.2f} (true -1)")
    assert found.fun < first


if __name__ == "__main__":
    main()
