"""Attributes that functions of the class assign, and those that are deleted. The programs take one
number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

x0 = 2.0


class Obj:
    def __init__(self, x):
        self.a = x
        self.b = 2.0
        self.total = 0.0


class V:
    """validation"""

    def __init__(self, lo, hi):
        self.lo = lo
        self.hi = hi

    def __setattr__(self, name, value):
        if name == "hi" and value < self.lo:
            raise ValueError(f"{name} below lo")
        object.__setattr__(self, name, value)


class Obs:
    def __init__(self, v):
        object.__setattr__(self, "log", [])
        object.__setattr__(self, "n", 0)
        self.v = v

    def __setattr__(self, name, value):
        self.log.append((name, value))
        object.__setattr__(self, "n", self.n + 1)
        super().__setattr__(name, value)


class RO:
    __slots__ = ("_locked", "a")

    def __init__(self, a):
        self.a = a
        self._locked = True

    def __setattr__(self, name, value):
        if getattr(self, "_locked", False):
            raise AttributeError(f"cannot assign {name}")
        super().__setattr__(name, value)


class Conv:
    """keeps floats"""

    def __setattr__(self, name, value):
        self.__dict__[name] = value * 1.0

    def __delattr__(self, name):
        self.__dict__["gone"] = 1
        object.__delattr__(self, name)


class Base:
    def __setattr__(self, name, value):
        object.__setattr__(self, "_" + name, value)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self, "_" + name)


class Sub(Base):
    def __init__(self, x):
        self.x = x

    def __setattr__(self, name, value):
        super().__setattr__(name, value * 2)


class Prop:
    def __init__(self, v):
        self._v = v
        self.count = 0

    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, new):
        self._v = new * 2

    def __setattr__(self, name, value):
        if name == "v":
            object.__setattr__(self, "count", self.count + 1)
        object.__setattr__(self, name, value)


class Node:
    def __init__(self, v, nxt=None):
        self.v = v
        self.nxt = nxt

    def __setattr__(self, name, value):
        if name == "v" and value > 100:
            value = 100.0
        object.__setattr__(self, name, value)


class LinkedO:
    def __init__(self, v):
        self.v = v
        self.other = None


@dataclass
class DV:
    a: float
    b: float = 1.0

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2)


class T1:
    def __init__(self, x):
        self.xs = [x]

    def __setattr__(self, n, v):
        object.__setattr__(self, n, v)


class T2:
    def __init__(self, x):
        self._xs = [x]

    @property
    def xs(self):
        return self._xs

    @xs.setter
    def xs(self, v):
        self._xs = v


class T3:
    def __init__(self, x):
        self._a = np.array([x, 2.0])
        self.n = 0

    @property
    def a(self):
        return self._a

    @a.setter
    def a(self, v):
        self.n += 1
        self._a = v


class T4(T2):
    @property
    def xs(self):
        return list(self._xs)

    @xs.setter
    def xs(self, v):
        self._xs = v


class T5(T1):
    def __init__(self, x):
        self.a = np.array([x, 1.0])
        self.d = {"k": x}
        self.n = 0


class T6:
    def __init__(self, a):
        self._a = a
        self.b = a
        self.n = 0

    @property
    def a(self):
        return self._a

    @a.setter
    def a(self, v):
        self.n += 1
        self._a = v


def validates(x):
    v = V(1.0, x * 2)
    t = 0.0
    for k in range(4):
        try:
            v.hi = x - k
            t += v.hi
        except ValueError:
            t += 100 * v.hi
    return t


def observes(x):
    o = Obs(x)
    o.v += 2
    o.w = o.v * x
    for i in range(3):
        o.v = o.v + i
    return o.v * o.w + o.n + sum(v for _, v in o.log)


def read_only(x):
    r = RO(x)
    try:
        r.a = 3.0
    except AttributeError as e:
        return r.a * len(str(e))
    return r.a


def converts(x):
    c = Conv()
    c.x = x
    c.y = 3
    del c.x
    t = c.gone
    try:
        t += c.x
    except AttributeError:
        t += 10 * c.y
    return t * x


def by_bases(x):
    s = Sub(x)
    s.x += 1
    return s.x + s._x


def counts_and_a_property(x):
    p = Prop(x)
    p.v = x * x
    return p.v + p.count


def in_a_linked_list(x):
    """in the store"""
    head = None
    for i in range(5):
        head = Node(x * i * 20, head)
    n, t = head, 0.0
    while n is not None:
        n.v = n.v * 2
        t = t * 0.5 + n.v
        n = n.nxt
    return t


def deleted_of_shared(x):
    """del and vars with references"""
    a, b = LinkedO(x), LinkedO(2 * x)
    a.other, b.other = b, a
    a.extra = 1.0
    del a.extra
    t = 0.0
    try:
        t += a.extra
    except AttributeError:
        t += 5
    del b.v
    t += a.other.v if hasattr(a.other, "v") else a.v
    b.v = 3.0
    return t + b.v


def deleted_on_a_path(x):
    o = Obj(x)
    if x > 0:
        del o.b
    t = o.a
    try:
        t += o.b
    except AttributeError:
        t *= 3
    if x > 100:
        o.b = 5.0
    return t + (o.b if hasattr(o, "b") else 0.25)


def nothing_to_delete(x):
    o = Obj(x)
    try:
        del o.nothing
    except AttributeError as e:
        return x * len(str(e))
    return x


def deleted_by_a_function(x):
    def outer(o):
        vars(o)["a"] = 3 * x
        for k in list(vars(o)):
            if k.startswith("t"):
                delattr(o, k)
        return o

    o = outer(Obj(x))
    return o.a + len(vars(o))


def a_dataclass_assigns(x):
    d = DV(x)
    d.b = 3.0
    return d.a + 10 * d.b


def in_place_before_setattr(x):
    t = T1(x)
    ys = t.xs
    t.xs += [2 * x]
    return len(ys) * x


def in_place_before_a_setter(x):
    t = T2(x)
    ys = t._xs
    t.xs += [2 * x]
    return len(ys) * x


def a_history(x):
    """log of changes"""

    class Tr:
        def __init__(self):
            object.__setattr__(self, "hist", {})

        def __setattr__(self, name, value):
            self.hist.setdefault(name, []).append(value)
            object.__setattr__(self, name, value)

    t = Tr()
    for i in range(3):
        t.a = x0 * i
        t.b = i
    return t.a * x + len(t.hist["a"]) + sum(t.hist["a"])


def arrays_before_a_setter(x):
    t = T3(x)
    b = t._a
    t.a += x
    t.a *= 2.0
    return b[0] + b[1] * x + t.n + t._a[0]


def a_getter_that_copies(x):
    t = T4(x)
    ys = t._xs
    t.xs += [2 * x]
    t.xs += [x]
    return len(ys) * x + len(t._xs)


def arrays_before_setattr(x):
    t = T5(x)
    b = t.a
    t.a += 1.0
    t.a -= np.array([x, x])
    t.n += 3
    t.d |= {"z": x}
    return b[0] * b[1] + t.n * x + len(t.d) + sum(t.a)


def setters_in_a_list(x):
    ts = [T2(x), T2(2.0)]
    for t in ts:
        t.xs += [x]
    ts[0].xs += [5.0]
    return sum(len(t._xs) for t in ts) * x


def given_to_its_setter(x):
    t = T3(x)
    t.a = t.a
    return t.n * x


def held_twice(x):
    t = T6(np.array([x, 1.0]))
    t.a += x
    return sum(t.b) + t.n


def held_outside(x):
    arr = np.array([x, 1.0])
    t = T6(arr)
    t.a += x
    return sum(arr) + t.n


def arrays_in_a_list(x):
    ts = [T3(x), T3(2.0)]
    for t in ts:
        t.a += x
    return ts[0].a[0] * ts[1].a[1] + ts[0].n


def kept_elsewhere(x):
    t = T3(x)

    def bump():
        t.a += x

    keep = [t._a]
    bump()
    return keep[0][0] * t.n


PROGRAMS = [
    validates, observes, read_only, converts, by_bases, counts_and_a_property, in_a_linked_list,
    deleted_of_shared, deleted_on_a_path, nothing_to_delete, deleted_by_a_function,
    a_dataclass_assigns, in_place_before_setattr, in_place_before_a_setter, a_history,
    arrays_before_a_setter, a_getter_that_copies, arrays_before_setattr, setters_in_a_list,
    given_to_its_setter, held_twice, held_outside, arrays_in_a_list, kept_elsewhere,
]  # fmt: skip
