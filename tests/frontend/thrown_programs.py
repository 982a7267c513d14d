"""Generators into which exceptions are thrown, and iterators that several go through."""

from __future__ import annotations

from tests.frontend.sent_programs import averager, thrower


def thrown_into_a_plain_one(x):
    def g():
        yield 1.0
        yield 2.0

    it = g()
    s = next(it)
    try:
        it.throw(ValueError("boom"))
    except ValueError as e:
        s += x * len(str(e))
    for v in it:
        s += v
    return s


def thrown_at_three_clauses(x):
    def g():
        while True:
            try:
                v = yield x
            except KeyError:
                yield -x
            except ValueError:
                return x * 7

    it = g()
    s = next(it)
    s += it.throw(KeyError("k")) * 3
    s += next(it)
    try:
        it.throw(ValueError)
    except StopIteration as e:
        return s + e.value


def thrown_under_finally(x):
    def g():
        try:
            yield 1.0
        finally:
            log.append(x)

    log = []
    it = g()
    next(it)
    try:
        it.throw(ValueError("x"))
    except ValueError:
        log.append(2.0)
    return sum(log)


def thrown_before_it_began(x):
    def g():
        yield x

    it = g()
    try:
        it.throw(ValueError("early"))
    except ValueError as e:
        return len(str(e)) * x + sum(it)


def thrown_again(x):
    def retry():
        tries = 0
        while True:
            try:
                yield tries * x
                return
            except TimeoutError:
                tries += 1
                if tries > 3:
                    raise

    it = retry()
    s = next(it)
    for k in range(3):
        s += it.throw(TimeoutError(k))
    return s


def thrown_in_a_loop(x):
    t = thrower()
    next(t)
    s = 0.0
    for k in range(4):
        s += t.send(x * k)
        if k % 2:
            s += t.throw(ValueError("a"))
    return s


def each(xs):
    yield from xs


def each2(xs, n):
    for k in range(n):
        yield from xs


def made(x):
    yield from [x, 2.0, x * 3, 4.0]


def next_in_the_loop(x):
    it = each([x, 2.0, 3.0, x * x, 5.0])
    s = 0.0
    for v in it:
        s += v * next(it, 1.0)
    return s


def next_in_the_loop_of_a_list(x):
    it = made(x)
    s = 0.0
    for v in it:
        if v > 1.5:
            s += next(it, 1.0) * v
    return s


def twice_beside_itself(x):
    it = each2([x, 2.0], 3)
    return sum(a * b for a, b in zip(it, it))


def tokens(x):
    def toks():
        yield from [1.0, 2.0, 3.0, x, 5.0]

    t = toks()

    def expr(depth):
        v = next(t)
        return v if depth == 0 else v + x * expr(depth - 1)

    return expr(3)


def two_that_share_a_source(x):
    src = iter([x, 2.0, 3.0, 4.0])

    def g():
        yield from src

    it = g()
    s = next(it) + next(src) * 10 + next(it) * 100
    return s + sum(it) * 1000


def a_list_that_grows(x):
    xs = [x, 2.0]

    def g():
        yield from xs

    it = g()
    s = next(it)
    xs.append(7.0)
    for v in it:
        s += v
    return s


def a_generator_returns_none(x):
    def g():
        a = yield from made(x)
        yield 1.0 if a is None else 0.0

    it = g()
    return next(it) + sum(it)


def sums_of_yields(x):
    def g():
        v = (yield x) + (yield 2 * x) * (yield 3 * x)
        yield v

    it = g()
    next(it)
    it.send(2.0)
    it.send(x)
    return it.send(5.0)


def yields_as_arguments(x):
    def f(a, b, c):
        return a + 2 * b + 3 * c

    def g():
        yield f(x, (yield 1.0), c=(yield 2.0))

    it = g()
    next(it)
    it.send(x)
    return it.send(x * x)


def pairs_sent(x):
    def g():
        d = {}
        while True:
            k, v = yield d.get("a", 0.0)
            d[k] = v

    it = g()
    next(it)
    it.send(("a", x))
    it.send(("b", 2.0))
    return it.send(("a", x * x))


def yield_in_a_test(x):
    def g():
        if (yield x) > 1:
            yield 10.0 * x
        else:
            yield -x

    it = g()
    next(it)
    return it.send(x)


