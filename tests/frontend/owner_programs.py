"""Programs in which a list has several owners: two lists, two objects, a dict and a name, ..."""

import heapq
import operator
from collections import defaultdict

import numpy as np


class Keeper:
    def __init__(self, items):
        self._items = items

    def items(self):
        return self._items

    def add(self, v):
        self._items.append(v)

    def total(self):
        return sum(self._items)


class Graph:
    def __init__(self):
        self.edges = {}
        self.all = []

    def add(self, a, b, w):
        e = [w, 1.0]
        self.edges.setdefault(a, []).append(e)
        self.edges.setdefault(b, []).append(e)
        self.all.append(e)


def swapped_rows(xs):
    m = [[x, x * 2.0, 1.0] for x in xs]
    i, j = 0, 2
    row = m[i]
    m[i] = m[j]
    m[j] = row
    row[1] += 5.0
    m[i][0] *= 3.0
    return sum(sum((k + 1) * v * v for k, v in enumerate(r)) for r in m)


def one_empty_list(xs):
    a = b = []
    k1 = Keeper(a)
    k2 = Keeper(b)
    for x in xs:
        k1.add(x)
        k2.add(x * x)
    return k1.total() * 2.0 + k2.total() + len(a)


def shared_rows(xs):
    grid = [[0.0] * 3] * 2
    for i in range(2):
        for j in range(3):
            grid[i][j] += xs[j] * (i + 1)
    return sum(sum(r) for r in grid)


def dict_and_list(xs):
    row = list(xs)
    d = {"a": row}
    rows = [row, [1.0]]
    d["a"][0] = 7.0 * xs[1]
    rows[0].append(3.0)
    return sum(d["a"]) + sum(rows[0]) + sum(row)


def buckets(xs):
    groups = {}
    order = []
    for x in xs:
        key = 1 if x > 0.5 else 0
        if key not in groups:
            b = []
            groups[key] = b
            order.append(b)
        groups[key].append(x)
    return sum((k + 1) * sum(b) for k, b in enumerate(order)) + len(groups)


def same_path_kept(xs):
    out = []
    path = []
    for k in range(3):
        path.append(xs[k])
        out.append(path)
    return sum(len(p) + p[-1] for p in out)


def pick_list(xs):
    a = [xs[0]]
    b = [xs[1]]
    for x in xs:
        t = a if sum(a) < sum(b) else b
        t.append(x)
    return sum(a) * 2.0 + sum(b) * sum(b)


def union_of_sets(xs):
    comp = [[i] for i in range(4)]

    def merge(i, j):
        a, b = comp[i], comp[j]
        if a is b:
            return
        a.extend(b)
        for k in b:
            comp[k] = a
    merge(0, 1)
    merge(2, 3)
    merge(1, 3)
    merge(0, 2)
    return sum(len(c) * xs[i % 3] for i, c in enumerate(comp))


def shared_edges(xs):
    g = Graph()
    g.add(0, 1, xs[0])
    g.add(1, 2, xs[1])
    g.add(2, 0, xs[2])
    for e in g.all:
        e[0] *= 2.0
    for e in g.edges[1]:
        e[1] += e[0]
    return sum(e[0] * e[1] for e in g.all)


def default_row(xs):
    zero = [0.0] * 2
    table = {k: zero for k in range(3)}
    for i, x in enumerate(xs):
        table[i][0] += x
    return table[0][0] + table[2][0] * zero[0]


def grows_while_it_is_read(xs):
    r = [xs[0], 1.0]
    rows = [r, [2.0]]

    def push(row, v):
        if len(row) < 5:
            row.append(v * xs[1])
        return v

    t = 0.0
    for v in r:
        t += push(rows[0], v)
    for k, (v, w) in enumerate(zip(r, rows[0])):
        r[k - 1] += v * w
    return t + sum(push(rows[1], v) for v in rows[1]) + sum([push(r, v) for v in r])


def given_to_generators_and_handlers(xs):
    r = [*xs]
    q = [r]

    def walk(rows):
        for k, row in enumerate(rows):
            yield 1 - k, row

    def risky(row, k):
        row.append(k)
        if k > 0.6:
            raise ValueError("big")
        row[0] = k

    for k, row in walk([r, q[0]]):
        row[k] += 1.0
    for x in xs:
        try:
            risky(q[0], x)
        except ValueError:
            r[1] *= 2.0
    return sum(r) + r[0] * r[-1]


def by_keywords_defaults_and_closures(xs):
    r = [xs[0], xs[1]]
    k, none_yet = Keeper(r), []

    def add(v, acc=none_yet):
        acc.append(v)
        return sum(acc)

    def both(a, *, b):
        a.append(b[0])
        b.append(a[-1] * add(1.0))
        return a

    push = k.items().append
    push(add(xs[2]))
    both(r, b=k.items())[0] = xs[2]
    (a, *_), b = r, k.items()
    a += b[-1]
    match b:
        case [first, *rest]:
            return k.total() * a + first + sum(rest)
        case _:
            return 0.0


