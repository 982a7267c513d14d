"""Programs whose objects have several names, each about one thing; and some that are refused."""

import copy
import heapq
import math
from collections import defaultdict, deque
from dataclasses import dataclass, field

import numpy as np

import pullback as pb


class N:
    total = 0.0

    def __init__(self, v):
        self.v = v
        self.next = None


def link(xs):
    h = None
    for x in xs:
        n = N(x)
        n.next = h
        h = n
    return h


@dataclass
class D:
    x: float
    kids: list = field(default_factory=list)
    up: object = None


class Prop:

    def __init__(self, v):
        self._v = v
        self.me = self

    @property
    def v(self):
        return self._v * 2

    @v.setter
    def v(self, x):
        self._v = x / 2


class Base:
    k = 2.0

    def __init__(self, x):
        self.x = x
        self.log = []

    def f(self):
        return self.x * self.k

    def note(self, o):
        self.log.append(o)


class A(Base):
    k = 3.0


class B(Base):

    def __init__(self, x):
        super().__init__(x)
        self.y = x * x

    def f(self):
        return super().f() + self.y

    def __len__(self):
        return 0


def set_later(xs):
    h = link(xs)
    h.extra = 3.0
    n = h.next
    try:
        return n.extra
    except AttributeError:
        return h.extra * n.v


def class_attribute(xs):
    h = link(xs)
    h.total = h.total + h.v
    return h.total + h.next.total * 2 + N.total


def found_in_a_list(xs):
    h = link(xs)
    ns = []
    n = h
    while n is not None:
        ns.append(n)
        n = n.next
    return sum((1.0 if n in ns else 2.0) * n.v for n in ns) + ns.index(h.next)


def matched(xs):
    h = link(xs)
    match h:
        case N(v=v, next=N(v=w)):
            return v * w
        case _:
            return 0.0


def parents_of_dataclasses(xs):
    root = D(xs[0])
    for x in xs[1:]:
        k = D(x, up=root)
        root.kids.append(k)
    for k in root.kids:
        k.up.x += k.x
    return root.x * root.kids[0].x


def equal_dataclasses(xs):
    a = D(xs[0])
    b = D(xs[0])
    a.up = None
    c = a
    c.x += 0.0
    return (2.0 if a == b else 3.0) * xs[1] + (1.0 if a is c else 5.0)


def properties(xs):
    p = Prop(xs[0])
    q = p.me
    q.v = q.v + xs[1]
    q.v *= 3.0
    return p.v * p._v


def overridden_methods(xs):
    os = [A(x) if x > 0.4 else B(x) for x in xs]
    for o in os:
        o.note(os[0])
    t = 0.0
    for o in os:
        if isinstance(o, B):
            t += o.y
        t += o.f() * len(o.log)
        o.log[0].x += 1.0
        if o:
            t += 0.5
    return t


def attributes_of_one_class(xs):
    os = [A(x) if x > 0.4 else B(x) for x in xs]
    os[0].note(os[1])
    t = 0.0
    for o in os:
        try:
            t += o.y
        except AttributeError:
            t += 10.0
    return t


def none_has_no_attribute(xs):
    h = link(xs)
    n = h
    try:
        while True:
            n = n.next
            n.v *= 2.0
    except AttributeError as e:
        return h.next.v * len(str(e))


def updated_by_a_generator(xs):
    h = link(xs)

    def walk(n):
        while n is not None:
            yield n
            n = n.next
    for n in walk(h):
        n.v *= 2.0
    return sum(n.v * n.v for n in walk(h))


def its_own_iterator(xs):

    class Bag:

        def __init__(self):
            self.h = None

        def push(self, v):
            n = N(v)
            n.next = self.h
            self.h = n

        def __iter__(self):
            n = self.h
            while n:
                yield n.v
                n = n.next
    b = Bag()
    for x in xs:
        b.push(x)
    return sum(v * v for v in b) * len(list(b))


def in_a_default(xs):
    h = link(xs)
    fs = []

    def bump(n=h):
        n.v += 1.0
    fs.append(bump)
    bump()
    fs[0](h.next)
    return h.v * h.next.v


def bound_methods(xs):
    a = Base(xs[0])
    b = Base(xs[1])
    a.note(b)
    b.note(a)
    m = a.f
    a.x = 10.0
    return m() + b.log[0].f()


def sorted_by_key(xs):
    ns = [N(x) for x in xs]
    ns[0].next = ns[1]
    s = sorted(ns, key=lambda n: n.v)
    s[0].v = 100.0
    return sum((i * n.v for i, n in enumerate(ns))) + max(ns, key=lambda n: n.v).v


