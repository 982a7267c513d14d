"""All passes one after the other, twice, over random programs and their derivatives."""

import sys
from collections.abc import Callable

import numpy as np
import pytest

from pullback.ad.differentiate import gradient
from pullback.convert.ownership import own_updates
from pullback.core.check import check
from pullback.core.eval import evaluate
from pullback.core.terms import Dialect, Program
from pullback.core.traverse import all_lets
from pullback.core.types import F64, I64, Array
from pullback.opt.arrays.build_flattening import flatten_builds, flatten_rows
from pullback.opt.arrays.cells import carry_cells
from pullback.opt.arrays.fuse import fuse
from pullback.opt.arrays.products_of_rows import multiply_rows
from pullback.opt.control.checks import hoist_checks
from pullback.opt.control.inline import inline_calls
from pullback.opt.control.invariant_loops import hoist_loops
from pullback.opt.control.licm import hoist_invariants
from pullback.opt.cse import merge_common
from pullback.opt.dce import drop_dead
from pullback.opt.scalar.bounds import remove_checks
from pullback.opt.scalar.simplify import simplify
from tests import campaign
from tests.ad.flatcore import A1, A2, Fn, program
from tests.opt.agreement import agree

PASSES = [
    inline_calls, simplify, merge_common, hoist_checks, simplify, merge_common, drop_dead,
    carry_cells, flatten_builds, fuse, simplify, merge_common, multiply_rows, hoist_loops,
    flatten_rows, hoist_invariants, remove_checks, merge_common, drop_dead, own_updates,
]


class Random:
    """A random program: straight-line code over pools of scalars, integers and vectors."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def pick(self, pool):
        return pool[self.rng.integers(len(pool))]

    def scalar(self, c, xs, depth):
        k, x, y = self.rng.integers(9), self.pick(xs), self.pick(xs)
        if k < 2:
            return x * y
        if k < 4:
            return x + y * 0.5
        if k == 4:
            return c.sin(x)
        if k == 5:
            return c.select(x < y, x, y)
        if k == 6 and depth:
            return c.if_(x < y, lambda: self.mix(c, xs, depth - 1), lambda: self.pick(xs))
        if k == 7:
            return c.prim(self.pick(["neg", "abs", "cos"]), x)
        return -x - y

    def mix(self, c, xs, depth):
        pool = list(xs)
        for _ in range(self.rng.integers(1, 4)):
            pool.append(self.scalar(c, pool, depth))
        return pool[-1]

    def element(self, c, vs, i, n):
        v = self.pick(vs)
        k = self.rng.integers(5)
        if k == 0:
            return v.at(n - 1 - i)
        if k == 1:
            return v.view("slice", n - 1, n, -1, static=(0,)).at(i)
        if k == 2:
            return v[-1]
        return v.at(i) if k == 3 else v[i]

    def vector(self, c, xs, vs, n):
        k = self.rng.integers(6)
        if k == 0:
            y = c.build(n, lambda i: c.real(i) * 0.1)
            other, x = self.pick(vs), self.pick(xs)
            return c.loop(
                n, [y], lambda i, y: y.set(i, c.sin(y.at(0)) + other.at(i) * x)
            )
        if k == 1:
            v = self.pick(vs)
            rows = c.build(n, 2, lambda i, j: v.at(i) * c.real(j))
            return rows.view("transpose", static=(1, 0)).view("pick", 1, static=(0,))
        if k == 2:
            v = self.pick(vs).view("copy")
            return v.set(0, self.pick(xs))
        return c.build(n, lambda i: self.mix(c, [*xs, self.element(c, vs, i, n)], 1))

    def reduced(self, c, xs, vs, n):
        if self.rng.integers(3) == 0:
            v = self.pick(vs)
            return c.loop(n, [self.pick(xs)], lambda i, s: c.sin(s) + v.at(i))
        return c.sum(n, lambda i: self.mix(c, [*xs, self.element(c, vs, i, n)], 1))

    def body(self, c, x, v, m):
        n = v.dim()
        xs, vs = [x, c.expr(0.7)], [v, c.build(n, lambda i: v.at(i) * 2.0)]
        for _ in range(12):
            k = self.rng.integers(5)
            if k < 2:
                vs.append(self.vector(c, xs, vs, n))
            elif k < 4:
                xs.append(self.reduced(c, xs, vs, n))
            else:
                xs.append(self.scalar(c, xs, 2))
        return xs[-1] * xs[-2] + c.total(vs[-1]), self.pick(vs), n + m


@pytest.mark.parametrize("seed", campaign.seeds("random", 6, 6, 30))
def test_random_programs(seed: int) -> None:
    p = own_updates(program([F64, A1, I64], Random(seed).body))
    v = np.random.default_rng(seed).normal(size=4)
    runs = [[0.3, v, 5], [-1.1, v[:1], 5]]
    q = agree(PASSES * 2, p, *runs)
    for each in PASSES:
        agree(each, p, *runs)
    if seed % 3 == 0:
        g, h = gradient(p, (0, 1)), gradient(q, (0, 1))
        check(h, Dialect.ACCUMULATING)
        seeds = [1.0, np.ones(4)]
        args = [0.3, v, 5, *seeds]
        agree(PASSES, g, args, dialect=Dialect.ACCUMULATING)
        agree(PASSES, h, args, dialect=Dialect.ACCUMULATING)
        for a, b in zip(evaluate(g, args)[0], evaluate(h, args)[0], strict=True):
            assert np.allclose(a, b, rtol=1e-9, atol=1e-9)


def test_functions_recursion_and_arrays_of_arrays() -> None:
    fill = Fn("fill", (A1, I64), (A1,), lambda c, a, i: c.if_(
        i < a.dim(), lambda: c.call("fill", a.set(i, c.real(i)), i + 1), lambda: a))
    norm = Fn("norm", (A1,), (F64,), lambda c, a: c.sqrt(c.sum(a.dim(), lambda i: a[i] * a[i])))

    def body(c, m, n):
        rows = c.build(m.dim(0), lambda i: m.view("pick", i, static=(0,)).view("copy"))
        y = c.call("fill", c.build(n, lambda i: c.expr(0.0)), c.expr(1, I64))
        norms = c.build(m.dim(0), lambda i: c.call("norm", rows.at(i)))
        return norms, y, c.prim("stack", rows)

    p = program([A2, I64], body, [fill, norm])
    assert p.functions["main"].results[2] == Array(F64, 2)
    agree(PASSES * 2, own_updates(p), [np.arange(6.0).reshape(2, 3), 3])


def calls_of(run: Callable[[], object]) -> int:
    """Return the number of Python calls: a measure of work that does not depend on the machine."""
    count = 0

    def seen(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(seen)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


def test_compile_time_is_linear() -> None:
    def made(size: int) -> Program:
        def body(c, a, x):
            for k in range(size):
                loop = k % 10 == 0
                x = c.sum(a.dim(), lambda i, x=x: a[i] * x) + c.sin(x) if loop else x * 0.5 + x
            return x

        return program([A1, F64], body)

    def work(size: int) -> int:
        p = made(size)

        def run() -> None:
            nonlocal p
            for each in PASSES:
                p = each(p)

        calls = calls_of(run)
        assert sum(1 for _ in all_lets(p.functions["main"].body)) < 7 * size
        return calls

    small, large = work(300), work(1200)
    assert large < 4.6 * small, (small, large)
