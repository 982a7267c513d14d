"""Objects that are called and gone through; objects in the place of numbers (``sum`` of objects,
which begins with 0), operators that decline where only the run knows it, attributes by names that
only the run knows, numbers of objects, and an iterator with a ``finally`` inside of a
comprehension."""

from __future__ import annotations

import functools
import itertools
import math
import operator


class Money:
    def __init__(self, amount, unit="EUR"):
        self.amount, self.unit = amount, unit

    def __add__(self, other):
        if not isinstance(other, Money):
            return NotImplemented
        if self.unit != other.unit:
            raise ValueError(f"cannot add {self.unit} and {other.unit}")
        return Money(self.amount + other.amount, self.unit)

    def __radd__(self, other):
        return self if other == 0 else NotImplemented

    def __mul__(self, k):
        return Money(self.amount * k, self.unit)

    __rmul__ = __mul__

    def __lt__(self, other):
        return self.amount < other.amount


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        if isinstance(other, (int, float)):
            return Vector(self.x + other, self.y + other)
        return Vector(self.x + other.x, self.y + other.y)

    __radd__ = __add__

    def __mul__(self, k):
        return self.x * k.x + self.y * k.y if isinstance(k, Vector) else Vector(self.x * k, self.y)

    def __eq__(self, other):
        if not isinstance(other, Vector):
            return NotImplemented
        return self.x == other.x and self.y == other.y


class Poly:
    def __init__(self, *c):
        self.c = list(c)

    def __call__(self, x):
        total = 0
        for a in reversed(self.c):
            total = total * x + a
        return total

    def __add__(self, other):
        if not isinstance(other, Poly):
            other = Poly(other)
        n = max(len(self.c), len(other.c))
        one, two = (p.c + [0.0] * (n - len(p.c)) for p in (self, other))
        return Poly(*[a + b for a, b in zip(one, two, strict=True)])

    __radd__ = __add__

    def __mul__(self, k):
        if not isinstance(k, Poly):
            return Poly(*[a * k for a in self.c])
        out = [0.0] * (len(self.c) + len(k.c) - 1)
        for i, a in enumerate(self.c):
            for j, b in enumerate(k.c):
                out[i + j] += a * b
        return Poly(*out)

    __rmul__ = __mul__


class Node:
    def __init__(self, key, children=()):
        self.key, self.children = key, list(children)
        self.left = self.right = None
        self.weight = 1.0


class Wave:
    """An object that is called, and gone through."""

    def __init__(self, *heights):
        self.heights = heights

    def __iter__(self):
        return iter(self.heights)

    def __len__(self):
        return len(self.heights)

    def __call__(self, v, by=1.0):
        return self.heights[0] * v + by * self.heights[1]

    def __neg__(self):
        return Wave(*map(operator.neg, self))


def sum_of_objects(xs):
    wallet = [Money(x) for x in xs]
    return (2.0 * sum(wallet)).amount + max(wallet).amount ** 2


def total_that_begins_with_0(xs):
    total = 0
    for x in xs:
        total = total + Money(x) * x
    return total.amount


def total_that_may_stay_0(xs):
    some, none = 0, 0
    for x in xs:
        if x > 0.4:
            some = some + Money(x)
        if x > 5.0:
            none = none + Money(x)
    try:
        return none.amount
    except AttributeError as e:
        return (some.amount if isinstance(some, Money) else 0.0) * len(str(e))


def declined(xs):
    total = xs[0]
    for k in range(2):
        try:
            total += (k + Money(xs[1])).amount
        except TypeError as e:
            total += len(str(e)) * xs[2]
    return total


def centred(xs):
    vs = [Vector(x, x * x) for x in xs]
    middle = sum(vs) * (1.0 / len(vs))
    other = (middle == 0) * 3.0 + (middle != "a") * xs[0]
    return sum(v.x * middle.y for v in vs if v != middle) + other


def squared_total(xs):
    total = 0
    for x in xs:
        total += Vector(x, x * x)
    return total * total


def products_of_polynomials(xs):
    p, q = Poly(xs[0], 1.0), 1
    for x in xs[:3]:
        q = q * (p + x)
    return q(0.3) + sum(Poly(x, x * x) for x in xs)(1.5)


def tree_by_names(xs):
    root = Node(xs[0])
    for x in xs[1:]:
        at = root
        while True:
            side = "left" if x < at.key else "right"
            if getattr(at, side) is None:
                setattr(at, side, Node(x))
                break
            at = getattr(at, side)

    def total(node, d):
        if node is None:
            return 0.0
        return node.key * d + total(node.left, d + 1) + total(node.right, 2 * d)

    return total(root, 1)


def set_by_names(xs):
    node = Node(xs[0])
    for i, x in enumerate(xs):
        name = ("key", "weight")[i % 2]
        setattr(node, name, getattr(node, name) * (x + 1.0))
    return node.key + 3.0 * node.weight


def seen_by_number(xs):
    a = Node(xs[0])
    b = Node(xs[1], (a,))
    c = Node(xs[2], (a, b))
    seen, order, memo = set(), [], {}

    def visit(node):
        if id(node) in seen:
            return
        seen.add(id(node))
        for child in node.children:
            visit(child)
        order.append(node)

    visit(Node(xs[3], (c, a, b)))
    for node in order + [b, a]:
        memo[id(node)] = memo.get(id(node), 0.0) + node.key
    same = sum(id(n) == id(b) for n in order)
    weighted = sum((i + 1) * n.key for i, n in enumerate(order))
    return weighted * same + sum(map(math.sin, memo.values()))


def a_finally_in_a_comprehension(xs):
    ends = []

    def running():
        total, n = 0.0, 0
        try:
            while True:
                v = yield total / n if n else 0.0
                total, n = total + v, n + 1
        finally:
            ends.append(total)

    means = running()
    next(means)
    found = [means.send(x) for x in xs]
    means.close()
    return sum(a * (i + 1) for i, a in enumerate(found)) + ends[0]


def number_of_a_list(xs):
    ys = xs[:]
    return xs[0] if id(ys) == id(xs) else xs[1]


def number_as_a_text(xs):
    a = Node(xs[0])
    a.left = a
    return len(f"{id(a)}") * xs[1]


def number_beside_equality(xs):
    a = Vector(xs[0], xs[1])
    b = a
    b.x = 2.0
    return a.x if id(a) == id(b) else a.y


def called_and_gone_through(xs):
    one, two = Wave(*xs), Wave(xs[1], xs[0])
    total = sum(k * v for k, v in enumerate(one)) + sum(a * b for a, b in zip(one, -two))
    total += sum(filter(None, two)) + sum(itertools.islice(itertools.chain(one, two), 3))
    return total + dict(enumerate(one))[1] + sum(a * b for a, b in itertools.pairwise(one))


def called_for_items(xs):
    one = Wave(*xs)
    total = sum(map(one, one)) + sum(map(one, one, xs)) + functools.reduce(one, one)
    total += sum(itertools.accumulate(one, one)) + sum(itertools.starmap(one, [(2.0,), (3.0, 4.0)]))
    total += sum(itertools.takewhile(one, one))
    for wave in itertools.repeat(one, 2):
        total += len(wave) * wave(total)
    return total


RIGHT = [
    called_and_gone_through, called_for_items, sum_of_objects, total_that_begins_with_0,
    total_that_may_stay_0, declined, centred, squared_total, products_of_polynomials,
    tree_by_names, set_by_names, seen_by_number, a_finally_in_a_comprehension,
]  # fmt: skip
REFUSED = [number_of_a_list, number_as_a_text, number_beside_equality]
