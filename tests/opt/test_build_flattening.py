"""Builds of builds that are only stacked are one build."""

import numpy as np

from pullback.core.terms import Build, Sum_
from pullback.core.types import I64
from pullback.opt.arrays.build_flattening import flatten_builds
from tests.ad.flatcore import A2, program
from tests.opt.agreement import agree, ops, prims

M = np.arange(6.0).reshape(2, 3)


def test_rows_of_one_length() -> None:
    def body(c, m):
        n = m.dim(1)

        def row(i):
            r = m.view("pick", i, static=(0,))
            return c.build(n, lambda j: c.exp(r.at(j)) + c.real(i))

        return c.prim("stack", c.build(m.dim(0), row))

    q = agree(flatten_builds, program([A2], body), [M])
    assert len(ops(q, Build)) == 1 and "stack" not in prims(q)


def test_what_must_stay() -> None:
    def ragged(c, m, n):
        rows = c.build(n, lambda i: c.build(i * 0 + 2, lambda j: c.real(i)))
        return c.prim("stack", rows)

    def used_twice(c, m, n):
        rows = c.build(n, lambda i: c.build(n, lambda j: c.real(i)))
        return c.prim("stack", rows), rows.at(0).at(0)

    def costly(c, m, n):
        def row(i):
            x = c.exp(c.real(i))
            return c.build(n, lambda j: x * c.real(j))

        return c.prim("stack", c.build(n, row))

    def raises(c, m, n):
        def row(i):
            x = m[i, 0]
            return c.build(n, lambda j: x * c.real(j))

        return c.prim("stack", c.build(n, row))

    for body in (ragged, used_twice, costly, raises):
        second = [M, 3] if body is not raises else [M, 1]
        q = agree(flatten_builds, program([A2, I64], body), [M, 2], second)
        assert "stack" in prims(q)


def summed(body):
    """The extents of the sums, as many as there are."""
    q = agree(flatten_builds, program([A2, I64], body), *([M, n] for n in (0, 1, 2)))
    return [len(op.extents) for op in ops(q, Sum_)]


def test_sums_of_sums() -> None:
    def body(c, m, n):
        return c.sum(n, lambda i: c.sum(3, lambda j: m.at(i, j) * 2.0))

    def extents_inside(c, m, n):
        def row(i):
            k = n + 1  # the same for all rows
            at = n - 1 - i
            return c.sum(k, lambda j: m.at(at, j) * 2.0)

        return c.sum(n, row)

    def three(c, m, n):
        return c.sum(n, lambda i: c.sum(n, lambda k: c.sum(3, lambda j: m.at(k, j) * c.real(i))))

    assert summed(body) == summed(extents_inside) == [2] and summed(three) == [3]


def test_sums_that_stay() -> None:
    def triangle(c, m, n):
        return c.sum(n, lambda i: c.sum(i, lambda j: m.at(i, j)))

    def more_is_done(c, m, n):
        return c.sum(n, lambda i: c.sum(3, lambda j: m.at(i, j)) * 2.0)

    def costly(c, m, n):
        def row(i):
            x = c.exp(c.real(i))
            return c.sum(3, lambda j: m.at(i, j) * x)

        return c.sum(n, row)

    def large(c, m, n):
        def element(i, j):
            x = m.at(i, j)
            for _ in range(40):
                x = x * 0.5 + 1.0
            return x

        return c.sum(n, lambda i: c.sum(3, lambda j: element(i, j)))

    for body in (triangle, more_is_done, costly, large):
        assert summed(body) == [1, 1]
