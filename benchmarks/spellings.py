"""Time the same mathematics in several spellings: ADBench's mixture in six, a product of matrices
in four, a network of two layers in three, layers in a list in six. Spellings share no functions.

Values and gradients of all spellings are compared before the times."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pullback as pb
from benchmarks.common import interleaved, seconds, worst_difference
from pullback.demo.inputs import adbench

Array = NDArray[np.float64]

# --- the mixture: the log-likelihood of ADBench's gmm and its prior -------------------------------


def mixture_by_generators(alphas: Array, means: Array, qs: Array, ls: Array, x: Array) -> float:
    """Factors built once, sums of generators."""
    n, d = x.shape
    clusters = len(alphas)

    def entry(k: int, row: int, col: int) -> float:
        if row > col:
            return ls[k, col * (2 * d - col - 1) // 2 + row - col - 1]
        return np.exp(qs[k, row]) if row == col else 0.0

    factors = np.array(
        [[[entry(k, i, j) for j in range(d)] for i in range(d)] for k in range(clusters)]
    )

    def weight(i: int, k: int) -> float:
        diff = x[i] - means[k]
        distance = sum(
            sum(factors[k, r, c] * diff[c] for c in range(r + 1)) ** 2 for r in range(d)
        )
        return alphas[k] + sum(qs[k]) - 0.5 * distance

    def log_sum_exp(v: Array) -> float:
        top = np.max(v)
        return top + np.log(sum(np.exp(e - top) for e in v))

    points = sum(
        log_sum_exp(np.array([weight(i, k) for k in range(clusters)])) for i in range(n)
    )
    prior = -0.5 * (np.sum(np.exp(2.0 * qs)) + np.sum(ls * ls))
    return points - n * log_sum_exp(alphas) + prior


def mixture_by_points(alphas: Array, means: Array, qs: Array, ls: Array, x: Array) -> float:
    """A loop over points, NumPy for each point and cluster."""
    n, d = x.shape
    clusters = len(alphas)
    factors = []
    for k in range(clusters):
        q = np.zeros((d, d))
        at = 0
        for col in range(d):
            q[col, col] = np.exp(qs[k, col])
            q[col + 1 :, col] = ls[k, at : at + d - col - 1]
            at += d - col - 1
        factors.append(q)
    total = 0.0
    for point in x:
        terms = np.zeros(clusters)
        for k in range(clusters):
            scaled = factors[k] @ (point - means[k])
            terms[k] = alphas[k] + np.sum(qs[k]) - 0.5 * np.dot(scaled, scaled)
        top = np.max(terms)
        total += top + np.log(np.sum(np.exp(terms - top)))
    top = np.max(alphas)
    total -= n * (top + np.log(np.sum(np.exp(alphas - top))))
    return total - 0.5 * (np.sum(np.exp(qs) ** 2) + np.sum(ls**2))


@dataclass
class Cluster:
    """One component of a mixture."""

    alpha: float
    mean: Array
    q: Array
    below: Array


def mixture_by_records(alphas: Array, means: Array, qs: Array, ls: Array, x: Array) -> float:
    """Records of clusters, ``map``, ``reduce``, ``max`` of lists."""
    n, d = x.shape
    clusters = [Cluster(alphas[k], means[k], qs[k], ls[k]) for k in range(len(alphas))]

    def row(c: Cluster, point: Array, i: int) -> float:
        own = math.exp(c.q[i]) * (point[i] - c.mean[i])
        return own + sum(
            c.below[j * (2 * d - j - 1) // 2 + i - j - 1] * (point[j] - c.mean[j])
            for j in range(i)
        )

    def height(c: Cluster, point: Array) -> float:
        rows = map(lambda i: row(c, point, i), range(d))
        distance = reduce(lambda s, r: s + r * r, rows, 0.0)
        return c.alpha + reduce(lambda s, q: s + q, c.q, 0.0) - 0.5 * distance

    def together(v: list[float]) -> float:
        top = max(v)
        return top + math.log(sum(map(lambda e: math.exp(e - top), v)))

    points = map(lambda point: together([height(c, point) for c in clusters]), x)
    priors = [sum(math.exp(2 * e) for e in c.q) + sum(e * e for e in c.below) for c in clusters]
    start = -n * together([c.alpha for c in clusters]) - 0.5 * sum(priors)
    return reduce(lambda s, p: s + p, points, start)


def mixture_by_loops(alphas: Array, means: Array, qs: Array, ls: Array, x: Array) -> float:
    """Lists of scalar loops, the packed triangular index written out, ``math.exp``."""
    n, d = x.shape
    clusters = len(alphas)
    total = 0.0
    for i in range(n):
        terms = []
        for k in range(clusters):
            distance = 0.0
            for r in range(d):
                y = math.exp(qs[k, r]) * (x[i, r] - means[k, r])
                for c in range(r):
                    y += ls[k, c * (2 * d - c - 1) // 2 + r - c - 1] * (x[i, c] - means[k, c])
                distance += y * y
            height = alphas[k]
            for r in range(d):
                height += qs[k, r]
            terms.append(height - 0.5 * distance)
        top = max(terms)
        spread = 0.0
        for t in terms:
            spread += math.exp(t - top)
        total += top + math.log(spread)
    top = max(alphas)
    spread = 0.0
    for k in range(clusters):
        spread += math.exp(alphas[k] - top)
    total -= n * (top + math.log(spread))
    for k in range(clusters):
        for r in range(d):
            total -= 0.5 * math.exp(2.0 * qs[k, r])
        for p in range(ls.shape[1]):
            total -= 0.5 * ls[k, p] * ls[k, p]
    return total


def mixture_as_in_c(alphas: Array, means: Array, qs: Array, ls: Array, x: Array) -> float:
    """Scratch arrays declared outside, running sums, a counter into the packed part."""
    n, d = x.shape
    clusters = len(alphas)
    diff = np.zeros(d)
    y = np.zeros(d)
    term = np.zeros(clusters)
    err = 0.0
    for i in range(n):
        for k in range(clusters):
            for c in range(d):
                diff[c] = x[i, c] - means[k, c]
                y[c] = math.exp(qs[k, c]) * diff[c]
            p = 0
            for c in range(d):
                for r in range(c + 1, d):
                    y[r] += ls[k, p] * diff[c]
                    p += 1
            norm = 0.0
            height = alphas[k]
            for c in range(d):
                norm += y[c] * y[c]
                height += qs[k, c]
            term[k] = height - 0.5 * norm
        top = term[0]
        for k in range(1, clusters):
            if term[k] > top:
                top = term[k]
        s = 0.0
        for k in range(clusters):
            s += math.exp(term[k] - top)
        err += top + math.log(s)
    top = alphas[0]
    for k in range(1, clusters):
        if alphas[k] > top:
            top = alphas[k]
    s = 0.0
    for k in range(clusters):
        s += math.exp(alphas[k] - top)
    prior = 0.0
    for k in range(clusters):
        for c in range(d):
            prior += math.exp(qs[k, c]) * math.exp(qs[k, c])
        for p in range(ls.shape[1]):
            prior += ls[k, p] * ls[k, p]
    return err - n * (top + math.log(s)) - 0.5 * prior


def mixture_by_arrays(alphas: Array, means: Array, qs: Array, ls: Array, x: Array) -> float:
    """Whole-array NumPy: broadcasts and an ``einsum``."""
    n, d = x.shape
    row, column = np.arange(d)[:, None], np.arange(d)[None, :]
    packed = np.where(row > column, column * (2 * d - column - 1) // 2 + row - column - 1, 0)
    diagonal = np.exp(qs)
    factors = diagonal[:, :, None] * np.eye(d) + np.where(row > column, ls[:, packed], 0.0)
    centred = x[:, None, :] - means[None, :, :]
    scaled = np.einsum("kij,nkj->nki", factors, centred)
    weights = alphas + np.sum(qs, axis=1) - 0.5 * np.sum(scaled**2, axis=2)
    top = np.max(weights, axis=1)
    points = top + np.log(np.sum(np.exp(weights - top[:, None]), axis=1))
    highest = np.max(alphas)
    total = np.sum(points) - n * (highest + np.log(np.sum(np.exp(alphas - highest))))
    return total - 0.5 * (np.sum(diagonal**2) + np.sum(ls**2))


# --- a product of matrices, weighted and summed ---------------------------------------------------


def product_by_loops(a: Array, b: Array, w: Array) -> float:
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total += w[i, j] * c[i, j]
    return total


def product_by_generators(a: Array, b: Array, w: Array) -> float:
    rows, inner = a.shape
    columns = b.shape[1]
    c = [
        [sum(a[i, k] * b[k, j] for k in range(inner)) for j in range(columns)]
        for i in range(rows)
    ]
    return sum(sum(w[i, j] * c[i][j] for j in range(columns)) for i in range(rows))


def product_by_operator(a: Array, b: Array, w: Array) -> float:
    return np.sum(w * (a @ b))


def product_by_einsum(a: Array, b: Array, w: Array) -> float:
    return np.sum(w * np.einsum("ik,kj->ij", a, b))


# --- a network of two layers and its mean squared error -------------------------------------------


def network_by_arrays(
    w1: Array, b1: Array, w2: Array, b2: Array, x: Array, target: Array
) -> float:
    hidden = np.tanh(x @ w1.T + b1)
    return np.mean((hidden @ w2.T + b2 - target) ** 2)


def network_by_examples(
    w1: Array, b1: Array, w2: Array, b2: Array, x: Array, target: Array
) -> float:
    total = 0.0
    for example, wanted in zip(x, target):
        out = w2 @ np.tanh(w1 @ example + b1) + b2
        total += np.sum((out - wanted) ** 2)
    return total / target.size


def network_by_loops(
    w1: Array, b1: Array, w2: Array, b2: Array, x: Array, target: Array
) -> float:
    hidden = np.zeros(len(b1))
    total = 0.0
    for e in range(len(x)):
        for h in range(len(b1)):
            s = b1[h]
            for i in range(x.shape[1]):
                s += w1[h, i] * x[e, i]
            hidden[h] = math.tanh(s)
        for o in range(len(b2)):
            s = b2[o]
            for h in range(len(b1)):
                s += w2[o, h] * hidden[h]
            total += (s - target[e, o]) * (s - target[e, o])
    return total / (len(x) * len(b2))


# --- layers in a list: its length is known only when the program runs, but for the first ----------

Layer = tuple[Array, Array]


def layers_by_name(params: list[Layer], x: Array, target: Array) -> float:
    (w1, b1), (w2, b2) = params
    return np.mean((np.tanh(np.tanh(x @ w1 + b1) @ w2 + b2) - target) ** 2)


def layers_by_for(params: list[Layer], x: Array, target: Array) -> float:
    for w, b in params:
        x = np.tanh(x @ w + b)
    return np.mean((x - target) ** 2)


def layers_by_while(params: list[Layer], x: Array, target: Array) -> float:
    i = 0
    while i < len(params):
        w, b = params[i]
        x = np.tanh(x @ w + b)
        i += 1
    return np.mean((x - target) ** 2)


def layers_by_reduce(params: list[Layer], x: Array, target: Array) -> float:
    y = reduce(lambda h, layer: np.tanh(h @ layer[0] + layer[1]), params, x)
    return np.mean((y - target) ** 2)


def layers_by_recursion(params: list[Layer], x: Array, target: Array) -> float:
    def through(h: Array, i: int) -> Array:
        if i == len(params):
            return h
        w, b = params[i]
        return through(np.tanh(h @ w + b), i + 1)

    return np.mean((through(x, 0) - target) ** 2)


class Dense:
    """One layer, which keeps its matrix and its bias as attributes."""

    def __init__(self, w: Array, b: Array) -> None:
        self.w, self.b = w, b

    def __call__(self, x: Array) -> Array:
        return np.tanh(x @ self.w + self.b)


def layers_by_objects(params: list[Layer], x: Array, target: Array) -> float:
    for layer in [Dense(w, b) for w, b in params]:
        x = layer(x)
    return np.mean((x - target) ** 2)


# --- the table ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Group:
    """The spellings of one function, its arguments and the positions of those differentiated."""

    name: str
    spellings: Sequence[Callable[..., Any]]
    args: tuple[Any, ...]
    argnums: tuple[int, ...]


def mixture(points: int | None = None) -> Group:
    """ADBench's mixture, d = 10, K = 25, with the first of its points."""
    data = adbench()
    args = (data.alphas, data.means, data.qs, data.ls, data.x[:points].copy())
    spellings = (mixture_by_generators, mixture_by_points, mixture_by_records, mixture_by_loops,
                 mixture_as_in_c, mixture_by_arrays)  # fmt: skip
    return Group("mixture", spellings, args, (0, 1, 2, 3))


