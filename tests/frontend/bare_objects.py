"""Objects that ``__new__`` makes, and attributes that are not there. One number is given."""

from __future__ import annotations


class P:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def copy(self):
        new = P.__new__(P)
        new.__dict__.update(self.__dict__)
        return new

    def clone(self):
        cls = self.__class__
        r = cls.__new__(cls)
        r.a = self.a
        r.b = self.b * 2
        return r

    @classmethod
    def bare(cls, a):
        obj = object.__new__(cls)
        obj.a = a
        return obj


class Imm:
    def __new__(cls, a, b=2.0):
        self = super().__new__(cls)
        self.a = a
        self.c = a * b
        return self


class Both:
    def __new__(cls, *args, **kw):
        obj = super().__new__(cls)
        obj.count = len(args)
        return obj

    def __init__(self, a, k=1.0):
        self.a = a * k


class Sub(Both):
    def __init__(self, a):
        super().__init__(a, 2.0)
        self.z = self.count + 1


class Shape:
    def __new__(cls, kind, v):
        if kind == "sq":
            return object.__new__(Sq)
        return super().__new__(Ci)

    def __init__(self, kind, v):
        self.v = v


class Sq(Shape):
    def area(self):
        return self.v**2


class Ci(Shape):
    def area(self):
        return 3 * self.v


class Weird:
    def __new__(cls, v):
        return v * 2


class Node:
    def __new__(cls, v, nxt):
        n = super().__new__(cls)
        n.v = v
        n.nxt = nxt
        return n


class A:
    @classmethod
    def make(cls, v):
        o = cls()
        o.v = v
        return o

    @staticmethod
    def k():
        return 2.0


class B(A):
    @classmethod
    def make(cls, v):
        o = super().make(v * 2)
        o.w = super().k()
        return o


class LN:
    def __init__(self, v, nxt=None):
        self.v = v
        self.nxt = nxt

    def dup(self):
        o = LN.__new__(LN)
        o.v = self.v * 2
        o.nxt = self
        return o


class Val:
    def __new__(cls, v):
        if v < 0:
            raise ValueError("neg")
        return super().__new__(cls)

    def __init__(self, v):
        self.v = v


class Obj:
    def __init__(self, x):
        self.a = x


class Acc:
    def add(self, v):
        if v > 2:
            return self.s
        self.s = v
        return 0.0


def without_init(x):
    p = P(x, 2.0)
    q = p.copy()
    p.a = 7.0
    r = q.clone()
    s = P.bare(x * x)
    t = 0.0
    try:
        t += s.b
    except AttributeError:
        t += 100
    return q.a + r.b + r.a + s.a + t


def sets_attributes(x):
    i = Imm(x)
    j = Imm(x, b=x)
    return i.a + i.c * j.c


def new_and_init(x):
    b = Both(x, k=3.0)
    return b.a + b.count


class Named:
    def __new__(cls, x, *rest):
        o = super(Named, cls).__new__(cls)  # noqa: UP008  # as many write it
        o.x, o.rest = x, rest
        return o


class Listed(list):
    def __new__(cls, *args):
        return super(Listed, cls).__new__(cls)  # noqa: UP008  # as many write it

    def __init__(self, x):
        super(Listed, self).__init__()  # noqa: UP008  # as many write it
        self.append(x)


def super_of_a_class(x):
    return Named(x, 2.0).x * sum(Named(x, 2.0, x).rest) + Listed(x * x)[0]


def of_a_base(x):
    s = Sub(x)
    return s.a * s.z


def chooses_a_class(x):
    return Shape("sq", x).area() + Shape("ci", x).area()


def no_object(x):
    return Weird(x) + 1


def linked(x):
    h = None
    for i in range(4):
        h = Node(x * i, h)
    t = 0.0
    while h is not None:
        t = t * 0.5 + h.v
        h = h.nxt
    return t


def super_in_class_methods(x):
    b = B.make(x)
    return b.v * b.w + (1.0 if isinstance(b, B) else 5.0)


def duplicates(x):
    h = LN(x)
    for _ in range(3):
        h = h.dup()
    t = 0.0
    while h is not None:
        t += h.v
        h = h.nxt
    return t


def raises(x):
    t = 0.0
    for s in (1.0, -1.0, 2.0):
        try:
            t += Val(s * x).v
        except ValueError:
            t += 10 * x
    return t


def set_in_a_round(x):
    o = Obj(x)
    t = 0.0
    for i in range(5):
        if i > 2:
            t += o.tmp
        if i == 1:
            o.tmp = x * 3
    return t


def asked_for_in_vain(x):
    o = Obj(x)
    t = 0.0
    for i in range(4):
        try:
            t += o.k
        except AttributeError:
            o.k = x * i
            t += 10
    return t


def by_a_function(x):
    o = Obj(x)

    def get():
        return o.later

    t = 0.0
    for i in range(3):
        if i:
            t += get() * i
        o.later = x + i
    return t


def in_a_while(x):
    o = Obj(x)
    t = 0.0
    i = 0
    while i < 5:
        if i >= 2:
            t += o.q
        o.q = x * i
        i += 1
    return t


def never_reached(x):
    o = Obj(x)
    if x > 5:
        return o.nothing
    return x


def through_a_recursion(x):
    def rec(o, n):
        if n == 0:
            return o.v
        o.v = x * n
        return rec(o, n - 1)

    return rec(Obj(x), 3)


def back_in_a_recursion(x):
    def rec(o, n):
        if n < 3:
            t = o.v
        else:
            t = 0.0
        o.v = x * n
        return t + (rec(o, n - 1) if n > 0 else 0.0)

    return rec(Obj(x), 3)


def by_a_method(x):
    a = Acc()
    return sum(a.add(x * i) for i in range(4))


def in_a_list(x):
    os = [Obj(x), Obj(2.0)]
    for o in os:
        o.w = x
    t = 0.0
    for i in range(4):
        if i > 1:
            t += os[i % 2].w
    return t


PROGRAMS = [
    without_init, sets_attributes, new_and_init, of_a_base, chooses_a_class, no_object, linked,
    super_in_class_methods, duplicates, raises, set_in_a_round, asked_for_in_vain, by_a_function,
    in_a_while, never_reached, through_a_recursion, back_in_a_recursion, by_a_method, in_a_list,
    super_of_a_class,
]  # fmt: skip
