"""One block of a transformer, in plain array code, trained to copy the token that stands first."""

import math
from dataclasses import dataclass

import numpy as np

import pullback as pb


@dataclass(frozen=True)
class Block:
    embed: np.ndarray
    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    hidden: np.ndarray
    out: np.ndarray


def softmax(rows):
    shifted = np.exp(rows - np.max(rows, axis=1, keepdims=True))
    return shifted / np.sum(shifted, axis=1, keepdims=True)


def layer_norm(rows):
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    return centred / np.sqrt(np.mean(centred * centred, axis=1, keepdims=True) + 1e-5)


def logits(block, tokens):
    x = block.embed[tokens]
    scores = (x @ block.query) @ (x @ block.key).T / math.sqrt(x.shape[1])
    x = x + softmax(scores) @ (x @ block.value)
    x = x + np.maximum(layer_norm(x) @ block.hidden, 0.0) @ block.hidden.T
    return layer_norm(x)[-1] @ block.out


def loss(block, tokens, target):
    scores = logits(block, tokens)
    top = np.max(scores)
    return top + math.log(np.sum(np.exp(scores - top))) - scores[target]


def inputs(n, seed, words=5, width=4):
    rng = np.random.default_rng(seed)

    def matrix(a, b):
        return rng.normal(size=(a, b)) / math.sqrt(a)

    block = Block(
        matrix(words, width), matrix(width, width), matrix(width, width), matrix(width, width),
        matrix(width, 2 * width), matrix(width, words),
    )  # fmt: skip
    return loss, (block, rng.integers(0, words, n), 2)


def main():
    rng = np.random.default_rng(0)
    _, (block, _, _) = inputs(1, 0, words=5, width=8)
    both, recent = pb.value_and_grad(loss), 0.0
    for step in range(1, 1501):
        tokens = rng.integers(1, 5, 4)
        tokens[1:] = 0
        value, slope = both(block, tokens, int(tokens[0]))
        block = Block(*(getattr(block, k) - 0.1 * getattr(slope, k) for k in vars(block)))
        recent += value
        if step % 500 == 0:
            print(f"step {step}: mean loss {recent / 500:.4f}")
            last, recent = recent / 500, 0.0
    assert last < 0.2


if __name__ == "__main__":
    main()
