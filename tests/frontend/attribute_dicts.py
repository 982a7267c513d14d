"""The dict of an object, and parameters that only ``__post_init__`` gets. The programs take one
number."""

from __future__ import annotations

import math
from dataclasses import InitVar, asdict, dataclass, field


class Obj:
    def __init__(self, x):
        self.a = x
        self.b = 2.0
        self.total = 0.0


class PPP:
    def __init__(self, v):
        self.v = v
        self.w = 2 * v
        self.next = None


@dataclass
class C:
    r: float
    scale: InitVar[float] = 1.0
    area: float = field(init=False)
    tags: list = field(default_factory=list)

    def __post_init__(self, scale):
        self.area = math.pi * self.r**2 * scale
        self.tags.append(scale)


@dataclass(frozen=True)
class Fr:
    a: float
    k: InitVar[float]
    b: float = field(init=False)

    def __post_init__(self, k):
        object.__setattr__(self, "b", self.a * k)


@dataclass
class D2(C):
    z: float = 0.0
    w: InitVar[float] = 5.0

    def __post_init__(self, scale, w):
        super().__post_init__(scale)
        self.z = w * self.area


@dataclass
class NoPost:
    a: float
    b: InitVar[float] = 2.0


@dataclass
class DVs:
    v: float
    nxt: object = None

    def __setattr__(self, n, value):
        if n == "v":
            value = value * 3
        object.__setattr__(self, n, value)


class L:
    def __init__(self, x):
        self.xs = [x]
        self.n = 0


class T1:
    def __init__(self, x):
        self.xs = [x]

    def __setattr__(self, n, v):
        object.__setattr__(self, n, v)


class Pt:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __repr__(self):
        return f"Pt({', '.join(f'{k}={v:.2f}' for k, v in vars(self).items())})"

    def __eq__(self, o):
        return vars(self) == vars(o)

    def replace(self, **kw):
        return Pt(**{**vars(self), **kw})

    def copy(self):
        new = Pt.__new__(Pt)
        new.__dict__.update(self.__dict__)
        return new

    def as_list(self):
        return [*vars(self).values()]

    def scale(self, k):
        for n in self.__dict__:
            setattr(self, n, getattr(self, n) * k)
        return self


def items_are_live(x):
    """live items"""
    o = Obj(x)
    s = 0.0
    for _, v in vars(o).items():
        o.total += v
        s = s * 2 + v
    return s


def assigned_while_gone_through(x):
    o = Obj(x)
    for k, v in o.__dict__.items():
        setattr(o, k, v * 2 + x)
    return o.a + o.b * o.total


def the_dict_is_live(x):
    o = Obj(x)
    d = vars(o)
    o.a = 5 * x
    return d["a"] + len(d) + ("b" in d) + d.get("zz", 3.0)


def a_copy(x):
    o = Obj(x)
    c = dict(vars(o))
    o.a = 7.0
    return c["a"] * 2 + sum(c.values())


def assigned_through_the_dict(x):
    o = Obj(x)
    o.__dict__["a"] += 2 * x
    o.__dict__["new"] = x * x
    vars(o)["b"] = 9.0
    del o.__dict__["total"]
    t = sum(vars(o).values())
    return t + o.new + o.a + (1 if hasattr(o, "total") else 2)


def items_of_shared(x):
    a, b = PPP(x), PPP(2.0)
    a.next = b
    b.next = a
    t = 0.0
    for k, v in vars(a).items():
        if k != "next":
            a.next.w += v
            a.w += v
            t = t * 2 + v
    return t + b.w + len(a.__dict__)


def compared_by_dicts(x):
    """equality by dict"""

    class Q:
        def __init__(self, a, b):
            self.a, self.b = a, b

        def __eq__(self, o):
            return self.__dict__ == o.__dict__

        def clone(self):
            c = Q(0, 0)
            c.__dict__.update(self.__dict__)
            return c

    p = Q(x, 2.0)
    q = p.clone()
    t = 1.0 if p == q else 2.0
    q.a += 1
    return t + (10.0 if p == q else 20.0) + q.a * p.a


