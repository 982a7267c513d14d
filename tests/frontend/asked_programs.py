"""Classes with ``__getattr__``, which Python calls for an attribute that an object lacks; and
attributes that objects may lack."""

import math
from dataclasses import dataclass
from operator import attrgetter


class Engine:
    def __init__(self, power):
        self.power, self.runs, self.parts = power, 0, [1.0]

    def run(self, k):
        self.runs += 1
        self.power *= k
        return self.power

    @property
    def twice(self):
        return 2.0 * self.power


class Proxy:
    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        return getattr(self._inner, name)


class Counting(Proxy):
    def __init__(self, inner):
        super().__init__(inner)
        self.calls = 0

    def __getattr__(self, name):
        self.calls += 1
        return super().__getattr__(name)


class Slotted:
    __slots__ = ("_inner", "own")

    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        return getattr(self._inner, name)


class Lazy:
    best = None

    def __init__(self, a):
        self.a, self.made, self.other = a, 0, None

    def __getattr__(self, name):
        if name == "root":
            v = math.sqrt(self.a)
        elif name == "cube":
            v = self.a**3
        else:
            raise AttributeError(name, self.made)
        self.made += 1
        setattr(self, name, v)
        return v


class Config:
    def __init__(self, values):
        self._values = values

    def __getattr__(self, name):
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"no {name!r} here") from None


class Cached:
    def __init__(self, a):
        self.a, self._cache = a, {}

    def __getattr__(self, name):
        if name not in self._cache:
            self._cache[name] = self.a * len(name)
        return self._cache[name]


class Failing:
    def __init__(self, a):
        self.a = a

    @property
    def v(self):
        if self.a > 0.5:
            raise AttributeError("v")
        return self.a * 3.0

    @property
    def w(self):
        return self.lacking

    def __getattr__(self, name):
        return self.a * 10.0 * len(name)


class Scope:
    def __init__(self, parent, v):
        self.parent = parent
        if v is not None:
            self.v = v

    def __getattr__(self, name):
        if self.parent is None:
            raise AttributeError(name)
        return getattr(self.parent, name)


class Wrapping(Proxy):
    def __init__(self, inner):
        super().__init__(inner)
        self.count = 0

    def __getattr__(self, name):
        found = getattr(self._inner, name)
        if not callable(found):
            return found

        def wrapped(*args):
            self.count += 1
            return found(*args)

        return wrapped


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __getattr__(self, name):
        if set(name) <= set("xy"):
            return tuple(getattr(self, c) for c in name)
        raise AttributeError(name)


@dataclass(frozen=True)
class Frozen:
    a: float

    def __getattr__(self, name):
        return self.a * len(name)


class Some:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a


class Plain:
    best = None

    def __init__(self, a):
        self.a, self.other = a, None

    @property
    def sometimes(self):
        if self.a > 0.5:
            raise AttributeError("not now")
        return 2.0 * self.a


def delegated(x):
    """The inner object is updated, and seen by both names."""
    engine = Engine(x)
    p = Proxy(engine)
    t = p.run(2.0) + p.twice
    p.parts.append(x)
    p.parts[0] = 3.0
    p.power += 1.0  # an attribute of the outer object
    return t + p.power * 10.0 + engine.power + engine.runs + sum(engine.parts)


def counted(x):
    """Each look is one call, also where nothing is found."""
    p = Counting(Engine(x))
    t = p.power + getattr(p, "lacking", 5.0) + hasattr(p, "lacking") + 2 * hasattr(p, "twice")
    run = p.run
    return t * p.calls + run(2.0) + attrgetter("power")(p) * p.calls


def lazy(x):
    """What is made is kept, in loops and where only some paths have it."""
    a, b, t = Lazy(x), Lazy(x), 0.0
    if x > 0.6:
        b.root = 5.0
    for k in range(3):
        t += a.root * k + b.root
    return t * a.made + b.made + (a.best is None)


