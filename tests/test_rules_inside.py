"""Rules of the user's own for functions that compiled code makes: ``custom_vjp``, ``custom_jvp``,
``primitive``, ``implicit_*``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb

# --- rules that are wrong on purpose: what is seen is the rule, and not the function --------------


def scaled_by(k: Any) -> Any:
    """A function with a rule that captures k, from a function that makes such."""

    @pb.custom_vjp
    def scaled(v):
        return v * k

    scaled.defvjp(lambda v: (v * k, v), lambda v, ct: (10.0 * k * v * ct,))
    return scaled


def two(x):
    return scaled_by(2.0)(x) + scaled_by(3.0)(x)


def rounds(x):
    total = 0.0
    for k in range(4):
        total = total + scaled_by(k * 1.0)(x)
    return total


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        g = pb.custom_jvp(lambda v: v * v)
        g.defjvps(lambda t, out, v: 5.0 * k * v * t)
        total = total + g(x)
    return total


def by_decorator(x):
    @pb.custom_jvp
    def square(v):
        return v * v

    @square.defjvp
    def rule(primals, tangents):
        return square(primals[0]), 3.0 * square(primals[0]) * tangents[0]

    return square(x) + 0.0 * rule((x,), (x,))[0]


def fixed(x):
    @functools.partial(pb.custom_vjp, nondiff_argnums=(0,))
    def times(n, v):
        return n * v

    times.defvjp(lambda n, v: (n * v, v), lambda n, v, ct: (7.0 * n * v * ct,))
    return times(3, x)


def chosen(x):
    g = pb.custom_vjp(lambda v: v * v)
    if x > 1.0:
        g.defvjp(lambda v: (v * v, v), lambda v, ct: (3.0 * v * ct,))
    else:
        g.defvjp(lambda v: (v * v, v), lambda v, ct: (5.0 * v * ct,))
    return g(x)


def late(x):
    k = 2.0
    g = pb.custom_vjp(lambda v: v * k)
    g.defvjp(lambda v: (v * k, None), lambda r, ct: (10.0 * k * ct,))
    k = 3.0
    return g(x)


def cubed(x):
    return pb.primitive(lambda v: v**3, lambda v: 7.0 * v * v)(x)


def root(x):
    return pb.implicit_root(lambda y, v: y * y - v, lambda v: 2.0 if v > 3.9 else 1.0)(x)


def fixed_point(x):
    def solve(v):
        y = 0.5
        for _ in range(100):
            y = np.cos(y) * v
        return y

    return pb.implicit_fixed_point(lambda y, v: np.cos(y) * v, solve=solve)(x)


CASES: list[tuple[Callable[..., Any], float, float, float]] = [
    (two, 1.5, 7.5, 75.0),
    (rounds, 1.5, 9.0, 90.0),
    (in_a_loop, 1.5, 6.75, 22.5),
    (by_decorator, 2.0, 4.0, 12.0),
    (fixed, 2.0, 6.0, 42.0),
    (chosen, 2.0, 4.0, 6.0),
    (chosen, 0.5, 0.25, 2.5),
    (late, 2.0, 6.0, 30.0),
    (cubed, 2.0, 8.0, 28.0),
    (root, 4.0, 2.0, 0.25),
]


@pytest.mark.parametrize("k", range(len(CASES)))
def test_the_rule_is_what_is_seen(k: int) -> None:
    f, x, value, slope = CASES[k]
    assert f(x) == pb.jit(f)(x) == value
    for method in ("chad", "dual"):
        found = pb.value_and_grad(f, method=method)(x)
        assert found == pytest.approx((value, slope), rel=1e-14)
    assert pb.jvp(f, (x,), (2.0,)) == pytest.approx((value, 2.0 * slope), rel=1e-14)
    assert pb.jacfwd(f)(x) == pytest.approx(slope, rel=1e-14)
    assert pb.jacrev(f)(x) == pytest.approx(slope, rel=1e-14)
    mapped = pb.grad(lambda xs: np.sum(pb.vmap(f)(xs)))(np.array([x, x]))
    np.testing.assert_allclose(mapped, [slope, slope], rtol=1e-14)


def test_a_fixed_point_made_inside() -> None:
    pb.check_grads(fixed_point, (0.9,))


def test_derivatives_of_rules() -> None:
    assert pb.hessian(two)(1.5) == pytest.approx(50.0)
    assert pb.grad(pb.grad(by_decorator))(2.0) == pytest.approx(36.0)  # the rule calls the function
    assert pb.hvp(cubed, (2.0,), (1.0,))[0] == pytest.approx(28.0)


# --- what is refused ------------------------------------------------------------------------------


def captures(x, a):
    g = pb.custom_vjp(lambda v: v * a)
    g.defvjp(lambda v: (v * a, None), lambda r, ct: (a * ct,))
    return g(x)


def other_name(x, a):
    g = pb.custom_vjp(lambda v: v * v)
    h = g
    g.defvjp(lambda v: (v * v, v), lambda v, ct: (3.0 * v * ct,))
    return h(x)


def second(x, a):
    g = pb.custom_vjp(lambda v: v * v)
    g.defvjp(lambda v: (v * v, v), lambda v, ct: (3.0 * v * ct,))
    g.defvjp(lambda v: (v * v, v), lambda v, ct: (4.0 * v * ct,))
    return g(x)


def sometimes(x, a):
    g = pb.custom_vjp(lambda v: v * v)
    if a > 0.0:
        g.defvjp(lambda v: (v * v, v), lambda v, ct: (3.0 * v * ct,))
    return g(x)


def in_rounds(x, a):
    g = pb.custom_vjp(lambda v: v * v)
    while a > 0.0:
        g.defvjp(lambda v: (v * v, v), lambda v, ct: (3.0 * v * ct,))
        a = a - 1.0
    return g(x)


def elsewhere(x, a):
    g = pb.custom_vjp(lambda v: v * v)

    def say():
        g.defvjp(lambda v: (v * v, v), lambda v, ct: (3.0 * v * ct,))

    say()
    return g(x)


def never(x, a):
    return pb.custom_vjp(lambda v: v * v)(x)


def other_kind(x, a):
    g = pb.custom_vjp(lambda v: v)
    g.defjvp(lambda p, t: (p[0], t[0]))
    return g(x)


def half(x, a):
    g = pb.custom_vjp(lambda v: v)
    g.defvjp(lambda v: (v, None))
    return g(x)


REFUSED: list[tuple[Callable[..., Any], str]] = [
    (captures, "the derivative by 'a', which the rule of 'lambda' says nothing about"),
    (other_name, "without a rule"),
    (second, "a second rule for a function of compiled code"),
    (sometimes, "without a rule"),
    (in_rounds, "without a rule"),
    (elsewhere, r"say a rule where its function is made: f\.defvjp"),
    (never, "without a rule"),
    (other_kind, r"make it with pb\.custom_jvp"),
    (half, "defvjp with 1 functions"),
]


@pytest.mark.parametrize("k", range(len(REFUSED)))
def test_what_is_refused(k: int) -> None:
    f, message = REFUSED[k]
    with pytest.raises(pb.PullbackError, match=message):
        pb.grad(f, (0, 1))(2.0, 1.0)


def test_what_a_rule_captures_may_be_still() -> None:
    assert pb.grad(captures)(2.0, 1.5) == 1.5