def in_comprehensions(x):
    o = Obj(x)
    s = 0.0

    def bump(v):
        o.total += v
        return v

    s = sum([bump(v) * 3 for v in vars(o).values()])
    t = {k: v * 2 for k, v in o.__dict__.items() if k != "a"}
    return s + t["total"] + sum(vars(o).values())


def init_vars(x):
    c = C(x, 2.0)
    return c.area + C(x).area + C(r=x, scale=x).area + len(c.tags) + C(x, x, [1.0]).tags[0]


def init_vars_of_frozen(x):
    f = Fr(x, 3.0)
    return f.a + f.b * Fr(2.0, k=x).b


def init_vars_inherited(x):
    d = D2(x, 2.0, w=x)
    return d.z + d.area + asdict(d)["z"] + (1 if hasattr(d, "w") else 2)


def init_vars_that_nobody_takes(x):
    n = NoPost(x, 5.0)
    m = NoPost(x)
    return n.a + m.b


def init_vars_of_linked(x):
    """linked"""

    @dataclass
    class Nd:
        v: float
        k: InitVar[float] = 2.0
        nxt: object = None

        def __post_init__(self, k):
            self.v *= k

    h = None
    for i in range(3):
        h = Nd(1.5 * i, 2.0 + i, h)
    t = 0.0
    while h is not None:
        t = t * 2 + h.v
        h = h.nxt
    return t * x


def linked_dataclasses_assign(x):
    h = None
    for i in range(3):
        h = DVs(x * i, h)
    t = 0.0
    while h is not None:
        h.v += 1
        t = t * 2 + h.v
        h = h.nxt
    return t


def shared_by_two_dicts(x):
    a, b = L(x), L(2.0)
    b.__dict__.update(a.__dict__)
    b.xs.append(2 * x)
    return len(a.xs) * x + sum(a.xs)


def names(x):
    t = T1(x)
    for n in ("p", "q", "r"):
        setattr(t, n, x * len(n))
    names = [n for n in vars(t) if n != "xs"]
    tot = 0.0
    for n in names:
        tot += getattr(t, n)
    return tot + len(t.__dict__)


def methods_of_dicts(x):
    p = Pt(x, 2.0)
    q = p.replace(b=x * x)
    p.scale(3.0)
    return q.b + p.a * p.b + (1.0 if p == q else 2.0) + len(str(p)) + sum(q.as_list())


def in_a_list(x):
    ps = [Pt(x * i, i) for i in range(4)]
    t = 0.0
    for p in ps:
        p.__dict__["a"] *= 2
        t += sum(vars(p).values())
    ps[1].__dict__.update(b=7.0)
    del ps[2].a
    return t + ps[1].b


def captured_dict(x):
    p = Pt(x, 1.0)
    d = vars(p)
    p.a = 5 * x
    f = lambda: d["a"] * 2
    p.b = x
    return f() + d["b"] + sum(d.values())


def as_an_argument(x):
    p = Pt(x, 1.0)

    def g(d):
        return d["a"] + len(d)

    s = g(vars(p)) + g(p.__dict__)
    ds = [vars(p), {"a": 3.0, "b": 2.0}]
    return s + sum(d["a"] for d in ds)


def as_a_dict(x):
    p = Pt(x, 1.0)
    t = 0.0
    for i, (_, v) in enumerate(vars(p).items()):
        t += (i + 1) * v
    for k in sorted(vars(p), reverse=True):
        t = t * 2 + getattr(p, k)
    a, b = vars(p).values()
    return (
        t
        + a
        - b
        + max(vars(p).values())
        + (1 if "zz" in vars(p) else 3)
        + len(list(vars(p).keys()))
    )


PROGRAMS = [
    items_are_live, assigned_while_gone_through, the_dict_is_live, a_copy,
    assigned_through_the_dict, items_of_shared, compared_by_dicts, in_comprehensions, init_vars,
    init_vars_of_frozen, init_vars_inherited, init_vars_that_nobody_takes, init_vars_of_linked,
    linked_dataclasses_assign, shared_by_two_dicts, names, methods_of_dicts, in_a_list,
    captured_dict, as_an_argument, as_a_dict,
]  # fmt: skip
