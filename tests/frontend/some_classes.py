"""Objects of several classes of which only some have a special method; and a class in a method."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple


class Plain:
    def __init__(self, x):
        self.x = x
        self.next = None


class Rich(Plain):
    def __eq__(self, other):
        return self.x == other.x

    __hash__ = None

    def __lt__(self, other):
        return self.x < other.x

    def __len__(self):
        return 2

    def __contains__(self, v):
        return v < self.x

    def __neg__(self):
        return 3 * self.x

    def __add__(self, other):
        return self.x + 2 * other.x

    def __rmul__(self, k):
        return k * self.x

    def __call__(self, k):
        return self.x * k

    def __getitem__(self, i):
        return self.x + i

    def __setitem__(self, i, v):
        self.x = v + i

    def __delitem__(self, i):
        self.x = i * self.x

    def __float__(self):
        return self.x

    def __abs__(self):
        return 7 * self.x

    def __round__(self):
        return 5.0 * self.x


def linked(xs):
    found = []
    for i, x in enumerate(xs):
        o = Rich(x) if i % 2 else Plain(x)
        if found:
            found[-1].next = o
        found.append(o)
    return found


def equal_or_one(xs):
    found, t = linked(xs), 0.0
    for i, a in enumerate(found):
        for j, b in enumerate(found):
            if a == b:
                t += (i + 10 * j) * a.x
            if a != b:
                t += 0.25 * b.x
    return t


def searched(xs):
    found = linked(xs)
    t = sum(o.x for o in found if o in [found[1], found[2]])
    return t * found.index(found[2]) + found.count(found[1])


def ordered(xs):
    t, found = 0.0, linked(xs)
    for a in found:
        for b in found:
            try:
                t += a.x if a < b else 2 * b.x
            except TypeError as e:
                t += 0.5 * a.x + len(str(e))
    return t


def least(xs):
    _, a, _ = linked(xs)
    b = Rich(2 * a.x)
    return min(a, b).x + 3 * max(a, b).x


def with_others(xs):
    t, found = 0.0, linked(xs)
    for a in found:
        for what in (lambda: -a, lambda: a + found[0], lambda: 2.0 * a, lambda: a(3.0),
                     lambda: a[2], lambda: float(a), lambda: abs(a), lambda: round(a)):  # fmt: skip
            try:
                t += what()
            except TypeError as e:
                t += 0.5 * a.x + len(str(e))
    return t


def its_length(xs):
    t = 0.0
    for a in linked(xs):
        try:
            n = len(a)
        except TypeError as e:
            n = len(str(e))
        t += n * a.x
    return t


def in_it(xs):
    t = 0.0
    for a in linked(xs):
        try:
            there = 0.5 in a
        except TypeError as e:
            there = len(str(e)) > 30
        t += a.x if there else 2 * a.x
    return t


def assigned(xs):
    t = 0.0
    for a in linked(xs):
        try:
            a[1] = 3 * a.x
        except TypeError as e:
            t += len(str(e)) * a.x
        t += a.x**2
    return t


def deleted(xs):
    t = 0.0
    for a in linked(xs):
        try:
            del a[2]
        except TypeError as e:
            t += len(str(e)) * a.x
        t += a.x**2
    return t


def told_apart(xs):
    return sum(a[1] if isinstance(a, Rich) else a.x**2 for a in linked(xs))


class Message:
    def __init__(self, pi=0.0, tau=0.0):
        self.pi = pi
        self.tau = tau

    def __mul__(self, other):
        return Message(self.pi + other.pi, self.tau + other.tau)

    def __truediv__(self, other):
        return Message(self.pi - other.pi, self.tau - other.tau)


class Variable(Message):
    def __init__(self):
        self.messages = {}
        super(Variable, self).__init__()  # noqa: UP008  # as people write it

    def __getitem__(self, factor):
        return self.messages[factor]

    def __setitem__(self, factor, message):
        self.messages[factor] = message

    def update(self, factor, message):
        old, self[factor] = self[factor], message
        new = self / old * message
        self.pi, self.tau = new.pi, new.tau


class Factor:
    def __init__(self, variables):
        self.variables = variables
        for v in variables:
            v[self] = Message()


class Prior(Factor):
    def __init__(self, v, pi, tau):
        super().__init__([v])
        self.given = Message(pi, tau)

    def send(self):
        self.variables[0].update(self, self.given)


class Drift(Factor):
    def __init__(self, a, b, variance):
        super().__init__([a, b])
        self.variance = variance

    def send(self):
        a, b = self.variables
        before = a / a[self]
        k = 1.0 / (1.0 + self.variance * before.pi)
        b.update(self, Message(k * before.pi, k * before.tau))


def factor_graph(xs):
    """Messages between the variables and factors of a chain, each held under its factor."""
    chain = [Variable() for _ in xs]
    priors = [Prior(v, 1.0 + x * x, x) for v, x in zip(chain, xs)]
    factors = [*priors, *(Drift(a, b, 0.3) for a, b in pairwise(chain))]
    for _ in range(2):
        for f in factors:
            f.send()
    return sum(v.tau / v.pi + math.log(v.pi) for v in chain)


class Shape:
    def __init__(self, size):
        self.size = size

    def grown(self, k):
        return type(self)(k * self.size)

    def total(self):
        return self.size + (2 * self[0] if isinstance(self, Box) else 0.0)


class Box(Shape):
    def __getitem__(self, i):
        return self.size + i

    def grown(self, k):
        return super(Box, self).grown(k + self[1])  # noqa: UP008  # as many write it


class Crate(Box):
    def total(self):
        return super().total() + len([self[k] for k in range(3)])


def made_by_their_class(xs):
    shapes = [Shape(xs[0]), Box(xs[1]), Crate(xs[2])]
    for _ in range(2):
        shapes.append(shapes[-3].grown(1.5))
    return sum((k + 1) * s.total() for k, s in enumerate(shapes))


def of_function_or_list(xs):
    def one(v):
        return v * v

    try:
        functions = list(one)
    except TypeError:
        functions = [one, math.sin]
    try:
        n = len(one)
    except TypeError:
        n = 3
    return n * sum(f(x) for f in functions for x in xs)


@dataclass(frozen=True)
class Frozen:
    a: float
    b: float


class Named(NamedTuple):
    a: float
    b: float


def of_frozen_or_named(xs):
    t = 0.0
    for x in xs:
        v = Frozen(x, 2.0) if x < 0.5 else Named(2 * x, 3.0)
        try:
            t += v[0]
            p, q = v
            t += p * q
        except TypeError as e:
            t += len(str(e)) * v.b * x
        try:
            t += sum(u for u in v)
        except TypeError as e:
            t += len(str(e)) * x
    return t


RIGHT = [
    of_frozen_or_named,
    equal_or_one, searched, ordered, least, with_others, its_length, in_it, assigned, deleted,
    told_apart, factor_graph, made_by_their_class, of_function_or_list,
]  # fmt: skip
