"""Programs with objects that the function makes and updates."""

import copy
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from types import SimpleNamespace

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


class K2:
    rate = 0.5

    def bump(self):
        self.rate += 1.0

    def get(self):
        return self.rate


class Early:
    def __init__(self, x, flag=False):
        self.x = x
        if flag:
            return
        self.y = x * 2
        for i in range(3):
            self.y += i


class Cond:
    def __init__(self, x):
        self.x = x
        if x > 0:
            self.y = 2 * x


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


class Temp:
    def __init__(self, k):
        self._k = k

    @property
    def c(self):
        return self._k - 273.0

    @c.setter
    def c(self, v):
        self._k = v + 273.0


@dataclass
class Acc:
    name: str
    bal: float = 0.0
    hist: list = field(default_factory=list)
    total: float = field(init=False)

    def __post_init__(self):
        self.total = 2 * self.bal

    def dep(self, a):
        if a < 0:
            raise ValueError("neg")
        self.bal += a
        self.hist.append(a)


class Bank:
    def __init__(self):
        self.accounts = {}

    def open(self, name, amount):
        self.accounts[name] = Acc(name, amount)

    def transfer(self, a, b, x):
        self.accounts[a].bal -= x
        self.accounts[b].dep(x)


class Adam:
    def __init__(self, n, lr=0.1):
        self.m = np.zeros(n)
        self.v = np.zeros(n)
        self.t = 0
        self.lr = lr

    def step(self, w, g):
        self.t += 1
        self.m = 0.9 * self.m + 0.1 * g
        self.v = 0.99 * self.v + 0.01 * g * g
        mh = self.m / (1 - 0.9**self.t)
        vh = self.v / (1 - 0.99**self.t)
        return w - self.lr * mh / (np.sqrt(vh) + 1e-08)


class Queue:
    def __init__(self):
        self.items = []

    def enqueue(self, x):
        self.items.append(x)

    def dequeue(self):
        return self.items.pop(0)

    def __len__(self):
        return len(self.items)

    def __bool__(self):
        return len(self.items) > 0


class Counter:
    def __init__(self):
        self.n = 0

    def __call__(self, v):
        self.n += 1
        return v * self.n


class Lazy:
    def __init__(self, x):
        self.x = x
        self._c = None

    @property
    def sq(self):
        if self._c is None:
            self._c = self.x**2
        return self._c


def rec(p, n):
    if n == 0:
        return
    p.x += 0.5 * p.x
    rec(p, n - 1)


def alias(x):
    a = P(x)
    b = a
    b.x += 2.0
    a.step(0.5)
    return a.x * b.x


def captured(x):
    p = P(x)

    def f():
        p.step(1.0)

    f()
    p.x *= 3.0
    f()
    return p.x


def captured2(x):
    p = P(x)
    g = lambda: p.x * 2
    p.x += 5.0
    return g()


def escape_init(x):
    out = []
    Reg(x, out)
    Reg(2 * x, out)
    return sum(r.x for r in out)


def shadow(x):
    k = K2()
    j = K2()
    k.bump()
    k.rate *= x
    return k.get() + j.get()


def later(x):
    p = P(x)
    p.extra = x * 2
    p.z = 3
    return p.extra * p.z + p.x


def early(x):
    return Early(x).y + Early(x, True).x


def cond_attr_order(x):
    p = P(x)
    if x > 1:
        p.a = x
        p.b = 2 * x
    else:
        p.b = x
        p.a = 3 * x
    return p.a + 5 * p.b


def cond_attr(x):
    c = Cond(x)
    return c.y if x > 0 else c.x


def shapes(x):
    total = 0.0
    for s in [Circ(x), Rect(x, 2.0), Sq(x)]:
        if isinstance(s, Circ):
            total += s.r
        total += s.double()
    return total


def ints(n):
    p = P(n, 2)
    p.step(3)
    return float(p.x)


def f32(a):
    p = P(a)
    p.x = p.x * 2
    return p.x.sum()


def setter(x):
    t = Temp(x)
    t.c = 2 * x
    t.c += 1.0
    return t._k


def dc(x):
    a = Acc("a", x)
    b = Acc("b")
    a.dep(2 * x)
    b.dep(x)
    a.dep(1.0)
    return a.bal * b.bal + sum(a.hist) + a.total