def product(n: int) -> Group:
    """A product of square matrices."""
    rng = np.random.default_rng(1)
    args = tuple(rng.normal(size=(n, n)) for _ in range(3))
    spellings = (
        product_by_loops, product_by_generators, product_by_operator, product_by_einsum
    )  # fmt: skip
    return Group(f"product {n}", spellings, args, (0, 1))


def network(inputs: int, hidden: int, outputs: int, batch: int) -> Group:
    """A network of two layers."""
    rng = np.random.default_rng(2)
    shapes = ((hidden, inputs), (hidden,), (outputs, hidden), (outputs,), (batch, inputs),
              (batch, outputs))  # fmt: skip
    args = tuple(rng.normal(size=shape) / np.sqrt(shape[-1]) for shape in shapes)
    spellings = (network_by_arrays, network_by_examples, network_by_loops)
    return Group(f"network {inputs}-{hidden}-{outputs}", spellings, args, (0, 1, 2, 3))


def layers(sizes: Sequence[int], batch: int) -> Group:
    """A network whose layers are in a list."""
    rng = np.random.default_rng(3)
    params = [
        (rng.normal(size=(n, m)) / np.sqrt(n), rng.normal(size=m)) for n, m in pairwise(sizes)
    ]
    args = (params, rng.normal(size=(batch, sizes[0])), rng.normal(size=(batch, sizes[-1])))
    spellings = (layers_by_name, layers_by_for, layers_by_while, layers_by_reduce,
                 layers_by_recursion, layers_by_objects)  # fmt: skip
    return Group(f"layers {'-'.join(map(str, sizes))}", spellings, args, (0,))


