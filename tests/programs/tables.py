"""Updates inside of lists: tables as lists of lists, adjacency lists, arrays kept in lists."""

import math
from dataclasses import dataclass

import numpy as np

from tests.programs import Program, real


def soft_edit_distance(a, b):
    """The dynamic program over a table of rows, as most people write it."""
    n, m = len(a), len(b)
    t = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        t[i][0] = i * 1.0
    for j in range(1, m + 1):
        t[0][j] = j * 1.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            keep = t[i - 1][j - 1] + (a[i - 1] - b[j - 1]) ** 2
            drop = t[i - 1][j] + 1.0
            add = t[i][j - 1] + 1.0
            least = min(keep, drop, add)
            t[i][j] = least - math.log(
                math.exp(least - keep) + math.exp(least - drop) + math.exp(least - add)
            )
    return t[n][m]


def ranks_of_nodes(weights, ends):
    """Adjacency lists by append, then ten rounds of ranking."""
    n = len(weights)
    adj = [[] for _ in range(n)]
    for i in range(n):
        for k in ends[i]:
            adj[k].append(i)
            adj[i].append(k)
    rank = [1.0] * n
    for _ in range(10):
        new = [0.15] * n
        for i in range(n):
            for k in adj[i]:
                new[k] += 0.85 * rank[i] * weights[k] / len(adj[i])
        rank = new
    return rank[0] + rank[n // 2]


def floyd_warshall(w, n):
    """All shortest paths, in lists of lists."""
    d = [[w[(i * 7 + j * 3) % len(w)] + abs(i - j) for j in range(n)] for i in range(n)]
    for i in range(n):
        d[i][i] = 0.0
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
    total = 0.0
    for row in d:
        total += sum(row)
    return total


def lu_with_pivots(a, b):
    """A linear system, solved in place in lists of lists, with exchanges of rows."""
    n = len(b)
    t = [[a[i, j] for j in range(n)] for i in range(n)]
    x = [b[i] for i in range(n)]
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(t[i][k]) > abs(t[p][k]):
                p = i
        t[k], t[p] = t[p], t[k]
        x[k], x[p] = x[p], x[k]
        for i in range(k + 1, n):
            t[i][k] /= t[k][k]
            for j in range(k + 1, n):
                t[i][j] -= t[i][k] * t[k][j]
            x[i] -= t[i][k] * x[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= t[i][j] * x[j]
        x[i] /= t[i][i]
    return x[0] + x[n - 1] ** 2


def bucket_sort(xs):
    """Buckets by append, each sorted by insertion; then a sum that depends on the order."""
    n = len(xs)
    buckets = [[] for _ in range(n)]
    for v in xs:
        buckets[int(v * n)].append(v)
    total, k = 0.0, 0
    for b in range(n):
        for i in range(1, len(buckets[b])):
            j = i
            while j > 0 and buckets[b][j - 1] > buckets[b][j]:
                buckets[b][j - 1], buckets[b][j] = buckets[b][j], buckets[b][j - 1]
                j -= 1
        for v in buckets[b]:
            total += v * v * k
            k += 1
    return total / n


# --- small ones -----------------------------------------------------------------------------------


def pascal(xs):
    """Rows of different lengths, made while they grow."""
    rows = []
    for i in range(len(xs)):
        rows.append([xs[i]])
        for j in range(1, i + 1):
            above = rows[i - 1][j] if j < i else 1.0
            rows[i].append(rows[i - 1][j - 1] * 0.5 + above)
    return sum(sum(row) * (k + 1) for k, row in enumerate(rows))


def stacks(xs):
    """Several stacks: append, pop, and the item on top."""
    s = [[1.0] for _ in range(3)]
    for i, x in enumerate(xs):
        s[i % 3].append(x * s[i % 3][-1])
        if i % 4 == 3:
            top = s[i % 3].pop()
            s[(i + 1) % 3][0] += top
    return sum(len(t) * t[-1] for t in s)


def cube(xs):
    """Three levels."""
    n = len(xs)
    t = [[[0.0] * 3 for _ in range(n)] for _ in range(2)]
    for i in range(n):
        for k in range(3):
            t[0][i][k] += xs[i] * (k + 1)
            t[1][n - 1 - i][k] = t[0][i][k] ** 2
    t[1][0].append(xs[0])
    return sum(sum(sum(r) * (k + 1) for k, r in enumerate(plane)) for plane in t)


def kept_arrays(xs):
    """Arrays in a list: elements, slices, whole ones."""
    n = len(xs)
    a = [np.zeros((2, n)) for _ in range(n)]
    for i in range(n):
        a[i][0, :] = xs
        a[i][1, i] += xs[i] ** 2
        a[i][:, 1:] *= xs[0]
        a[(i + 1) % n][0, 0] += a[i][1, i]
        a[i] += 0.5
    return sum(np.sum(m * m) * (k + 1) for k, m in enumerate(a))


def parameters_in_a_dict(xs):
    d = {"w": np.zeros(len(xs)), "b": [0.0, 1.0], "n": {"deep": [xs[0]]}}
    for i in range(len(xs)):
        d["w"][i] += xs[i] ** 2
        d["b"][i % 2] *= d["w"][i]
        d["n"]["deep"].append(d["b"][1])
    d["w"] += d["b"][0]
    return np.sum(d["w"]) + d["n"]["deep"][-1] * d["b"][1]


@dataclass(frozen=True)
class Particle:
    mass: float
    place: np.ndarray
    trace: list[float]


def particles(xs):
    """Arrays and lists in records in a list."""
    ps = [Particle(x, np.array([x, 0.0]), []) for x in xs]
    for step in range(3):
        for i in range(len(xs)):
            ps[i].place[step % 2] += ps[i - 1].place[0] * ps[i].mass
            ps[i].trace.append(ps[i].place[1])
    return sum(p.place[0] * p.place[1] + sum(p.trace) for p in ps)


def exchanged_rows(xs):
    """Rows change places; what is updated afterwards is the row that is there now."""
    t = [[x, 1.0] for x in xs]
    for i in range(len(xs) - 1):
        t[i], t[i + 1] = t[i + 1], t[i]
        t[i][0] *= 1.5
        t[i + 1][1] += t[i][0]
        t[i][0], t[i][1] = t[i][1], t[i][0]
    return sum(r[0] * r[1] * (k + 1) for k, r in enumerate(t))


def _relax(t, i, x):
    for j in range(len(t[i])):
        t[i][j] += x * (j + 1)
    if i > 0:
        _relax(t, i - 1, x * 0.5)


def _note(log, k, x):
    log[k].append(x)
    return len(log[k])


def helpers(xs):
    """Functions (a recursive one, too) that update the table given to them."""
    t = [[0.0] * 2 for _ in xs]
    log = [[], []]
    for i in range(len(xs)):
        _relax(t, i, xs[i])
        if _note(log, i % 2, t[0][1]) > 2:
            _note(log, 0, 1.0)
    return sum(t[i][0] * t[i][1] for i in range(len(xs))) + sum(log[0]) * len(log[1])


def branches(xs):
    """Rows replaced by new ones, of other lengths, on some paths."""
    t = [[x] for x in xs]
    for i in range(len(xs)):
        if i % 3 == 0:
            t[i] = [xs[i], xs[i] * 2.0]
        elif i % 3 == 1:
            t[i].append(t[i - 1][1])
        else:
            t[i].extend([v * 2.0 for v in t[i - 1]])
        t[i][1] += xs[0]
    return sum(r[-1] * len(r) for r in t)


def longer_operations(xs):
    """What is as long as the inner list in Python, too."""
    t = [[x, 2.0 * x, 3.0] for x in xs]
    for i in range(len(xs)):
        t[i].insert(1, xs[0])
        t[i].reverse()
        del t[i][0]
        t[i][0:1] = [t[i][0] * 2.0, 1.0]
        t[i] += [xs[i], 0.5]
        t[i].pop(1)
    return sum(v * (k + 1) for r in t for k, v in enumerate(r))


def slices_of_a_list(xs):
    ys = [x for x in xs]
    n = len(ys)
    ys[1:2] = [xs[0], xs[0] * 3.0, 1.0]
    ys[n:] = []
    del ys[-1:]
    ys[:0] = ys[1:3]
    del ys[0:1]
    return sum(y * y * (k + 1) for k, y in enumerate(ys))


def counts(xs):
    """Integers in the table, reals in the result."""
    n = len(xs)
    seen = [[0] * 2 for _ in range(n)]
    for i in range(3 * n):
        seen[(i * 5) % n][i % 2] += 1
    return sum(xs[i] ** seen[i][0] * (seen[i][1] + 1) for i in range(n))


def _xs(rng, n):
    return (rng.uniform(0.6, 1.4, max(n, 2)),)


def _graph(rng, n):
    return rng.uniform(0.6, 1.4, n), [[int(k) for k in rng.integers(0, n, 3)] for _ in range(n)]


def _spread(rng, n):
    return (rng.permutation(np.linspace(0.1, 0.9, n)),)


def _square(rng, n):
    return rng.standard_normal((n, n)) + 2.0 * np.eye(n), rng.standard_normal(n)


def _pairs(rng, n):
    return rng.uniform(0.0, 2.0, n), rng.uniform(0.0, 2.0, n)


def _weights(rng, n):
    return rng.permutation(np.linspace(0.1, 3.0, 23)), n


PROGRAMS = [
    real("tables.soft_edit_distance", soft_edit_distance, _pairs, (0, 1), growth=(10, 30, 100)),
    real("tables.ranks_of_nodes", ranks_of_nodes, _graph, growth=(30, 100, 300)),
    real("tables.floyd_warshall", floyd_warshall, _weights, growth=(5, 10, 20)),
    real("tables.lu_with_pivots", lu_with_pivots, _square, (0, 1), growth=(5, 10, 20)),
    real("tables.bucket_sort", bucket_sort, _spread, growth=(30, 100, 300)),
    *(
        Program(f"tables.{f.__name__}", f, _xs, sizes=(7,))
        for f in (
            pascal, stacks, cube, kept_arrays, parameters_in_a_dict, particles, exchanged_rows,
            helpers, branches, longer_operations, slices_of_a_list, counts,
        )
    ),
]  # fmt: skip