def bank(x):
    k = Bank()
    k.open("a", x)
    k.open("b", 2.0)
    k.transfer("a", "b", x * x)
    return k.accounts["a"].bal * k.accounts["b"].bal


def adam(w):
    o = Adam(len(w))
    for _ in range(5):
        w = o.step(w, 2 * w)
    return float(w @ w)


def queue(x, n):
    q = Queue()
    s = 0.0
    for i in range(n):
        q.enqueue(x * i)
    while q:
        s += q.dequeue() ** 2
    while len(q):
        q.dequeue()
    return s


def fluent(x):
    p = P(x)
    return p.moved(1.0).moved(x).moved(2.0).x + p.x


def method_value(x):
    p = P(x)
    f = p.step
    f(1.0)
    return p.x


def method_value2(x):
    p = P(x)
    f = p.step
    f(1.0)
    f(2.0)
    return p.x


def is_same(x):
    a = P(x)
    b = a
    c = P(x)
    return (x if a is b else 2 * x) + (5 * x if a is c else 0.0)


def eq_identity(x):
    a = P(x)
    b = P(x)
    return x if a == b else 2 * x


def ns(x):
    s = SimpleNamespace(a=x, b=2.0)
    s.a += 1.0
    s.c = s.a * s.b
    return s.c


def deep(x):
    p = P(x)
    q = copy.copy(p)
    r = copy.deepcopy(p)
    p.x += 1.0
    q.x *= 2.0
    return p.x * q.x + r.x


def deep_twice(x):
    """The copy has one list in two places, as the original has."""
    a = [x, 2.0]
    both = copy.deepcopy([a, [a], P(x)])
    a.append(x)
    return sum(both[0]) * sum(both[1][0]) + both[2].x + sum(a)


def recursive(x):
    p = P(x)
    rec(p, 4)
    return p.x


def while_obj(x):
    p = P(x)
    while p.x < 10.0:
        p.step(p.v)
        p.v *= 1.5
    return p.x


def swap_objs(x):
    a = P(x)
    b = P(2 * x)
    a, b = (b, a)
    a.x += 1.0
    return a.x * 2 + b.x


def replace_in_loop(x, n):
    p = P(x)
    for _ in range(n):
        p = P(p.x * 1.1, p.v)
        p.step(0.1)
    return p.x


def counter_hof(x):
    c = Counter()
    return sum(c(x) for _ in range(3))


def counter_list(x):
    c = Counter()
    return sum([c(x) for _ in range(3)]) + c.n


def lazy(x):
    box = Lazy(x)
    return box.sq + box.sq


def setattr_(x):
    p = P(x)
    p.x = 3 * x
    return p.x + getattr(p, "nope", 1.0) + (1.0 if hasattr(p, "v") else 2.0)


CASES = [
    (alias, (0.7,)),
    (captured, (0.7,)),
    (captured2, (0.7,)),
    (escape_init, (0.7,)),
    (shadow, (0.7,)),
    (later, (0.7,)),
    (early, (0.7,)),
    (cond_attr_order, (0.7,)),
    (cond_attr_order, (1.5,)),
    (cond_attr, (0.7,)),
    (shapes, (0.7,)),
    (ints, (3,)),
    (f32, (np.array([1.0, 1.0, 1.0], np.float32),)),
    (setter, (0.7,)),
    (dc, (0.7,)),
    (bank, (0.7,)),
    (adam, (np.array([1.0, 2.0]),)),
    (
        queue,
        (
            0.7,
            4,
        ),
    ),
    (fluent, (0.7,)),
    (method_value, (0.7,)),
    (method_value2, (0.7,)),
    (is_same, (0.7,)),
    (eq_identity, (0.7,)),
    (ns, (0.7,)),
    (deep, (0.7,)),
    (deep_twice, (0.7,)),
    (recursive, (0.7,)),
    (while_obj, (0.7,)),
    (swap_objs, (0.7,)),
    (
        replace_in_loop,
        (
            0.7,
            4,
        ),
    ),
    (counter_hof, (0.7,)),
    (counter_list, (0.7,)),
    (lazy, (0.7,)),
    (setattr_, (0.7,)),
]
