"""Programs with objects that are refused at their line: one object in two places, and the like."""

import copy
import math
from abc import ABC, abstractmethod

import numpy as np


class P:
    def __init__(self, x, v=1.0):
        self.x = x
        self.v = v

    def step(self, dt):
        self.x += dt * self.v

    def get(self):
        return self.x

    def moved(self, d):
        self.x += d
        return self


class Reg:
    def __init__(self, x, where):
        self.x = x
        where.append(self)


class NodeL:
    def __init__(self, v, next=None):
        self.v = v
        self.next = next


class K:
    count = 0
    rate = 0.5

    def __init__(self):
        K.count += 1


class Shape(ABC):
    @abstractmethod
    def area(self): ...

    def double(self):
        return 2 * self.area()


class Circ(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return math.pi * self.r**2


class Rect(Shape):
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def area(self):
        return self.a * self.b


class Def:
    def __init__(self, x, items=[]):  # noqa: B006  # the default that is shared
        self.items = items
        self.items.append(x)


class Momentum:
    def __init__(self, params):
        self.params = params
        self.vel = [np.zeros_like(p) for p in params]

    def step(self, grads):
        for i in range(len(self.params)):
            self.vel[i] = 0.9 * self.vel[i] - 0.1 * grads[i]
            self.params[i] = self.params[i] + self.vel[i]


class It:
    def __init__(self, n):
        self.n = n
        self.i = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i


def alias_branch(x):
    a = P(x)
    b = P(2 * x)
    c = a if x > 0 else b
    c.x += 1.0
    return a.x + 3 * b.x + c.x


def two_lists(x):
    a = P(x)
    l1 = [a]
    l2 = [a]
    l1[0].x += 1.0
    return l2[0].x


def escape_init_mut(x):
    out = []
    a = Reg(x, out)
    a.x += 1.0
    return sum(r.x for r in out)


def linked(x, n):
    head = None
    for i in range(n):
        head = NodeL(x * i, head)
    s = 0.0
    while head is not None:
        s += head.v
        head = head.next
    return s


def linked_mut2(x):
    c = NodeL(x)
    b = NodeL(2 * x)
    b.next = c
    c.v += 1.0
    return b.v + b.next.v


def changes_its_class(x):
    K()
    return x * K.rate


def shape_chosen(x):
    s = Circ(x) if x > 0 else Rect(x, 2.0)
    return s.area()


def mutable_default2(x):
    a = Def(x)
    return len(a.items) * x


def mutation_iter(x):
    ps = [P(x), P(2 * x)]
    for _ in ps:
        if len(ps) < 4:
            ps.append(P(x))
    return len(ps) * x


def momentum(w):
    o = Momentum([w * 1.0, w * 2.0])
    for _ in range(3):
        o.step(o.params)
    return float(o.params[0] @ o.params[1])


def obj_arg_twice(x):
    p = P(x)

    def add(a, b):
        a.x += b.x

    add(p, p)
    return p.x


def filtered_mut(x, n):
    ps = [P(x * i) for i in range(n)]
    ps = [p for p in ps if p.x > 1.0]
    for p in ps:
        p.x += 1.0
    return sum(p.x for p in ps)


def iterator(x):
    return sum(x * i for i in It(4))


def shared_arr(w, n):
    ps = [P(w) for i in range(n)]
    for p in ps:
        p.v += 1.0
        p.x = p.x * p.v
    return float(sum(p.x @ p.x for p in ps))


def shared_field(x):
    d = [x, 1.0]
    a = Def(2.0, d)
    d[0] += 1.0
    return a.items[0]


def deep_maybe_shared(x):
    a, b = [x], [2.0 * x]
    both = copy.deepcopy([a, a if x > 0.5 else b])
    return sum(both[1])


class Tree:
    def __init__(self, v, left=None, right=None):
        self.v = v
        self.left = left
        self.right = right


def tree_of_objects(x, n):
    def build(k, y):
        return None if k == 0 else Tree(y, build(k - 1, 2.0 * y), build(k - 1, y + x))

    return build(n, x).v


class User:
    def __init__(self, of, k):
        self.of = of
        self.k = k

    def __call__(self, v):
        self.of.x += v
        return self.of.x * self.k


OUTSIDE = P(1.0)


def of_outside_in_a_list(x):
    users = [User(OUTSIDE, x), User(OUTSIDE, 2.0)]
    return users[0](1.0) + users[1](x)


def of_outside_in_turn(x):
    users = [User(OUTSIDE, x), User(OUTSIDE, 2.0)]
    return sum(user(1.0) for user in users)