def groups() -> list[Group]:
    return [mixture(), product(64), product(256), network(32, 16, 4, 16),
            network(400, 128, 10, 64), layers((784, 256, 10), 128)]  # fmt: skip


def numbers(x: Any) -> list[Any]:
    """The arrays and numbers in lists and tuples."""
    return [y for part in x for y in numbers(part)] if isinstance(x, list | tuple) else [x]


def main(_jax: Any) -> None:
    print(f"{'spelling':<24} {'compile f':>10} {'compile g':>10} {'f':>9} {'g':>9} {'g/least':>9}")
    for group in groups():
        calls: list[tuple[Callable[[], Any], Callable[[], Any]]] = []
        for spelling in group.spellings:
            f, g = pb.jit(spelling), pb.value_and_grad(spelling, argnums=group.argnums)
            calls.append((partial(f, *group.args), partial(g, *group.args)))
        first = [(seconds(f), seconds(g)) for f, g in calls]
        expected, slopes = calls[0][1]()
        for f, g in calls:
            value, found = g()
            far = worst_difference(
                (f(), value, *numbers(found)), (expected, expected, *numbers(slopes))
            )
            assert far <= 1e-9, "the spellings disagree"
        times = interleaved([call for pair in calls for call in pair], budget=2.0)
        least = min(g.least for g in times[1::2])
        print(group.name)
        for k, (f, g) in enumerate(zip(times[::2], times[1::2])):
            name = group.spellings[k].__name__
            cells = [first[k][0], first[k][1], f.least, g.least]
            words = " ".join(f"{1e3 * c:{w}.3f}" for c, w in zip(cells, (10, 10, 9, 9)))
            print(f"  {name:<22} {words} {g.least / least:9.2f}", flush=True)


if __name__ == "__main__":
    main(None)
