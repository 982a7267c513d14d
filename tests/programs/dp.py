"""Dynamic programs: tables filled in place, hard and soft."""

import math

import numpy as np

from tests.programs import real


def soft_max(a, b):
    top = max(a, b)
    return top + math.log(math.exp(a - top) + math.exp(b - top))


def viterbi(jumps, scores):
    """The score of the best path, in the max-plus semiring."""
    best = scores[0]
    for t in range(1, len(scores)):
        best = np.array([max(best + jumps[:, s]) for s in range(len(jumps))]) + scores[t]
    return max(best)


def viterbi_path(jumps, scores):
    """The best path is walked back through a table of integers; then its score is summed again."""
    n, k = scores.shape
    best, back = scores.copy(), np.zeros((n, k), dtype=np.int64)
    for t in range(1, n):
        for s in range(k):
            for p in range(k):
                value = best[t - 1, p] + jumps[p, s] + scores[t, s]
                if p == 0 or value > best[t, s]:
                    best[t, s] = value
                    back[t, s] = p
    place = 0
    for s in range(k):
        if best[n - 1, s] > best[n - 1, place]:
            place = s
    total = scores[n - 1, place] ** 2
    for t in range(n - 1, 0, -1):
        before = back[t, place]
        total += jumps[before, place] + scores[t - 1, before] ** 2
        place = before
    return total / n


def needleman_wunsch(gap, match, a, b):
    """Hard global alignment with learnable scores; two rows, used in turn."""
    n, m = len(a), len(b)
    row = np.zeros(m + 1)
    for j in range(m + 1):
        row[j] = -gap * j
    for i in range(n):
        below = np.zeros(m + 1)
        below[0] = -gap * (i + 1)
        for j in range(m):
            diagonal = row[j] + match[a[i], b[j]]
            below[j + 1] = max(diagonal, max(row[j + 1], below[j]) - gap)
        row = below
    return row[m]


def floyd_warshall(lengths):
    """All shortest paths, in place; the sum of the distances."""
    n = len(lengths)
    d = lengths.copy()
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d[i, j] = min(d[i, j], d[i, k] + d[k, j])
    return np.sum(d) / n


def bellman_ford(lengths, edges, nodes):
    """Shortest paths from node 0, edge by edge, until nothing changes."""
    d = np.full(nodes, 1e6)
    d[0] = 0.0
    changed = True
    while changed:
        changed = False
        for e in range(len(edges)):
            a, b = edges[e, 0], edges[e, 1]
            if d[a] + lengths[e] < d[b]:
                d[b] = d[a] + lengths[e]
                changed = True
    return np.sum(np.minimum(d, 100.0)) / nodes


def soft_knapsack(values, weights, room):
    """The log of the sum over all selections that fit, from the back so that each is taken once."""
    table = np.zeros(room + 1)
    for i in range(len(values)):
        for space in range(room, weights[i] - 1, -1):
            table[space] = soft_max(table[space], table[space - weights[i]] + values[i])
    return table[room]


def matrix_chain(sizes):
    """The soft minimum of the cost over all orders of a chain of products."""
    n = len(sizes) - 1
    cost = np.zeros((n, n))
    for width in range(1, n):
        for i in range(n - width):
            j = i + width
            total = -1e9
            for k in range(i, j):
                product = sizes[i] * sizes[k + 1] * sizes[j + 1]
                total = soft_max(total, -(cost[i, k] + cost[k + 1, j] + product))
            cost[i, j] = -total
    return cost[0, n - 1]


def soft_levenshtein(costs, a, b):
    """Insertion, deletion and substitution with learnable costs."""
    insertion, deletion, substitution = costs
    n, m = len(a), len(b)
    t = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        t[i, 0] = t[i - 1, 0] + deletion
    for j in range(1, m + 1):
        t[0, j] = t[0, j - 1] + insertion
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            change = t[i - 1, j - 1] + (0.0 if a[i - 1] == b[j - 1] else substitution)
            down, right = t[i - 1, j] + deletion, t[i, j - 1] + insertion
            t[i, j] = -soft_max(soft_max(-change, -down), -right)
    return t[n, m]


def increasing(xs, width):
    """A soft longest increasing subsequence: each entry looks back at all before it."""
    n = len(xs)
    best = np.zeros(n)
    for i in range(n):
        for j in range(i):
            best[i] = soft_max(best[i], best[j] + math.tanh((xs[i] - xs[j]) / width))
        best[i] += 1.0
    return best[n - 1]


