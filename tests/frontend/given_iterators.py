"""Functions that return iterators, as other people write them."""

from __future__ import annotations

import itertools
import math

scale = 2.0


def primes():
    n = 2
    while True:
        for d in range(2, n):
            if d * d > n:
                yield n
                break
            if n % d == 0:
                break
        else:
            yield n
        n += 1


def roots(xs):
    for x in xs:
        if x < 0.0:
            raise ValueError(f"negative: {x}")
        yield math.sqrt(x) * scale


def powers(n, x):
    if n < 0:
        raise ValueError("how many?")
    return (x**k for k in range(n))


def chosen(n, xs):
    if n == 0:
        return zip(xs, xs, strict=False)
    if n == 1:
        return enumerate(xs)
    return iter([(7, 1.5)])


def paired(xs, ys):
    return zip(xs, (2.0 * y for y in ys), strict=False)


def mapped(xs):
    return map(lambda x: x + 1.0, filter(lambda x: x > 1.0, xs))


def windows(xs, n):
    for k in range(len(xs) - n + 1):
        yield xs[k : k + n]


def walk(tree):
    if tree is not None:
        left, value, right = tree
        yield from walk(left)
        yield value
        yield from walk(right)


def inverses(xs):
    try:
        for x in xs:
            yield 1.0 / x
    except ZeroDivisionError:
        yield -1.0


def rows(a):
    for row in a:
        yield row * 2.0


def never(n):
    if n > 5:
        yield n


def two(limit):
    k = 0
    while True:
        if k < 2:
            yield k
        k = k + 1 if k < limit else limit


def cycled(xs):
    return itertools.cycle(xs)


def printed(n):
    for k in range(n):
        print(k)
        yield k


def popped(xs):
    while xs:
        yield xs.pop()


def grown(n):
    out = []
    for k in range(n):
        out.append(k)
        yield out


def counted(n):
    yield from range(n)
    return n


def beside(n):
    return n, (k for k in range(n))
