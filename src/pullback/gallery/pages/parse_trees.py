"""
Moods of sentences, by a network shaped like the sentence
=========================================================

Whether a sentence praises or blames is a matter of its tree, not of its words alone: "not bad" is
praise. In a recursive network (R. Socher and others, "Recursive deep models for semantic
compositionality", 2013) the meaning of a phrase is computed from the meanings of its two parts, and
so on down to the words. Each sentence is another network.

What is differentiated is a recursive function over a tree that is data. Tools that record arrays
need padding, batching or a new graph for each sentence; here one compiled function takes all trees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

import pullback as pb
from pullback.gallery.style import BLUE, GREY, ORANGE, panels


@dataclass(frozen=True)
class Word:
    number: int


@dataclass(frozen=True)
class Phrase:
    left: Tree
    right: Tree


Tree = Word | Phrase

WIDTH = 3
VOCABULARY = ["good", "bad", "fine", "dull", "not", "very", "film", "plot", "a", "the"]
SIZE, PARTS = len(VOCABULARY) * WIDTH, 2 * WIDTH + WIDTH**2

# %%
# The bracketed sentences are read by a small parser. Sentences are synthetic: what is true of a
# phrase is known ("not" turns it round, "very" makes it stronger).


def parse(tokens: list[str]) -> Tree:
    """Take one tree off the front of ``tokens``."""
    token = tokens.pop(0)
    if token != "(":
        return Word(VOCABULARY.index(token))
    left, right = parse(tokens), parse(tokens)
    if tokens.pop(0) != ")":
        raise SyntaxError("a phrase has two parts")
    return Phrase(left, right)


def read(text: str) -> Tree:
    return parse(text.replace("(", " ( ").replace(")", " ) ").split())


def sentence(rng) -> tuple[str, float]:
    """A bracketed sentence and its mood, between -1 and 1."""
    k = int(rng.integers(4))
    text, mood = VOCABULARY[k], (0.5, -0.5, 0.35, -0.35)[k]
    for _ in range(int(rng.integers(0, 4))):
        if rng.uniform() < 0.5:
            text, mood = f"(not {text})", -mood
        else:
            text, mood = f"(very {text})", max(-0.9, min(0.9, 1.4 * mood))
    noun = ("film", "plot")[int(rng.integers(2))]
    return f"({('a', 'the')[int(rng.integers(2))]} ({text} {noun}))", mood


# %%
# The network itself is a few lines: both meanings, and their products, give the next one.


def meaning(words: np.ndarray, mix: np.ndarray, tree: Tree) -> np.ndarray:
    match tree:
        case Word(number):
            return words[number]
        case Phrase(left, right):
            a, b = meaning(words, mix, left), meaning(words, mix, right)
            return np.tanh(mix @ np.concatenate([a, b, np.outer(a, b).ravel()]))


def mood(theta: np.ndarray, tree: Tree) -> float:
    words = theta[:SIZE].reshape(len(VOCABULARY), WIDTH)
    mix = theta[SIZE:-WIDTH].reshape(WIDTH, PARTS)
    return np.tanh(theta[-WIDTH:] @ meaning(words, mix, tree))


def loss(theta: np.ndarray, trees: list[Tree], moods: np.ndarray) -> float:
    total = 0.0
    for i, tree in enumerate(trees):
        total += (mood(theta, tree) - moods[i]) ** 2
    return total / len(trees) + 3e-4 * np.sum(theta**2)


rng = np.random.default_rng(2)
texts, moods = zip(*(sentence(rng) for _ in range(240)), strict=True)
trees, moods = [read(text) for text in texts], np.array(moods)
start = 0.4 * rng.normal(size=SIZE + WIDTH * PARTS + WIDTH)
training = (trees[:160], moods[:160])

both, history = pb.value_and_grad(loss), []
found = minimize(
    both, start, training, jac=True, options={"maxiter": 250},
    callback=lambda intermediate_result: history.append(intermediate_result.fun),
)  # fmt: skip
print(f"loss {loss(start, *training):.3f} -> {found.fun:.4f}")

# %%
# Eighty sentences were kept back. The network has the mood of nearly all of them. Below are two
# sentences as the network sees them: one word turns the mood at the top round. The loss asks for
# the moods of whole sentences only, so inside of a tree the network has a language of its own, in
# which "very bad" need not be blame.


def draw(axes, tree: Tree, place: list[float], height: float = 0.0) -> float:
    """Draw a tree downwards, its words from left to right; return where its top is."""
    told = mood(found.x, tree)
    if isinstance(tree, Word):
        x, place[0] = place[0], place[0] + 1.0
        axes.text(x, height - 0.45, VOCABULARY[tree.number], ha="center", va="center")
    else:
        ends = [draw(axes, part, place, height - 1.0) for part in (tree.left, tree.right)]
        x = sum(ends) / 2.0
        for end in ends:
            axes.plot([x, end], [height, height - 1.0], color=GREY, lw=1, zorder=0)
    axes.scatter([x], [height], s=480, c=[ORANGE if told < 0.0 else BLUE], edgecolors="white")
    axes.text(x, height, f"{told:+.1f}", ha="center", va="center", color="white", fontsize=8)
    return x


told = np.array([mood(found.x, tree) for tree in trees])
error = np.sqrt(np.mean((told[160:] - moods[160:]) ** 2))
print(f"root of the mean square error on new sentences: {error:.3f}")
figure, ((left, right), drawn) = panels(2, 2, height=8.4)
left.semilogy(history, color=BLUE)
left.set(xlabel="iteration", ylabel="loss", title="Training")
right.axline((0, 0), slope=1, color=GREY, lw=1)
right.plot(moods[:160], told[:160], "o", color=BLUE, alpha=0.5, label="learnt from")
right.plot(moods[160:], told[160:], "D", color=ORANGE, ms=5, alpha=0.8, label="new")
right.set(xlabel="true mood", ylabel="mood that the network tells", title="Sentences")
right.set(xticks=[-1, -0.5, 0, 0.5, 1], yticks=[-1, -0.5, 0, 0.5, 1], aspect="equal")
right.legend()
for axes, text in zip(drawn, ["(the ((very bad) film))", "(the ((not (very bad)) film))"]):
    draw(axes, read(text), [0.0])
    axes.set(title=text.replace("(", "").replace(")", ""))
    axes.margins(0.15)
    axes.set_axis_off()

CHECKED = [(loss, (start, trees[:5], moods[:5])), (mood, (found.x, trees[7]))]
