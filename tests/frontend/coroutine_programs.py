"""Coroutines whose variables change their kinds, in loops, branches and functions."""

from __future__ import annotations

from tests.frontend.sent_programs import averager, count_nodes, sub, tree


def ints_and_floats(x):
    def g():
        v = 0
        while True:
            v = yield v

    it = g()
    a = next(it)
    b = it.send(1)
    c = it.send(x)
    d = it.send(2)
    return f"{a} {b} {c} {d}"


def in_branches(x):
    a = averager()
    next(a)
    if x > 1:
        r = a.send(x)
    else:
        r = a.send(1)
    return r + a.send(3)


def by_a_helper(x):
    def feed(c, n):
        for k in range(n):
            r = c.send(k * x)
        return r

    a = averager()
    next(a)
    return feed(a, 2) + feed(a, 3)


def left_beside_what_is_returned(x):
    def g():
        r = yield from count_nodes(tree(x))
        yield r * 10

    for v in g():
        if v > 5:
            return v
    return -1.0


def several_that_return(x):
    def g():
        n = 0
        for t in (1, 2):
            n += yield from sub(t + 1)
        return n * x

    def h():
        v = yield from g()
        yield v

    return [v for v in h()]


def raises_beside_a_clause(x):
    def g():
        try:
            yield 1.0
            raise ValueError("in")
        except KeyError:
            yield 5.0

    it = g()
    next(it)
    try:
        return next(it)
    except ValueError as e:
        return x * len(str(e))


def ended_by_none(x):
    def g():
        s = x
        while True:
            d = yield s
            if d is None:
                return
            s = s * d

    it = g()
    next(it)
    it.send(2.0)
    r = it.send(x)
    n = 0
    for v in it:
        n += 1
    return r + n


def its_list(x):
    def g():
        items = []
        while True:
            v = yield items
            items.append(v)

    it = g()
    next(it)
    it.send(x)
    return list(it.send(2.0))


def an_expression_returns_none(x):
    def g():
        r = yield from (v * x for v in range(3))
        yield 100.0 if r is None else 0.0

    return sum(g())


def with_none_first(x):
    it = averager()
    out = []
    for v in [None, x, 2.0, x * x]:
        r = it.send(v)
        if r is not None:
            out.append(r)
    return out


def a_recursion_returns(x):
    def g(n):
        if n == 0:
            return x
        a = yield n
        r = yield from g(n - 1)
        return r * 2 + n

    def run():
        v = yield from g(3)
        yield v

    return [v for v in run()]


def raises_and_catches(x):
    def g():
        while True:
            try:
                v = yield
                if v < 0:
                    raise ValueError(v)
                out.append(v)
            except ValueError as e:
                out.append(100.0)

    out = []
    it = g()
    next(it)
    it.send(x)
    it.send(-x)
    it.send(2.0)
    return sum(k * v for k, v in enumerate(out))


def in_a_lambda(x):
    def g():
        x2 = yield
        yield x2 * x2

    return [(lambda it: (next(it), it.send(v))[1])(g()) for v in (x, 3.0)]


def a_variable_around_it(x):
    def g():
        nonlocal count
        while True:
            v = yield count
            count += v

    count = 0.0
    it = g()
    next(it)
    it.send(x)
    it.send(2.0)
    return count


def taken_apart(x):
    def g():
        a, b = yield
        yield a - b

    it = g()
    next(it)
    return it.send((x, 2.0))


def sometimes_sent(x):
    def g():
        s = 0.0
        for k in range(3):
            v = yield k
            s += v if v is not None else 10.0
        return s * x

    it = g()
    next(it)
    it.send(1.0)
    next(it)
    try:
        next(it)
    except StopIteration as e:
        return e.value


def a_table(x):
    def g():
        with_d = {}
        while True:
            key = yield with_d.get("k", x)
            with_d["k"] = with_d.get("k", 0.0) + key

    it = g()
    next(it)
    return it.send(2.0) + it.send(x)


def ends_once(x):
    def g():
        yield x
        return 3.0

    it = g()
    next(it)
    try:
        it.send(None)
    except StopIteration as e:
        a = e.value
    try:
        it.send(None)
    except StopIteration as e:
        b = 0.0 if e.value is None else 1.0
    return a + b


def left_by_a_clause(x):
    def g():
        for k in range(5):
            try:
                yield k * x
            except ValueError:
                break
        yield -1.0

    it = g()
    s = next(it) + next(it) + it.throw(ValueError())
    return s


PROGRAMS = [
    ints_and_floats,
    in_branches,
    by_a_helper,
    left_beside_what_is_returned,
    several_that_return,
    raises_beside_a_clause,
    ended_by_none,
    its_list,
    an_expression_returns_none,
    with_none_first,
    a_recursion_returns,
    raises_and_catches,
    in_a_lambda,
    a_variable_around_it,
    taken_apart,
    sometimes_sent,
    a_table,
    ends_once,
    left_by_a_clause,
]
