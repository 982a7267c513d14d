"""Recursion on numbers, lists, trees and tuples."""

import math
from dataclasses import dataclass
from typing import Optional, Union


def power(x, n):
    if n == 0:
        return 1
    half = power(x, n // 2)
    return half * half if n % 2 == 0 else half * half * x


def total(xs):
    if not xs:
        return 0
    return xs[0] + total(xs[1:])


def depth_sum(nested, depth=1):
    s = 0
    for item in nested:
        if isinstance(item, (list, tuple)):
            s += depth_sum(item, depth + 1)
        else:
            s += item * depth
    return s


def quicksort(xs):
    if len(xs) <= 1:
        return xs
    pivot, *rest = xs
    return (
        quicksort([x for x in rest if x < pivot])
        + [pivot]
        + quicksort([x for x in rest if x >= pivot])
    )


def sorted_weighted(xs):
    return sum(i * x for i, x in enumerate(quicksort(xs)))


def merge(a, b):
    if not a:
        return b
    if not b:
        return a
    if a[0] <= b[0]:
        return [a[0]] + merge(a[1:], b)
    return [b[0]] + merge(a, b[1:])


def merge_sort(xs):
    mid = len(xs) // 2
    if mid == 0:
        return xs
    return merge(merge_sort(xs[:mid]), merge_sort(xs[mid:]))


def permanent(m):
    if len(m) == 1:
        return m[0][0]
    return sum(
        m[0][j] * permanent([row[:j] + row[j + 1 :] for row in m[1:]]) for j in range(len(m))
    )


def determinant(m):
    if len(m) == 2:
        return m[0][0] * m[1][1] - m[0][1] * m[1][0]
    det = 0
    for c in range(len(m)):
        minor = [r[:c] + r[c + 1 :] for r in m[1:]]
        det += (-1) ** c * m[0][c] * determinant(minor)
    return det


def adaptive_simpson(f, a, b, eps, whole=None):
    c = (a + b) / 2
    s = lambda l, r: (r - l) / 6 * (f(l) + 4 * f((l + r) / 2) + f(r))  # noqa: E731, E741  # as is
    if whole is None:
        whole = s(a, b)
    left, right = s(a, c), s(c, b)
    if abs(left + right - whole) < 15 * eps:
        return left + right + (left + right - whole) / 15
    return adaptive_simpson(f, a, c, eps / 2, left) + adaptive_simpson(f, c, b, eps / 2, right)


def adaptive_area(k):
    return adaptive_simpson(lambda x: math.exp(-k * x * x), 0.0, 2.0, 1e-6)


@dataclass
class Leaf:
    value: float


@dataclass
class Branch:
    left: "Tree"
    right: "Tree"


Tree = Union[Leaf, Branch]


def tree_product(t):
    if isinstance(t, Leaf):
        return t.value
    return tree_product(t.left) * tree_product(t.right)


def tree_map(f, t):
    match t:
        case Leaf(v):
            return Leaf(f(v))
        case Branch(a, b):
            return Branch(tree_map(f, a), tree_map(f, b))


def mapped_product(t):
    return tree_product(tree_map(lambda v: v + 1, t))


@dataclass
class Cell:
    head: float
    tail: Optional["Cell"] = None


def cell_sum(c: Optional[Cell]):
    return 0.0 if c is None else c.head + cell_sum(c.tail)


def from_list(xs):
    return Cell(xs[0], from_list(xs[1:])) if xs else None


def list_round_trip(xs):
    return cell_sum(from_list([2 * x for x in xs]))


def ackermann_like(x, m, n):
    if m == 0:
        return x + n
    if n == 0:
        return ackermann_like(x, m - 1, 1)
    return ackermann_like(x * 0.9, m - 1, n - 1)


def is_even(x, n):
    return x if n == 0 else is_odd(x * 1.1, n - 1)


def is_odd(x, n):
    return -x if n == 0 else is_even(x + 0.5, n - 1)


def hanoi(n, weight):
    if n == 0:
        return 0.0
    return hanoi(n - 1, weight) + weight * n + hanoi(n - 1, weight)


def fft(xs):
    n = len(xs)
    if n == 1:
        return [(xs[0], 0.0)]
    even, odd = fft(xs[0::2]), fft(xs[1::2])
    out = [None] * n
    for k in range(n // 2):
        c, s = math.cos(-2 * math.pi * k / n), math.sin(-2 * math.pi * k / n)
        re = c * odd[k][0] - s * odd[k][1]
        im = c * odd[k][1] + s * odd[k][0]
        out[k] = (even[k][0] + re, even[k][1] + im)
        out[k + n // 2] = (even[k][0] - re, even[k][1] - im)
    return out


def spectrum(xs):
    return [re * re + im * im for re, im in fft(xs)]


def permutations_cost(costs, used=0, row=0):
    n = len(costs)
    if row == n:
        return 0.0
    best = math.inf
    for j in range(n):
        if not used >> j & 1:
            best = min(best, costs[row][j] + permutations_cost(costs, used | 1 << j, row + 1))
    return best


def evaluate(expr, env):
    if isinstance(expr, str):
        return env[expr]
    if isinstance(expr, (int, float)):
        return expr
    op, left, right = expr
    a, b = evaluate(left, env), evaluate(right, env)
    if op == "+":
        return a + b
    if op == "-":
        return a - b
    if op == "*":
        return a * b
    raise ValueError(op)


def expression(x, y):
    return evaluate(("+", ("*", "x", "y"), ("-", "x", 2)), {"x": x, "y": y})


def subsets(xs):
    if not xs:
        return [[]]
    rest = subsets(xs[1:])
    return rest + [[xs[0]] + s for s in rest]


def subset_energy(xs):
    return max(abs(sum(s)) for s in subsets(xs))


def de_casteljau(points, t):
    if len(points) == 1:
        return points[0]
    return de_casteljau(
        [
            ((1 - t) * a[0] + t * b[0], (1 - t) * a[1] + t * b[1])
            for a, b in zip(points, points[1:])
        ],
        t,
    )


CASES = [
    (power, (1.3, 9)),
    (total, ([1.0, 2.0, 3.0],)),
    (depth_sum, ([1.0, [2.0, [3.0]], (4.0, 5.0)],)),
    (sorted_weighted, ([3.0, 1.0, 2.0],)),
    (merge_sort, ([3.0, 1.0, 2.0],)),
    (permanent, ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]],)),
    (determinant, ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]],)),
    (adaptive_area, (0.7,)),
    (tree_product, (Branch(Leaf(2.0), Branch(Leaf(3.0), Leaf(0.5))),)),
    (mapped_product, (Branch(Leaf(2.0), Branch(Leaf(3.0), Leaf(0.5))),)),
    (cell_sum, (Cell(1.0, Cell(2.0)),)),
    (list_round_trip, ([1.0, 2.0],)),
    (ackermann_like, (1.5, 3, 2)),
    (is_even, (1.0, 5)),
    (hanoi, (5, 0.3)),
    (spectrum, ([1.0, 2.0, 0.5, -1.0],)),
    (permutations_cost, ([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0], [3.0, 2.0, 2.0]],)),
    (expression, (2.0, 3.0)),
    (subset_energy, ([1.0, -2.0, 0.5],)),
    (de_casteljau, ([(0.0, 0.0), (1.0, 2.0), (3.0, 0.0)], 0.3)),
]
