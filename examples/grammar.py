"""The inside algorithm: the probability of a sentence under a stochastic grammar, and its gradient.

The gradient by the log probability of a rule is the expected number of times that the rule is used
in a parse of the sentence: that is all the expectation step of the inside-outside algorithm.
"""

import math

import numpy as np

import pullback as pb


def log_probability(log_rules, log_words, sentence):
    """``log_rules[a, b, c]`` of A -> B C; ``log_words[a, w]`` of A -> w; symbol 0 is the start."""
    n, symbols = len(sentence), len(log_rules)
    inside = np.zeros((n, n + 1, symbols))
    for i in range(n):
        for a in range(symbols):
            inside[i, i + 1, a] = math.exp(log_words[a, sentence[i]])
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            for a in range(symbols):
                total = 0.0
                for split in range(i + 1, i + width):
                    for b in range(symbols):
                        for c in range(symbols):
                            both = inside[i, split, b] * inside[split, i + width, c]
                            total += math.exp(log_rules[a, b, c]) * both
                inside[i, i + width, a] = total
    return math.log(inside[0, n, 0])


def normalised(rng, *shape):
    weights = rng.uniform(0.5, 1.0, shape)
    return np.log(
        weights / weights.reshape(shape[0], -1).sum(axis=1).reshape(-1, *(1,) * (len(shape) - 1))
    )


def inputs(n, seed):
    rng = np.random.default_rng(seed)
    rules = normalised(rng, 2, 2, 2) + math.log(0.5)
    words = normalised(rng, 2, 3) + math.log(0.5)
    return log_probability, (rules, words, rng.integers(0, 3, n))


def main():
    _, (rules, words, sentence) = inputs(7, 1)
    value, (by_rules, by_words) = pb.value_and_grad(log_probability, argnums=(0, 1))(
        rules, words, sentence
    )
    print(f"log probability {value:.4f}")
    print("expected uses of each rule:", np.round(by_rules.ravel(), 3))
    print(f"in all {by_rules.sum():.6f} rules and {by_words.sum():.6f} words")
    assert abs(by_rules.sum() - 6.0) < 1e-9 and abs(by_words.sum() - 7.0) < 1e-9


if __name__ == "__main__":
    main()
