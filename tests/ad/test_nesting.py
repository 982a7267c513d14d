"""Derivatives inside differentiated code: every order of the two modes."""

import numpy as np
import pytest

from pullback.ad.differentiate import differentiate, gradient, split, tangent
from pullback.core.check import check
from pullback.core.eval import evaluate
from pullback.core.terms import Dialect
from tests.ad.agreement import agree
from tests.ad.flatcore import A1, A2, BOOL, F64, I64, Fn, program

V = np.array([0.3, -0.2, 0.7, 1.1])

CUBE = Fn("cube", (F64, F64), (F64,), lambda c, x, y: x * c.sin(x) * y)
ENERGY = Fn("energy", (A1, F64), (F64, A1), lambda c, a, x: (
    c.sum(a.dim() - 1, lambda i: c.sin(a.at(i) * x) * a.at(i + 1)),
    c.build(a.dim(), lambda i: a.at(i) * a.at(0) * x)))
SWEEP = Fn("sweep", (A1, F64), (F64,), lambda c, a, x: c.total(c.loop(
    a.dim(), (c.prim("copy", a),),
    lambda k, y: y.set(k, c.if_(y.at(k) > 0.2, lambda: y.at(k) * y.at(0), lambda: c.sin(x)))
)) * x)


def grad(c, name, args, wrt, seeds):
    return c.vjp(name, args, wrt, seeds)[-len(wrt):]


def test_a_derivative_term_is_the_derivative() -> None:
    def body(c, x, y):
        value, dx = c.vjp("cube", (x, y), (0,), (1.0,))
        _, dt = c.jvp("cube", (x, y), (0,), (1.0,))
        return value, dx, dt

    p = differentiate(program([F64, F64], body, [CUBE]))
    check(p, Dialect.ACCUMULATING)
    (value, dx, dt), _ = evaluate(p, (0.7, 1.5))
    want = 1.5 * (np.sin(0.7) + 0.7 * np.cos(0.7))
    assert np.allclose([dx, dt], want) and np.isclose(value, 0.7 * 1.5 * np.sin(0.7))


def second(kind: str):
    """A main that takes a first derivative in the given mode."""
    def body(c, x, y):
        if kind == "reverse":
            v, dx, dy = c.vjp("cube", (x, y), (0, 1), (y,))
        else:
            v, dx = c.jvp("cube", (x, y), (0, 1), (y, 1.0))
            dy = x
        return dx * dx + v, dy * x

    return body


@pytest.mark.parametrize("inner", ["reverse", "forward"])
def test_scalars_both_modes_over_both_modes(inner: str) -> None:
    """``agree`` runs reverse and forward mode over the inner one."""
    agree(program([F64, F64], second(inner), [CUBE]), [0.7, 1.5])


def test_a_captured_argument_is_differentiated_too() -> None:
    """d/dy of d/dx f(x, y), the x at which it is taken depending on y."""
    agree(program([F64], lambda c, y: grad(c, "cube", (c.sin(y), y), (0,), (1.0,)), [CUBE]), [0.8])


@pytest.mark.parametrize("f", [ENERGY, SWEEP], ids=lambda f: f.name)
def test_arrays_reverse_over_reverse_and_forward_over_reverse(f: Fn) -> None:
    seeds = (1.3,) if f is SWEEP else None

    def body(c, a, x):
        w = c.build(a.dim(), lambda i: a.at(i) * x)
        da, dx = grad(c, f.name, (a, x), (0, 1), seeds or (x, w))
        return c.sum(a.dim(), lambda i: da.at(i) * da.at(0)) + dx * x, da

    agree(program([A1, F64], body, [f]), [V, 0.8], bounded=False)


@pytest.mark.parametrize("f", [ENERGY, SWEEP], ids=lambda f: f.name)
def test_arrays_both_modes_over_forward(f: Fn) -> None:
    def body(c, a, x):
        w = c.build(a.dim(), lambda i: c.cos(a.at(i)))
        out = c.jvp(f.name, (a, x), (0, 1), (w, x * x))
        return out[-1], out[0]

    agree(program([A1, F64], body, [f]), [V, 0.8])


def test_three_deep() -> None:
    once = Fn("once", (F64, F64), (F64,), lambda c, x, y: grad(c, "cube", (x, y), (0,), (1.0,)))
    twice = Fn("twice", (F64, F64), (F64,), lambda c, x, y: grad(c, "once", (x, y), (0,), (y,)))
    body = lambda c, x, y: grad(c, "twice", (x, y), (0,), (x,))
    agree(program([F64, F64], body, [CUBE, once, twice]), [0.7, 1.5], bounded=False)


def test_a_derivative_in_a_loop_and_in_a_branch() -> None:
    def body(c, x, y, q):
        def step(k, s):
            (d,) = grad(c, "cube", (s, y), (0,), (1.0,))
            return s - 0.1 * d

        s = c.loop(4, (x,), step)
        e = c.build(3, lambda i: grad(c, "cube", (s * c.real(i), y), (1,), (x,))[0])
        return s, c.total(e), c.if_(q, lambda: grad(c, "cube", (s, y), (0,), (y,)), lambda: y)

    for q in (True, False):
        agree(program([F64, F64, BOOL], body, [CUBE]), [0.7, 1.5, q], bounded=False)


def test_newton_by_a_derivative_of_a_recursive_function() -> None:
    power = Fn("power", (F64, I64), (F64,), lambda c, x, n: c.if_(
        n <= 0, lambda: c.expr(1.0), lambda: x * c.sin(c.call("power", x, n - 1))))

    def body(c, x, n):
        v, d = c.vjp("power", (x, n), (0,), (1.0,))
        return x - v / d

    agree(program([F64, I64], body, [power]), [0.7, 3], bounded=False)


def test_the_argument_of_a_derivative_is_updated_afterwards() -> None:
    def body(c, xs, x):
        y = c.prim("copy", xs)
        (d,) = grad(c, "energy", (y, x), (0,), (1.0, y))
        y = c.loop(4, (y,), lambda k, y: y.set(k, y.at(k) * d.at(0)))
        return c.total(y) * c.total(d)

    agree(program([A1, F64], body, [ENERGY]), [V, 0.8], bounded=False)


def test_a_hessian_row_by_row() -> None:
    def body(c, a, x):
        def row(i):
            e = c.build(4, lambda j: c.if_(j.eq(i), lambda: 1.0, lambda: 0.0))
            return c.jvp("gradient", (a, x), (0,), (e,))[1]

        return c.build(4, row).view("stack")

    slope = Fn("gradient", (A1, F64), (A1,), lambda c, a, x: grad(
        c, "energy", (a, x), (0,), (1.0, c.build(4, lambda i: 0.0))))
    p = program([A1, F64], body, [ENERGY, slope])
    (h,), _ = evaluate(differentiate(p), (V, 0.8))
    assert np.allclose(h, h.T) and np.abs(h).max() > 0.1
    agree(p, [V, 0.8], bounded=False)


def test_operators_of_a_main_with_derivative_terms_are_well_formed() -> None:
    p = program([F64, F64], second("reverse"), [CUBE])
    for made in (gradient(p, (0, 1)), tangent(p, (0,)), *split(p, (1,))):
        check(made, Dialect.ACCUMULATING)
    check(differentiate(program([A2], lambda c, m: c.total(m))), Dialect.ACCUMULATING)


def test_too_deep_a_nest_is_refused() -> None:
    import pullback as pb

    def f(x: float) -> float:
        return x * x

    g = f
    for _ in range(14):
        g = pb.grad(g)
    with pytest.raises(pb.PullbackError, match="nested more than 12 deep"):
        g(1.0)