def raised(x):
    """Its AttributeError has the arguments that it gives it."""
    a, t = Lazy(x), a_number(x)
    for _ in range(2):
        try:
            t += a.lacking
        except AttributeError as e:
            t += len(str(e)) + e.args[1]
        t += a.cube
    c = Config({"a": x, "b": 2.0})
    try:
        return c.lacking
    except AttributeError as e:
        return t + c.a * c.b + len(str(e)) + getattr(c, "d", 7.0) + hasattr(c, "b")


def a_number(x):
    return 2.0 * x


def cached(x):
    c = Cached(x)
    return c.one + c.three + c.one * len(c._cache)


def failing(x):
    """A property that raises an AttributeError is asked for in the same way."""
    return Failing(x).v + Failing(x - 0.5).v * 7.0 + Failing(x).w


def shared(x):
    """By references: a ring, two proxies of one object."""
    engine = Engine(x)
    p, q = Counting(engine), Counting(engine)
    p.other, q.other = q, p
    p.run(2.0)
    q.other.run(3.0)
    a, b = Lazy(x), Lazy(2.0 * x)
    a.other, b.other = b, a
    t = 0.0
    for _ in range(3):
        t += a.other.root + b.other.cube
        a, b = b, a
    return q.other.power + p.calls + 10.0 * q.calls + t * (a.made + 10 * b.made)


def scopes(x):
    """A chain whose length only the run knows."""
    s = Scope(None, x)
    for _ in range(4):
        s = Scope(s, None)
    return s.v * 2.0


def several(x):
    """One of several classes, of which one asks."""
    things = [Engine(x), Proxy(Engine(2.0 * x)), Engine(3.0)]
    return sum(t.twice for t in things)


def wrapped(x):
    """Functions that it makes, and tuples."""
    w = Wrapping(Engine(x))
    t = w.run(2.0) + w.run(3.0) + w.count + w.power
    a, b, c = Vector(x, 2.0).yxy
    return t + a + 10.0 * b + 100.0 * c


def of_others(x):
    """What lists, modules and other proxies have."""
    items = Proxy([x, 2.0])
    items.append(3.0)
    return items.index(2.0) + len(items._inner) * sum(items._inner)


def of_modules(x):
    m = Proxy(math)
    return m.sin(x) * m.pi


def nested(x):
    p = Proxy(Proxy(Proxy(Engine(x))))
    return p.run(2.0) + p.power + p._inner.runs


def raising_later(x):
    """A call that never returns, on a path that is not taken: what it updates is as before."""
    p = Counting(Engine(x))
    p.other = p
    t = p.power if x > 0.5 else p.lacking
    return t + p.other.calls


def slots(x):
    s = Slotted(Engine(x))
    return s.power + s.twice + hasattr(s, "own") + Frozen(x).abc


def may_lack(x):
    """Slots without a value, a class's None, a property that raises."""
    s, p = Some(x), Plain(x)
    t = x if hasattr(s, "b") else 2.0 * x
    t += getattr(s, "b", 3.0 * x) + getattr(p, "sometimes", x * x) + hasattr(p, "best")
    if x > 5.0:
        p.best = x
    return t if p.best is None else t * p.best


def may_lack_by_reference(x):
    p, q = Plain(x), Plain(x)
    p.other, q.other = q, p
    t = x if hasattr(p, "best") else 2.0 * x
    t += getattr(p.other, "sometimes", x * x) + getattr(q, "lacking", 3.0)
    return t if q.other.best is None else 2.0 * t


RIGHT = (
    delegated, counted, lazy, raised, cached, failing, shared, scopes, several, wrapped, of_others,
    of_modules, nested, raising_later, slots, may_lack, may_lack_by_reference,
)  # fmt: skip


def by_len(x):
    p, q = Proxy([x, x]), Proxy([x])
    p.other, q.other = q, p
    try:
        return x * p.__len__()
    except AttributeError:
        return 0.0


def whether_len(x):
    return x if hasattr(Cached(x), "__len__") else 1.0


def endless(x):
    class Endless:
        def __getattr__(self, name):
            return self.lacking

    return Endless().a * x


def looked_at(x):
    class Looked:
        def __getattribute__(self, name):
            return 2.0 * x

    return Looked().a


REFUSED = (by_len, whether_len, endless, looked_at)
