"""Hamiltonian Monte Carlo: a sampler that asks for many gradients of one small function."""

import numpy as np

import pullback as pb


def energy(q):  # minus the logarithm of a banana's density
    return 0.5 * q[0] ** 2 + 5.0 * (q[1] - 0.5 * q[0] ** 2) ** 2


force = pb.grad(energy)
rng = np.random.default_rng(4)
q, samples, step = np.zeros(2), [], 0.15
for _ in range(4000):
    p = rng.normal(size=2)
    new, momentum = q, p - 0.5 * step * force(q)
    for k in range(12):
        new = new + step * momentum
        momentum = momentum - (0.5 if k == 11 else 1.0) * step * force(new)
    before, after = energy(q) + 0.5 * p @ p, energy(new) + 0.5 * momentum @ momentum
    if rng.random() < np.exp(min(0.0, before - after)):
        q = new
    samples.append(q)

mean = np.mean(samples, axis=0)
print("mean", mean)

# the same by drawing from the density itself: E q0 = 0, E q1 = E q0^2 / 2 = 1/2
assert np.allclose(mean, [0.0, 0.5], atol=0.15)
assert np.allclose(force(np.array([1.0, 2.0])), [1.0 - 10.0 * 1.5, 10.0 * 1.5])
