"""Programs with dicts of run-time keys: ordered ones as queues, defaults that are put in, dicts of
functions and of lists that objects hold. Each takes one number."""

from __future__ import annotations

import heapq
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


def queue(x):
    d, t = OrderedDict(), 0.0
    for k in range(7):
        d[k * 3 % 7] = x * k
    while d:
        k, v = d.popitem(last=False)
        t = t * 1.1 + v * (k + 1)
    return t


def both_ends(x):
    """What is taken out at one end lies beside what is taken out at the other."""
    d, t = OrderedDict(), 0.0
    for k in range(40):
        d[k * 7 % 23] = x * k
        if k % 3 == 0:
            t = 0.9 * t + d.popitem(last=False)[1]
        if k % 4 == 1:
            t = 0.9 * t + d.popitem()[1] * 2
        if k % 5 == 2:
            d.pop(k % 23, None)
        if k % 6 == 1 and k * 7 % 23 in d:
            d.move_to_end(k * 7 % 23)
    for k, v in d.items():
        t = t * 0.7 + k * v
    return t + len(d)


class Cache:
    def __init__(self, most):
        self.most = most
        self.d = OrderedDict()
        self.calls = []

    def get(self, key, compute):
        if key in self.d:
            self.d.move_to_end(key)
            return self.d[key]
        self.calls.append(key)
        self.d[key] = compute(key)
        if len(self.d) > self.most:
            self.d.popitem(last=False)
        return self.d[key] + 1.0


def least_recently_used(x):
    c, t = Cache(5), 0.0
    for i in range(40):
        t = 0.8 * t + c.get(i * i % 11, lambda k: x * k)
    return t + len(c.calls) + sum(c.calls)


def until_it_is_empty(x):
    d, t = OrderedDict(), 0.0
    d[1] = x
    for _ in range(3):
        try:
            t += d.popitem(last=False)[1]
        except KeyError as e:
            t += len(str(e))
    return t


def taken_out_in_a_list(x):
    rows = [{k: [x * k] for k in range(4)} for _ in range(2)]
    for k in range(3):
        del rows[k % 2][k]
    rows[0][3].append(x)
    rows[1][2].append(5.0)
    rows[0][9] = [x * x]
    rows[0][9].append(x)
    t = 0.0
    for r in rows:
        for k, v in r.items():
            t = t * 0.8 + k * sum(v)
    return t


def defaults_in_a_list(x):
    rows = [defaultdict(list) for _ in range(3)]
    for k in range(7):
        rows[k % 3][k % 2].append(x * k)
    rows[0][5].append(1.0)
    t = len(rows[0])
    for i, r in enumerate(rows):
        for k, v in r.items():
            t += sum(v) * (i + 1) * (k + 2)
    return t


def defaults_of_defaults(x):
    rows = [defaultdict(lambda: defaultdict(float)) for _ in range(2)]
    for k in range(7):
        rows[k % 2][k % 3][k] += x * k
    del rows[0][0]
    rows[0][0][1] = x
    t = 0.0
    for i, r in enumerate(rows):
        for k, v in r.items():
            for j, w in v.items():
                t += w * (i + 1) * (k + 2) * (j + 1)
    return t


class Graph:
    def __init__(self):
        self.near = defaultdict(list)
        self.weight = defaultdict(float)
        self.me = self

    def edge(self, a, b, w):
        self.near[a].append(b)
        self.near[b].append(a)
        self.weight[a, b] += w
        self.weight[b, a] += w


def graph(x):
    g = Graph()
    for a, b in [(0, 1), (1, 2), (0, 2), (2, 3)]:
        g.me.edge(a, b, x * (a + b))
    t = 0.0
    for a in range(5):
        for b in g.near[a]:
            t = 0.9 * t + g.weight[a, b] * b
    return t + len(g.near) + len(g.weight)


def put_in_before_it_raises(x):
    """Python reads ``d[k]`` first, so the key is there when the other side raises."""
    numbers, rows, lists, n = defaultdict(float), [defaultdict(lambda: [0.0, 0.0])], {}, 0
    lists["a"] = defaultdict(list)
    for k in range(3):
        try:
            numbers[k + 5] += x / (k - 1)
        except ZeroDivisionError:
            n += 10 * len(numbers)
        try:
            rows[0][k][1] = x / (k - 1)
        except ZeroDivisionError:
            n += len(rows[0])
        try:
            rows[0][k + 5][0] += x / (k - 1)
        except ZeroDivisionError:
            n += 10 * len(rows[0])
        try:
            lists["a"][k] += [x / (k - 1)]
        except ZeroDivisionError:
            n += 100 * len(lists["a"])
    return sum(numbers.values()) * x + n + sum(map(sum, lists["a"].values()))


def put_in_before_the_operation_raises(x):
    """The other side is a number or an array: it is the operation that raises."""
    divided, ints, rows, n = defaultdict(float), defaultdict(int), defaultdict(zeros), 0
    for k in range(3):
        z, i, v = x * (k - 1), k - 1, np.ones(k + 1) * x
        try:
            divided[k] /= z
        except ZeroDivisionError:
            n += 10 * len(divided)
        try:
            ints[k] //= i
        except ZeroDivisionError:
            n += 10 * len(ints)
        try:
            rows[k] += v
        except ValueError:
            n += 10 * len(rows)
    return n + len(divided) + len(ints) + sum([a.sum() for a in rows.values()])


def zeros():
    return np.zeros(2)


