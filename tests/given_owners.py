"""Programs that put what they are given into several places, and then update it by one of its
names; each with arguments made anew for every run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class Keeper:
    def __init__(self, data: Any) -> None:
        self.data, self.n = data, 0

    def add(self, v: float) -> None:
        self.data.append(v)
        self.n += 1


class Pair:
    def __init__(self, a: Keeper, b: Keeper) -> None:
        self.a, self.b = a, b


def twice(a, x):
    rows = [a, a]
    rows[0][1] = x
    a.append(x * x)
    return sum(rows[1])


def kept(xs, x):
    keeper = Keeper(xs)
    xs.append(x)
    keeper.add(x * 2.0)
    return sum(keeper.data) * x + len(xs)


def swapped(a, b, x):
    m = [a, b]
    m[0], m[1] = m[1], m[0]
    m[0][0] += x * a[0]
    a[1] *= x
    return a[0] * b[0] + m[1][1]


def one_of_two(a, x, c):
    r = a if c > 0 else [x]
    r.append(x)
    a.append(2.0)
    return sum(v * v for v in a) + sum(r)


def dict_twice(d, x):
    e = {"p": d, "q": d}
    e["p"]["k"] *= x
    d["k"] += 1.0
    return e["q"]["k"] ** 2


def array_twice(v, x):
    ws = [v, v]
    ws[0][1] *= x
    v[0] *= 2.0
    return (ws[1] ** 2).sum()


def row_twice(m, x):
    row = m[0]
    m.append(row)
    row[0] *= x
    m[-1][1] = x * x * row[0]
    return sum(sum(r) for r in m)


def row_for_row(m, x):
    m[0] = m[1]
    m[0][0] *= x
    return sum((k + 1) * sum(r) for k, r in enumerate(m))


def by_parameters(a, x):
    def both(r, s):
        r.append(x * s[0])
        s[0] = 3.0 * r[-1]

    both(a, a)
    return sum(a)


def one_in_the_other(xs, ys, x):
    xs.append(ys)
    ys.append(x * ys[0])
    return sum(sum(r) ** 2 for r in xs)


def two_keepers(a, x):
    boxes = [Keeper(a), Keeper(a)]
    for i in range(3):
        boxes[i % 2].add(x * a[-1])
    return sum(a) + boxes[0].n


def three_times(a, x):
    rows = [a] * 3
    for i, r in enumerate(rows):
        r[i % 2] += x * i * r[0]
    return sum(map(sum, rows))


def list_of_a_dict(table, x):
    table["a"] = table["b"]
    table["a"].append(x * table["b"][0])
    return sum(table["b"])


def met_again(a, b, x):
    s = []
    for r in (a, b, a):
        s.append(r)  # it is what is tried
    for r in s:
        r[0] += x * r[0]
    return s[0][0] * s[1][0]


def bound_anew(a, x):
    q = a
    a = [*a, x]
    q.append(x)
    k = [q, a]
    k[0][0] *= x
    k[1][0] *= 2.0
    return sum(q) * sum(a)


def attribute_in_two(k, x):
    other = Keeper(k.data)
    other.add(x * k.data[0])
    k.add(1.0)
    k.data[0] *= 3.0
    return sum(other.data) + other.n


def object_in_two(k, x):
    p = Pair(k, k)
    p.a.n += 2
    p.b.data[0] *= x
    k.add(x * p.a.n)
    return sum(p.a.data) * p.b.n


def popped(a, x):
    stack = [a]
    while stack:
        top = stack.pop()
        if len(top) < 5:
            top.append(x * top[-1])
            stack.append(top)
    return sum(v * v for v in a)


def objects_twice(ks, x):
    best = max(ks, key=lambda k: k.data[0])
    chosen = [best, ks[0]]
    for k in chosen:
        k.data[0] *= x
        k.n += 1
    return sum(k.data[0] * k.n for k in ks)


def changed_between(a, x):
    log = []
    for _ in range(3):
        log.append(a)
        a[0] *= x
    return sum(r[0] for r in log)


def raised(a, x):
    rows = [a, a]
    rows[0].append(x)
    if rows[1][-1] > 0.0:
        rows[1][0] = 7.0
        raise ValueError("no")
    return sum(a)


def returned(a, x):
    rows = [a, a]
    rows[0][0] *= x
    a.append(1.0)
    return sum(rows[1]) ** 2


def lists_of_objects(ks, x):
    data = [k.data for k in ks]
    data[0].append(x * data[1][0])
    ks[1].data = data[0]
    ks[1].add(2.0)
    return sum(sum(k.data) for k in ks)


def rotated(m, x):
    m.insert(0, m.pop())
    first = m[0]
    m[1], m[2] = m[2], m[1]
    first[0] *= x
    m[1][0] += first[0]
    return sum((k + 1) * r[0] for k, r in enumerate(m))


def arrays_of_a_list(vs, x):
    big = max(vs, key=lambda v: v[0])
    big *= x
    pair = [vs[0], big]
    pair[0][0] += 1.0
    return sum((v**2).sum() for v in vs) + pair[1].sum()


Made = Callable[[], tuple[Any, ...]]


def rows() -> list[list[float]]:
    return [[1.0, 2.0], [3.0, 4.0], [5.0, 0.5]]


CASES: list[tuple[Callable[..., Any], Made]] = [
    (twice, lambda: ([1.0, 2.0], 0.7)),
    (kept, lambda: ([1.0, 2.0], 0.7)),
    (swapped, lambda: ([1.0, 2.0], [3.0, 4.0], 0.7)),
    (one_of_two, lambda: ([1.5], 0.7, 1)),
    (one_of_two, lambda: ([1.5], 0.7, -1)),
    (dict_twice, lambda: ({"k": 1.5, "j": 1.0}, 0.7)),
    (array_twice, lambda: (np.array([1.0, 2.0]), 0.7)),
    (row_twice, lambda: (rows(), 0.7)),
    (row_for_row, lambda: (rows(), 0.7)),
    (by_parameters, lambda: ([1.0, 2.0], 0.7)),
    (one_in_the_other, lambda: ([[1.0]], [2.0], 0.7)),
    (two_keepers, lambda: ([1.5], 0.7)),
    (three_times, lambda: ([1.0, 2.0], 0.7)),
    (list_of_a_dict, lambda: ({"a": [1.0], "b": [2.0]}, 0.7)),
    (met_again, lambda: ([1.0], [2.0], 0.7)),
    (bound_anew, lambda: ([1.0, 2.0], 0.7)),
    (attribute_in_two, lambda: (Keeper([1.0, 2.0]), 0.7)),
    (object_in_two, lambda: (Keeper([1.0, 2.0]), 0.7)),
    (popped, lambda: ([1.0, 2.0], 0.7)),
    (objects_twice, lambda: ([Keeper([1.0]), Keeper([3.0])], 0.7)),
    (changed_between, lambda: ([1.0, 2.0], 0.7)),
    (raised, lambda: ([1.0, 2.0], 0.7)),
    (raised, lambda: ([1.0, 2.0], -0.7)),
    (returned, lambda: ([1.0, 2.0], 0.7)),
    (lists_of_objects, lambda: ([Keeper([1.0]), Keeper([3.0])], 0.7)),
    (rotated, lambda: (rows(), 0.7)),
    (arrays_of_a_list, lambda: ([np.array([1.0, 2.0]), np.array([3.0])], 0.7)),
]