def in_a_heap(xs):

    class E:

        def __init__(self, p):
            self.p = p
            self.o = self

        def __lt__(self, o):
            return self.p < o.p
    h = []
    for x in xs:
        heapq.heappush(h, E(x))
    t = 0.0
    w = 1.0
    while h:
        e = heapq.heappop(h)
        e.o.p *= 2
        t += w * e.p
        w *= 0.5
    return t


def in_a_tuple(xs):
    a = N(xs[0])
    b = N(xs[1])
    pair = (a, b)
    a.next = b
    pair[0].v = 3.0 * xs[2]
    pair[1].v += pair[0].next.v
    x, y = pair
    return x.v * y.v + a.v


def values_of_a_dict(xs):
    d = {}
    for i, x in enumerate(xs):
        d[i % 3] = N(x)
    d[0].next = d[1]
    d[0].next.v *= 5.0
    for n in d.values():
        n.v += 1.0
    return sum((k * n.v for k, n in d.items()))


def a_dict_inside(xs):
    r = N({})
    r.next = r
    for i, x in enumerate(xs):
        r.next.v[i % 3] = x
    r.v[7] = 2.0
    return sum(r.v.values()) * len(r.v)


def while_another_grows(xs):
    ns = [N(x) for x in xs]
    ns[0].next = ns[-1]
    i = 0
    while ns[0].next.v < 5.0:
        ns[0].next.v += ns[i % 2].v + 0.5
        i += 1
    return ns[-1].v + i


def int_that_becomes_float(xs):
    a = N(0)
    a.next = a
    for x in xs:
        a.next.v += x
    b = N(0)
    b.next = a
    return a.v * 2 + b.v


def ints_stay_ints(xs):
    a = N(7)
    a.next = a
    return a.next.v // 2 * xs[0] + a.v % 4


def texts(xs):
    a = N('one')
    a.next = a
    b = N('two')
    b.next = a
    b.next.v = 'three' if xs[0] > 0 else 'four'
    return xs[1] * len(a.v) + (1.0 if a.v == 'three' else 0.0)


def made_by_a_function(xs):

    def mk(v):
        a = N(v)
        b = N(2 * v)
        a.next = b
        b.next = a
        return a
    p, q = (mk(xs[0]), mk(xs[1]))
    p.next.v += q.next.v
    q.next.next.v *= 3.0
    return p.next.v * q.v + p.next.next.v


def one_of_two(xs):
    a = N(xs[0])
    b = N(xs[1])
    c = a if xs[0] > xs[1] else b
    c.v *= 10.0
    d = c
    for i in range(3):
        d.v += a.v
        d = b if i % 2 else a
    return a.v * b.v


def bubbles(xs):
    ns = [N(x) for x in xs]
    for i in range(len(ns)):
        for j in range(len(ns) - 1 - i):
            if ns[j].v > ns[j + 1].v:
                ns[j], ns[j + 1] = (ns[j + 1], ns[j])
    ns[0].next = ns[1]
    ns[0].next.v = 4.0
    return sum(((i + 1) * n.v for i, n in enumerate(ns)))


def default_none(xs):

    class C:

        def __init__(self, items=None):
            self.items = [] if items is None else items
            self.me = self

        def add(self, x):
            self.items.append(x)
            return self
    return sum(C().add(xs[0]).me.add(xs[1]).items)


def made_after_init(xs):

    @dataclass
    class P:
        x: float = 1.0
        y: float = 2.0
        peer: object = None

        def __post_init__(self):
            self.z = self.x * self.y
    a = P(y=xs[0])
    b = P(xs[1], peer=a)
    b.peer.z += b.z
    return a.z * a.x


def elements_of_arrays(xs):
    a = N(np.array(xs))
    a.next = a
    a.next.v[1] *= 3.0
    a.v += 1.0
    return (a.v * a.v).sum()


def in_a_set(xs):
    h = link(xs)
    seen = set()
    n = h
    t = 0.0
    while n is not None and n not in seen:
        seen.add(n)
        t += n.v
        n = n.next
    return t * len(seen)


def as_keys(xs):
    h = link(xs)
    d = {}
    n = h
    while n is not None:
        d[n] = n.v * 2
        n = n.next
    return sum(d.values()) + d[h]


def has_attributes(xs):
    h = link(xs)
    t = 1.0 if hasattr(h, 'v') else 2.0
    return t * h.v + (3.0 if hasattr(h, 'zzz') else 4.0)


