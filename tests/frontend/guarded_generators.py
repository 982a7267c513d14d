"""Generators that yield under ``try`` and ``with``, and may be left there."""

from __future__ import annotations

# ruff: noqa: UP028  # loops in which something is yielded are what is tried
import math


class Account:

    def __init__(self):
        self.open = 0
        self.n = 0.0

    def items(self, xs):
        self.open += 1
        try:
            for v in xs:
                self.n += v
                yield (v * self.n)
        finally:
            self.open -= 1


class Held:

    def __init__(self):
        self.open = 0
        self.total = 0.0

    def __enter__(self):
        self.open += 1
        return self

    def __exit__(self, *a):
        self.open -= 1
        return False


def _held(r, xs):
    with r as h:
        for v in xs:
            h.total += v
            yield h.total


def to_the_end(x):
    n = 0

    def g(xs):
        nonlocal n
        try:
            for v in xs:
                yield v
        finally:
            n += 1
    t = 0.0
    for v in g([x, 2 * x, 3.0]):
        t += v * v
    return t + 10 * n


def broken(x):
    n = 0

    def g(xs):
        nonlocal n
        try:
            for v in xs:
                yield v
        finally:
            n += 1
    t = 0.0
    for v in g([x, 2 * x, 3.0]):
        if v > 2:
            break
        t += v * v
    return t + 10 * n


def returned(x):
    n = 0

    def g(xs):
        nonlocal n
        try:
            for v in xs:
                yield v
        finally:
            n += 1

    def f():
        for v in g([x, 2 * x, 3.0]):
            if v > 2:
                return v
        return -x
    return f() * x + 10 * n


def asked_by_any(x):
    n = 0

    def g(xs):
        nonlocal n
        try:
            for v in xs:
                yield v
        finally:
            n += 1
    return any(v > 2 for v in g([x, 3.0, 1.0])) * x + n


def consumer_raises(x):
    n = 0

    def g(xs):
        nonlocal n
        try:
            for v in xs:
                yield v
        finally:
            n += 1
    t = 0.0
    try:
        for v in g([x, 2 * x, 0.0]):
            t += 1 / v
    except ZeroDivisionError:
        t += 100 * n
    return t + 10 * n


def passes_the_clauses(x):

    def g(xs):
        for v in xs:
            try:
                yield math.log(v)
            except ValueError:
                yield (-1.0)
    t = 0.0
    try:
        for w in g([x, -1.0, 2.0]):
            if w == -1.0:
                raise ValueError('consumer')
            t += w
    except ValueError:
        t += 50.0
    return t


def both_catch(x):

    def g(xs):
        for v in xs:
            try:
                yield (1 / v)
            except (ValueError, ZeroDivisionError):
                yield 9.0
    t = 0.0
    for w in g([x, 0.0, 2.0]):
        try:
            t += math.sqrt(w - 1.0)
        except ValueError:
            t += 0.25
    return t


def method(x):
    a = Account()
    t = 0.0
    for v in a.items([x, 2.0]):
        t += v
    return t + a.n + 10 * a.open


def summed(x):
    a = Account()
    t = sum(a.items([x, 2.0, x]))
    return t + a.n + 10 * a.open


def all_four(x):

    def parse(rows):
        for i, r in enumerate(rows):
            try:
                v = r[i]
            except IndexError:
                continue
            else:
                yield (v * x)
            finally:
                i += 1
    return sum(parse([[1.0], [2.0, 3.0], [4.0], [1.0, 2.0, 3.0, 7.0]]))


def chunks(x):

    def chunks(xs):
        buf = 0.0
        try:
            for v in xs:
                buf += v
                if buf > 3:
                    yield buf
                    buf = 0.0
            if buf:
                yield buf
        finally:
            buf = 0.0
    return sum(b * b for b in chunks([x, 2 * x, 1.0, 2.0, 0.5]))