class Bus:
    def __init__(self):
        self.handlers = defaultdict(list)

    def on(self, name, f):
        self.handlers[name].append(f)

    def emit(self, name, v):
        for f in self.handlers[name]:
            f(v)


def bus(x):
    b, state, log = Bus(), {"t": x}, []

    def add(v):
        state["t"] += v

    b.on("a", add)
    b.on("b", lambda v: log.append(v * x))
    b.on("a", lambda v: log.append(v))
    for k in range(3):
        b.emit("a", x * k)
        b.emit("b", 1.0 * k)
    return state["t"] + sum(log)


class Line:
    def __init__(self, out):
        self.out = out
        self.put = out.append
        self.heard = []

    def go(self, v):
        self.put(v)
        self.out.append(v * 2)
        for f in self.heard:
            f(v)


def methods_of_lists(x):
    """``append`` of a list that has several names, in objects and lists."""
    log, a, b = [], [], []
    line = Line(log)
    line.heard.append(a.append)
    line.heard.append(lambda v: line.go(v * 0.5) if v > 1.0 else None)
    line.go(2.5 * x)
    log.append(x * x)
    sinks = [a.append, b.append]
    for k in range(5):
        sinks[k % 2](x * k)
    a[0] = 7.0
    return sum(v * (k + 1) for k, v in enumerate(log)) + sum(a) * 2 + sum(b)


class Subject:
    def __init__(self):
        self.observers = []
        self.state = 0.0

    def attach(self, f):
        self.observers.append(f)

    def set(self, v):
        self.state = v
        for f in self.observers:
            f(self, v)


def observed(x):
    """The functions in the list change a list and a dict around them."""
    log, total, s = [], {"t": 0.0}, Subject()

    def gather(subject, v):
        total["t"] += subject.state * x

    s.attach(lambda subject, v: log.append(v * 2))
    s.attach(gather)
    for k in range(3):
        s.set(x * k)
    return sum(log) + total["t"]


@dataclass(order=True)
class Event:
    time: float
    number: int
    payload: float = field(compare=False, default=0.0)


def events(x):
    """Objects that change, in the order that their class has, in a heap."""
    q: list[Any] = []
    for i in range(4):
        heapq.heappush(q, Event(x * (4 - i), i, x + i))
    t, n = 0.0, 0
    while q:
        e = heapq.heappop(q)
        e.payload *= 0.5
        t = t * 1.1 + e.time * e.payload
        if n < 6:
            n += 1
            heapq.heappush(q, Event(e.time + 1.37 * x, n, e.payload))
    return t


def scaled_where_they_are(x):
    """Loops over dicts with defaults whose bodies read and replace the values of their keys."""
    counts: Any = defaultdict(lambda: defaultdict(float))
    for a, b in zip("abcab", "babca", strict=True):
        counts[a][b] += x
    for row in counts.values():
        for k in row:
            row[k] /= x * x + len(row)
    lists: Any = defaultdict(list)
    for i in range(5):
        lists[i % 2].append(x * i)
    for k in lists:
        lists[k].append(x)
        lists[k][0] += 1.0
    return counts["a"]["b"] + 2 * counts["c"]["a"] + sum(lists[0]) * lists[1][0]


def another_key_meanwhile(x):
    """Python notices that a loop over a dict with defaults has put a key in."""
    d = defaultdict(float, {"a": x, "b": 2.0 * x})
    try:
        for k in d:
            v = d[k + "c"]
            d[k] += v + 1.0
    except RuntimeError as e:
        return d["a"] + len(d) + len(str(e))
    return 0.0


class Totals:
    """Two tables, which other ones are added to."""

    def __init__(self) -> None:
        self.counts: Any = Counter()
        self.values: dict[int, float] = {}

    def take(self, other: Totals) -> None:
        self.counts.update(other.counts)
        self.values.update(other.values)


def updated_by_shared_ones(x):
    """Both dicts have another name, and one has got a key since."""
    d, e = {0: x, 2: 0.3}, {1: 0.4}
    both = [d, e]
    d[1] = x
    e.update(d)
    e |= {7: x, **d}
    e.update(zip([7, 8], [x, x * x], strict=True))
    return sum((k + 1) * v for q in both for k, v in q.items())


def counted_by_shared_ones(x):
    c, d = Counter([1, 2, 2]), {1: 2, 3: 4}
    both = [c, d]
    d[5] = 1
    c.update(d)
    of_items, of_keys, of_values = Counter(d), Counter(both[1].keys()), Counter(d.values())
    n = sum(k * v for k, v in both[0].items()) + 10 * of_items[3] + of_keys[5] + of_values[4]
    return x * n


def totals_of_others(x):
    a, b = Totals(), Totals()
    both = [a, b]
    a.counts[1] += 2
    b.counts[1] += 3
    b.counts[4] += 1
    a.values[1], b.values[2] = x, x * x
    both[0].take(both[1])
    total: Any = Counter()
    for o in both:
        total.update(o.counts)
    return sum(k * v for k, v in total.items()) * x + sum(k * v for k, v in a.values.items())


PROGRAMS: list[Callable[[Any], Any]] = [
    updated_by_shared_ones, counted_by_shared_ones, totals_of_others,
    scaled_where_they_are, another_key_meanwhile,
    queue, both_ends, least_recently_used, until_it_is_empty, taken_out_in_a_list,
    defaults_in_a_list, defaults_of_defaults, graph, put_in_before_it_raises,
    put_in_before_the_operation_raises, bus, observed, events,
    methods_of_lists,
]  # fmt: skip
