"""A neural network as a list of layers, trained on data with a few lines of gradient descent."""

import itertools
from dataclasses import dataclass

import numpy as np

import pullback as pb


@dataclass(frozen=True)
class Layer:
    weights: np.ndarray
    bias: np.ndarray


def predict(layers, x):
    for layer in layers[:-1]:
        x = np.tanh(layer.weights @ x + layer.bias)
    return layers[-1].weights @ x + layers[-1].bias


def loss(layers, xs, ys):
    total = 0.0
    for i in range(len(xs)):
        total += np.sum((predict(layers, xs[i]) - ys[i]) ** 2)
    return total / len(xs)


def make_layers(rng, *widths):
    return [
        Layer(rng.normal(size=(b, a)) / np.sqrt(a), np.zeros(b))
        for a, b in itertools.pairwise(widths)
    ]


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    xs = rng.uniform(-1.0, 1.0, (n, 1))
    return loss, (make_layers(rng, 1, 6, 5, 1), xs, np.sin(3.0 * xs))


def main():
    rng = np.random.default_rng(0)
    layers = make_layers(rng, 1, 12, 12, 1)
    xs = rng.uniform(-1.0, 1.0, (50, 1))
    ys = np.sin(3.0 * xs)
    both = pb.value_and_grad(loss)
    for epoch in range(2001):
        value, slopes = both(layers, xs, ys)
        if epoch % 500 == 0:
            print(f"epoch {epoch:4d}: loss {value:.5f}")
        layers = [
            Layer(layer.weights - 0.1 * d.weights, layer.bias - 0.1 * d.bias)
            for layer, d in zip(layers, slopes)
        ]
    assert value < 0.01


if __name__ == "__main__":
    main()
