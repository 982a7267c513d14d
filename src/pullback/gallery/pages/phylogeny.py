"""
A family tree of apes, by maximum likelihood
============================================

DNA changes letter by letter. Given a tree of species and the lengths of its branches, the
probability of the sequences that we see today is a sum over all letters that the ancestors may have
had. J. Felsenstein's pruning algorithm (1981) takes that sum from the leaves up to the root.
Maximising it gives the lengths of the branches and the rate at which like letters change into each
other.

What is differentiated is a recursion over a tree of objects; its parameters are numbers in the
tree, so the gradient is a tree of the same shape with a derivative at each branch. The programs of
the field have these derivatives by hand, for the models that somebody has worked out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

import pullback as pb
from pullback.gallery.style import BLUE, GREY, INK, ORANGE, panels

LETTERS = "ACGT"


@dataclass(frozen=True)
class Species:
    branch: float
    letters: np.ndarray  # one number for each site


@dataclass(frozen=True)
class Ancestor:
    branch: float
    left: Node
    right: Node


Node = Species | Ancestor


def changes(time: float, kappa: float) -> np.ndarray:
    """Kimura's model (1980): probabilities that one letter becomes another in some time."""
    slow = math.exp(-4.0 * time / (kappa + 2.0))
    fast = math.exp(-2.0 * time * (kappa + 1.0) / (kappa + 2.0))
    same = 0.25 + 0.25 * slow + 0.5 * fast
    like = 0.25 + 0.25 * slow - 0.5 * fast
    other = 0.25 - 0.25 * slow
    table = np.full((4, 4), other)
    for i in range(4):
        table[i, i] = same
        table[i, (i + 2) % 4] = like  # A and G, C and T
    return table


def partial(node: Node, kappa: float, site: int) -> np.ndarray:
    """For each letter above the branch: the probability of all that hangs below."""
    table = changes(node.branch, kappa)
    match node:
        case Species(_, letters):
            return table[:, letters[site]]
        case Ancestor(_, left, right):
            return table @ (partial(left, kappa, site) * partial(right, kappa, site))


def log_likelihood(root: Node, log_kappa: float, counts: np.ndarray) -> float:
    """``counts``: how often each pattern of letters is met."""
    total = 0.0
    for site in range(len(counts)):
        total += counts[site] * math.log(0.25 * np.sum(partial(root, math.exp(log_kappa), site)))
    return total


# %%
# The sequences are drawn from a tree with known branches, 1500 letters long (about as much of the
# mitochondrial DNA was used in the classical studies). Sites with the same letters are counted.


def grow(node, letters, kappa, rng, found):
    """Let the letters change along the branch, and further down."""
    table = changes(node.branch, kappa)
    now = np.array([rng.choice(4, p=table[letter]) for letter in letters])
    if isinstance(node, Species):
        found.append(now)
    else:
        grow(node.left, now, kappa, rng, found)
        grow(node.right, now, kappa, rng, found)


def build(lengths, patterns):
    """((((human, chimpanzee), gorilla), orangutan), gibbon), with branches and letters."""
    branch = iter(lengths)
    node = Species(next(branch), patterns[0])
    for row in patterns[1:]:
        other = Species(next(branch), row)
        node = Ancestor(next(branch, 0.0), node, other)
    return node


NAMES = ("human", "chimpanzee", "gorilla", "orangutan", "gibbon")
TRUE = np.array([0.05, 0.06, 0.03, 0.07, 0.06, 0.13, 0.04, 0.2])
rng = np.random.default_rng(3)
found: list = []
grow(build(TRUE, np.zeros((5, 1), dtype=int)), rng.integers(0, 4, 1500), 9.0, rng, found)
patterns, counts = np.unique(np.array(found), axis=1, return_counts=True)
patterns = [row.copy() for row in patterns]
print(f"{counts.sum()} letters, {len(counts)} patterns")

# %%
# The gradient by the tree is a tree, too. For SciPy the branches are put into a vector, in
# logarithms. (The branch at the root is 0: it is the same as those below.)

both = pb.value_and_grad(log_likelihood, argnums=(0, 1))


def branches(node):
    """The numbers at the branches in the order of ``build``."""
    if isinstance(node, Species):
        return [node.branch]
    return [*branches(node.left), *branches(node.right), node.branch]


def objective(logs):
    lengths = np.exp(logs[:-1])
    value, (tree, by_kappa) = both(build(lengths, patterns), logs[-1], counts)
    by_length = np.array(branches(tree)[:-1])
    return -value, -np.append(by_length * lengths, by_kappa)


start = np.append(np.full(len(TRUE), math.log(0.1)), math.log(2.0))
result = minimize(objective, start, jac=True, method="L-BFGS-B")
lengths, kappa = np.exp(result.x[:-1]), math.exp(result.x[-1])
print(f"log likelihood {-objective(start)[0]:.1f} -> {-result.fun:.1f}, kappa {kappa:.2f} (true 9)")

# %%
# Left: the tree that was found. Right: its branches beside the true ones. Of the two branches at
# the root only the sum shows in the data.


def draw(axis, node, x, height):
    """Draw a tree from its root at ``x``; return the height of its middle."""
    end = x + node.branch
    if isinstance(node, Species):
        middle = height.pop()
        axis.text(end + 0.004, middle, NAMES[4 - round(middle)], va="center", color=INK)
    else:
        lower, upper = draw(axis, node.right, end, height), draw(axis, node.left, end, height)
        axis.plot([end, end], [lower, upper], color=BLUE)
        middle = 0.5 * (lower + upper)
    axis.plot([x, end], [middle, middle], color=BLUE)
    return middle


figure, (left, right) = panels(1, 2, width=9.5)
draw(left, build(lengths, patterns), 0.0, [4.0, 3.0, 2.0, 1.0, 0.0])
left.set(xlabel="changes for each letter", yticks=[], title="Likeliest branches")
left.set_xlim(0, 0.37)
left.spines["left"].set_visible(False)
left.grid(axis="y")
tips = [*range(6)]
right.axline((0, 0), slope=1, color=GREY, lw=1)
right.plot(TRUE[tips], lengths[tips], "o", color=BLUE, label="branches")
right.plot(TRUE[[6, 7]].sum(), lengths[[6, 7]].sum(), "D", color=ORANGE, label="both at the root")
right.set(xlabel="true length", ylabel="found", title="Truth and fit")
right.legend()

small = [row[:4] for row in patterns]
CHECKED = [(log_likelihood, (build(TRUE, small), 1.0, counts[:4]))]
