"""Derivatives, made by ``ad``: the reverse sweep is lowered by the same code, lanes too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pullback.ad.differentiate import gradient, tangent
from pullback.core.eval import evaluate
from pullback.core.terms import Program
from pullback.core.types import Real
from pullback.opt.control.inline import inline_calls
from pullback.opt.scalar.simplify import simplify
from tests.ad.flatcore import A1, A2, A3, F64, I64, Code, E, Fn, program
from tests.lower.agreement import agree, vectors


def check_gradient(p: Program, args: list[Any], wrt: tuple[int, ...]) -> None:
    """The gradient as it comes, and inlined and simplified (then it runs in lanes)."""
    g = gradient(p, wrt)
    values, _ = evaluate(p, args)
    assert all(isinstance(t, Real) for t in p.functions[p.main].results)
    seeds = [0.7 * (k + 1) for k in range(len(values))]
    agree(g, [*args, *seeds])
    _, module = agree(simplify(inline_calls(g)), [*args, *seeds])
    assert vectors(module) > 0
    dx = [a * 0.3 for k, a in enumerate(args) if k in wrt]
    agree(tangent(p, wrt), [*args, *dx])


@pytest.mark.parametrize("n", [3, 8, 30])
def test_mixture(n: int) -> None:
    def body(c: Code, heights: E, means: E, factors: E, x: E) -> Any:
        k, d = means.dim(0), means.dim(1)

        def weight(i: E, j: E) -> E:
            diff = c.build(d, lambda t: x.at(i, t) - means.at(j, t))

            def row(r: E) -> E:
                y = c.sum(r + 1, lambda t: factors.at(j, r, t) * diff.at(t))
                return y * y

            return heights.at(j) - c.sum(d, row) * 0.5

        def density(i: E) -> E:
            v = c.build(k, lambda j: weight(i, j))
            top = c.loop(k, [c.expr(-1e300)], lambda j, m: c.max_(m, v.at(j)))
            return top + c.log(c.sum(k, lambda j: c.exp(v.at(j) - top)))

        return c.sum(x.dim(0), density)

    rng = np.random.default_rng(n)
    args = [rng.normal(size=s) for s in ((3,), (3, 2), (3, 2, 2), (n, 2))]
    check_gradient(program([A1, A2, A3, A2], body), args, (0, 1, 2, 3))


@pytest.mark.parametrize("width", [4, 10])
def test_recurrent_network(width: int) -> None:
    def body(c: Code, w: E, x: E) -> Any:
        b = w.dim(1)
        zeros = c.build(b, lambda i: c.expr(0.0))

        def step(t: E, h: E, s: E, total: E) -> Any:
            def gate(k: int) -> E:
                return c.build(b, lambda i: c.tanh(w.at(k, i) * h.at(i) + x.at(t, i)))

            f, g = gate(0), gate(1)
            s2 = c.build(b, lambda i: s.at(i) * f.at(i) + g.at(i))
            h2 = c.build(b, lambda i: c.tanh(s2.at(i)) * g.at(i))
            return h2, s2, total + c.sum(b, lambda i: h2.at(i) * x.at(t, i))

        return c.loop(x.dim(0), [zeros, zeros, c.expr(0.0)], step)[2]

    rng = np.random.default_rng(0)
    args = [rng.normal(size=(2, width)), rng.normal(size=(6, width))]
    check_gradient(program([A2, A2], body), args, (0, 1))


def test_updates_inside_a_sum() -> None:
    def body(c: Code, x: E, m: E) -> Any:
        def point(i: E) -> Any:
            start = c.build(m, lambda k: x.at(i))
            y = c.loop(m - 1, [start], lambda k, y: y.set(
                k + 1, c.sin(y.at(k)) * x.at(i) + y.at(k + 1)))
            return y.at(m - 1)

        return c.sum(x.dim(), point)

    check_gradient(program([A1, I64], body), [np.linspace(-1, 1, 19), 5], (0,))


def test_branches_inside_a_sum() -> None:
    def body(c: Code, x: E, y: E) -> Any:
        return c.sum(x.dim(), lambda i: c.if_(
            x.at(i) > 0.2, lambda: c.log(x.at(i)) * y.at(i),
            lambda: c.if_(x.at(i) > -0.5, lambda: c.sin(y.at(0)), lambda: c.expr(1.0))))

    rng = np.random.default_rng(1)
    check_gradient(program([A1, A1], body), [rng.normal(size=21), rng.normal(size=21)], (0, 1))


def test_calls_and_recursion() -> None:
    power = Fn("power", (F64, I64), (F64,), lambda c, x, n: c.if_(
        n < 1, lambda: c.expr(1.0), lambda: c.call("power", x, n - 1) * c.sin(x)))

    def body(c: Code, x: E) -> Any:
        return c.sum(x.dim(), lambda i: c.call("power", x.at(i), i)) + c.sum(
            x.dim(), lambda i: x.at(i) * x.at(i))

    check_gradient(program([A1], body, [power]), [np.linspace(0.5, 1, 12)], (0,))
