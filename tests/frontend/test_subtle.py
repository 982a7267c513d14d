"""Programs that are easily compiled wrongly, against plain Python."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tests.frontend.harness import agrees

SCALE = 2.5
TABLE = np.array([1.0, 2.0, 4.0])


@dataclass(frozen=True)
class Bush:
    value: float
    twigs: list[Bush]


def bush_sum(b):
    return b.value + sum(bush_sum(c) for c in b.twigs)


def bush_count(b):
    return 1 + sum(bush_count(c) for c in b.twigs)


def bush_loop(b):
    s = b.value
    for c in b.twigs:
        s += 0.5 * bush_loop(c)
    return s


def bush_values(b):
    if len(b.twigs) == 0:
        return np.array([b.value, 1.0])
    return np.array([b.value, 1.0]) + sum(bush_values(c)[0] for c in b.twigs)


def grow(n):
    xs = []
    for i in range(n):
        xs = xs + [i * 0.5]
    return xs, len(xs)


def conditional_update(x):
    a = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0:
            a[i] = x[i]
    if x[0] > 0.5:
        a[0] = 10.0
    return a


def reader_sees_update(x):
    a = np.zeros(3)
    read = lambda i: a[i]
    before = read(0)
    a[0] = x
    return before, read(0)


def whole_update(x):
    a = np.zeros(len(x))
    for _ in range(3):
        a += x
        a *= 0.5
    return a


def row_update(x):
    a = np.zeros((2, len(x)))
    for i in range(2):
        a[i] = x * (i + 1)
        a[i, 0] += 1.0
    return a


def recursive_with_global(x, n):
    return 0.0 if n == 0 else SCALE * x + recursive_with_global(x, n - 1)


def ping(x, n):
    return x if n == 0 else pong(x * TABLE[2], n - 1)


def pong(x, n):
    return -x if n == 0 else ping(x + SCALE, n - 1)


def many_returns(x):
    if x > 1.0:
        if x > 2.0:
            return 1.0
        x = x + 1.0
    else:
        if x < -1.0:
            return 2.0
        x = x - 1.0
    if x > 0.0:
        if x > 1.5:
            return 3.0
        x = x * 2.0
    return x


def returns_and_goes_on(x):
    y = 0.0
    for k in range(3):
        if x > 1.0 + k:
            if x > 6.0:
                return y + k
            y = x * 2.0
        else:
            if x < -1.0 - k:
                return y - k
            y = y + x * 3.0
        y = y * 0.5 + (x - 1.0) * (y + 2.0) - (x + 1.0) * (y - 3.0) + x * y * (x - y)
    if y > 0.0:
        if y > 5.0:
            return y
        y = y + x
    elif y < -5.0:
        return 2.0 * y
    z = y * 0.5 + (x - 1.0) * (y + 2.0) - (x + 1.0) * (y - 3.0) + x * y * (x - y) / (x * x + 1.0)
    if z > y:
        if z > 2.0 * x:
            return z + y
        z = z - 1.0
    return z * y + (x - 1.0) * (y + 2.0) - (x + 1.0) * (y - 3.0) + x * y * (x - y) / (x * x + 1.0)


def walrus(x):
    if (y := x * 2.0) > 1.0:
        return y
    return (z := y + 1.0) * z


def default_in_loop(x):
    fs = [lambda y, i=i: y * i for i in range(4)]
    return fs[2](x) + fs[3](x)


def functions_in_data(x):
    t = (lambda y: y + 1.0, math.sqrt)
    return t[0](t[1](x))


def swap(x, n):
    a, b = x, 1.0
    for _ in range(n):
        a, b = b, a + b
    return a


def shadowing(x):
    def inner(x):
        return x * 2.0

    sum = inner(x)
    return sum + [sum for sum in (1.0, 2.0)][1]


def varied(*xs):
    return xs[0] * len(xs) + varied_sum(*xs)


def varied_sum(first, *rest):
    s = first
    for r in rest:
        s = s + r
    return s


def call_varied(x):
    return varied(x, 2.0, 3.0)


def static_parameter(a, axis):
    def total(b, axis):
        return np.sum(b, axis=axis)

    return total(a, axis), total(a, 0)


def int_or_float(n):
    total = 0
    for i in range(n):
        total = total + i / 2
    return total


def nested_functions_share(x):
    scale = 2.0

    def outer(y):
        def inner(z):
            return z * scale + y

        return inner

    return outer(x)(3.0) + outer(1.0)(x)


def apply_twice(f, x):
    return f(f(x))


def nested_higher_order(x):
    return apply_twice(lambda y: apply_twice(lambda z: z * 2.0 + y, y), x)


def while_with_many(x):
    i, s, p = 0, 0.0, 1.0
    while i < len(x) and s < 10.0:
        if x[i] < 0.0:
            i += 1
            continue
        s, p = s + x[i], p * x[i]
        i += 1
    return i, s, p


def reversed_and_zip(x, y):
    s = 0.0
    for a, b in zip(reversed(x), y):
        s = s * 0.5 + a * b
    for i, (a, b) in enumerate(zip(x, y), 1):
        s += i * (a - b)
    return s


def test_recursion_through_loops():
    b = Bush(1.0, [Bush(2.0, []), Bush(3.0, [Bush(4.0, [])])])
    for f in (bush_sum, bush_count, bush_loop, bush_values):
        agrees(f, b)


def test_easily_got_wrong():
    x = np.array([1.0, -2.0, 3.0])
    agrees(grow, 4)
    for f in (conditional_update, whole_update, row_update):
        agrees(f, x)
    agrees(reader_sees_update, 4.0)
    agrees(recursive_with_global, 1.5, 3)
    for n in range(3):
        agrees(ping, 1.5, n)
    for v in (-3.0, -0.5, 0.2, 0.8, 1.5, 3.0, 7.0):
        agrees(many_returns, v)
        agrees(returns_and_goes_on, v)
        agrees(walrus, v)
    agrees(default_in_loop, 2.0)
    agrees(functions_in_data, 4.0)
    agrees(swap, 2.0, 6)
    agrees(shadowing, 1.5)
    agrees(call_varied, 1.5)
    agrees(static_parameter, np.ones((2, 3)), 1)
    agrees(int_or_float, 5)
    agrees(nested_functions_share, 1.5)
    agrees(nested_higher_order, 1.5)
    agrees(while_with_many, x)
    agrees(reversed_and_zip, x, 2.0 * x)
