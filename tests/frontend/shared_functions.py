"""Functions, lambdas and bound methods in attributes of objects that have several names."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


class Value:
    """Karpathy's micrograd: reverse mode by closures that objects keep."""

    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)
        self._op = _op

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __pow__(self, other):
        assert isinstance(other, (int, float)), "only supporting int/float powers for now"
        out = Value(self.data**other, (self,), f"**{other}")

        def _backward():
            self.grad += (other * self.data ** (other - 1)) * out.grad

        out._backward = _backward
        return out

    def relu(self):
        out = Value(0.0 if self.data < 0 else self.data, (self,), "ReLU")

        def _backward():
            self.grad += (out.data > 0) * out.grad

        out._backward = _backward
        return out

    def backward(self):
        topo = []
        visited = set()

        def build_topo(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build_topo(child)
                topo.append(v)

        build_topo(self)
        self.grad = 1.0
        for v in reversed(topo):
            v._backward()

    def __neg__(self):
        return self * -1

    def __radd__(self, other):
        return self + other

    def __sub__(self, other):
        return self + (-other)

    def __rmul__(self, other):
        return self * other

    def __truediv__(self, other):
        return self * other**-1


def micrograd(xs):
    a, b = Value(xs[0] - 1.0), Value(xs[1])
    e = (a * b + b**3 - a).relu()
    for x in xs:
        e = e + x * a
    e.backward()
    return a.grad + 10.0 * b.grad + e.data


class Subject:
    def __init__(self):
        self.value, self.observers = 0.0, []

    def attach(self, f):
        self.observers.append(f)

    def set(self, v):
        self.value = v
        for f in self.observers:
            f(v)


class Log:
    def __init__(self):
        self.items, self.total = [], 0.0

    def note(self, v):
        self.items.append(v)
        self.total += v


def observers(xs):
    subject, log, other = Subject(), Log(), Log()
    subject.attach(log.note)
    subject.attach(other.note)
    subject.attach(log.note)
    subject.attach(lambda v: other.note(v * v))
    for x in xs:
        subject.set(x)
    return log.total + 3.0 * other.total + len(log.items) * other.items[1]


class Button:
    def __init__(self, weight):
        self.weight, self.on_click = weight, []

    def click(self, amount):
        for handler in self.on_click:
            handler(self, amount)


class App:
    def __init__(self):
        self.count = 0.0
        self.plus, self.minus = Button(1.0), Button(-1.0)
        self.plus.on_click.append(self.up)
        self.minus.on_click.append(self.down)

    def up(self, sender, amount):
        self.count += amount * sender.weight

    def down(self, sender, amount):
        self.count += amount * sender.weight * 2.0


def handlers(xs):
    app = App()
    for x in xs:
        app.plus.click(x)
        app.minus.click(x * x)
    return app.count


class Task:
    def __init__(self, action, deps):
        self.action, self.deps, self.done, self.result = action, deps, False, 0.0

    def run(self):
        if not self.done:
            self.result = self.action([d.run() for d in self.deps])
            self.done = True
        return self.result


def tasks(xs):
    a = Task(lambda rs: xs[0], [])
    b = Task(lambda rs: rs[0] * 2.0, [a])
    c = Task(lambda rs: rs[0] + rs[1] * xs[1], [a, b])
    return c.run() + b.run()


class Account:
    def __init__(self, balance, policy):
        self.balance, self.policy = balance, policy

    def withdraw(self, v):
        if self.policy(self, v):
            self.balance -= v
            return True
        return False


def overdraft(limit):
    return lambda account, v: account.balance + limit >= v


def strict(account, v):
    return account.balance >= v


def strategies(xs):
    accounts = [Account(xs[1], strict), Account(xs[0], overdraft(10.0)), Account(1.0, strict)]
    named = {"a": accounts[0], "b": accounts[1]}
    n = sum(a.withdraw(0.8) for a in accounts)
    named["b"].withdraw(2.0)
    return sum(a.balance for a in accounts) + n


@dataclass
class Particle:
    pos: float
    vel: float
    force: Callable[[Any], float]
    links: list = field(default_factory=list)


def forces(xs):
    a = Particle(xs[0], 0.0, lambda p: -p.pos)
    b = Particle(xs[1], 1.0, lambda p: -0.1 * p.vel)
    a.links.append(b)
    b.links.append(a)
    for _ in range(5):
        for p in (a, b):
            p.vel += 0.1 * (p.force(p) + sum(0.2 * (q.pos - p.pos) for q in p.links))
        for p in (a, b):
            p.pos += 0.1 * p.vel
    return a.pos + b.pos * b.pos


class EventLoop:
    def __init__(self):
        self.queue, self.now, self.out = [], 0.0, 0.0

    def call_later(self, dt, fn):
        self.queue.append((self.now + dt, fn))

    def run(self):
        while self.queue:
            k = min(range(len(self.queue)), key=lambda i: self.queue[i][0])
            self.now, fn = self.queue.pop(k)
            fn(self)


def events(xs):
    loop, x = EventLoop(), xs[0]

    def tick(on):
        on.out += on.now * x
        if on.now < 3.0:
            on.call_later(1.0 + x, tick)

    loop.call_later(0.5, tick)
    loop.call_later(1.2, lambda on: on.call_later(0.1, tick))
    loop.run()
    return loop.out


class Machine:
    def __init__(self, x):
        self.x, self.steps = x, 0
        self.state = self.idle

    def idle(self):
        self.x += 1.0
        self.state = self.work

    def work(self):
        self.x *= 1.5
        self.steps += 1
        if self.x > 2.0:
            self.state = self.idle


def states(xs):
    machine = Machine(xs[0])
    same = machine
    for _ in xs:
        machine.state()
    return same.x + machine.steps


class Lazy:
    def __init__(self, thunk):
        self.thunk, self.value, self.ready = thunk, 0.0, False

    def get(self):
        if not self.ready:
            self.value, self.ready = self.thunk(), True
        return self.value


def lazy(xs):
    a = Lazy(lambda: xs[0] * 2.0)
    b = Lazy(lambda: a.get() + 1.0)
    c = Lazy(lambda: a.get() * b.get())
    return c.get() + b.get()


class Node:
    def __init__(self, v):
        self.v, self.op, self.next, self.fs = v, None, None, []

    def double(self):
        self.v *= 2.0
        return self.v

    def get(self):
        return self.v


def pair(xs):
    a, b = Node(xs[0]), Node(xs[1])
    a.next, b.next = b, a
    return a, b


def methods_of_each_other(xs):
    a, b = pair(xs)
    a.op, b.op = b.double, a.double
    a.op()
    b.op()
    b.next.op()
    a.op, b.op = b.op, a.get
    return a.op() * 100.0 + b.op() + b.v


def replaced_while_it_runs(xs):
    a, b = pair(xs)

    def second(n):
        n.v += 1.0
        return n.v

    def first(n):
        n.op = second
        n.v *= 3.0
        return n.v

    a.op = first
    r = a.op(a)
    return r + b.next.op(b.next) * 10.0


def wrapped_in_a_loop(xs):
    a, b = pair(xs)
    a.op = lambda v: v + a.v
    for x in xs:
        g = a.op
        a.op = lambda v, g=g, x=x: x + 2.0 * g(v)
    return b.next.op(xs[2])


def with_defaults(xs):
    a, b = pair(xs)
    for x in xs:
        a.fs.append(lambda v, x=x: v * x)
    return sum(f(xs[0]) for f in b.next.fs)


def partials(xs):
    a, b = pair(xs)

    def move(n, d):
        n.v += d

    a.op, b.op = functools.partial(move, b), functools.partial(move, a)
    a.op(xs[2])
    b.next.op(1.0)
    b.op(2.0)
    return a.v + 10.0 * b.v


def as_a_key(xs):
    nodes = [Node(x) for x in xs]
    nodes[0].next, nodes[0].op = nodes[1], lambda n: -n.v
    ordered = sorted(nodes, key=nodes[0].op)
    ordered[0].v *= 10.0
    return nodes[1].v + ordered[1].v * 2.0 + ordered[2].v * 3.0


def in_a_generator(xs):
    a, b = pair(xs)
    a.op = lambda v: b.double() + v

    def items():
        for x in xs[:3]:
            yield a.op(x)

    s = 0.0
    for v in items():
        s = s * 2.0 + v
        b.v += 1.0
    return s + b.v


def mapped(xs):
    a, b = pair(xs)
    a.fs = [a.double, b.double, a.get]
    return sum(map(lambda f: f(), b.next.fs)) + sum(f() for f in a.fs)


def recursive(xs):
    a, b = pair(xs)

    def visit(n, d):
        n.v += d
        return 0.0 if d < 0.2 else n.v + n.next.op(n.next, d * 0.5)

    a.op = b.op = visit
    return a.op(a, xs[1] * xs[1] + 0.3)


def that_raise(xs):
    a, b = pair(xs)

    def bad(n):
        n.v += 0.65
        if n.v > 1.5:
            raise ValueError("big")
        return n.v

    a.op = b.op = bad
    r = 0.0
    for n in (a, b, a, a):
        try:
            r += n.op(n)
        except ValueError:
            r += 100.0
    return r + a.v + b.v


def some_have_none(xs):
    a, b = pair(xs)
    b.op = a.get
    r = sum(n.op() if n.op is not None else n.v * 3.0 for n in (a, b))
    return r + sum(n.op() if n.op else n.v for n in (a, b))


def of_the_class_or_the_object(xs):
    class Scaled:
        scale = staticmethod(lambda v: v * 2.0)

        def __init__(self):
            self.other = None

    a, b = Scaled(), Scaled()
    a.other, b.other = b, a
    a.scale = lambda v: math.sin(v) * 3.0
    return a.scale(xs[0]) + b.scale(xs[1]) + b.other.scale(1.0)


class N:
    def __init__(self, v):
        self.v = v


def in_a_set_of_objects(xs):
    ns = [N(x) for x in xs]
    seen = {ns[2], ns[1], ns[2]}
    for n in seen:
        n.v *= 2.0
    return sum(n.v * n.v for n in ns)


RIGHT = [
    observers, handlers, tasks, strategies, forces, events, states, lazy,
    methods_of_each_other, replaced_while_it_runs, wrapped_in_a_loop, with_defaults, partials,
    as_a_key, in_a_generator, mapped, recursive, that_raise, some_have_none,
    of_the_class_or_the_object, in_a_set_of_objects,
]  # fmt: skip


# --- refused --------------------------------------------------------------------------------------


def bound_late(xs):
    a, b = pair(xs)
    k = 2.0
    a.op = lambda v: v * k
    k = 3.0
    return b.next.op(xs[0]) * k


def counts(xs):
    a, b = pair(xs)
    n = 0.0

    def more(d):
        nonlocal n
        n += d
        return n

    a.op = more
    b.next.op(xs[0])
    a.op(1.0)
    return n


def keeps_a_list(xs):
    a, b = pair(xs)
    out = []
    a.op = lambda v: out.append(v)
    b.next.op(xs[0])
    a.op(2.0)
    return sum(out)


def another_object_later(xs):
    a, b = pair(xs)
    c = Node(5.0)
    a.op = lambda: c.get()
    c = Node(7.0)
    return b.next.op() * xs[0]


REFUSED = [bound_late, counts, another_object_later]
RIGHT.append(keeps_a_list)
