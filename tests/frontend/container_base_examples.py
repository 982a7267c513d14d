"""Programs with dicts whose items are attributes, and programs of several classes derived from
containers: interpreters, states of solvers, machines, caches, graphs, tries, networks."""

import heapq
import math
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field


class AttrDict(dict):
    def __init__(self, *args, **kwargs):
        super(AttrDict, self).__init__(*args, **kwargs)  # noqa: UP008  # as many write it
        self.__dict__ = self


def own_dict(x):
    c = AttrDict(lr=x, steps=3)
    c.mom = x * 2
    c["k"] = 5.0
    c.lr += 1.0
    return c.lr * c.steps + c["mom"] * c.k + len(c)


def own_dict_inside(x):
    c = AttrDict({"lr": x})
    c.opt = AttrDict(beta=0.5)
    c.opt.beta *= x
    c.opt.eps = x
    return c.opt.beta * c.lr + sum(c.opt.values()) + hasattr(c, "lr") + hasattr(c, "nope")


def item_before_method(x):
    c = AttrDict(items=x, a=2.0)
    try:
        t = c.zzz
    except AttributeError:
        t = 3.0
    return c.items * c.a + t


def keys_in_a_loop(x):
    c = AttrDict()
    for k, v in zip(["a", "b"], [x, 2 * x]):
        c[k] = v
    c.a += 1.0
    return c.a * c.b


def its_dict(x):
    c = AttrDict(a=x)
    d = c.__dict__
    d["b"] = 2 * x
    return c.b + vars(c)["a"] + c["b"]


def lists_and_dicts_in_it(x):
    c = AttrDict(a=[x, 2.0], w=AttrDict(d={"q": x}))
    c.a.append(x)
    c.a[0] = 3.0
    c.w.d["z"] = x * x
    return sum(c.a) + c.w.d["z"] + c.w.d["q"]


class AttrD(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name)  # noqa: B904  # as many write it

    def __setattr__(self, name, value):
        self[name] = value

    def sub(self, name):
        return self[name]