def first_item(x):
    n = [0.0]

    def g():
        try:
            yield x
            yield (2 * x)
        finally:
            n[0] += 1.0
    xs = [v * 2 for v in g()]
    first = next(v for v in g() if v > -100)
    return sum(xs) + first + n[0]


def endless(x):

    def g():
        n = 0
        while True:
            try:
                n += 1
                if n == 3:
                    raise KeyError
                if n > 5:
                    return
                yield (x * n)
            except KeyError:
                yield (-1.0)
    return sum((v * (i + 1) for i, v in enumerate(g())))


def handed_on(x):

    def inner():
        try:
            yield x
            yield 3.0
        finally:
            pass

    def outer():
        try:
            yield from inner()
            yield (1 / (x - 1.5))
        except ZeroDivisionError:
            yield 10.0
    return sum(outer())


def nested(x):
    n = 0

    def g(xs):
        nonlocal n
        try:
            for v in xs:
                yield v
        finally:
            n += 1

    def f():
        for v in g([x, 2.0, 3.0]):
            for w in g([v, 2 * v]):
                if w > 2:
                    return w + n
        return n * 1.0
    return f() * x + n


def _inverted(xs):
    for v in xs:
        try:
            r = 1 / v
            yield r
        except ZeroDivisionError:
            continue


def skipped(x):
    return sum(_inverted([x, 0.0, 2.0])) * x


def _roots(xs):
    for v in xs:
        try:
            yield math.sqrt(v)
        except ValueError:
            yield 0.0


def in_its_place(x):
    return sum(_roots([x, 2.0, -1.0]))


def in_a_with(x):
    r = Held()
    t = 0.0
    for v in _held(r, [x, 2.0, 3.0]):
        t += v * v
    return t + r.open + r.total


def named(x):
    n = 0

    def g(xs):
        nonlocal n
        try:
            for v in xs:
                yield v
        finally:
            n += 1
    it = g([x, 2 * x, 3.0])
    t = 0.0
    for v in it:
        if v > 2:
            break
        t += v * v
    t += 1000 * n
    return t + 10 * n


def kept_by_another(x):
    n = 0

    def g(xs):
        nonlocal n
        try:
            for v in xs:
                yield v
        finally:
            n += 1

    def outer():
        for v in g([x, 3.0, 1.0]):
            yield (v * 2)
    t = 0.0
    it = outer()
    for v in it:
        t += v
        break
    t += n * 100
    return t


def closing_caught(x):

    def g():
        try:
            yield x
            yield (x * x)
        except GeneratorExit:
            pass
    t = 0.0
    for v in g():
        t += v
        break
    return t


def yields_at_the_end(x):

    def g():
        try:
            yield (1 / (x - 1.2))
        finally:
            yield 3.0
    return sum(g())


def raises_at_the_end(x):
    n = 0

    def g(xs):
        nonlocal n
        try:
            for v in xs:
                yield v
        finally:
            n += 1
            raise KeyError
    t = 0.0
    for v in g([x, 2.0]):
        t += v
        break
    return t


def advanced(x):
    def g():
        try:
            yield x
            yield 2 * x
        finally:
            pass
    it = g()
    return next(it) + next(it)


def left_in_a_with(x):
    t = 0.0
    for v in _held(Held(), [x, 2.0]):
        t += v
        break
    return t


SHARED = [
    method,
    summed,
    in_a_with,
]
"""Programs that update objects, which are rows of columns, where they raise in the end."""

PROGRAMS = [
    to_the_end,
    broken,
    returned,
    asked_by_any,
    consumer_raises,
    passes_the_clauses,
    both_catch,
    all_four,
    chunks,
    first_item,
    endless,
    handed_on,
    nested,
    skipped,
    in_its_place,
    named,
    advanced,
]

REFUSED = [
    (kept_by_another, 'a generator with a name is left'),
    (closing_caught, 'where GeneratorExit is caught'),
    (yields_at_the_end, 'yields in a finally'),
    (raises_at_the_end, 'whose finally jumps or raises'),
    (left_in_a_with, "is left inside of a 'with'|would be seen outside"),
]
