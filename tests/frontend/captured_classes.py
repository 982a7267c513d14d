"""What else is done with classes whose methods use variables of the function around them."""

from __future__ import annotations

import copy
from collections import defaultdict
from dataclasses import asdict, dataclass, field, replace

import pullback as pb


class Shape:
    def area(self):
        raise NotImplementedError


def frozen(x):
    @dataclass(frozen=True)
    class F:
        a: float
        b: float = field(init=False)

        def __post_init__(self):
            object.__setattr__(self, "b", self.a * x)

        def g(self):
            return self.b * x

        @property
        def h(self):
            return self.a + x

    f = F(2.0)
    return f.g() + f.h + asdict(f)["b"] + (1.0 if f == F(2.0) else 5.0)


def frozen_replaced(x):
    @dataclass(frozen=True)
    class F:
        a: float

        def g(self):
            return self.a * x

        def moved(self):
            return replace(self, a=self.a + 1)

    return F(2.0).moved().g()


def chosen(x):
    class A:
        def f(self):
            return x

    class B:
        def f(self):
            return x * 2

    return sum(c().f() for c in [A, B]) + {"a": A, "b": B}["b"]().f()


def asked_for_its_class(x):
    class A:
        def f(self):
            return x

    a = A()
    return (1.0 if type(a) is A else 2.0) + a.f()


def mapped(x):
    class A:
        def __init__(self, v):
            self.v = v * x

    return sum(a.v for a in map(A, [1.0, 2.0])) + [A(i) for i in range(3)][2].v


def in_a_defaultdict(x):
    class A:
        def __init__(self):
            self.v = x

    d = defaultdict(A)
    d["a"].v += 1
    return d["a"].v + len(d)


def copied(x):
    class A:
        def __init__(self):
            self.v = [x]

        def get(self):
            return self.v[0] * x

    a = A()
    b = copy.copy(a)
    c = copy.deepcopy(a)
    a.v[0] = 5.0
    return b.get() + c.get() + a.get()


def of_one_branch(x):
    if x > 1:

        class B:
            def f(self):
                return x
    else:

        class B:
            def f(self):
                return x * 5

    return B().f()


def methods_as_values(x):
    class A:
        def f(self):
            return x

        def g(self):
            return self.f() * 2

    f = A().f
    g = A.g
    return f() + g(A()) + (3.0 if hasattr(A(), "f") else 4.0) + (1 if callable(A().f) else 2)


def given_to_a_function(x):
    """an update of the caller's list in methods"""
    xs = [x]

    class A:
        def push(self):
            xs.append(x * len(xs))

    a = A()
    for _ in range(3):
        a.push()

    def g(obj):
        obj.push()
        return len(xs)

    n = g(a)
    return sum(xs) + n


def special_methods(x):
    class Stack:
        def __init__(self):
            self.items = []

        def push(self, v):
            self.items.append(v * k)
            return self

        def __len__(self):
            return len(self.items)

        def __getitem__(self, i):
            return self.items[i] + k

        def __contains__(self, v):
            return v in self.items

        def __bool__(self):
            return len(self.items) > k

        def __eq__(self, o):
            return self.items == o.items and k == 2

        def __lt__(self, o):
            return self.items[0] * k < o.items[0]

    k = 2
    s, t = Stack().push(x).push(1.0), Stack().push(x)
    return (
        len(s)
        + s[0]
        + (1 if 2.0 in s else 5)
        + (1 if s else 7)
        + (1 if s == t else 11)
        + (1 if sorted([s, t])[0] is t else 3) * x
    )


def class_attributes(x):
    class A:
        total = 0.0

        def f(self):
            return self.total + x

    a = A()
    a.total = 3.0
    return a.f() + A().f()


def of_a_base_outside(x):
    class Sq(Shape):
        def area(self):
            return x * x

    def total(shapes):
        return sum(s.area() for s in shapes)

    return total([Sq(), Sq()]) + (1 if isinstance(Sq(), Shape) else 2)


def parameters(x):
    n = 3

    class Poly:
        def __init__(self, *c, scale=1.0, **kw):
            self.c = c
            self.scale = scale
            self.kw = kw

        def __call__(self, t=2.0, *, k=1):
            return (
                sum(ci * t**i for i, ci in enumerate(self.c)) * self.scale * n * x
                + self.kw["z"] * k
            )

    return Poly(1.0, x, 2.0, scale=x, z=5.0)(x, k=2) + Poly(x, z=1.0)()


def derivatives_inside(x):
    """grad inside"""
    class M:
        def __init__(self, w):
            self.w = w

        def loss(self, v):
            return (self.w * v - x) ** 2

    m = M(2.0)
    return pb.grad(m.loss)(x) + pb.grad(lambda w: M(w).loss(1.5))(x)


def optimisers(x):
    class Opt:
        def __init__(self, lr):
            self.lr = lr

        def step(self, p, g):
            hist.append(g)
            return p - self.lr * g

    hist = []

    class Mom(Opt):
        def __init__(self, lr, m):
            super().__init__(lr)
            self.m, self.v = m, 0.0

        def step(self, p, g):
            self.v = self.m * self.v + g
            return super().step(p, self.v)

    def run(opt, p):
        for _ in range(4):
            p = opt.step(p, 2 * p * x)
        return p

    return run(Opt(0.1), x) + run(Mom(0.1, 0.9), x) + sum(hist)


def uses_what_comes_later(x):
    class A:
        def f(self):
            return later(x)

    a = A()

    def later(v):
        return v * 3

    return a.f()


def branches_in_methods(x):
    class A:
        def f(self):
            if x > 1:
                y = x * 2
            else:
                y = 1.0
            return [y * i for i in range(3)][1] + (lambda v: v + x)(2.0)

    return A().f()


PROGRAMS = [
    optimisers, uses_what_comes_later, branches_in_methods,
    frozen, frozen_replaced, chosen, asked_for_its_class, mapped, in_a_defaultdict, copied,
    of_one_branch, methods_as_values, given_to_a_function, special_methods, class_attributes,
    of_a_base_outside, parameters, derivatives_inside,
]  # fmt: skip
