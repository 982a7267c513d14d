"""Classes in functions whose methods use variables of the function. One number is given."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field

import numpy as np


def factory(a, b):
    class P:
        def __init__(self, s):
            self.s = s

        def eval(self, v):
            return a * v + b * self.s

        def __call__(self, v):
            return self.eval(v) ** 2

    return P


def apply(obj, v):
    return obj(v) + obj.eval(v)


def own_name(x):
    """own name, operators"""
    k = x * 2

    class Vec:
        def __init__(self, a, b):
            self.a, self.b = a, b

        def __add__(self, o):
            return Vec(self.a + o.a * k, self.b + o.b)

        def __mul__(self, s):
            return Vec(self.a * s, self.b * s)

        @property
        def norm(self):
            return math.sqrt(self.a**2 + self.b**2) * k

        @staticmethod
        def unit():
            return Vec(1.0, k)

        @classmethod
        def of(cls, v):
            return cls(v, v * k)

    v = Vec(x, 1.0)
    for _ in range(3):
        v = v + Vec(0.5, x) * 2.0
    u = Vec.unit() + Vec.of(x)
    return v.norm + u.a * u.b + (1.0 if isinstance(v, Vec) else 2.0)


def by_super(x):
    """inheritance and super"""
    k = x + 1

    class Base:
        def __init__(self, w):
            self.w = w * k

        def f(self, v):
            return self.w * v + k

    class Mid(Base):
        def f(self, v):
            return super().f(v) * 2

    class Top(Mid):
        def __init__(self, w, u):
            super().__init__(w)
            self.u = u

        def f(self, v):
            return super().f(v) + self.u * x

    return Base(1.0).f(x) + Mid(2.0).f(x) + Top(x, 3.0).f(2.0)


def rebound_later(x):
    """rebound later; seen by the methods"""
    k = 1.0

    class A:
        def get(self):
            return k * x

    a = A()
    t = a.get()
    k = 3.0
    t += a.get()
    for i in range(3):
        k += i
        t += a.get() * i
    return t


def classes_returned(x):
    P, Q = factory(x, 1.0), factory(2.0, x)
    p, q = P(3.0), Q(x)
    return apply(p, x) + apply(q, 2.0) + sum(o.eval(x) for o in [P(1.0), P(x)])


def in_lists(x):
    """objects in lists, chosen"""
    k = x

    class S:
        def area(self):
            return k

    class Sq(S):
        def __init__(self, a):
            self.a = a

        def area(self):
            return self.a**2 * k

    class Ci(S):
        def __init__(self, r):
            self.r = r

        def area(self):
            return 3 * self.r * k + super().area()

    shapes = [Sq(x), Ci(2.0), Sq(3.0)]
    return sum(s.area() for s in shapes)


def linked(x):
    """linked"""
    scale = 0.5 * x

    class Node:
        def __init__(self, v, nxt=None):
            self.v = v
            self.nxt = nxt

        def value(self):
            return self.v * scale

    h = None
    for i in range(5):
        h = Node(x * i, h)
    t = 0.0
    while h is not None:
        t = t * 0.9 + h.value()
        h = h.nxt
    return t


def iterates(x):
    """iterator and context manager"""
    log = []

    class It:
        def __init__(self, n):
            self.i, self.n = 0, n

        def __iter__(self):
            return self

        def __next__(self):
            if self.i >= self.n:
                raise StopIteration
            self.i += 1
            log.append(self.i * x)
            return self.i * x

    class Gen:
        def __iter__(self):
            for j in range(3):
                yield j * x

    t = sum(It(4)) + sum(v for v in Gen())
    return t + sum(log)


def a_dataclass(x):
    @dataclass
    class D:
        a: float
        tags: list = field(default_factory=list)

        def __post_init__(self):
            self.tags.append(self.a * x)

        def total(self):
            return sum(self.tags) + x

    d = D(x)
    d.tags.append(2.0)
    return d.total() + D(1.0).total()


def in_a_loop(x):
    """class in a loop"""
    t = 0.0
    for i in range(3):

        class K:
            def get(self):
                return x * i

        t += K().get()
    return t


def tries(x):
    """try in methods, raise"""
    lim = x

    class Acc:
        def __init__(self):
            self.n = 0

        def add(self, v):
            try:
                if v > lim:
                    raise ValueError("big")
                self.n += 1
                return v
            except ValueError:
                return lim
            finally:
                self.n += 10

    a = Acc()
    return a.add(0.5) + a.add(5.0) + a.n


def updates_a_list(x):
    """closure over list that is rebound and grown; object kept in an attribute of another"""
    buf = []

    class W:
        def put(self, v):
            buf.append(v)
            return len(buf)

    class H:
        def __init__(self, w):
            self.w = w

        def go(self, v):
            return self.w.put(v) + self.w.put(v * v)

    h = H(W())
    n = h.go(x)
    buf[0] = 7.0
    n += h.w.put(1.0)
    return sum(buf) * n


def made_by_a_function(x):
    def make(k):
        class A:
            def f(self, v):
                return v * k

        return A()

    objs = [make(x), make(2.0), make(x * x)]
    return sum(o.f(x) for o in objs)


def keys(x):
    class Key:
        def __init__(self, n):
            self.n = n

        def __eq__(self, o):
            return self.n % m == o.n % m

        def __hash__(self):
            return hash(self.n % m)

    m = 3 if x > 1 else 2
    d = {}
    for i in range(6):
        d[Key(i)] = x * i
    return sum(d.values()) + len(d)


def recursion(x):
    """recursion by method"""
    memo = {}

    class F:
        def get(self, n):
            if n < 2:
                return x
            if n not in memo:
                memo[n] = self.get(n - 1) + self.get(n - 2) * x
            return memo[n]

    return F().get(8) + len(memo)


def by_their_class(x):
    k = x

    class A:
        def f(self):
            return k

        def again(self):
            return type(self)()

        def other(self):
            return self.__class__()

    return A().again().f() + A().other().f()


def updates_an_array(x):
    k = np.array([x, 2.0])

    class Lin:
        def __init__(self, w):
            self.w = w

        def __call__(self, v):
            return self.w @ v + k

        def step(self, lr):
            k[0] += lr
            self.w -= lr * self.w

    m = Lin(np.eye(2) * x)
    out = m(k)
    for _ in range(3):
        m.step(0.1)
    return out.sum() + m(np.ones(2)).sum()


def cached(x):
    class A:
        @functools.cached_property
        def slow(self):
            log.append(1)
            return x * 3

    log = []
    a = A()
    return a.slow + a.slow + len(log)


def two_functions_up(x):
    def outer():
        y = x * 2

        def inner():
            class A:
                def f(self):
                    return y + x

            return A()

        return inner

    return outer()().f()


def slots(x):
    class A:
        __slots__ = ("v",)

        def __init__(self):
            self.v = x

        def __setattr__(self, n, val):
            object.__setattr__(self, n, val * x)

    a = A()
    a.v = 3.0
    return a.v


def generators_and_with(x):
    k = 2.0

    class G:
        def gen(self, n):
            for i in range(n):
                try:
                    yield i * k * x
                finally:
                    done.append(i)

        def uses_with(self, v):
            with self as s:
                return v * k + s.b

        def __enter__(self):
            self.b = k
            return self

        def __exit__(self, *a):
            done.append(k * x)
            return False

    done = []
    g = G()
    return sum(g.gen(3)) + g.uses_with(x) + sum(done)


def recursive_classes(x):
    def rec(n):
        class A:
            def f(self):
                return n * x

            def deep(self):
                return self.f() + (rec(n - 1).deep() if n > 0 else 0.0)

        return A()

    return rec(3).deep()


def of_an_outer_call(x):
    def rec(n, obj):
        class A:
            def __init__(self, w):
                self.w = w

            def f(self):
                return n * x + self.w

        a = A(n)
        if n == 0:
            return a.f() + (obj.f() if obj is not None else 0.0)
        return rec(n - 1, a) + a.f()

    return rec(1, None)


PROGRAMS = [
    own_name, by_super, rebound_later, classes_returned, in_lists, linked, iterates, a_dataclass,
    in_a_loop, tries, updates_a_list, made_by_a_function, keys, recursion, by_their_class,
    updates_an_array, cached, two_functions_up, slots, generators_and_with, recursive_classes,
    of_an_outer_call,
]  # fmt: skip
