"""Programs with objects that are parts of lists and of other objects."""

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


class NodeL:
    def __init__(self, v, next=None):
        self.v = v
        self.next = next


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


class Sq(Rect):
    def __init__(self, a):
        super().__init__(a, a)

    def area(self):
        return super().area() + 1


class Vec:
    __slots__ = ("d",)

    def __init__(self, d):
        self.d = list(d)

    def __getitem__(self, i):
        return self.d[i]

    def __setitem__(self, i, v):
        self.d[i] = v

    def __len__(self):
        return len(self.d)

    def __iter__(self):
        return iter(self.d)

    def __contains__(self, x):
        return x in self.d

    def __iadd__(self, o):
        for i in range(len(self.d)):
            self.d[i] += o.d[i]
        return self

    def __eq__(self, o):
        return self.d == o.d

    def __lt__(self, o):
        return self.d[0] < o.d[0]

    def __neg__(self):
        return Vec([-a for a in self.d])

    def __sub__(self, o):
        return Vec([a - b for a, b in zip(self.d, o.d)])

    def __abs__(self):
        return math.sqrt(sum(a * a for a in self.d))

    def __repr__(self):
        return f"Vec({self.d})"


class Layer:
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def __call__(self, x):
        return np.tanh(self.w @ x + self.b)


class Net:
    def __init__(self, ls):
        self.layers = ls

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def sgd(self, lr):
        for layer in self.layers:
            layer.w = layer.w - lr * layer.w
            layer.b -= lr


class Parent:
    def __init__(self, x):
        self.x = x
        self.kids = []

    def add(self, k):
        self.kids.append(k)
        return self


