"""Data that is large and does not change: pack it once, and calls convert it no more."""

from dataclasses import dataclass

import numpy as np

import pullback as pb


@dataclass(frozen=True)
class Edge:
    start: int
    end: int
    length: float


rng = np.random.default_rng(7)
ends = rng.integers(0, 50, (400, 2))
springs = [Edge(int(i), int(j), 1.0) for i, j in ends if i != j]


def energy(x, springs):
    total = 0.0
    for s in springs:
        d = x[s.end] - x[s.start]
        total += (np.sqrt(np.dot(d, d) + 1e-6) - s.length) ** 2
    return total


x = rng.normal(size=(50, 2))
force = pb.grad(energy)
packed = pb.pack(springs)  # a snapshot: later changes of the list are not seen
for _ in range(100):
    x = x - 0.01 * force(x, packed)
print("energy", energy(x, springs))

# the same without a loop over objects
i, j = np.array([(s.start, s.end) for s in springs]).T
d = x[j] - x[i]
r = np.sqrt(np.sum(d * d, axis=1) + 1e-6)
pull = (2.0 * (r - 1.0) / r)[:, None] * d
by_hand = np.zeros_like(x)
np.add.at(by_hand, j, pull)
np.add.at(by_hand, i, -pull)
assert np.allclose(force(x, packed), by_hand)
