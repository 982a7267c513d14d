"""Generators that are sent something, that return something, into which exceptions are thrown, and
iterators that several go through."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Node:
    value: float
    left: Node | None = None
    right: Node | None = None


def averager():
    total = 0.0
    count = 0
    average = None
    while True:
        term = yield average
        total += term
        count += 1
        average = total / count


def counter(n):
    i = 0
    while i < n:
        val = yield i
        if val is not None:
            i = val
        else:
            i += 1


def sub(n):
    s = 0.0
    for k in range(n):
        yield k
        s += k
    return s


def outer(x):
    r = yield from sub(3)
    yield r * x
    r2 = yield from sub(4)
    return r + r2


def count_nodes(node):
    n = 1
    yield node.value
    if node.left:
        n += yield from count_nodes(node.left)
    if node.right:
        n += yield from count_nodes(node.right)
    return n


def thrower():
    s = 0.0
    while True:
        try:
            v = yield s
            s += v
        except ValueError as e:
            s += 100.0


def producer(xs, target):
    for v in xs:
        target.send(v)
    target.close()


def running_max():
    best = yield
    while True:
        v = yield best
        if v > best:
            best = v


def accumulate(x0):
    total = x0
    while (v := (yield total)) is not None:
        total += v
    return total * 2


def an_average(x):
    a = averager()
    next(a)
    s = 0.0
    for k in range(4):
        s = s + a.send(x * k)
    return s


def primed_with_none(x):
    a = averager()
    a.send(None)
    a.send(x)
    a.send(3.0)
    r = a.send(x * x)
    a.close()
    return r


def set_anew(x):
    out = []
    c = counter(10)
    out.append(next(c) * x)
    out.append(next(c) * x)
    out.append(c.send(7) * x)
    for v in c:
        out.append(v * x)
    return sum(out)


def a_loop_sends_nothing(x):
    return sum(v * x for v in counter(5))


def returned_to_yield_from(x):
    return sum(v * x for v in outer(x))


def returned_at_the_end(x):
    it = outer(x)
    s = 0.0
    while True:
        try:
            s += next(it) * x
        except StopIteration as e:
            return s + e.value


def returned_by_a_recursion(x):
    def run():
        n = yield from count_nodes(tree(x))
        yield n * x

    return sum(run())


def thrown_under_try(x):
    t = thrower()
    next(t)
    t.send(x)
    t.throw(ValueError("a"))
    return t.send(x * 2)


def a_pipeline(x):
    out = []

    def printer():
        while True:
            v = yield
            out.append(v)

    def scale(target, c):
        while True:
            v = yield
            target.send(v * c)

    p = printer()
    next(p)
    s = scale(p, x)
    next(s)
    producer([1.0, 2.0, 3.0], s)
    return sum(out)


def a_running_maximum(x):
    r = running_max()
    next(r)
    r.send(x)
    return sum([r.send(v) for v in (1.0, x * 2, 0.5)])


def until_none(x):
    it = accumulate(x)
    next(it)
    it.send(1.0)
    it.send(x)
    try:
        it.send(None)
    except StopIteration as e:
        return e.value


def tree(x):
    return Node(x, Node(x * 2, Node(1.0), None), Node(x * x, None, Node(3.0 * x)))


def returned_by_a_nested_recursion(x):  # sum over recursion with returned value
    def size(t):
        if t is None:
            return 0.0
        a = yield from size(t.left)
        yield t.value
        b = yield from size(t.right)
        return a + b + t.value * t.value

    def run():
        n = yield from size(tree(x))
        yield n

    return sum(run())


def left_after_yield_from(x):
    def inner():
        yield x
        return x * 2

    def run():
        r = yield from inner()
        yield r * r

    for v in run():
        if v > 3:
            return v
    return 0.0


def a_list_returns_none(x):
    def gen():
        r = yield from [1.0, x]
        yield 5.0 if r is None else 1.0

    return sum(gen())


def yields_in_expressions(x):
    def gen():
        t = 0.0
        t += (yield 1.0) or 2.0
        t = t + (yield t) * x
        return t

    g = gen()
    s = next(g)
    s += g.send(x)
    try:
        g.send(3.0)
    except StopIteration as e:
        return s + e.value


def sent_too_early(x):
    a = averager()
    try:
        a.send(x)
    except TypeError as e:
        return x * len(str(e))


def nothing_where_a_number_was(x):
    a = averager()
    next(a)
    try:
        next(a)
    except TypeError as e:
        return x * len(str(e))


def an_echo(x):
    def echo():
        v = yield 0.0
        while v is not None:
            v = yield v * v

    g = echo()
    next(g)
    s = 0.0
    for k in range(4):
        s += g.send(x + k)
    for w in g:
        s += w
    try:
        next(g)
    except StopIteration:
        s += 1.0
    return s


def texts_sent(x):
    def grep(pattern):
        n = 0
        while True:
            line = yield n
            if line is not None and pattern in line:
                n += 1

    g = grep("a")
    next(g)
    r = 0
    for w in ["abc", "xyz", "banana"]:
        r = g.send(w)
    return r * x


def smoothed(x):
    def smooth(alpha):
        s = yield None
        while True:
            v = yield s
            s = alpha * v + (1 - alpha) * s

    g = smooth(0.3)
    next(g)
    g.send(x)
    out = [g.send(v) for v in [1.0, x * 2, 3.0]]
    return out[0] + 2 * out[1] + 3 * out[2]


def sent_through(x):
    def outer():
        yield from averager()

    g = outer()
    next(g)
    s = 0.0
    for k in range(3):
        s += g.send(x * k)
    return s


def a_controller(x):
    def pid(kp, ki):
        integral = 0.0
        out = 0.0
        while True:
            error = yield out
            integral += error
            out = kp * error + ki * integral

    c = pid(0.5, 0.1)
    next(c)
    y = x
    for _ in range(10):
        u = c.send(1.0 - y)
        y = y + 0.1 * u
    return y


def a_method(x):
    class Counter:
        def __init__(self):
            self.n = 0.0

        def run(self):
            while True:
                d = yield self.n
                self.n += d

    c = Counter()
    g = c.run()
    next(g)
    g.send(x)
    g.send(2.0)
    return c.n * x


def a_list_of_coroutines(x):
    coros = [averager(), averager()]
    for c in coros:
        next(c)
    s = 0.0
    for k in range(3):
        for c in coros:
            s += c.send(x * k)
    return s


def under_finally(x):
    def g():
        try:
            v = yield x
            return v * 2
        finally:
            log.append(1.0)

    log = []
    it = g()
    next(it)
    try:
        it.send(x)
    except StopIteration as e:
        return e.value + len(log)


def added_to_a_count(x):
    def gen(n):
        k = 0
        while k < n:
            k += (yield k * x) or 1

    g = gen(10)
    s = next(g)
    s += g.send(3)
    s += next(g)
    s += g.send(None)
    return s


def told_by_what_was_sent(x):
    def acc():
        s = 0.0
        while (v := (yield s)) is not None:
            s += v
        return s

    def sink():
        r = yield from acc()
        yield -r

    g = sink()
    next(g)
    for v in (x, 2.0):
        g.send(v)
    return g.send(None)


def one_after_the_other(x):
    def g():
        a = yield 1
        b = yield 2
        yield a * b

    it = g()
    next(it)
    it.send(x)
    return it.send(x + 1)


PROGRAMS = [
    an_average,
    primed_with_none,
    set_anew,
    a_loop_sends_nothing,
    returned_to_yield_from,
    returned_at_the_end,
    returned_by_a_recursion,
    thrown_under_try,
    a_pipeline,
    a_running_maximum,
    until_none,
    returned_by_a_nested_recursion,
    left_after_yield_from,
    a_list_returns_none,
    yields_in_expressions,
    sent_too_early,
    nothing_where_a_number_was,
    an_echo,
    texts_sent,
    smoothed,
    sent_through,
    a_controller,
    a_method,
    a_list_of_coroutines,
    under_finally,
    added_to_a_count,
    told_by_what_was_sent,
    one_after_the_other,
]
