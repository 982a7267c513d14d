"""Generators whose consumer raises: what their ``finally`` does is done before a clause is run."""

from __future__ import annotations

# ruff: noqa: UP028  # loops in which something is yielded are what is tried
import itertools
import math


def read_by_a_clause(x):
    seen = 0.0

    def gen(a):
        nonlocal seen
        k = 0
        try:
            while k < 5:
                k += 1
                yield a * k
        finally:
            seen = 10 * seen + k

    def run(m):
        s = 0.0
        for v in gen(x):
            s += v
            if v > m:
                raise KeyError(v, m)
        return s
    t = 0.0
    for m in (2.5 * x, 1000.0, 0.0):
        try:
            t += run(m)
        except KeyError as e:
            t += e.args[0] - e.args[1]
    return t * seen


def one_in_another(x):
    log = []

    def inner(a):
        try:
            yield a
            yield 2 * a
        finally:
            log.append(1.0 * len(log) + a)

    def outer(a):
        try:
            yield from inner(a)
        finally:
            log.append(10.0 + a * len(log))

    def run(k):
        t = 0.0
        for v in outer(x):
            t += v
            if t > k:
                raise ValueError(t)
        return t
    r = 0.0
    for k in (0.5 * x, 2 * x, 100 * x):
        try:
            r += run(k)
        except ValueError:
            r += 100.0
    return r + sum((i + 1) * v for i, v in enumerate(log))


def at_three_depths(x):
    log = []

    def inner(a):
        try:
            yield a
            yield 2 * a
        finally:
            log.append(1.0 * len(log) + a)

    def outer(a):
        for k in range(2):
            try:
                for v in inner(a * k):
                    try:
                        yield v * a
                    finally:
                        log.append(5.0)
            finally:
                log.append(10.0 + a * len(log))

    def run(k):
        t = 0.0
        for v in outer(x):
            t += v
            if t > k:
                raise ValueError(t)
        return t
    r = 0.0
    for k in (0.5 * x, 2 * x, 100 * x):
        try:
            r += run(k)
        except ValueError:
            r += 100.0
    return r + sum((i + 1) * v for i, v in enumerate(log))


def recursive(x):
    log = []

    def walk(n):
        if n == 0:
            return
        try:
            yield from walk(n - 1)
            yield x * n
            yield from walk(n - 1)
        finally:
            log.append(n * 1.0)

    def run(k):
        t = 0.0
        for v in walk(3):
            t += v
            if t > k:
                raise ValueError(t)
        return t
    r = 0.0
    for k in (0.5 * x, 4 * x, 100 * x):
        try:
            r += run(k)
        except ValueError:
            r += 100.0
    return r + sum((i + 1) * v for i, v in enumerate(log))


def summed(x):
    n = 0

    def gen():
        nonlocal n
        try:
            for k in range(4):
                yield x + k
        finally:
            n += 1

    def run(m):
        return sum(1.0 / (v - m) for v in gen())
    t = 0.0
    for m in (x + 1, 77.0):
        try:
            t += run(m)
        except ZeroDivisionError:
            t += 10
    return t + 100 * n


def mapped(x):
    n = 0

    def gen():
        nonlocal n
        try:
            for k in range(4):
                yield x + k
        finally:
            n += 1

    def run(m):
        return list(map(lambda v: math.log(v - m), gen()))
    t = 0.0
    for m in (x + 1, -77.0):
        try:
            t += sum(run(m))
        except ValueError:
            t += 10
    return t + 100 * n


def chained(x):
    n = 0

    def gen():
        nonlocal n
        try:
            for k in range(4):
                yield x + k
        finally:
            n += 1

    def run():
        t = 0.0
        for v in itertools.chain(gen(), gen()):
            t += math.log(x + 0.5 - v)
        return t
    try:
        t = run()
    except ValueError:
        t = x * n
    return t * n


def two_loops(x):
    n = 0

    def gen(w):
        nonlocal n
        try:
            for k in range(3):
                yield x * k
        finally:
            n = 10 * n + w

    def run():
        t = 0.0
        for v in gen(1):
            for u in gen(2):
                t += math.sqrt(2.5 * x - v - u)
        return t
    try:
        t = run()
    except ValueError:
        t = x
    return t * n