def attributes_with_defaults(xs):
    h = link(xs)
    return h.v * getattr(h, 'q', 3.0)


class V:

    def __init__(self, w):
        self.w = w
        self.out = []


def sums_by_object(xs):
    vs = [V(x) for x in xs]
    vs[0].out.append(vs[1])
    acc = defaultdict(float)
    for i in range(10):
        acc[vs[i % 3]] += vs[i * 2 % 5].w
    return acc[vs[0]] * acc[vs[1]] + len(acc)


def memo_by_object(xs):
    vs = [V(x) for x in xs]
    for i in range(1, len(vs)):
        vs[i].out.append(vs[i - 1])
        vs[i].out.append(vs[i // 2])
    memo = {}

    def total(v):
        if v in memo:
            return memo[v]
        r = v.w + sum(total(u) for u in v.out) * 0.5
        memo[v] = r
        return r
    return total(vs[-1])


def parents_in_a_dict(xs):
    vs = [V(x) for x in xs]
    vs[0].out.append(vs[0])
    parent = {v: None for v in vs}
    parent[vs[2]] = vs[1]
    parent[vs[1]] = vs[0]
    n, t = (vs[2], 0.0)
    while n is not None:
        t = t * 2 + n.w
        n = parent[n]
    return t


def missing_object(xs):
    vs = [V(x) for x in xs]
    d = {vs[0]: 1.0}
    vs[0].out.append(vs[1])
    try:
        return d[vs[1]]
    except KeyError:
        return vs[1].w + d.get(vs[1], 3.0)


class Value:

    def __init__(self, data, children=(), op=''):
        self.data = data
        self.grad = 0.0
        self.children = children
        self.op = op

    def __add__(self, o):
        return Value(self.data + o.data, [self, o], '+')

    def __mul__(self, o):
        return Value(self.data * o.data, [self, o], '*')

    def tanh(self):
        return Value(math.tanh(self.data), [self], 't')


class Counter:
    made = 0

    def __init__(self, v):
        self.v = v
        self.other = None

    @classmethod
    def twice(cls, v):
        return cls(2 * v)

    @staticmethod
    def join(a, b):
        a.other = b
        b.other = a
        return a


class M1:

    def f(self):
        return self.v


class M2:

    def f(self):
        return self.v * 2


class Both(M2, M1):

    def __init__(self, v):
        self.v = v
        self.me = self

    def f(self):
        return super().f() + M1.f(self)


def reverse_mode_by_hand(xs):
    vs = [Value(x, []) for x in xs]
    t = vs[0]
    for v in vs[1:]:
        t = (t * v + vs[0]).tanh()
    topo, seen = ([], set())

    def build(v):
        if v not in seen:
            seen.add(v)
            for c in v.children:
                build(c)
            topo.append(v)
    build(t)
    t.grad = 1.0
    for v in reversed(topo):
        if v.op == '+':
            v.children[0].grad += v.grad
            v.children[1].grad += v.grad
        elif v.op == '*':
            a, b = (v.children[0], v.children[1])
            a.grad += b.data * v.grad
            b.grad += a.data * v.grad
        elif v.op == 't':
            v.children[0].grad += (1 - v.data * v.data) * v.grad
    return sum((v.grad * (i + 1) for i, v in enumerate(vs)))


def made_by_a_class_method(xs):
    a, b = (Counter.twice(xs[0]), Counter(xs[1]))
    c = Counter.join(a, b)
    c.other.v *= 3.0
    return a.v * b.v + c.other.other.v


def two_bases(xs):
    a = Both(xs[0])
    a.me.v += 1.0
    return a.f()


def in_a_deque(xs):
    q = deque(Counter(x) for x in xs)
    first = q[0]
    k = 0
    while len(q) > 1:
        c = q.popleft()
        c.v *= 0.9
        q[0].other = c
        k += 1
        if k % 3 == 0:
            q.append(first)
        if k > 12:
            break
    return sum(c.v for c in q) + first.v


def inserted_and_removed(xs):
    a = []
    for x in xs:
        i = 0
        while i < len(a) and a[i].v < x:
            i += 1
        a.insert(i, Counter(x))
    mid = a[2]
    a.insert(0, mid)
    mid.v = 9.0 * xs[0]
    a.remove(mid)
    return sum(((i + 1) * c.v for i, c in enumerate(a)))


def slices_of_objects(xs):
    a = [Counter(x) for x in xs]
    b = a[1:4]
    a[0].other = b[0]
    for c in b:
        c.v += 1.0
    a[:2] = b[:2]
    a[0].v *= 2.0
    return sum(c.v for c in a) * b[0].v


def layers_in_a_chain(xs):

    class L:

        def __init__(self, n, seed):
            self.W = np.ones((n, n)) * seed
            self.b = np.zeros(n)
            self.next = None

        def __call__(self, x):
            return np.tanh(self.W @ x + self.b)
    ls = [L(3, xs[i]) for i in range(3)]
    for i in range(2):
        ls[i].next = ls[i + 1]
    x = np.array(xs[:3])
    n = ls[0]
    while n is not None:
        x = n(x)
        n.b += 0.1 * x
        n = n.next
    return (x * ls[0].b).sum() + ls[2].b.sum()


def called_back(xs):

    class Env:

        def __init__(self):
            self.pos = 0.0
            self.vel = 0.0
            self.agents = []

        def step(self):
            for a in self.agents:
                self.vel += a.act()
            self.pos += 0.1 * self.vel

    class Agent:

        def __init__(self, env, k):
            self.env = env
            self.k = k
            env.agents.append(self)

        def act(self):
            return -self.k * self.env.pos + 0.05
    e = Env()
    Agent(e, xs[0])
    Agent(e, xs[1])
    for _ in range(6):
        e.step()
    return e.pos * e.vel


def nodes_of_several_classes(xs):

    class Num:

        def __init__(self, v):
            self.v = v
            self.uses = 0

        def ev(self):
            self.uses += 1
            return self.v

    class Add:

        def __init__(self, a, b):
            self.a = a
            self.b = b
            self.uses = 0

        def ev(self):
            self.uses += 1
            return self.a.ev() + self.b.ev()

    class Mul:

        def __init__(self, a, b):
            self.a = a
            self.b = b
            self.uses = 0

        def ev(self):
            self.uses += 1
            return self.a.ev() * self.b.ev()
    x = Num(xs[0])
    y = Num(xs[1])
    e = Add(Mul(x, y), Mul(x, x))
    return e.ev() * x.uses + y.uses


def sorted_list(xs):
    h = None
    for x in xs:
        n = Counter(x)
        if h is None or h.v >= x:
            n.other = h
            h = n
        else:
            c = h
            while c.other is not None and c.other.v < x:
                c = c.other
            n.other = c.other
            c.other = n
    t, k = (0.0, 1)
    while h:
        t += k * h.v
        h = h.other
        k += 1
    return t


def swapped_attributes(xs):
    a, b = (Counter(xs[0]), Counter(xs[1]))
    a.other, b.other = (b, a)
    a.v, b.v = (b.v, a.v)
    a.other.v, a.v = (a.v * 2, a.other.v * 3)
    return a.v + 10 * b.v


def walked_by_a_generator(xs):

    class T:

        def __init__(self, v):
            self.v = v
            self.kids = []

        def walk(self):
            yield self
            for k in self.kids:
                yield from k.walk()
    r = T(xs[0])
    for x in xs[1:]:
        r.kids.append(T(x))
        r.kids[0].kids.append(T(x * 2))
    for n in r.walk():
        n.v += 0.5
    return sum(n.v * n.v for n in r.walk())


def found_on_the_way(xs):
    a = Counter(xs[0])
    b = Counter(xs[1])
    a.other = b
    n, t = (a, 0.0)
    while (m := n.other) is not None:
        t += m.v
        n = m
    return t + n.v


def made_in_a_dict(xs):
    d = {i: Counter(x) for i, x in enumerate(xs)}
    for i, c in d.items():
        c.other = d[(i + 1) % len(d)]
    for c in d.values():
        c.other.v += c.v
    return sum(d[i].v * i for i in d)


def its_own_objects_inside(xs):
    """A function that is differentiated inside makes objects of its own."""

    def g(x):
        a, b = N(x), N(2.0)
        a.next, b.next = b, a
        a.next.v *= a.v
        return b.next.next.v * x

    return pb.grad(g)(xs[0]) + g(xs[1])


def an_object_around_it(xs):
    c = N(xs[1])
    c.next = c

    def g(x):
        return c.next.v * x * x

    c.v += 1.0
    return pb.grad(g)(xs[0])


def twice_differentiated(xs):
    def g(x):
        a, b = N(x), N(x * x)
        a.next, b.next = b, a
        return a.next.v * b.next.v

    return pb.grad(pb.grad(g))(xs[0])


def an_array_with_a_part_of_a_name(xs):
    a = N(np.array(xs))
    a.next = a
    w = a.next.v
    w[0] = 5.0
    a.v[1] = 6.0
    return w.sum() + a.next.v[0]


def a_list_with_a_part_of_a_name(xs):
    b = N([x for x in xs])
    b.next = b
    ys = b.next.v
    ys.append(1.0)
    b.v.append(2.0)
    return sum(ys) * len(b.next.v)


def a_long_chain(xs):
    n = root = N(xs[0])
    for i in range(200):
        n.next = N(xs[i % 6] + i)
        n = n.next
    t, n = 0.0, root
    while n is not None:
        t = 0.99 * t + n.v
        n = n.next
    return t


@dataclass
class Parent:
    x: float
    o: object = None


class Heir(Parent):
    pass


def equal_by_an_inherited_method(xs):
    a, b = Heir(xs[0]), Heir(xs[0])
    equal = 1.0 if a == b else 2.0
    e = a if xs[0] > 0 else b
    e.x += 1.0
    return equal * xs[1] + (a.x if a in [a, b] else 0.0)


class Leaf:
    def __init__(self, v):
        self.v, self.to = v, None


class Knot(Leaf):
    def __init__(self, v):
        super().__init__(v)
        self.to = self


class Twin(Leaf):
    def area(self):
        return self.to.v * self.v


def met_one_class_after_the_other(xs):
    a = Knot(xs[0])
    b = Leaf(xs[1])
    b.to = a.to
    c = Twin(xs[2])
    c.to = b.to if xs[0] < 1 else c
    c.to.v += 1.0
    return c.area() * b.to.to.v + a.v


def copied(xs):
    h = link(xs)
    c = copy.copy(h)
    c.v = 5.0
    return h.v * c.v + h.next.v


def two_owners_of_a_list(xs):
    a = N([x for x in xs])
    b = N(a.v)
    b.next, a.next = a, b
    a.v.append(2.0)
    return sum(b.v) * len(a.v)


def two_owners_of_an_array(xs):
    a = N(np.array(xs))
    b = N(a.v)
    a.next, b.next = b, a
    a.v[0] = 9.0
    return (b.v * b.v).sum()


def an_array_with_a_name(xs):
    w = np.array(xs)
    a = N(w)
    a.next = a
    w[0] = 9.0
    return a.next.v.sum()


def an_array_under_two_names(xs):
    w = np.array(xs)
    a = N(w)
    a.next = a
    a.next.v[0] = 9.0
    return w.sum()


def as_a_text(xs):
    h = link(xs)
    return h.v * len(f"{h}")


def shown(xs):
    h = link(xs)
    print(h)
    return h.v


def without_its_attribute(xs):
    a = N(xs[0])
    a.next = a
    del a.next
    return a.v


class Plain:
    def __init__(self, x):
        self.v, self.o = x, None


class Counted(Plain):
    @property
    def v(self):
        return self._v * 2

    @v.setter
    def v(self, x):
        self._v = x + 1


def a_property_over_an_attribute(xs):
    a, b = Plain(xs[0]), Counted(xs[1])
    a.o, b.o = b, a
    t = 0.0
    for o in (a, b):
        t = t * 3 + o.o.v
    return t


class Halves:
    def __init__(self, v):
        self.a, self.b, self.o = v, v, self


def two_attributes_of_one_list(xs):
    t = Halves([x for x in xs])
    t.o.a.append(5.0)
    return sum(t.b) * len(t.o.b)


def a_bool_and_a_float(xs):
    a, b = N(False), N(xs[0])
    a.next, b.next = b, a
    t = 0.0
    for n in (a, b):
        t += 10.0 if isinstance(n.v, bool) else n.v
    return t


def given_out_by_a_derivative(xs):
    def g(x):
        a = N(x)
        a.next = a
        return a.next.v * x, a

    d, a = pb.grad(g, has_aux=True)(xs[0])
    return d * a.v


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a


def no_slot(xs):
    s = Slots(xs[0])
    s.b = s
    try:
        s.c = 1.0
    except AttributeError:
        return s.b.a * 2
    return 0.0


class Bare:
    __slots__ = ()


class WithSlot(Bare):
    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a


class WithDict(Bare):
    def __init__(self, a):
        self.a = a


def no_slot_in_one_of_two_classes(xs):
    found = [WithSlot(xs[0]), WithDict(xs[1]), WithSlot(xs[2])]
    found.append(found[0])
    t = 0.0
    for i in range(6):
        try:
            found[i % 4].b = xs[0] * i
        except AttributeError as e:
            t += 1.0 if "'WithSlot' object has no attribute 'b'" in str(e) else 100.0
        else:
            t += found[i % 4].b
    return t


class Split:
    """A node of a tree of decisions: a leaf has a value, and nothing else."""

    def __init__(self, column=None, bound=None, low=None, high=None, *, value=None):
        self.column, self.bound, self.low, self.high = column, bound, low, high
        self.value = value


def _grown(rows, ys, depth):
    column, best = None, math.inf
    for k in range(rows.shape[1]):
        spread = float(np.abs(rows[:, k] - rows[0, k]).max())
        if 0.0 < spread < best:
            column, best = k, spread
    if depth == 0 or column is None:
        return Split(value=np.mean(ys))
    low = rows[:, column] < rows[:, column].mean()
    below, above = _grown(rows[low], ys[low], depth - 1), _grown(rows[~low], ys[~low], depth - 1)
    return Split(column, rows[:, column].mean(), below, above)


def _decided(node, row):
    if node.value is not None:
        return node.value
    return _decided(node.low if row[node.column] < node.bound else node.high, row)


def columns_that_leaves_lack(xs):
    ys = np.array(xs)
    rows = np.array([[0.0, 1.0], [0.5, 2.0], [1.5, 0.3], [1.7, 1.1], [0.1, 0.1], [2.5, 2.2]])
    tree = _grown(rows[: len(xs)], ys, 2)
    return sum(_decided(tree, row) * (k + 1) for k, row in enumerate(rows))


class Overdrawn(Exception):
    def __init__(self, wanted, there):
        super().__init__(f"{wanted} of {there}")
        self.wanted, self.there = wanted, there

    @property
    def lacking(self):
        return self.wanted - self.there


class Purse:
    rate = 0.5

    def __init__(self, amount):
        self.amount, self.log = amount, []

    def put(self, v):
        self.amount += v
        self.log.append(("put", v))
        return self

    def take(self, v):
        if v > self.amount:
            raise Overdrawn(v, self.amount)
        self.amount -= v
        return self


class Dear(Purse):
    rate = 0.25

    def take(self, v):
        return super().take(v * 1.5)


def exceptions_of_objects_in_chains(xs):
    purses, lacking = [Purse(xs[0]), Dear(xs[1]), Dear(xs[2])], 0
    for purse in purses:
        purse.put(xs[3]).take(0.1).put(1.0)
        try:
            purse.take(1.2)
        except Overdrawn as e:
            lacking += e.lacking * purse.rate
        finally:
            purse.amount *= 1.0 + purse.rate
    return lacking + sum(p.amount * len(p.log) for p in purses)


RIGHT = [
    columns_that_leaves_lack, exceptions_of_objects_in_chains,
    without_its_attribute,
    no_slot, no_slot_in_one_of_two_classes, set_later, class_attribute, found_in_a_list, matched,
    parents_of_dataclasses,
    equal_dataclasses, properties, overridden_methods, attributes_of_one_class,
    none_has_no_attribute, updated_by_a_generator, its_own_iterator, in_a_default, bound_methods,
    sorted_by_key, in_a_heap, in_a_tuple, values_of_a_dict, a_dict_inside, while_another_grows,
    int_that_becomes_float, ints_stay_ints, texts, made_by_a_function, one_of_two, bubbles,
    default_none, made_after_init, elements_of_arrays, in_a_set, as_keys, has_attributes,
    attributes_with_defaults, sums_by_object, memo_by_object, parents_in_a_dict, missing_object,
    reverse_mode_by_hand, made_by_a_class_method, two_bases, in_a_deque, inserted_and_removed,
    slices_of_objects, layers_in_a_chain, called_back, nodes_of_several_classes, sorted_list,
    swapped_attributes, walked_by_a_generator, found_on_the_way, made_in_a_dict,
    its_own_objects_inside, an_object_around_it, twice_differentiated, a_long_chain,
    an_array_with_a_part_of_a_name, a_list_with_a_part_of_a_name, equal_by_an_inherited_method,
    met_one_class_after_the_other, two_owners_of_a_list, two_attributes_of_one_list,
    two_owners_of_an_array, an_array_with_a_name, an_array_under_two_names, copied,
]  # fmt: skip

REFUSED = [
    as_a_text, shown, a_bool_and_a_float,
    given_out_by_a_derivative, a_property_over_an_attribute,
]  # fmt: skip
