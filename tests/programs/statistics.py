"""Likelihoods and losses of statistics and machine learning."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tests.programs import real


def log_sum_exp(xs):
    top = max(xs)
    return top + math.log(sum(math.exp(x - top) for x in xs))


def logistic_regression(weights, bias, xs, labels):
    total = 0.0
    for i in range(len(xs)):
        score = sum(weights[j] * xs[i, j] for j in range(len(weights))) + bias
        total += math.log1p(math.exp(-abs(score))) + max(score, 0.0) - (score if labels[i] else 0.0)
    return total / len(xs)


def poisson_regression(weights, xs, counts):
    linear = xs @ weights
    return np.sum(np.exp(linear) - counts * linear) / len(counts)


def cox(weights, xs, died):
    """Cox's partial likelihood; the rows are in the order of the times."""
    risk = np.exp(xs @ weights)
    total, at_risk = 0.0, 0.0
    for i in range(len(died) - 1, -1, -1):
        at_risk += risk[i]
        if died[i]:
            total += math.log(at_risk) - math.log(risk[i])
    return total / len(died)


def arma(phi, theta, series):
    """ARMA(2, 1) by conditional least squares: each error is needed for the next."""
    error, total = 0.0, 0.0
    for t in range(2, len(series)):
        guess = phi[0] * series[t - 1] + phi[1] * series[t - 2] + theta * error
        error = series[t] - guess
        total += error * error
    return total / len(series)


def garch(params, returns):
    omega, alpha, beta = math.exp(params[0]), params[1], params[2]
    variance, total = 0.5, 0.0
    for r in returns:
        total += math.log(variance) + r * r / variance
        variance = omega + alpha * r * r + beta * variance
    return 0.5 * total / len(returns)


def k_means(centres, points):
    """Each point pays its distance to the nearest centre."""
    total = 0.0
    for p in points:
        total += min(np.sum((p - c) ** 2) for c in centres)
    return total / len(points)


def mean_shift(points, width, rounds):
    """Points move to the weighted mean of their neighbours."""
    moved = points
    for _ in range(rounds):
        rows = np.zeros(points.shape)
        for i in range(len(points)):
            gaps = points - moved[i]
            weights = np.exp(-np.sum(gaps * gaps, axis=1) / width)
            rows[i] = weights @ points / np.sum(weights)
        moved = rows
    return np.sum(np.sin(moved))


def crf(unary, pair, labels):
    """A chain: the score of the labels against that of all labelings."""
    n, k = unary.shape
    score = unary[0, labels[0]]
    for t in range(1, n):
        score += unary[t, labels[t]] + pair[labels[t - 1], labels[t]]
    alpha = unary[0]
    for t in range(1, n):
        alpha = np.array([log_sum_exp(alpha + pair[:, s]) for s in range(k)]) + unary[t]
    return (log_sum_exp(alpha) - score) / n


def boosted_stumps(heights, cuts, xs, ys):
    """A sum of step functions, softened, under exponential loss."""
    total = 0.0
    for i in range(len(xs)):
        score = 0.0
        for k in range(len(cuts)):
            score += heights[k] * math.tanh(4.0 * (xs[i] - cuts[k]))
        total += math.exp(-ys[i] * score)
    return total / len(xs)


@dataclass(frozen=True)
class Decision:
    weights: np.ndarray
    yes: Tree
    no: Tree


@dataclass(frozen=True)
class Outcome:
    value: float


Tree = Decision | Outcome


def soft_decision(tree: Tree, x: np.ndarray) -> float:
    match tree:
        case Outcome(value):
            return value
        case Decision(weights, yes, no):
            p = 1.0 / (1.0 + math.exp(-np.sum(weights * x)))
            return p * soft_decision(yes, x) + (1.0 - p) * soft_decision(no, x)


def decision_loss(tree, xs, ys):
    return sum((soft_decision(tree, xs[i]) - ys[i]) ** 2 for i in range(len(xs))) / len(xs)


def batch_norm(scale, shift, batch):
    """Columns are brought to mean 0 and deviation 1, then stretched and passed on."""
    mean = np.mean(batch, axis=0)
    centred = batch - mean
    variance = np.mean(centred * centred, axis=0)
    out = np.tanh(scale * centred / np.sqrt(variance + 1e-3) + shift)
    return np.sum(out[0] * out[-1]) + np.sum(out**3)


def convolution(kernels, image):
    """Two-dimensional, by loops, with a rectifier and a global mean."""
    k, size, _ = kernels.shape
    h, w = image.shape[0] - size + 1, image.shape[1] - size + 1
    total = 0.0
    for c in range(k):
        for i in range(h):
            for j in range(w):
                inner = 0.0
                for a in range(size):
                    for b in range(size):
                        inner += kernels[c, a, b] * image[i + a, j + b]
                total += max(inner, 0.1 * inner)
    return total / (h * w)


@dataclass(frozen=True)
class Cell:
    gates: np.ndarray
    bias: np.ndarray


def lstm_step(cell, hidden, memory, x):
    width = len(hidden)
    z = cell.gates @ np.concatenate([hidden, x]) + cell.bias
    gates = 1.0 / (1.0 + np.exp(-z[: 3 * width]))
    memory = gates[:width] * memory + gates[width : 2 * width] * np.tanh(z[3 * width :])
    return gates[2 * width :] * np.tanh(memory), memory


def lstm(cell, xs):
    width = len(cell.bias) // 4
    hidden, memory = np.zeros(width), np.zeros(width)
    for x in xs:
        hidden, memory = lstm_step(cell, hidden, memory, x)
    return np.sum(hidden * memory)