class Stock:

    def __init__(self):
        self.n = 0.0
        self.log = []

    def items(self, x):
        self.n += 1
        try:
            for k in range(4):
                self.log.append(x * k)
                yield x * k
        finally:
            self.n *= 3

    def run(self, x):
        t = 0.0
        for v in self.items(x):
            t += 1.0 / (v - 2 * x)
        return t


def method(x):
    o = Stock()
    try:
        t = o.run(x)
    except ZeroDivisionError:
        t = 5 * x
    return t + o.n * x + sum(o.log) + len(o.log)


def clauses_of_the_generator(x):
    n = 0

    def gen():
        nonlocal n
        try:
            yield x
            yield 1 / (x - x)
        except ZeroDivisionError:
            n += 3
            yield 4 * x
        finally:
            n += 1

    def run(m):
        t = 0.0
        for v in gen():
            t += v
            if v > m:
                raise ZeroDivisionError
        return t
    t = 0.0
    for m in (0.0, 2 * x, 100.0):
        try:
            t += run(m)
        except ZeroDivisionError:
            t += 0.5
        n *= 10
    return t * n


def a_failing_loop_inside(x):
    log = []

    def inner(a):
        for k in range(3):
            yield math.sqrt(a - k * x)

    def outer(a):
        try:
            for v in inner(a):
                yield v
        except ValueError:
            log.append(1.0)
            yield 3 * a
        finally:
            log.append(2.0)

    def run(m):
        t = 0.0
        for v in outer(x):
            t += v
            if t > m:
                raise ValueError
        return t
    r = 0.0
    for m in (0.5, 3.0, 50.0):
        try:
            r += run(m * x)
        except ValueError:
            r += 100.0
    return r + sum((i + 1) * v for i, v in enumerate(log)) * x


def lost_where_it_is_left(x):
    n = 0

    def gen():
        nonlocal n
        try:
            yield x
        finally:
            n += 1
            math.sqrt(-x)
    for _ in gen():
        break
    return x * n


def lost_where_its_consumer_raises(x):
    n = 0

    def gen():
        nonlocal n
        try:
            yield x
        finally:
            n += 1
            math.sqrt(-x)

    def run():
        for v in gen():
            raise KeyError(v)
    try:
        run()
    except KeyError:
        n += 10
    except ValueError:
        n += 100
    return x * n


def not_lost_at_its_end(x):
    n = 0

    def gen():
        nonlocal n
        try:
            yield x
        finally:
            n += 1
            math.sqrt(-x)
    try:
        for v in gen():
            n += v
    except ValueError:
        n += 100
    return x * n


PROGRAMS = [
    read_by_a_clause, one_in_another, at_three_depths, recursive, summed, mapped, chained,
    two_loops, method, clauses_of_the_generator, a_failing_loop_inside, lost_where_it_is_left,
    lost_where_its_consumer_raises, not_lost_at_its_end,
]  # fmt: skip


def prints_where_nobody_catches(x):

    def gen():
        try:
            for k in range(3):
                yield x * k
        finally:
            print("closed", k)
    for v in gen():
        if v > x:
            raise ValueError(v)
    return x


def kept_by_a_name(x):
    """The generator is closed where the name goes, behind the clause."""
    n = 0

    def gen():
        nonlocal n
        try:
            for k in range(4):
                yield x + k
        finally:
            n += 1

    def run(xs):
        t = 0.0
        for v in xs:
            t += math.log(x + 0.5 - v)
        return t
    try:
        t = run(gen())
    except ValueError:
        t = x * n
    return t * x


def kept_by_a_name_and_mapped(x):
    n = 0

    def gen():
        nonlocal n
        try:
            for k in range(4):
                yield x + k
        finally:
            n += 1

    def run():
        g = gen()
        return sum(map(lambda v: math.log(x + 0.5 - v), g))
    try:
        t = run()
    except ValueError:
        t = x * n
    return t * x


def kept_by_a_name_and_given_back(x):
    n = 0

    def gen():
        nonlocal n
        try:
            for k in range(4):
                yield x + k
        finally:
            n += 1

    def same(g):
        return g

    def run():
        t, g = 0.0, gen()
        for v in same(g):
            t += math.log(x + 0.5 - v)
        return t
    try:
        t = run()
    except ValueError:
        t = x * n
    return t * x


KEPT = [kept_by_a_name, kept_by_a_name_and_mapped, kept_by_a_name_and_given_back]
