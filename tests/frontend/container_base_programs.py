"""Programs with classes whose base is a container, as people write them: stacks, environments of
interpreters, configurations, vectors, registries, caches, counters."""

import math
from collections import Counter, OrderedDict, defaultdict, deque


class Stack(list):
    def push(self, v):
        self.append(v)

    def peek(self):
        return self[-1]


def stack1(x):
    s = Stack()
    s.push(x)
    s.push(2 * x)
    s.append(x * x)
    t = s.pop()
    return t + s.peek() * len(s)


class Logged(list):
    def __init__(self, *args):
        super().__init__(*args)
        self.count = 0

    def append(self, v):
        self.count += 1
        super().append(v * 2)


def logged(x):
    s = Logged([x, 1.0])
    for i in range(4):
        s.append(x * i)
    return sum(s) * s.count + max(s)


class Bag(dict):
    def __missing__(self, key):
        return 0.0

    def add(self, key, v):
        self[key] += v


def bag(x):
    b = Bag()
    for i in range(10):
        b.add(i % 3, x * i)
    return sum(b.values()) + b[0] * b[17] + b[1]


class Env(dict):
    def __init__(self, parms=(), args=(), outer=None):
        self.update(zip(parms, args))
        self.outer = outer

    def find(self, var):
        return self if (var in self) else self.outer.find(var)


def env(x):
    g = Env(("a", "b"), (x, x * x))
    e = Env(("c",), (3.0 * x,), g)
    return e.find("a")["a"] * e.find("c")["c"]


