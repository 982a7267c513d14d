"""Classes that are iterators by a ``__next__`` of their own."""

from __future__ import annotations

import itertools
import math

import numpy as np


class Count:

    def __init__(self, n):
        self.i = 0
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i


class Backwards:

    def __init__(self, xs):
        self.xs = xs

    def __iter__(self):
        return BackwardsIterator(self)


class BackwardsIterator:

    def __init__(self, of):
        self.of = of
        self.k = len(of.xs)

    def __iter__(self):
        return self

    def __next__(self):
        if self.k == 0:
            raise StopIteration()
        self.k -= 1
        return self.of.xs[self.k]


class Fibonacci:

    def __init__(self, a, b):
        self.a = a
        self.b = b

    def __iter__(self):
        return self

    def __next__(self):
        self.a, self.b = self.b, self.a + self.b
        return self.a


class Falling:

    def __init__(self, x):
        self.x = x
        self.log = []

    def __iter__(self):
        return self

    def __next__(self):
        self.x -= 1
        self.log.append(self.x)
        if self.x < -2:
            raise StopIteration
        return math.sqrt(self.x)


class Mapped:

    def __init__(self, f, it):
        self.f = f
        self.it = it

    def __iter__(self):
        return self

    def __next__(self):
        return self.f(self.it.__next__())


class Batches:

    def __init__(self, xs, n):
        self.xs = xs
        self.n = n
        self.i = 0

    def __iter__(self):
        self.i = 0
        return self

    def __next__(self):
        if self.i >= len(self.xs):
            raise StopIteration
        batch = self.xs[self.i : self.i + self.n]
        self.i += self.n
        return batch


class Node:

    def __init__(self, v, after):
        self.v = v
        self.after = after


class Chain:

    def __init__(self):
        self.head = None

    def push(self, v):
        self.head = Node(v, self.head)

    def __iter__(self):
        return ChainIterator(self.head)


class ChainIterator:

    def __init__(self, at):
        self.at = at

    def __iter__(self):
        return self

    def __next__(self):
        if self.at is None:
            raise StopIteration
        v = self.at.v
        self.at = self.at.after
        return v


class Base:

    def __init__(self, n):
        self.n = n
        self.k = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.k >= self.n:
            raise StopIteration(self.k * 2.0)
        self.k += 1
        return self.value()


class Ones(Base):

    def value(self):
        return self.k * 1.0


class Squares(Base):

    def value(self):
        return self.k * self.k * 1.0


def in_a_loop(x):
    c = Count(3)
    t = 0.0
    for v in c:
        t += v * x
    return t + c.i


def left_and_gone_on_with(x):
    c = Count(5)
    t = 0.0
    for v in c:
        if v > 2:
            break
        t += v * x
    for v in c:
        t += 10 * v * x * x
    return t + c.i


def made_by_iter(x):
    r = Backwards([x, 2.0, x * x])
    t = 0.0
    for k, v in enumerate(r):
        t += (k + 1) * v
    for v in r:
        for w in r:
            t += v * w * w
    return t


def endless(x):
    t = 0.0
    for v in Fibonacci(x, 1.0):
        if v > 20:
            break
        t += v * v
    f = Fibonacci(x, 1.0)
    return t + sum(itertools.islice(f, 4)) + f.a


def with_a_default(x):
    c = Count(2)
    t = next(c, 0) * x + next(c, 0) * x * x
    v = next(c, None)
    while v is not None:
        v = next(c, None)
    return t + next(c, 7.5)


def at_its_end(x):
    c = Squares(2)
    t = 0.0
    while True:
        try:
            t += next(c) * x
        except StopIteration as e:
            t += e.value * x
            break
    return t + sum(c)


def raises(x):
    b = Falling(x + 1)
    t = 0.0
    try:
        for v in b:
            t += v
    except ValueError:
        t += 0.5
    return t + len(b.log) + b.x


def its_body_raises(x):
    c = Count(5)
    t = 0.0
    try:
        for v in c:
            t += math.sqrt(3.5 - v) * x
    except ValueError:
        t += c.i
    return t + sum(c)


def changed_by_its_body(x):
    c = Count(6)
    t = 0.0
    for v in c:
        c.i += 1
        t += v * x * c.i
    return t + c.i


def captured_and_passed_on(x):
    c = Count(6)

    def use(it, most):
        t = 0.0
        for v in it:
            t += v * x
            if v > most:
                break
        return t

    def here():
        t = 0.0
        for v in c:
            t += v * x * x
            if v > 3:
                break
        return t

    return use(c, 1) + here() * use(c, 100) + c.i


def in_containers(x):
    cs = [Count(2), Count(3)]
    d = {"a": Count(2), "b": Count(4)}
    t = 0.0
    for c in cs:
        for v in c:
            t += v * x
    for k in d:
        for v in d[k]:
            t += v * x * x
    return t + cs[0].i + cs[1].i


def over_one_another(x):
    m = Mapped(lambda v: v * x, Mapped(lambda v: v + 1, Count(3)))
    t = next(m)
    return t + sum(m)


def beside_itself(x):
    c = Count(6)
    return sum(a * b for a, b in zip(c, c, strict=False)) * x


def consumed(x):
    a, b, c = Count(3)
    first, *rest = Backwards([x, 2.0, 3.0])
    t = a * x + b * c + first * sum(rest)
    t += sum([v * x for v in Count(3)]) + sum(v * x for v in Count(4))
    t += max(Count(4)) * x + sorted(Backwards([x, 3.0, 0.5]))[1]
    t += x if 3 in Count(5) else -x
    c = Count(6)
    if any(v > 2 for v in c):
        t += c.i
    return t


def linked(x):
    chain = Chain()
    for v in (x, 2.0, x * x):
        chain.push(v)
    t = 0.0
    for v in chain:
        t = t * 0.5 + v
        for w in chain:
            t += v * w
    return t


def of_a_base_class(x):
    it = Ones(3) if x > 1 else Squares(3)
    t = 0.0
    for v in it:
        t += v * x
    for other in [Ones(2), Squares(3)]:
        for v in other:
            t += v * x * x
    return t


def batches(x):
    xs = np.array([x, 2.0, x * x, 3.0])
    t = 0.0
    again = Batches(xs, 2)
    for k in range(2):
        for b in again:
            t += (k + 1) * (b * b).sum()
    return t


def recursive(x):
    def f(n):
        t = 0.0
        for v in Count(n):
            t += v * x + f(n - 1)
        return t

    return f(3)


class Taken:

    def __init__(self, items):
        self.items = iter(items)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.items)


def hands_on(items):
    for v in items:
        yield v * v


def begun_once_by_max(x):
    return max(v for v in Taken([x, 3.0 * x, 2.0]))


def begun_once_by_a_generator(x):
    return min(hands_on(Taken([x + 1.0, 3.0 * x, 2.0]))) + next(hands_on(Taken([x, 1.0])))


def begun_once_in_turns(x):
    it = hands_on(Fibonacci(x, 2.0 * x))
    a = next(it)
    return a * next(it) + next(it)


PROGRAMS = [
    begun_once_by_max, begun_once_by_a_generator, begun_once_in_turns,
    in_a_loop, left_and_gone_on_with, made_by_iter, endless, with_a_default, at_its_end, raises,
    its_body_raises, changed_by_its_body, captured_and_passed_on, in_containers, over_one_another,
    beside_itself, consumed, linked, of_a_base_class, batches, recursive,
]  # fmt: skip


def given(x, c):
    t = 0.0
    for v in c:
        t += v * x
        if v == 2:
            break
    return t