def matched(x):
    def numbers():
        n = 0.0
        while True:
            cmd = yield n
            match cmd:
                case None:
                    n += 1
                case _:
                    n = cmd

    it = numbers()
    s = next(it)
    s += next(it)
    s += it.send(x)
    s += next(it)
    return s


def closed_under_finally(x):
    def g():
        try:
            while True:
                v = yield
                tot.append(v)
        finally:
            tot.append(100.0)

    tot = []
    it = g()
    next(it)
    it.send(x)
    it.close()
    return sum(tot)


def sent_through_too_early(x):
    def g():
        yield from averager()

    it = g()
    try:
        it.send(x)
    except TypeError as e:
        return len(str(e)) * x


def a_captured_iterator(x):
    src = iter([x, 2.0, 3.0, 4.0])

    def g():
        for v in src:
            yield v

    it = g()
    s = next(it) + next(src) * 10 + next(it) * 100
    return s + sum(it) * 1000


def a_captured_iterator_handed_on(x):
    src = iter([x, 2.0, 3.0, 4.0])

    def g():
        yield from src

    it = g()
    s = next(it) + next(src) * 10 + next(it) * 100
    return s + sum(it) * 1000


def handed_on_in_a_loop(x):
    it = each2([x, 2.0], 3)
    return sum(a * b for a, b in zip(it, it))


def beside_itself_in_a_loop(x):
    it = each([x, 2.0, 3.0, 4.0])
    s = 0.0
    for a, b in zip(it, it):
        s += a * b
    return s


def beside_itself_in_a_sum(x):
    it = each([x, 2.0, 3.0, 4.0])
    return sum(a * b for a, b in zip(it, it))


def asked_in_turn(x):
    src = iter([x, 2.0, 3.0, 4.0])

    def g():
        for v in src:
            yield v

    it = g()
    s = next(it) + next(src) * 10
    return s + next(it) * 100


def asked_outside(x):
    src = iter([x, 2.0, 3.0, 4.0])

    def g():
        for v in src:
            yield v

    it = g()
    s = next(it)
    t = next(src)
    return s + t * 10


def asked_before(x):
    src = iter([x, 2.0, 3.0, 4.0])
    next(src)

    def g():
        for v in src:
            yield v

    it = g()
    s = next(it)
    t = next(src)
    return s + t * 10


def given_as_an_argument(x):
    def g(src):
        for v in src:
            yield v

    src = iter([x, 2.0, 3.0, 4.0])
    it = g(src)
    s = next(it)
    t = next(src)
    return s + t * 10


def beside_an_expression_of_it(x):
    it = each([x, 2.0, 3.0, 4.0])
    return sum(a * b for a, b in zip(it, (v for v in it)))


def beside_itself_and_numbered(x):
    it = each([x, 2.0, 3.0, 4.0])
    return sum(a + k * b for k, (a, b) in enumerate(zip(it, it)))


def mapped_over_itself(x):
    it = each([x, 2.0, 3.0, 4.0])
    return sum(map(lambda a, b: a * b, it, it))


def twice_in_a_list(x):
    its = [each([x, 2.0, 3.0, 4.0])] * 2
    return sum(a * b for a, b in zip(*its))


def an_iterator_twice_in_a_list(x):
    its = [iter([x, 2.0, 3.0, 4.0])] * 2
    return sum(a * b for a, b in zip(*its))


PROGRAMS = [
    thrown_into_a_plain_one,
    thrown_at_three_clauses,
    thrown_under_finally,
    thrown_before_it_began,
    thrown_again,
    thrown_in_a_loop,
    next_in_the_loop,
    next_in_the_loop_of_a_list,
    twice_beside_itself,
    tokens,
    two_that_share_a_source,
    a_list_that_grows,
    a_generator_returns_none,
    sums_of_yields,
    yields_as_arguments,
    pairs_sent,
    yield_in_a_test,
    matched,
    closed_under_finally,
    sent_through_too_early,
    a_captured_iterator,
    a_captured_iterator_handed_on,
    handed_on_in_a_loop,
    beside_itself_in_a_loop,
    beside_itself_in_a_sum,
    asked_in_turn,
    asked_outside,
    asked_before,
    given_as_an_argument,
    beside_an_expression_of_it,
    beside_itself_and_numbered,
    mapped_over_itself,
    twice_in_a_list,
    an_iterator_twice_in_a_list,
]