class A2(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


def by_a_method(x):
    c = AttrD(lr=x)
    c["nested"] = AttrD(a=1.0)
    c.sub("nested").a += x
    return c.lr * c.nested.a


def by_its_name(x):
    c = AttrD(lr=x)
    c["nested"] = AttrD(a=1.0)
    c.__getattr__("nested").a += x
    return c.lr * c.nested.a


def by_item(x):
    c = AttrD(lr=x)
    c["nested"] = AttrD(a=1.0)
    c["nested"].a += x
    return c.lr * c.nested.a


def two_methods_of_dict(x):
    c = A2(lr=x, n=A2(a=1.0))
    c.n.a += x
    return c.lr * c.n.a


def item_of_a_result(x):
    c = AttrD(lr=x)
    c["nested"] = AttrD(a=1.0)
    c.sub("nested")["a"] = x
    return c.lr * c.nested.a


def by_another_name(x):
    c = AttrD(lr=x)
    c["nested"] = AttrD(a=1.0)
    n = c.nested
    n["a"] = x
    n.b = 2 * x
    return c.lr * c.nested.a * c.nested.b


class Env(dict):
    "An environment: a dict of {'var':val} pairs, with an outer Env."

    def __init__(self, parms=(), args=(), outer=None):
        self.update(zip(parms, args))
        self.outer = outer

    def find(self, var):
        "Find the innermost Env where var appears."
        return self if (var in self) else self.outer.find(var)


class Procedure:
    def __init__(self, parms, body, env):
        self.parms, self.body, self.env = parms, body, env

    def __call__(self, *args):
        return lisp_eval(self.body, Env(self.parms, args, self.env))


def lisp_eval(x, env):
    if isinstance(x, str):
        return env.find(x)[x]
    elif not isinstance(x, tuple):
        return x
    elif x[0] == "if":
        (_, test, conseq, alt) = x
        return lisp_eval(conseq if lisp_eval(test, env) else alt, env)
    elif x[0] == "*":
        return lisp_eval(x[1], env) * lisp_eval(x[2], env)
    elif x[0] == "+":
        return lisp_eval(x[1], env) + lisp_eval(x[2], env)
    return 0.0


def lispy(x):
    g = Env(("x", "y"), (x, 2.0))
    e = Env(("z",), (3.0,), g)
    return lisp_eval(("+", ("*", "x", "x"), ("*", "z", "y")), e)


class State(dict):
    def __add__(self, other):
        return State({k: v + other[k] for k, v in self.items()})

    def __mul__(self, k):
        return State((n, v * k) for n, v in self.items())

    __rmul__ = __mul__


def deriv(s):
    return State(x=s["v"], v=-s["x"])


def rk4(x):
    s = State(x=x, v=0.0)
    h = 0.1
    for _ in range(10):
        k1 = deriv(s)
        k2 = deriv(s + h / 2 * k1)
        k3 = deriv(s + h / 2 * k2)
        k4 = deriv(s + h * k3)
        s = s + (h / 6) * (k1 + 2 * k2 + 2 * k3 + k4)
    return s["x"] + s["v"] * s["x"]


class SparsePoly(dict):
    def __missing__(self, k):
        return 0.0

    def __add__(self, o):
        r = SparsePoly(self)
        for k, v in o.items():
            r[k] += v
        return r

    def __mul__(self, o):
        r = SparsePoly()
        for a, u in self.items():
            for b, v in o.items():
                r[a + b] += u * v
        return r

    def __call__(self, x):
        return sum(v * x**k for k, v in self.items())

    def degree(self):
        return max(self)


def spoly(x):
    p = SparsePoly({0: 1.0, 2: x})
    q = SparsePoly({1: x, 3: 2.0})
    r = p * q + p
    return r(0.7) + r.degree() + r[17]


class VM(list):
    def __init__(self):
        super().__init__()
        self.steps = 0

    def push(self, v):
        self.append(v)

    def binary(self, f):
        b, a = self.pop(), self.pop()
        self.append(f(a, b))

    def run(self, program, x):
        for ins in program:
            self.steps += 1
            if ins == "x":
                self.push(x)
            elif ins == "+":
                self.binary(lambda a, b: a + b)
            elif ins == "*":
                self.binary(lambda a, b: a * b)
            elif ins == "dup":
                self.push(self[-1])
            else:
                self.push(float(ins))
        return self.pop()


def vm(x):
    m = VM()
    return m.run(["x", "dup", "*", "2.5", "+", "x", "*"], x) * m.steps + len(m)


class LRU(OrderedDict):
    def __init__(self, maxsize=3, *args, **kw):
        self.maxsize = maxsize
        super().__init__(*args, **kw)

    def __getitem__(self, key):
        value = super().__getitem__(key)
        self.move_to_end(key)
        return value

    def __setitem__(self, key, value):
        if key in self:
            self.move_to_end(key)
        super().__setitem__(key, value)
        if len(self) > self.maxsize:
            oldest = next(iter(self))
            del self[oldest]


def lru2(x):
    c = LRU(maxsize=3)
    hits = 0
    t = 0.0
    for k in [1, 2, 3, 1, 4, 2, 5, 1]:
        if k in c:
            hits += 1
            t += c[k]
        else:
            c[k] = x * k
    return t + hits + sum(k * v for k, v in c.items())


class Graph(dict):
    def add(self, a, b, w):
        if a not in self:
            self[a] = []
        if b not in self:
            self[b] = []
        self[a].append((b, w))
        self[b].append((a, w))

    def dijkstra(self, src):
        dist = {n: float("inf") for n in self}
        dist[src] = 0.0
        heap = [(0.0, src)]
        while heap:
            d, u = heapq.heappop(heap)
            if d > dist[u]:
                continue
            for v, w in self[u]:
                if d + w < dist[v]:
                    dist[v] = d + w
                    heapq.heappush(heap, (d + w, v))
        return dist


def dijkstra(x):
    g = Graph()
    g.add(0, 1, x)
    g.add(1, 2, 2 * x)
    g.add(0, 2, 5.0)
    g.add(2, 3, x * x)
    d = g.dijkstra(0)
    return d[3] + d[2]


def attrd(x):
    c = AttrD(lr=x, momentum=0.9)
    c.decay = x * 2
    c["nested"] = AttrD(a=1.0)
    c.nested.a += x
    return c.lr * c.momentum + c.decay * c.nested.a + hasattr(c, "nope") + len(c)


class P:
    def __init__(self, x, v):
        self.x, self.v = x, v

    def step(self, dt):
        self.x += self.v * dt


class World(list):
    def __init__(self, n, x):
        super().__init__(P(x * i, 1.0 + i) for i in range(n))
        self.t = 0.0

    def step(self, dt):
        for p in self:
            p.step(dt)
        self.t += dt

    @property
    def energy(self):
        return sum(p.v * p.v / 2 + p.x for p in self)


def world(x):
    w = World(3, x)
    for _ in range(4):
        w.step(0.25)
    w[1].v *= x
    w.append(P(x, x))
    return w.energy + w.t + w[-1].x


class Trie(dict):
    def insert(self, word, value):
        node = self
        for ch in word:
            node = node.setdefault(ch, Trie())
        node.value = value

    def get_value(self, word):
        node = self
        for ch in word:
            node = node[ch]
        return node.value


def trie(x):
    t = Trie()
    t.insert("ab", x)
    t.insert("ac", 2 * x)
    return t.get_value("ab") * t.get_value("ac")


class Undo(list):
    def do(self, v):
        self.append(v)
        return v

    def undo(self):
        return self.pop() if self else 0.0


def undo(x):
    u = Undo()
    for k in range(5):
        u.do(x * k)
    t = u.undo() + u.undo()
    while u:
        t = t * 0.5 + u.undo()
    return t + u.undo()


class Event(list):
    def __call__(self, *args):
        t = 0.0
        for f in self:
            t += f(*args)
        return t


def event(x):
    e = Event()
    e.append(lambda v: v * v)
    e.append(math.sin)
    e.append(lambda v: v + x)
    return e(x) + len(e)


class Bag(Counter):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.name = "bag"


def bagops(x):
    a = Bag({"a": x, "b": 2.0})
    b = Bag({"b": 3.0, "c": x * x})
    c = a + b
    d = a - b
    return c["b"] * c["c"] + d["a"] + len(c) + len(d) + (a == b) + c.total()


class Memo(dict):
    def __init__(self, f):
        self.f = f

    def __missing__(self, n):
        r = self[n] = self.f(self, n)
        return r


def memo(x):
    fib = Memo(lambda m, n: x if n < 2 else m[n - 1] + m[n - 2])
    return fib[15] + len(fib)


class Stats(deque):
    def __init__(self, size):
        super().__init__(maxlen=size)

    def mean(self):
        return sum(self) / len(self)

    def var(self):
        m = self.mean()
        return sum((v - m) ** 2 for v in self) / len(self)


def stats(x):
    s = Stats(4)
    r = 0.0
    for k in range(9):
        s.append(math.sin(x * k))
        r += s.var() + s[0] * s[-1]
    return r


class Summing:
    def total(self):
        return sum(self)


class Base(list):
    def first(self):
        return self[0]


class Derived(Summing, Base):
    def first(self):
        return super().first() * 2.0

    def append(self, v):
        super().append(v + 1.0)


def mixin(x):
    d = Derived([x])
    d.append(x)
    return d.total() * d.first()


class Poly(list):
    made = 0

    @classmethod
    def monomial(cls, n, c=1.0):
        return cls([0.0] * n + [c])

    @staticmethod
    def zero():
        return Poly([0.0])

    @property
    def degree(self):
        return len(self) - 1

    def __mul__(self, o):
        r = Poly([0.0] * (len(self) + len(o) - 1))
        for i, a in enumerate(self):
            for j, b in enumerate(o):
                r[i + j] += a * b
        return r

    def __eq__(self, o):
        return list(self) == list(o)


def polycls(x):
    p = Poly.monomial(2, x) * Poly([1.0, x])
    return (
        p.degree
        + sum(c * 2.0**i for i, c in enumerate(p))
        + (p == [0.0, 0.0, x, x * x])
        + len(Poly.zero())
    )


class Positive(dict):
    def __setitem__(self, k, v):
        if v < 0:
            raise ValueError(f"{k} must be positive")
        super().__setitem__(k, v)

    def update(self, *args, **kw):
        for k, v in dict(*args, **kw).items():
            self[k] = v


def positive(x):
    p = Positive()
    p.update(a=x, b=2 * x)
    try:
        p["c"] = -x
    except ValueError:
        p["c"] = x * x
    return p["a"] * p["b"] + p["c"]


class Weights(list):
    def dot(self, xs):
        return sum(w * v for w, v in zip(self, xs))


@dataclass
@dataclass
class Layer:
    w: Weights = field(default_factory=Weights)
    b: float = 0.0

    def __call__(self, xs):
        return math.tanh(self.w.dot(xs) + self.b)


class Network(list):
    def __call__(self, xs):
        for layer_group in self:
            xs = [layer(xs) for layer in layer_group]
        return xs


def network(x):
    n = Network()
    n.append([Layer(Weights([x, 2.0]), 0.1), Layer(Weights([0.5, x]), -0.1)])
    n.append([Layer(Weights([1.0, x]), 0.0)])
    return n([x, 1.0])[0]


PROGRAMS = [
    own_dict, own_dict_inside, item_before_method, keys_in_a_loop, its_dict,
    lists_and_dicts_in_it, by_a_method, by_its_name, by_item, two_methods_of_dict,
    item_of_a_result, by_another_name, lispy, rk4, spoly, vm, lru2, dijkstra, attrd, world,
    trie, undo, event, bagops, memo, stats, mixin, polycls, positive, network,
]  # fmt: skip
