"""A recursive network on trees: the meaning of a whole made of the meanings of its parts.

The trees are data, of any shape and depth; the network is a recursive function on them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import pullback as pb


@dataclass(frozen=True)
class Word:
    number: int


@dataclass(frozen=True)
class Phrase:
    left: Tree
    right: Tree


Tree = Word | Phrase


@dataclass(frozen=True)
class Network:
    words: np.ndarray  # one row for each word
    left: np.ndarray
    right: np.ndarray
    bias: np.ndarray
    verdict: np.ndarray


def meaning(net: Network, tree: Tree) -> np.ndarray:
    match tree:
        case Word(number):
            return net.words[number]
        case Phrase(left, right):
            both = net.left @ meaning(net, left) + net.right @ meaning(net, right)
            return np.tanh(both + net.bias)


def loss(net: Network, tree: Tree, target: float) -> float:
    return (np.sum(net.verdict * meaning(net, tree)) - target) ** 2


def random_tree(rng, n):
    if n <= 1:
        return Word(int(rng.integers(6)))
    left = int(rng.integers(1, n))
    return Phrase(random_tree(rng, left), random_tree(rng, n - left))


def random_network(rng, width):
    return Network(
        rng.normal(size=(6, width)),
        0.5 * rng.normal(size=(width, width)),
        0.5 * rng.normal(size=(width, width)),
        0.1 * rng.normal(size=width),
        rng.normal(size=width),
    )


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    return loss, (random_network(rng, 4), random_tree(rng, n), 0.5)


def main():
    rng = np.random.default_rng(0)
    net = random_network(rng, 4)
    data = [(random_tree(rng, n), float(n % 2)) for n in range(2, 8)]
    both = pb.value_and_grad(loss)
    for step in range(301):
        pairs = [both(net, tree, target) for tree, target in data]
        if step % 100 == 0:
            print(f"step {step:3d}: loss {sum(value for value, _ in pairs):.1e}")
        for _, slope in pairs:
            net = Network(*(getattr(net, k) - 0.03 * getattr(slope, k) for k in vars(net)))
    assert sum(value for value, _ in pairs) < 0.1


if __name__ == "__main__":
    main()