class Mat:
    def __init__(self, r):
        self.r = r

    def __matmul__(self, o):
        n = len(self.r)
        return Mat(
            [[sum(self.r[i][k] * o.r[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
        )

    def __getitem__(self, ij):
        return self.r[ij[0]][ij[1]]

    def __setitem__(self, ij, v):
        self.r[ij[0]][ij[1]] = v


class Gen:
    def __init__(self, xs):
        self.xs = xs

    def __iter__(self):
        for x in self.xs:
            yield (2 * x)


class Base:
    def __init__(self):
        self.log = 0.0

    def tick(self, x):
        self.log += x


class Deriv(Base):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def tick(self, x):
        super().tick(self.k * x)
        self.log *= 2.0


def list_objs(x):
    ps = [P(x), P(2 * x), P(3 * x)]
    for p in ps:
        p.x += 1.0
        p.step(0.1)
    return sum(p.x for p in ps)


def list_objs_n(x, n):
    ps = [P(x * i) for i in range(n)]
    for _ in range(3):
        for p in ps:
            p.step(0.1)
            p.v *= x
    return sum(p.x for p in ps)


def list_objs_idx(x, n):
    ps = []
    for i in range(n):
        ps.append(P(x + i))
    for i in range(n):
        ps[i].x *= 2.0
        ps[i].moved(x)
    return sum(p.get() for p in ps)


def pairwise(x, n):
    ps = [P(x * i) for i in range(n)]
    for i in range(n):
        for j in range(i + 1, n):
            d = ps[i].x - ps[j].x
            ps[i].v += d
            ps[j].v -= d
    for p in ps:
        p.step(0.1)
    return sum(p.x**2 for p in ps)


def linked3(x):
    c = NodeL(x)
    b = NodeL(2 * x, c)
    a = NodeL(3 * x, b)
    return a.v + a.next.v + a.next.next.v


def linked_mut(x):
    c = NodeL(x)
    b = NodeL(2 * x)
    b.next = c
    b.next.v += 1.0
    return b.v + b.next.v


def swap(x):
    ps = [P(x), P(2 * x)]
    ps[0], ps[1] = (ps[1], ps[0])
    ps[0].x += 1.0
    return ps[0].x * 3 + ps[1].x


def best(x, n):
    ps = [P(math.sin(x * i)) for i in range(n)]
    m = max(ps, key=lambda p: p.x)
    return m.x


def sort(x):
    ps = [P(x), P(-x), P(2 * x)]
    ps.sort(key=lambda p: p.x)
    return ps[0].x + 2 * ps[1].x


def net(w):
    n = Net([Layer(w, np.zeros(2)), Layer(w * 2, np.ones(2))])
    n.sgd(0.1)
    return float(np.sum(n(np.array([1.0, 2.0]))))


def parents(x):
    r = Parent(x)
    r.add(Parent(2 * x))
    r.add(Parent(3 * x))
    r.kids[0].x += 1.0
    return r.x + sum(k.x for k in r.kids)


def mat(x):
    m = Mat([[x, 1.0], [0.5, x]])
    m[0, 1] = 3.0
    m[1, 1] += x
    r = m @ m
    return r[0, 1] + r[1, 1]


def gen(x):
    return sum(Gen([x, 3.0])) + max(Gen([x, 2.0]))


def arr_field(w):
    p = P(np.zeros(3))
    p.x[0] = w[0]
    p.x += w
    p.x[1:] *= 2.0
    return float(p.x @ p.x)


def arr_list(w):
    ps = [P(np.zeros(2)), P(np.ones(2))]
    for p in ps:
        p.x += w
        p.x[0] *= 2.0
    return float(sum(p.x @ p.x for p in ps))


def arr_list_n(w, n):
    ps = [P(w * i) for i in range(n)]
    for p in ps:
        p.x = p.x + 1.0
        p.x[0] *= 2.0
    return float(sum(p.x @ p.x for p in ps))


def other_obj(x):
    p = P(x)
    q = P(2 * x)

    def add(a, b):
        a.x += b.x

    add(p, q)
    add(q, p)
    return p.x * q.x


def ternary_update(x):
    p = P(x)
    p.step(1.0) if x > 0 else p.step(2.0)
    if x > 0.5:
        p.x *= 2.0
    elif x > 0.2:
        p = P(7.0)
    return p.x


def nested_obj(x):
    n = Parent(P(x))
    n.x.step(1.0)
    n.x.x *= 2.0
    q = n.x
    q.x += 1.0
    return n.x.x


def inherit(x):
    d = Deriv(x)
    for _ in range(3):
        d.tick(x)
    return d.log


def class_pick(x):
    return sum(C(x).area() for C in (Circ, Sq))


def factory(x):

    def make(k):
        return P(k * x)

    ps = [make(k) for k in (1.0, 2.0)]
    ps[0].x += ps[1].x
    return ps[0].x


def zip_objs(x):
    ps = [P(x), P(2 * x)]
    qs = [P(1.0), P(3.0)]
    for p, q in zip(ps, qs):
        p.x += q.x
        q.x *= 2.0
    return ps[0].x * ps[1].x + qs[1].x


def filtered(x, n):
    ps = [P(x * i) for i in range(n)]
    alive = [p for p in ps if p.x > 1.0]
    return sum(p.x for p in alive)


def pop_obj(x):
    ps = [P(x), P(2 * x)]
    p = ps.pop()
    p.x += 1.0
    ps[0].x += p.x
    return ps[0].x


def comp_update(x):
    ps = [P(x), P(2 * x)]
    ps = [p.moved(1.0) for p in ps]
    return ps[0].x * ps[1].x


def comp_update_n(x, n):
    ps = [P(x * i) for i in range(n)]
    ps = [p.moved(1.0) for p in ps]
    return sum(p.x for p in ps)


def vec(x):
    v = Vec([x, 2 * x, 3.0])
    v[1] = 5 * x
    v[0] += v[1]
    v += Vec([1.0, x, x])
    t = 0.0
    for a in v:
        t += a * a
    return t + len(v) + abs(v - -v) + (1.0 if v < Vec([0.0]) else 0.5) + sum(v)


CASES = [
    (list_objs, (0.7,)),
    (
        list_objs_n,
        (
            0.7,
            4,
        ),
    ),
    (
        list_objs_idx,
        (
            0.7,
            4,
        ),
    ),
    (
        pairwise,
        (
            0.7,
            4,
        ),
    ),
    (linked3, (0.7,)),
    (linked_mut, (0.7,)),
    (swap, (0.7,)),
    (
        best,
        (
            0.7,
            4,
        ),
    ),
    (sort, (0.7,)),
    (net, (np.array([[0.1, 0.2], [0.3, 0.4]]),)),
    (parents, (0.7,)),
    (mat, (0.7,)),
    (gen, (0.7,)),
    (arr_field, (np.array([1.0, 2.0, 3.0]),)),
    (arr_list, (np.array([1.0, 2.0]),)),
    (
        arr_list_n,
        (
            np.array([1.0, 2.0]),
            3,
        ),
    ),
    (other_obj, (0.7,)),
    (ternary_update, (0.7,)),
    (nested_obj, (0.7,)),
    (inherit, (0.7,)),
    (class_pick, (0.7,)),
    (factory, (0.7,)),
    (zip_objs, (0.7,)),
    (
        filtered,
        (
            0.7,
            4,
        ),
    ),
    (pop_obj, (0.7,)),
    (comp_update, (0.7,)),
    (
        comp_update_n,
        (
            0.7,
            4,
        ),
    ),
    (vec, (0.7,)),
]
