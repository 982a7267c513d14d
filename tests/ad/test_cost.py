"""The cost bound, counted: one constant for every program and every size."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pullback.ad.differentiate import differentiate, gradient
from pullback.core.eval import Node, evaluate
from pullback.core.terms import Program
from pullback.core.types import Decl, Named, Variant
from tests.ad.agreement import COST, size
from tests.ad.flatcore import A1, A2, AI, BOOL, F64, I64, Fn, program
from tests.ad.lifted import lifted


def costs(p: Program, args: list[Any]) -> tuple[int, int, float]:
    """Steps of the function, of its gradient, and the ratio that is bounded."""
    main = p.functions[p.main]
    wrt = tuple(i for i, x in enumerate(main.params) if x.type in (F64, A1, A2))
    _, plain = evaluate(differentiate(p), args)
    given, extra, _ = lifted(p, args, wrt)
    values, _ = evaluate(differentiate(p), args)
    seeds = [np.ones_like(v) if isinstance(v, np.ndarray) else 1.0
             for v, t in zip(values, main.results, strict=True) if t in (F64, A1, A2)]
    _, grad = evaluate(gradient(p, wrt), (*given, *seeds, *extra))
    return plain, grad, grad / (plain + size(args) + 10)


def xs(n: int) -> np.ndarray:
    return np.random.default_rng(n).normal(size=n)


def gather_sum(n: int) -> tuple[Program, list[Any]]:
    """n reads x[idx[i]] in a parallel loop."""
    p = program([A1, AI], lambda c, x, i: c.sum(i.dim(), lambda k: c.sin(x.at(i.at(k)))))
    return p, [xs(n), np.arange(n)[::-1] * 7 % n]


def gather_loop(n: int) -> tuple[Program, list[Any]]:
    """n reads x[idx[i]] in a sequential loop."""
    p = program([A1, AI], lambda c, x, i: c.loop(
        i.dim(), (1.0,), lambda k, s: c.tanh(s * x[i.at(k)])))
    return p, [xs(n), np.arange(n) * 3 % n]


def one_read_per_call(n: int) -> tuple[Program, list[Any]]:
    """n calls that each read one element of a large array."""
    get = Fn("get", (A1, I64), (F64,), lambda c, a, i: c.sin(a.at(i)) * a.at(0))
    p = program([A1], lambda c, a: c.sum(a.dim(), lambda i: c.call("get", a, i)), [get])
    return p, [xs(n)]


def update_loop(n: int) -> tuple[Program, list[Any]]:
    """n updates y[i] = g(y[j])."""
    def body(c, x, j):
        y = c.build(x.dim(), lambda i: 0.5)
        y = c.loop(x.dim(), (y,), lambda k, y: y.set(k, c.sin(y.at(j.at(k))) * x.at(k)))
        return y.at(0) * c.total(y)

    return program([A1, AI], body), [xs(n), np.arange(n) // 2]


def updates_in_a_callee(n: int) -> tuple[Program, list[Any]]:
    put = Fn("put", (A1, I64, F64), (A1,), lambda c, y, i, v: y.set(i, v * y.at(0)))

    def body(c, x):
        y = c.build(x.dim(), lambda i: 0.5)
        return c.total(c.loop(x.dim(), (y,), lambda k, y: c.call("put", y, k, x.at(k))))

    return program([A1], body, [put]), [xs(n)]


def branch_per_element(n: int) -> tuple[Program, list[Any]]:
    """Whole arrays, one of them inactive, chosen n times to read one element."""
    def body(c, x):
        grid = c.build(x.dim(), lambda i: c.real(i))

        def step(k, s):
            a = c.if_(s > 0.0, lambda: x, lambda: grid)
            return s * 0.5 + a.at(k)

        return c.loop(x.dim(), (0.3,), step)

    return program([A1], body), [xs(n)]


def while_loop(n: int) -> tuple[Program, list[Any]]:
    def body(c, x, n):
        return c.while_((x, c.expr(0)), lambda s, k: k < n, lambda s, k: (c.sin(s) * x, k + 1))[0]

    return program([F64, I64], body), [0.7, n]


def unused_work(n: int) -> tuple[Program, list[Any]]:
    """A value that is discarded has no reverse."""
    def body(c, x):
        dead = c.build(x.dim(), lambda i: c.exp(x.at(i)))
        return x.at(0) + c.stop_gradient(c.total(dead))

    return program([A1], body), [xs(n)]


def list_of_nodes(n: int) -> tuple[Program, list[Any]]:
    L = Named("List")
    total = Fn("total", (L, F64), (F64,), lambda c, v, x: c.case(
        v, lambda: x, lambda head, a, tail: head * a.at(0) + c.call("total", tail, x * head)))
    make = Fn("make", (I64, F64, A1), (L,), lambda c, n, x, a: c.if_(
        n.eq(0), lambda: c.inject(L, 0),
        lambda: c.inject(L, 1, x, a, c.call("make", n - 1, x * 0.99, a))))
    decl = Decl("List", (Variant("Nil", ()), Variant("Cons", (F64, A1, L))))

    def body(c, v, x, n, a):
        grid = c.build(n, lambda i: c.real(i) + 1.0)
        return c.call("total", v, x) + c.call("total", c.call("make", n, x, grid), x)

    value = Node(0)
    big = xs(n)
    for k in range(n):
        value = Node(1, (0.5, big[k : k + 1], value))
    return program([L, F64, I64, A1], body, [total, make], [decl]), [value, 0.9, n, big]


def halving(n: int) -> tuple[Program, list[Any]]:
    """Divide and conquer over views of the argument."""
    def rest(c, a):
        m = c.floordiv(a.dim(), c.expr(2))
        left = a.view("slice", 0, m, 1, static=(0,))
        right = a.view("slice", m, a.dim() - m, 1, static=(0,))
        return c.call("tree", left) * c.call("tree", right)

    tree = Fn("tree", (A1,), (F64,), lambda c, a: c.if_(
        a.dim() < 2, lambda: c.sin(a.at(0)), lambda: rest(c, a)))
    return program([A1], lambda c, a: c.call("tree", a), [tree]), [xs(n)]


def matrix_product(n: int) -> tuple[Program, list[Any]]:
    k = max(2, round(n ** (1 / 3)))

    def body(c, a, b):
        p = c.build(k, k, lambda i, j: c.sum(k, lambda r: a.at(i, r) * b.at(r, j)))
        return c.sum(k, k, lambda i, j: c.sin(p.at(i, j)))

    m = np.random.default_rng(k).normal(size=(k, k))
    return program([A2, A2], body), [m, m.T.copy()]


SCALED = [
    gather_sum, gather_loop, one_read_per_call, update_loop, updates_in_a_callee,
    branch_per_element, while_loop, unused_work, list_of_nodes, halving, matrix_product,
]


@pytest.mark.parametrize("make", SCALED, ids=lambda f: f.__name__)
def test_growth(make: Callable[[int], tuple[Program, list[Any]]]) -> None:
    sizes = (16, 160) if make is list_of_nodes else (64, 1024)
    small, large = (costs(*make(n)) for n in sizes)
    exponent = np.log(large[1] / small[1]) / np.log(large[0] / small[0])
    assert exponent < 1.05
    assert small[2] <= COST and large[2] <= COST, (small, large)


def sums(depth: int) -> tuple[Program, list[Any]]:
    """Loops nested to a depth, a scalar of each level used in the next."""
    def level(c, x, a, k):
        if k == 0:
            return c.sin(x)
        return c.sum(2, lambda i: level(c, x * a.at(i), a, k - 1))

    return program([F64, A1], lambda c, x, a: level(c, x, a, depth)), [0.3, xs(2)]


def builds(depth: int) -> tuple[Program, list[Any]]:
    def level(c, x, k):
        if k == 0:
            return c.sin(x)
        row = c.build(2, lambda i: level(c, x * c.real(i + 1), k - 1))
        return row.at(0) * row.at(1)

    return program([F64], lambda c, x: level(c, x, depth)), [0.3]


def loops(depth: int) -> tuple[Program, list[Any]]:
    def level(c, x, k):
        return c.sin(x) if k == 0 else c.loop(2, (x,), lambda i, s: level(c, s * x, k - 1))

    return program([F64], lambda c, x: level(c, x, depth)), [0.8]


def calls(depth: int) -> tuple[Program, list[Any]]:
    """A chain of functions, each with a loop around the call of the next."""
    fs = [Fn("f0", (F64,), (F64,), lambda c, x: c.sin(x))]
    for k in range(depth):
        fs.append(Fn(f"f{k + 1}", (F64,), (F64,), lambda c, x, k=k: c.sum(
            2, lambda i: c.call(f"f{k}", x * c.real(i + 1)))))
    return program([F64], lambda c, x: c.call(f"f{depth}", x), fs), [0.3]


def recursion(depth: int) -> tuple[Program, list[Any]]:
    f = Fn("f", (F64, I64), (F64,), lambda c, x, n: c.if_(
        n.eq(0), lambda: c.sin(x), lambda: c.sum(2, lambda i: c.call("f", x * 0.9, n - 1))))
    return program([F64, I64], lambda c, x, n: c.call("f", x, n), [f]), [0.3, depth]


def sharing(depth: int) -> tuple[Program, list[Any]]:
    """x + x, doubled again and again: 2**depth paths."""
    def body(c, x):
        for _ in range(depth * 5):
            x = x + x
        return x

    return program([F64], body), [1.0]


def branches(depth: int) -> tuple[Program, list[Any]]:
    def level(c, x, q, k):
        if k == 0:
            return c.sin(x)
        return c.if_(q, lambda: level(c, x * x, q, k - 1) * x, lambda: c.exp(x))

    return program([F64, BOOL], lambda c, x, q: level(c, x, q, depth)), [0.9, True]


NESTED = [sums, builds, loops, calls, recursion, sharing, branches]


@pytest.mark.parametrize("make", NESTED, ids=lambda f: f.__name__)
def test_depth(make: Callable[[int], tuple[Program, list[Any]]]) -> None:
    """Deeper nesting does not cost more per step."""
    ratios = [costs(*make(depth))[2] for depth in (2, 5, 9)]
    assert max(ratios) <= COST, ratios
    assert ratios[2] <= 1.35 * ratios[1] + 0.5, ratios