class AttrDict(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


def attrdict(x):
    c = AttrDict(lr=x, steps=3)
    c.mom = x * 2
    return c.lr * c.steps + c["mom"]


class Ring(deque):
    def mean(self):
        return sum(self) / len(self)


def ring(x):
    r = Ring(maxlen=3)
    for i in range(6):
        r.append(x * i)
    return r.mean() * r[0]


class LRU(OrderedDict):
    def __init__(self, cap):
        super().__init__()
        self.cap = cap

    def __getitem__(self, k):
        v = super().__getitem__(k)
        self.move_to_end(k)
        return v

    def __setitem__(self, k, v):
        super().__setitem__(k, v)
        if len(self) > self.cap:
            oldest = next(iter(self))
            del self[oldest]


def lru(x):
    c = LRU(3)
    t = 0.0
    for i in range(10):
        k = (i * 7) % 5
        if k in c:
            t += c[k]
        else:
            c[k] = x * k + i
    return t + sum(c.values())


class C2(Counter):
    def top(self):
        return max(self.values())


def c2(x):
    c = C2()
    for i in range(7):
        c[i % 3] += x
    return c.top() * c[1]


class DD(defaultdict):
    def __init__(self):
        super().__init__(list)

    def put(self, k, v):
        self[k].append(v)


def dd(x):
    d = DD()
    for i in range(6):
        d.put(i % 2, x * i)
    return sum(d[0]) * len(d) + d[1][0]


class keydefaultdict(defaultdict):
    def __missing__(self, key):
        if self.default_factory is None:
            raise KeyError(key)
        ret = self[key] = self.default_factory(key)
        return ret


def keydd(x):
    d = keydefaultdict(lambda k: k * x)
    t = 0.0
    for i in range(8):
        t += d[i % 3] * i
    return t + len(d)


class Matrix(list):
    def trace(self):
        return sum(self[i][i] for i in range(len(self)))

    def __matmul__(self, other):
        n = len(self)
        return Matrix([[sum(self[i][k] * other[k][j] for k in range(n)) for j in range(n)]
                       for i in range(n)])


def matrix(x):
    m = Matrix([[x, 1.0], [2.0, x * x]])
    m[0][1] += x
    m[1][0] = 3 * x
    p = m @ m
    return p.trace() + p[0][1]


class Graph(dict):
    def add_edge(self, a, b, w):
        self.setdefault(a, {})[b] = w
        self.setdefault(b, {})[a] = w

    def neighbours(self, a):
        return self[a].items()


def graph(x):
    g = Graph()
    g.add_edge(0, 1, x)
    g.add_edge(1, 2, x * x)
    g.add_edge(0, 2, 3.0)
    return sum(w * b for b, w in g.neighbours(1)) + len(g)


class History(list):
    __slots__ = ("best",)

    def __init__(self, items=()):
        list.__init__(self, items)
        self.best = None

    def append(self, v):
        list.append(self, v)
        if self.best is None or v > self.best:
            self.best = v


def history(x):
    h = History([x])
    for k in range(5):
        h.append(math.sin(x * k))
    return h.best * len(h) + sum(h[1:3])


class CaseInsensitive(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key.lower(), value)

    def __getitem__(self, key):
        return super().__getitem__(key.lower())


def caseless(x):
    d = CaseInsensitive()
    d["Foo"] = x
    d["BAR"] = x * 2
    d["foo"] += 1.0
    return d["FOO"] * d["bar"] + len(d)


class Poly(list):
    def __call__(self, x):
        r = 0.0
        for c in reversed(self):
            r = r * x + c
        return r

    def derivative(self):
        return Poly([i * c for i, c in enumerate(self)][1:])

    def __add__(self, other):
        if len(self) < len(other):
            return other + self
        return Poly([a + b for a, b in zip(self, list(other) + [0.0] * (len(self) - len(other)))])


def poly(x):
    p = Poly([1.0, x, 2.0])
    q = p.derivative() + p
    return q(x) + p.derivative()(2.0)


class Vec(list):
    def __add__(self, o):
        return Vec(a + b for a, b in zip(self, o))

    def __sub__(self, o):
        return Vec(a - b for a, b in zip(self, o))

    def __mul__(self, k):
        return Vec(k * a for a in self)

    __rmul__ = __mul__

    def __iadd__(self, o):
        for i, v in enumerate(o):
            self[i] += v
        return self

    @property
    def norm(self):
        return math.sqrt(sum(a * a for a in self))

    def dot(self, o):
        return sum(a * b for a, b in zip(self, o))


def vec(x):
    a, b = Vec([x, 2.0, 3.0]), Vec((1.0, x * x, 0.5))
    c = 2 * (a + b) - a * 0.5
    c += b
    return c.norm * a.dot(b) + max(c) + (3.0 in a) + len(sorted(c))


class Registry(dict):
    def register(self, name):
        def deco(f):
            self[name] = f
            return f
        return deco


OPS = Registry()


@OPS.register("sq")
def _sq(v):
    return v * v


@OPS.register("dbl")
def _dbl(v):
    return v + v


def registry(x):
    t = x
    for n in ("sq", "dbl", "sq"):
        t = OPS[n](t)
    return t


class Table(OrderedDict):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.hits = 0

    def lookup(self, k, d=0.0):
        self.hits += 1
        return self.get(k, d)


def table(x):
    t = Table([("a", x), ("b", 2 * x)])
    t["c"] = x * x
    t.move_to_end("a")
    _, v = t.popitem(last=False)
    return t.lookup("a") + t.lookup("zz", 5.0) * v + t.hits + len(t)


class Inv(Counter):
    def add(self, k, n):
        self[k] += n
        return self


def inv(x):
    c = Inv()
    c.add("a", x).add("b", 2.0).add("a", x * x)
    return c["a"] * c["b"] + c["nope"] + sum(c.values())


class Window(deque):
    def __init__(self, n):
        super().__init__(maxlen=n)
        self.total = 0.0

    def append(self, v):
        if len(self) == self.maxlen:
            self.total -= self[0]
        super().append(v)
        self.total += v

    @property
    def mean(self):
        return self.total / len(self)


def window(x):
    w = Window(3)
    t = 0.0
    for k in range(8):
        w.append(x * k * k)
        t += w.mean
    return t


PROGRAMS = [
    stack1, logged, bag, env, attrdict, ring, lru, c2, dd, keydd, matrix, graph, history, caseless,
    poly, vec, registry, table, inv, window,
]  # fmt: skip
