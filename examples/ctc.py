"""Connectionist temporal classification: a label read from frames without knowing where it stands.

All alignments of the label (with blanks between its letters) are summed by dynamic programming.
"""

import math

import numpy as np

import pullback as pb

BLANK = 0
NEVER = -1e30


def log_add(a, b):
    top = max(a, b)
    return top + math.log(math.exp(a - top) + math.exp(b - top))


def log_softmax(row):
    top = np.max(row)
    return row - top - math.log(np.sum(np.exp(row - top)))


def ctc_loss(scores, label):
    """``scores[t, k]`` of symbol k in frame t; ``label``: symbols, none of them 0."""
    places = 2 * len(label) + 1
    symbol = [BLANK if s % 2 == 0 else label[s // 2] for s in range(places)]
    first = log_softmax(scores[0])
    alpha = np.full(places, NEVER)
    alpha[0] = first[BLANK]
    alpha[1] = first[label[0]]
    for t in range(1, len(scores)):
        frame = log_softmax(scores[t])
        before = alpha
        alpha = np.full(places, NEVER)
        for s in range(places):
            total = before[s]
            if s > 0:
                total = log_add(total, before[s - 1])
            if s > 1 and symbol[s] != BLANK and symbol[s] != symbol[s - 2]:
                total = log_add(total, before[s - 2])
            alpha[s] = total + frame[symbol[s]]
    return -log_add(alpha[places - 1], alpha[places - 2])


def inputs(n, seed):
    """n frames, 4 symbols and a label of at most a third of the frames."""
    rng = np.random.default_rng(seed)
    return ctc_loss, (rng.normal(size=(n, 4)), rng.integers(1, 4, max(1, min(n // 3, 12))))


def main():
    scores, label = np.zeros((12, 4)), np.array([1, 3, 3, 2])
    both = pb.value_and_grad(ctc_loss)
    for step in range(201):
        loss, slope = both(scores, label)
        if step % 50 == 0:
            print(f"step {step:3d}: loss {loss:.4f}")
        scores = scores - slope
    print("read in each frame:", scores.argmax(axis=1))
    assert loss < 0.1


if __name__ == "__main__":
    main()