def ridge_path(log_penalties, xs, ys):
    """The least leave-one-out error over several penalties, each solved by its own system."""
    best = 1e9
    for log_penalty in log_penalties:
        gram = xs.T @ xs + math.exp(log_penalty) * np.eye(xs.shape[1])
        solution = np.linalg.solve(gram, xs.T @ ys)
        best = min(best, np.sum((xs @ solution - ys) ** 2) + np.sum(solution**2))
    return best


def elbo(mean, log_width, noise, xs):
    """A variational bound with given noise."""
    total = 0.0
    for i in range(len(noise)):
        z = mean + np.exp(log_width) * noise[i]
        fit = 0.0
        for x in xs:
            fit -= 0.5 * (x - z[0] * math.tanh(z[1])) ** 2
        total += fit - 0.5 * np.sum(z * z)
    return total / len(noise) + np.sum(log_width)


def rank_loss(scores, wins):
    """Bradley-Terry: pairs (winner, loser)."""
    total = 0.0
    for winner, loser in wins:
        total += math.log1p(math.exp(scores[loser] - scores[winner]))
    return total


def t_sne(points, near):
    """Kullback-Leibler divergence of a heavy-tailed neighbourhood from a given one."""
    n = len(points)

    def closeness(i, j):
        return 1.0 / (1.0 + np.sum((points[i] - points[j]) ** 2))

    norm = sum(sum(closeness(i, j) for j in range(n) if j != i) for i in range(n))
    total = 0.0
    for i in range(n):
        for j in range(n):
            if i != j:
                total += near[i, j] * math.log(near[i, j] * norm / closeness(i, j))
    return total


def decision_tree(rng, depth):
    if depth == 0:
        return Outcome(rng.normal())
    return Decision(
        rng.normal(size=2), decision_tree(rng, depth - 1), decision_tree(rng, depth - 1)
    )


def regression_data(rng, n):
    return rng.normal(size=(n, 2))


def depth_of(n):
    return max(1, n.bit_length() - 1)


PROGRAMS = [
    real(
        "logistic_regression",
        logistic_regression,
        lambda r, n: (r.normal(size=2), 0.1, regression_data(r, n), r.uniform(size=n) < 0.5),
        (0, 1),
    ),
    real(
        "poisson_regression",
        poisson_regression,
        lambda r, n: (0.3 * r.normal(size=2), regression_data(r, n), r.poisson(2.0, n)),
        (0,),
    ),
    real(
        "cox",
        cox,
        lambda r, n: (0.3 * r.normal(size=2), regression_data(r, n), r.uniform(size=n) < 0.7),
        (0, 1),
    ),
    real("arma", arma, lambda r, n: (np.array([0.4, -0.2]), 0.3, r.normal(size=n)), (0, 1, 2)),
    real("garch", garch, lambda r, n: (np.array([-2.0, 0.1, 0.8]), r.normal(size=n)), (0, 1)),
    real("k_means", k_means, lambda r, n: (r.normal(size=(3, 2)), r.normal(size=(n, 2))), (0, 1)),
    real(
        "mean_shift",
        mean_shift,
        lambda r, n: (r.normal(size=(n, 2)), 0.8, 2),
        (0, 1),
        (3, 6),
        growth=(4, 12, 40),
    ),
    real(
        "crf",
        crf,
        lambda r, n: (r.normal(size=(n, 3)), r.normal(size=(3, 3)), r.integers(0, 3, n)),
        (0, 1),
    ),
    real(
        "boosted_stumps",
        boosted_stumps,
        lambda r, n: (
            0.2 * r.normal(size=4),
            r.normal(size=4),
            r.normal(size=n),
            r.choice([-1.0, 1.0], n),
        ),
        (0, 1, 2),
    ),
    real(
        "decision_tree",
        decision_loss,
        lambda r, n: (decision_tree(r, depth_of(n)), r.normal(size=(4, 2)), r.normal(size=4)),
        (0, 1),
        (2, 8),
        growth=(2, 16, 128),
    ),
    real(
        "batch_normalisation",
        batch_norm,
        lambda r, n: (r.normal(size=3), r.normal(size=3), r.normal(size=(n, 3))),
        (0, 1, 2),
    ),
    real(
        "image_convolution",
        convolution,
        lambda r, n: (r.normal(size=(2, 3, 3)), r.normal(size=(n, n))),
        (0, 1),
        (4, 7),
        growth=(4, 8, 24),
    ),
    real(
        "lstm",
        lstm,
        lambda r, n: (
            Cell(0.5 * r.normal(size=(12, 5)), 0.1 * r.normal(size=12)),
            r.normal(size=(n, 2)),
        ),
        (0, 1),
        (3, 8),
    ),
    real(
        "ridge_path",
        ridge_path,
        lambda r, n: (r.normal(size=3), r.normal(size=(n + 3, 2)), r.normal(size=n + 3)),
        (0, 1, 2),
    ),
    real(
        "elbo",
        elbo,
        lambda r, n: (
            r.normal(size=2),
            0.3 * r.normal(size=2),
            r.normal(size=(3, 2)),
            r.normal(size=n),
        ),
        (0, 1, 3),
    ),
    real("rank_loss", rank_loss, lambda r, n: (r.normal(size=5), r.integers(0, 5, (n, 2))), (0,)),
    real(
        "t_sne",
        t_sne,
        lambda r, n: (r.normal(size=(n, 2)), np.full((n, n), 1.0 / (n * (n - 1)))),
        (0,),
        (3, 6),
        growth=(4, 12, 36),
    ),
]
