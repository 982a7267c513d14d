"""Generators side by side, iterators that are chosen, ``next`` under ``try``: as in Python, or
refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests.frontend.harness import agrees


def g1(x, n):
    for i in range(n):
        yield x * i


def g2(x, n):
    for i in range(n):
        yield x + i
        yield x


def graise(x, n):
    for i in range(n):
        if i == 3:
            raise ValueError("three")
        yield x * i


def squares(xs, c):
    """Doc."""
    for v in xs:
        y = v * v
        yield c * y


def pairs(xs):
    for i, v in enumerate(xs):
        w = v + i
        if w > 2.0:
            w = 2 * w
        yield w


def inverse(xs):
    for v in xs:
        yield 1.0 / v


def carried(xs):
    t = 0.0
    for v in xs:
        t += v
        yield t


def reads(a):
    for i in range(len(a)):
        yield a[i]


def rr(x, n):
    for i in range(n):
        n = n + 0
        yield x * i


def gnest(x, n):
    for i in range(n):
        for j in range(i):
            yield x * j


def choose_len(x, n):
    a = [x * i for i in range(n)]
    b = [x for i in range(n + 1)]
    if x > 1.0:
        it = iter(a)
    else:
        it = iter(b)
    s = 2 * next(it) + next(it)
    for v in it:
        s += 3 * v
    return s


def choose_use(x, n):
    a = [x * i for i in range(n)]
    b = [x for i in range(n + 1)]
    it = iter(a) if x > 2 else iter(b)
    return sum(it)


def choose_gen(x, n):
    it = g1(x, n) if x > 1.2 else g2(x, n)
    s = next(it)
    s += 2 * next(it)
    for v in it:
        s += 3 * v
    return s


def choose_gen_sum(x, n):
    it = g1(x, n) if x > 1.2 else g2(x, n)
    return sum(it)


def list_of_its_dyn(x, n):
    its = [iter([x, 2 * x, x]), iter([3 * x, x, x])]
    s = 0.0
    for k in range(n % 4):
        s += (k + 1) * next(its[k % 2])
    return s


def next_try(x, n):
    it = iter([x * i for i in range(n)])
    s = 0.0
    while True:
        try:
            v = next(it)
        except StopIteration:
            break
        s += v
    return s


def next_try_gen(x, n):
    it = g1(x, n)
    s = 0.0
    while True:
        try:
            v = next(it)
        except StopIteration:
            break
        s += v
    return s


def next_try_gen1(x, n):
    it = g1(x, 1)
    s = next(it)
    try:
        s += next(it)
    except StopIteration:
        s += 5 * x
    return s


def next_try_direct(x, n):
    it = g1(x, n)
    s = 0.0
    try:
        while True:
            s += next(it)
    except StopIteration:
        pass
    return s


def raises_within_a_try(x, n):
    it = graise(x, n)
    s = 0.0
    try:
        s += next(it)
        s += next(it)
        s += next(it)
        s += next(it)
    except ValueError:
        s += 100 * x
    return s


def gtry(x, n):
    def g():
        it = iter([x, 2*x])
        while True:
            try:
                v = next(it)
            except StopIteration:
                return
            yield v
    return sum(g())


def merge(x, n):
    a = iter([x * i for i in range(n)])
    b = iter([x + i for i in range(n)])
    out = []
    p = next(a, None)
    q = next(b, None)
    while p is not None and q is not None:
        if p < q:
            out.append(p)
            p = next(a, None)
        else:
            out.append(q)
            q = next(b, None)
    return sum(v * k for k, v in enumerate(out))


def by_position(xs):
    s = 0.0
    for a, b in zip(squares(xs, 2.0), pairs(xs)):
        s += a * b
    return s


def one_with_a_state(xs):
    return sum(a * b for a, b in zip(carried(xs), squares(xs, 3.0)))


def three(xs):
    s = 0.0
    for a, b, c in zip(carried(xs), carried(xs), squares(xs, 3.0)):
        s += a * b * c
        if s > 20:
            break
    return s


def with_a_name(xs):
    it = squares(xs, 1.0)
    s = 0.0
    for a, b in zip(it, pairs(xs[1:])):
        s += a * b
    return s


def named_left(xs):
    it = squares(xs, 1.0)
    s = 0.0
    for a, b in zip(pairs(xs[1:]), it):
        s += a * b
        break
    return s + next(it)


def named_left2(xs):
    it = carried(xs)
    s = 0.0
    for a, b in zip(it, pairs(xs[2:])):
        s += a * b
    return s + next(it, 100.0)


def twice(xs):
    it = squares(xs, 1.0)
    return sum(a * b for a, b in zip(it, it))


def dictz(xs):
    return sum(dict(zip(range(3), zip(squares(xs, 1.0), pairs(xs))))[1])


def empty(xs):
    return sum((a * b for a, b in zip(squares([], 1.0), carried(xs))), 1.0)


def listz(xs):
    rows = list(zip(carried(xs), squares(xs, 1.0), pairs(xs)))
    return sum(a * b * c for a, b, c in rows)


def raises_longer(x, n):
    s = 0.0
    for a, b in zip(inverse([x, 2 * x, x - x]), squares([x, x], 1.0)):
        s += a * b
    return s


def raises_ok(x, n):
    s = 0.0
    for a, b in zip(squares([x, x], 1.0), inverse([x, 2 * x, x - x])):
        s += a * b
    return s


def rebinds(x, n):
    return sum(a * b for a, b in zip(rr(x, n), carried([x] * n)))


def nest(x, n):
    return sum(a * b for a, b in zip(gnest(x, n), carried([x] * (n * n))))


def nest2(x, n):
    return sum(a * b for a, b in zip(carried([x] * (n * n)), gnest(x, n)))


def updates(x, n):
    a = np.ones(n) * x
    s = 0.0
    for k, (u, v) in enumerate(zip(reads(a), reads(a))):
        if k + 1 < n:
            a[k + 1] = 2 * u
        s += u * v
    return s


def updates_list(x, n):
    a = [x] * n
    s = 0.0
    for k, (u, v) in enumerate(zip(squares(a, 1.0), squares(a, 1.0))):
        if k + 1 < n:
            a[k + 1] = 2 * u
        s += u * v
    return s


def pushes2(xs):
    out = []
    def g():
        for v in xs:
            out.append(v)
            yield v * len(out)
    def h():
        for v in xs:
            yield v * len(out)
    s = 0.0
    for a, b in zip(g(), h()):
        s += a * b
    return s


def goes_on_after_an_error(x, n):
    it = graise(x, n)
    s = 0.0
    for _ in range(5):
        try:
            v = next(it)
        except ValueError:
            v = 100 * x
        except StopIteration:
            v = 7 * x
        s += v
    return s


OF_NUMBERS = [
    choose_len, choose_use, choose_gen, choose_gen_sum, list_of_its_dyn, next_try,
    next_try_gen, next_try_gen1, next_try_direct, raises_within_a_try, gtry, merge,
    raises_longer, raises_ok, rebinds, nest, nest2, goes_on_after_an_error, updates, updates_list,
]  # fmt: skip
OF_LISTS = [
    by_position, one_with_a_state, three, with_a_name, named_left, named_left2, twice,
    dictz, empty, listz, pushes2,
]  # fmt: skip


@pytest.mark.parametrize("f", OF_NUMBERS, ids=lambda f: f.__name__)
def test_of_numbers(f: Callable[..., Any]) -> None:
    agrees(f, 1.3, 7)


@pytest.mark.parametrize("f", OF_LISTS, ids=lambda f: f.__name__)
def test_of_lists(f: Callable[..., Any]) -> None:
    agrees(f, [1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    "f", [choose_gen, next_try_gen, updates, updates_list], ids=lambda f: f.__name__
)
def test_derivatives(f: Callable[..., Any]) -> None:
    pb.check_grads(lambda x: f(x, 7), (1.3,))
    assert pb.grad(f, method="dual")(1.3, 7) == pytest.approx(pb.grad(f)(1.3, 7))


def test_generators_without_a_state_cost_what_a_loop_costs() -> None:
    def zipped(x: float, n: int) -> float:
        s = 0.0
        for a, b in zip(squares(range(n), x), squares(range(n), 2.0)):
            s += a * b
        return s

    def loop(x: float, n: int) -> float:
        s = 0.0
        for i in range(n):
            a = i * i
            s += (x * a) * (2.0 * a)
        return s

    assert pb.cost(zipped, 1.3, 50) <= 1.3 * pb.cost(loop, 1.3, 50)
