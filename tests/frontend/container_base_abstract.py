"""Programs with classes derived from ``UserDict``, ``UserList`` and the abstract classes of
``collections.abc``."""

from collections import ChainMap, Counter, UserDict, UserList, defaultdict
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, MutableSequence, Sequence


class UD(UserDict):
    def __setitem__(self, k, v):
        super().__setitem__(k, v * 2)


def ud(x):
    d = UD()
    d["a"] = x
    d.update(b=x * x)
    return d["a"] * d["b"] + len(d) + sum(d.values())


class UM(UserDict):
    def __missing__(self, k):
        return 0.5


def um(x):
    d = UM({1: x})
    d[2] = x * x
    t = d[1] + d[7] + d.get(9, 3.0) + (5 in d) + d.pop(1)
    for k in d:
        t += d[k] * k
    return t + len(d)


class UL(UserList):
    def total(self):
        return sum(self.data)


def ul(x):
    u = UL([x, 2 * x])
    u.append(x * x)
    u[0] += 1.0
    return u.total() * u[0] + len(u) + sum(u) + max(u)


class Store(MutableMapping):
    def __init__(self, *a, **k):
        self.d = dict()
        self.n = 0
        self.update(dict(*a, **k))

    def __getitem__(self, k):
        return self.d[k]

    def __setitem__(self, k, v):
        self.n += 1
        self.d[k] = v

    def __delitem__(self, k):
        del self.d[k]

    def __iter__(self):
        return iter(self.d)

    def __len__(self):
        return len(self.d)


def store(x):
    s = Store(a=x, b=2.0)
    s["c"] = x * x
    t = s.pop("b") + s.setdefault("z", x) + s.get("q", 1.0)
    for _, v in s.items():
        t += v
    return t + len(s) + s.n + ("a" in s) + sum(dict(s).values()) + isinstance(s, Mapping)


class Count(Iterator):
    def __init__(self, n):
        self.n = n

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n


def count(x):
    return sum(x * k for k in Count(5))


class Bag(Iterable):
    def __init__(self, xs):
        self.xs = xs

    def __iter__(self):
        return iter(self.xs)


def bag(x):
    return sum(Bag([x, 2 * x])) + max(Bag([x]))


class Poly(Sequence):
    def __init__(self, c):
        self.c = c

    def __getitem__(self, i):
        return self.c[i]

    def __len__(self):
        return len(self.c)


def poly(x):
    p = Poly([x, 2.0, x * x])
    t = 0.0
    for v in p:
        t += v
    return t + (2.0 in p) + p.count(2.0) + sum(reversed(p)) + max(p)


class MS(MutableSequence):
    def __init__(self):
        self.c = []

    def __getitem__(self, i):
        return self.c[i]

    def __setitem__(self, i, v):
        self.c[i] = v

    def __delitem__(self, i):
        del self.c[i]

    def __len__(self):
        return len(self.c)

    def insert(self, i, v):
        self.c.insert(i, v * 2)


def ms(x):
    m = MS()
    m.append(x)
    m.append(3.0)
    m += [x * x]
    return m.pop() + sum(m) + len(m)


def ul_eq(x):
    return (UL([x]) == UL([x])) + (UL([x]) == [x]) + x


class Upper(UserDict):
    """Its keys are found by ``__getitem__`` only: methods have to read to know what is there."""

    def __setitem__(self, k, v):
        super().__setitem__(k.upper(), v * 2)

    def __getitem__(self, k):
        return super().__getitem__(k.upper())


def upper(x):
    u = Upper({"a": x, "b": x * x})
    t = u.setdefault("a", 50.0) + 10 * u.setdefault("c", x)
    return t + u["c"] * len(u) + u.pop("B", 3.0)


def not_there(x):
    m = UM({"a": x})
    t = m.setdefault("b", 9.0) + len(m)
    try:
        m.pop("b", 2.0)
    except KeyError:
        t += 10 * x
    return t


class Counting(Store):
    def __init__(self, *a, **k):
        self.reads = 0
        super().__init__(*a, **k)

    def __getitem__(self, k):
        self.reads += 1
        return self.d[k]


def reads(x):
    m = Counting({"a": x, "b": 2.0, "c": 3.0})
    t = m.setdefault("a", 5.0) + m.pop("b") + m.pop("z", 7.0)
    key, v = m.popitem()
    m.clear()
    return t + v * len(key) + m.reads * x + len(m)


class Lower(Mapping):
    def __init__(self, d):
        self.d = d

    def __getitem__(self, k):
        return self.d[k.lower()]

    def __iter__(self):
        return iter(self.d)

    def __len__(self):
        return len(self.d)


def lower(x):
    m = Lower({"a": x, "b": 2.0})
    return x * (("A", x) in m.items()) + 10 * (("q", x) in m.items()) + ("B" in m)


class Short(UserList):
    """Its length and ``extend`` are not those that Python's methods ask."""

    def __len__(self):
        return min(len(self.data), 1)

    def extend(self, values):
        self.data.extend([v * 5 for v in values])


def short(x):
    u = Short([x, 2.0])
    u += [x * x]
    v = Short(u)
    v.extend(u)
    return sum(v) * len(v) + sum(u)


def extended_by_itself(x):
    m = MS()
    m.append(x)
    m.append(3.0)
    m.extend(m)
    return sum(m) + 10 * len(m)


class Scope(ChainMap):
    def define(self, name, value):
        self[name] = value
        return self

    def depth(self, name):
        return next((k for k, m in enumerate(self.maps) if name in m), -1)


def scopes(x):
    outer = Scope({"a": x, "b": 2.0})
    inner = outer.new_child().define("a", x * x).new_child({"c": 1.0})
    print(type(inner) is Scope, isinstance(inner, ChainMap), len(inner), sorted(inner))
    print(inner.depth("b"), inner.depth("q"), "a" in inner, list(inner), inner.get("z"))
    try:
        del inner["a"]
    except KeyError as e:
        print(e)
    more = inner["a"] * inner["b"] + inner.parents["a"] + sum(inner.values())
    return more + inner.get("z", 3.0) + inner.pop("c")


class Halves(dict):
    def __missing__(self, key):
        return 0.5


class Lenient(ChainMap):
    def __missing__(self, key):
        return 7.0

    def __setitem__(self, key, value):
        for m in self.maps:
            if key in m:
                m[key] = value
                return
        self.maps[0][key] = value


def missing_ones(x):
    """A dict in a ChainMap is asked for an item that it lacks, if it says what that is."""
    e = Lenient({}, {"x": x})
    e["x"] = 2.0 * x
    e["y"] = 1.0
    given = ChainMap({"b": x}, defaultdict(lambda: 2.0))
    told = e["x"] + e["y"] + e["nope"] + len(e.maps[0]) + given["b"] + given["new"]
    counted = ChainMap(Counter("aab"), {"z": 7})["z"]
    return told + ChainMap(Halves(), {"a": x})["a"] + counted + len(given.maps[1])


class Row(UserList):
    def total(self):
        return sum(self.data)


def rows_of_numbers(x):
    r = Row([x, 2.0])
    some = [r + [3.0], [1.0] + r, r * 2, r.copy(), r + r, r + (1.0,)]
    r += Row([5.0])
    print([type(s) is Row for s in some], len(r))
    return sum(s.total() for s in some) + r.total()


PROGRAMS = [scopes, missing_ones, rows_of_numbers, ud, um, ul, store, count, bag, poly, ms, ul_eq,
            upper, not_there, reads, lower, short, extended_by_itself]  # fmt: skip