def coin_paths(probabilities, steps):
    """A random walk on a line by memoised levels: the chance to be right of the middle."""
    n = len(probabilities)
    here = np.zeros(n)
    here[n // 2] = 1.0
    for _ in range(steps):
        there = np.zeros(n)
        for i in range(n):
            p = 1.0 / (1.0 + math.exp(-probabilities[i]))
            there[min(i + 1, n - 1)] += p * here[i]
            there[max(i - 1, 0)] += (1.0 - p) * here[i]
        here = there
    return np.sum(here[n // 2 + 1 :])


def page_rank(weights, damping):
    """Until the ranks no longer move."""
    n = len(weights)
    links = np.exp(weights)
    shares = links / np.sum(links, axis=0)
    rank = np.full(n, 1.0 / n)
    moved = 1.0
    while moved > 1e-12:
        after = damping * (shares @ rank) + (1.0 - damping) / n
        moved = np.sum(np.abs(after - rank))
        rank = after
    return np.sum(rank * np.arange(n)) / n


def value_iteration(rewards, jumps, discount):
    """A Markov decision process, improved in place until it is steady."""
    states, actions = rewards.shape
    value = np.zeros(states)
    for _ in range(12):
        for s in range(states):
            best = -1e9
            for a in range(actions):
                later = value[jumps[s, a]]
                best = max(best, rewards[s, a] + discount * later)
            value[s] = best
    return np.sum(value) / states


def bouts(rng, n):
    return (
        0.6,
        rng.normal(size=(4, 4)) + 2 * np.eye(4),
        rng.integers(0, 4, n),
        rng.integers(0, 4, n + 1),
    )


def graph(rng, n):
    edges = np.array(
        [(i, (i + 1) % n) for i in range(n)] + [rng.integers(0, n, 2) for _ in range(n)]
    )
    return rng.uniform(0.5, 2.0, 2 * n), edges, n


PROGRAMS = [
    real("viterbi", viterbi, lambda r, n: (r.normal(size=(3, 3)), r.normal(size=(n, 3))), (0, 1)),
    real(
        "viterbi_path",
        viterbi_path,
        lambda r, n: (r.normal(size=(3, 3)), r.normal(size=(n, 3))),
        (0, 1),
    ),
    real("needleman_wunsch", needleman_wunsch, bouts, (0, 1), (3, 8), growth=(5, 16, 50)),
    real(
        "floyd_warshall",
        floyd_warshall,
        lambda r, n: (r.uniform(0.2, 2.0, (n, n)),),
        (0,),
        (3, 6),
        growth=(3, 8, 20),
    ),
    real("bellman_ford", bellman_ford, graph, (0,), (3, 8), growth=(5, 30, 150)),
    real(
        "soft_knapsack",
        soft_knapsack,
        lambda r, n: (r.normal(size=n), r.integers(1, 5, n), 2 * n),
        (0,),
        (3, 8),
        growth=(5, 16, 50),
    ),
    real(
        "matrix_chain",
        matrix_chain,
        lambda r, n: (r.uniform(0.5, 1.5, n + 1),),
        (0,),
        (3, 6),
        growth=(4, 9, 20),
    ),
    real(
        "soft_levenshtein",
        soft_levenshtein,
        lambda r, n: ((1.0, 0.8, 1.3), r.integers(0, 3, n), r.integers(0, 3, n + 1)),
        (0,),
        (3, 8),
        growth=(5, 16, 50),
    ),
    real(
        "increasing",
        increasing,
        lambda r, n: (r.normal(size=n), 0.5),
        (0, 1),
        (3, 8),
        growth=(5, 20, 60),
    ),
    real(
        "coin_paths",
        coin_paths,
        lambda r, n: (r.normal(size=n), n),
        (0,),
        (3, 8),
        growth=(5, 16, 50),
    ),
    real(
        "page_rank",
        page_rank,
        lambda r, n: (r.normal(size=(n, n)), 0.6),
        (0, 1),
        (3, 5),
        growth=(3, 9, 30),
    ),
    real(
        "value_iteration",
        value_iteration,
        lambda r, n: (r.normal(size=(n, 3)), r.integers(0, n, (n, 3)), 0.8),
        (0, 2),
        (3, 8),
    ),
]
