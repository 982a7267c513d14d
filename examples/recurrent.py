"""A recurrent network as a fold: the cell, a closure over its weights, is passed to the fold."""

from dataclasses import dataclass

import numpy as np

import pullback as pb


@dataclass(frozen=True)
class Weights:
    state: np.ndarray
    input: np.ndarray
    bias: np.ndarray
    output: np.ndarray


def fold(step, state, xs):
    for x in xs:
        state = step(state, x)
    return state


def make_cell(weights):
    """A cell: from a state and an input to a state."""

    def gated(state, x):
        proposal = np.tanh(weights.state @ state + x * weights.input + weights.bias)
        keep = 1.0 / (1.0 + np.exp(-state))
        return keep * state + (1.0 - keep) * proposal

    return gated


def loss(weights, sequences, targets):
    """Mean square error of the output after each sequence (a row)."""
    cell, total = make_cell(weights), 0.0
    for i in range(len(sequences)):
        last = fold(cell, np.zeros(len(weights.bias)), sequences[i])
        total += (np.sum(weights.output * last) - targets[i]) ** 2
    return total / len(sequences)


def inputs(n, seed, length=6, width=4):
    rng = np.random.default_rng(seed)
    weights = Weights(
        0.3 * rng.normal(size=(width, width)), rng.normal(size=width),
        0.1 * rng.normal(size=width), rng.normal(size=width),
    )  # fmt: skip
    sequences = rng.uniform(-1.0, 1.0, (n, length))
    return loss, (weights, sequences, np.mean(sequences, axis=1))


def main():
    """Learns to tell the mean of a sequence."""
    _, (weights, sequences, targets) = inputs(64, 0)
    both = pb.value_and_grad(loss)
    for epoch in range(301):
        value, slope = both(weights, sequences, targets)
        if epoch % 100 == 0:
            print(f"epoch {epoch:3d}: loss {value:.5f}")
        weights = Weights(*(getattr(weights, k) - 0.2 * getattr(slope, k) for k in vars(weights)))
    assert value < 0.05


if __name__ == "__main__":
    main()