def compared(xs):
    a, b = [xs[0]], [xs[0]]
    rows = [[1.0], a, b, a]
    t = rows.index(b) * xs[1] + rows.count(a) + (5.0 if [1.0] in rows else 7.0)
    t += (1.0 if a == b else 2.0) + (10.0 if a is b else 20.0) + (3.0 if rows[3] is a else 4.0)
    m = max(rows, key=len)
    rows.remove(b)
    m.append(2.0)
    heap = []
    heapq.heappush(heap, (xs[2], 1))
    same = heap
    heapq.heappop(same)
    return t + len(rows) * sum(rows[0]) + sum(rows[1]) * (len(heap) + 1) + sum(b)


def read_and_kept(xs):
    d = defaultdict(lambda: defaultdict(float))
    keep = []
    for i, x in enumerate(xs):
        d[i % 2][i] += x
        keep.append(d[i % 2])
    keep[0][9] = xs[0] * xs[1]
    return sum((k + 1) * sum(r.values()) for k, r in d.items())


def kept_where_it_is_made(xs):
    d = defaultdict(lambda: Keeper([2.0]))
    e = defaultdict(lambda: np.zeros(2))
    keep = [d["a"], d["b"]]
    d["c"].add(xs[0])
    keep.append(d["c"])
    keep[2].add(xs[1])
    e[1][0] += xs[2]
    rows = [e[1], e[2]]
    rows[0][1] = xs[0]
    rows[1][0] = xs[1]
    return sum(k.total() for k in d.values()) * sum(k * r.sum() for k, r in e.items())


def both_ways(xs):
    d = defaultdict(lambda: [0.0])
    d[1][0], d[2][0] = xs[0], 2.0 * xs[1]
    keep = [d[1], d[2], d[3]]
    keep[0][0] *= 3.0
    keep[2].append(xs[2])
    d[1], d[2] = d[2], d[1]
    return sum(k * sum(r) for k, r in d.items())


def lists_of_a_defaultdict(xs):
    d = defaultdict(list)
    keep = []
    for i, x in enumerate(xs):
        d[i % 2].append(x)
        keep.append(d[i % 2])
    keep[0].append(xs[0] * xs[1])
    keep[1][0] *= 2.0
    return sum((k + 1) * sum(r) for k, r in d.items()) + len(keep[-1])


def counted_when_made(xs):
    made = [0]

    def make():
        made[0] += 1
        return [float(made[0])]

    d = defaultdict(make)
    for i, x in enumerate(xs):
        d[i % 3].append(x * d[i % 3][0])
    return sum(map(sum, d.values())) * made[0]


def only_what_is_missing_is_made(xs):
    def nothing():
        raise ValueError("no")

    d = defaultdict(nothing)
    d[1], d[2] = xs[0], 3.0
    s = d[1] * d[2]
    try:
        s += d[4]
    except ValueError:
        s += xs[1]
    return s + len(d)


def of_an_iterator(xs):
    it = iter(xs)
    d = defaultdict(lambda: next(it))
    a, b, c = d[1], d[2], d[1]
    return a + 10 * b + 100 * c * next(it)


def getter_of_a_defaultdict(xs):
    d = defaultdict(lambda: xs[0])
    return operator.getitem(d, 1) + len(d)


def spread(xs):
    def f(*rows):
        rows[0].append(1.0)

    rows = [[xs[0]]] * 2
    f(*rows)
    return sum(rows[1])


class Cell:
    """A layer of a recurrent network that keeps what its derivative needs."""

    def __init__(self, w, v):
        self.w, self.v, self.cache, self.dw = w, v, [], np.zeros_like(w)

    def forward(self, x, h):
        n = np.tanh(self.w @ x + self.v * h)
        self.cache.append((x, h, n))
        return n

    def backward(self, d):
        x, h, n = self.cache.pop()
        d = d * (1.0 - n * n)
        self.dw += np.outer(d, x + h)
        return d * self.v


def cached_steps(xs):
    rows = np.outer(xs, xs) + np.array(xs)
    cell, h = Cell(rows * 0.5, xs[0]), np.zeros(3)
    for row in rows:
        h = cell.forward(row, h)
    first = h
    for _ in rows:
        h = cell.backward(h)
    return (cell.dw**2).sum() + h @ first


def _kept(out, x, y):
    out.append((x, y))
    return len(out)


def kept_then_updated(xs):
    """What is kept in tuples is updated by its names, and by the tuples."""
    out, a = [], np.array(xs)
    for x in xs:
        _kept(out, a, x * a)
        a[0] += x
        out[0][1][2] *= x
    return sum(v @ w for v, w in out) + a.sum()


RIGHT = [
    swapped_rows, one_empty_list, shared_rows, dict_and_list, buckets, same_path_kept, pick_list,
    union_of_sets, shared_edges, default_row,
    grows_while_it_is_read, given_to_generators_and_handlers, by_keywords_defaults_and_closures,
    compared, spread,
    read_and_kept, kept_where_it_is_made, both_ways, lists_of_a_defaultdict, counted_when_made,
    only_what_is_missing_is_made, of_an_iterator, cached_steps, kept_then_updated,
]  # fmt: skip


def many_rows(x, n):
    rows = [[x, 1.0] for _ in range(n)]
    best, log = rows[0], [rows[0]]
    for i in range(n):
        row = rows[i]
        rows[i], rows[n - 1 - i] = rows[n - 1 - i], row
        row[1] += best[0] * 0.5
        row.append(x)
        log.append(row)
        if row[1] > best[1]:
            best = row
    return sum(r[0] * r[1] for r in log) + best[1]


REFUSED = [getter_of_a_defaultdict]
