"""Rules of the user's own: ``custom_vjp``, ``custom_jvp``, ``primitive``, in all modes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb

W = np.array([1.0, 2.0, -3.0, 0.5])
V = np.array([0.1, 0.2, 0.3, -0.4])
ALPHA = 0.5
TABLE = np.array([1.0, 4.0])


# --- rules that are wrong on purpose: what is seen is the rule, and not the function --------------


@pb.custom_vjp
def tripled(x):
    return x * x


def tripled_fwd(x):
    return tripled(x), x


def tripled_bwd(x, ct):
    return (3.0 * x * ct,)


tripled.defvjp(tripled_fwd, tripled_bwd)


@pb.custom_jvp
def fifth(x):
    return x**3


@fifth.defjvp
def fifth_rule(primals, tangents):
    (x,), (t,) = primals, tangents
    return fifth(x), 5.0 * x * x * t


@pb.custom_jvp
def leaky(x):
    return x if x > 0.0 else ALPHA * x


leaky.defjvps(lambda t, out, x: t * TABLE[0] if x > 0.0 else t * ALPHA * TABLE[1])


@pb.custom_vjp
def leaky_back(x):
    return x if x > 0.0 else ALPHA * x


leaky_back.defvjp(
    lambda x: (leaky_back(x), x > 0.0),
    lambda up, ct: (ct * TABLE[0] if up else ct * ALPHA * TABLE[1],),
)

cubed = pb.primitive(lambda x: x * x * x, lambda x: 3.0 * x * x)


def test_plain_python_runs_the_function() -> None:
    assert tripled(3.0) == 9.0 and fifth(2.0) == 8.0 and cubed(2.0) == 8.0
    assert pb.jit(tripled)(3.0) == 9.0 and pb.jit(lambda x: fifth(x) + 1.0)(2.0) == 9.0


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_reverse_mode_calls_the_rule(method: str) -> None:
    assert pb.grad(tripled, method=method)(3.0) == 9.0
    assert pb.grad(lambda x: 2.0 * fifth(x), method=method)(3.0) == 90.0
    assert pb.grad(cubed, method=method)(2.0) == 12.0
    assert pb.grad(lambda x: tripled(fifth(x)), method=method)(1.5) == 3.0 * 1.5**3 * 5.0 * 1.5**2


def test_forward_mode_calls_or_transposes_it() -> None:
    assert pb.jvp(tripled, (3.0,), (2.0,)) == (9.0, 18.0)
    assert pb.jvp(fifth, (3.0,), (2.0,)) == (27.0, 90.0)


def test_a_rule_is_differentiated_again() -> None:
    assert pb.grad(pb.grad(tripled))(3.0) == 3.0
    assert pb.grad(pb.grad(fifth))(3.0) == 30.0
    assert pb.grad(pb.grad(pb.grad(fifth)))(3.0) == 10.0
    assert pb.jvp(pb.grad(tripled), (3.0,), (1.0,)) == (9.0, 3.0)
    assert pb.jvp(pb.grad(fifth), (3.0,), (1.0,)) == (45.0, 30.0)
    assert pb.grad(lambda x: pb.jvp(fifth, (x,), (1.0,))[1])(3.0) == 30.0
    assert pb.grad(lambda x: pb.jvp(tripled, (x,), (1.0,))[1])(3.0) == 3.0
    assert pb.grad(lambda x: pb.jvp(fifth, (x,), (1.0,))[1], method="dual")(3.0) == 30.0
    with pytest.raises(pb.UnsupportedError, match="method='dual' of a gradient of a function that"):
        pb.grad(pb.grad(cubed), method="dual")(2.0)


@pb.custom_jvp
def doubled(t):
    return t * 2.0


doubled.defjvps(lambda t, out, x: 4.0 * t)


@pb.custom_jvp
def through_others(x):
    return x * x


def by_helper(x):
    return through_others(x) + 0.0


through_others.defjvp(lambda p, t: (by_helper(p[0]), doubled(t[0]) * by_helper(p[0])))


def test_rules_may_call_others_with_rules_and_helpers() -> None:
    for method in ("chad", "dual"):  # where it is transposed, doubled(t) has its rule's derivative
        assert pb.grad(through_others, method=method)(3.0) == 36.0
    assert pb.jvp(through_others, (3.0,), (1.0,)) == (9.0, 18.0)


# --- in loops, recursion, lanes, branches, closures -----------------------------------------------


def in_elements(f: Callable[[Any], Any], v: Any) -> Any:
    return np.sum(np.array([f(x) * w for x, w in zip(v, W)]))


def in_loop(f: Callable[[Any], Any], x: Any) -> Any:
    for k in range(5):
        x = f(x - 0.25 * k) * 1.5
    return x


def in_while(f: Callable[[Any], Any], x: Any) -> Any:
    while x > -1.5:
        x = f(x) - 1.0
    return x


def in_recursion(f: Callable[[Any], Any], x: Any, n: int = 4) -> Any:
    if n == 0:
        return x
    return f(in_recursion(f, x, n - 1) - 0.5) + x


def over(program: Callable[..., Any], f: Callable[[Any], Any]) -> Callable[..., Any]:
    """The program with its function."""
    return lambda *xs: program(f, *xs)


def leaky_plain(x: Any) -> Any:
    """Has the derivatives that the rules say."""
    rest = pb.stop_gradient(ALPHA * x)
    slope = 2.0 * (x - pb.stop_gradient(x))
    return x if x > 0.0 else rest + slope


@pytest.mark.parametrize("f", [leaky, leaky_back])
@pytest.mark.parametrize("method", ["chad", "dual"])
def test_control_flow(f: Callable[[Any], Any], method: str) -> None:
    programs = (in_elements, V), (in_loop, 1.2), (in_while, 2.5), (in_recursion, 0.3)
    for program, *args in programs:
        got = pb.value_and_grad(over(program, f), method=method)(*args)
        wanted = pb.value_and_grad(over(program, leaky_plain))(*args)
        assert got[0] == pytest.approx(program(f, *args), rel=1e-15)
        np.testing.assert_allclose(got[1], wanted[1], rtol=1e-13)


def test_forward_mode_in_control_flow() -> None:
    for f in (leaky, leaky_back):
        many, one = over(in_elements, f), over(in_recursion, f)
        assert pb.jvp(many, (V,), (W,))[1] == pytest.approx(pb.grad(many)(V) @ W, rel=1e-14)
        assert pb.jvp(one, (0.3,), (1.0,))[1] == pytest.approx(pb.grad(one)(0.3), rel=1e-14)


def test_constants_of_a_rule_are_read_at_every_call() -> None:
    global ALPHA
    f = pb.grad(lambda x: leaky_back(x))
    assert f(-1.0) == 2.0
    old = ALPHA
    try:
        ALPHA = 1.5
        assert f(-1.0) == 6.0 and pb.grad(leaky)(-1.0) == 6.0
    finally:
        ALPHA = old


# --- arrays and structures ------------------------------------------------------------------------


def softmax_plain(v):
    return np.exp(v) / np.sum(np.exp(v))


@pb.custom_vjp
def softmax_back(v):
    return np.exp(v) / np.sum(np.exp(v))


def softmax_fwd(v):
    y = softmax_back(v)
    return y, y


softmax_back.defvjp(softmax_fwd, lambda y, ct: (y * (ct - np.sum(ct * y)),))


@pb.custom_jvp
def softmax(v):
    return np.exp(v) / np.sum(np.exp(v))


@softmax.defjvp
def softmax_rule(primals, tangents):
    y = softmax(primals[0])
    return y, y * (tangents[0] - np.sum(tangents[0] * y))


@pytest.mark.parametrize("rule", [softmax, softmax_back])
def test_arrays_and_nesting(rule: Callable[[Any], Any]) -> None:
    def f(v):
        return np.sum(W * rule(v) ** 2)

    def g(v):
        return np.sum(W * softmax_plain(v) ** 2)

    def hvp(h):
        return lambda v: np.sum(pb.grad(h)(v) * W)

    for method in ("chad", "dual"):
        np.testing.assert_allclose(pb.grad(f, method=method)(V), pb.grad(g)(V), rtol=1e-12)
    np.testing.assert_allclose(pb.grad(hvp(f))(V), pb.grad(hvp(g))(V), rtol=1e-12)
    np.testing.assert_allclose(pb.grad(hvp(hvp(f)))(V), pb.grad(hvp(hvp(g)))(V), rtol=1e-11)
    twice = pb.jvp(pb.grad(f), (V,), (W,))[1]
    np.testing.assert_allclose(twice, pb.grad(hvp(g))(V), rtol=1e-12)
    out, back = pb.vjp(rule, V)
    np.testing.assert_allclose(back(W)[0], pb.vjp(softmax_plain, V)[1](W)[0], rtol=1e-12)
    np.testing.assert_allclose(out, softmax_plain(V), rtol=1e-15)


@dataclass(frozen=True)
class P:
    a: float
    b: Any
    n: int


@pb.custom_vjp
def mixed(p: P, d):
    return p.a * np.sum(p.b) * p.n + d["k"]


def mixed_bwd(res, ct):
    p, _ = res
    return P(ct * np.sum(p.b) * p.n, p.b * 0.0 + ct * p.a * p.n, None), {"k": 7.0 * ct}


mixed.defvjp(lambda p, d: (mixed(p, d), (p, d["k"])), mixed_bwd)


def test_structured_arguments() -> None:
    p, d = P(2.0, V, 3), {"k": 1.0}
    gp, gd = pb.grad(lambda p, d: 2.0 * mixed(p, d), argnums=(0, 1))(p, d)
    assert (gp.a, gp.n, gd) == (pytest.approx(1.2), None, {"k": 14.0})
    np.testing.assert_allclose(gp.b, np.full(4, 12.0))
    moved = pb.jvp(lambda p, d: 2.0 * mixed(p, d), (p, d), (P(1.0, W, None), {"k": 1.0}))[1]
    assert moved == pytest.approx(1.2 + 12.0 * 0.5 + 14.0)


@pb.custom_vjp
def updated_later(v):
    return v * 2.0


updated_later.defvjp(lambda v: (v * 2.0, v), lambda v, ct: (ct * v,))


def test_residuals_are_as_they_were() -> None:
    def f(x):
        a = x * 1.0
        total = 0.0
        for i in range(3):
            b = updated_later(a)
            a[i] = b[i] * 3.0
            total += np.sum(b)
        return total + a[0]

    def plain(x):
        a = [x[i] * 1.0 for i in range(4)]
        total = 0.0
        for i in range(3):
            known = [pb.stop_gradient(y) for y in a]
            b = [2.0 * k + k * (y - pb.stop_gradient(y)) for k, y in zip(known, a)]
            a[i] = b[i] * 3.0
            total += sum(b)
        return total + a[0]

    np.testing.assert_allclose(pb.grad(f)(V), pb.grad(plain)(V), rtol=1e-14)
    np.testing.assert_allclose(pb.grad(f, method="dual")(V), pb.grad(plain)(V), rtol=1e-14)


@pb.custom_vjp
def keeping(v):
    return np.sum(v * v)


keeping.defvjp(lambda v: (np.sum(v * v), v), lambda v, ct: (ct * 2.0 * v,))


@pytest.mark.parametrize("rule", [keeping, pb.checkpoint(lambda v: np.sum(v * v))])
def test_derivatives_of_gradients_whose_residuals_are_updated_later(rule: Any) -> None:
    def of(inner: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def f(x):
            a = x * 1.0
            total = 0.0
            for i in range(3):
                total += inner(a)
                a[i] *= 0.1 * total
            return total + a[0]

        return f

    f, plain = of(rule), of(lambda v: np.sum(v * v))
    np.testing.assert_allclose(pb.hessian(f)(V), pb.hessian(plain)(V), rtol=1e-12)
    got, wanted = (pb.grad(lambda x, g=g: pb.grad(g)(x) @ x)(V) for g in (f, plain))
    np.testing.assert_allclose(got, wanted, rtol=1e-12)
    assert pb.jvp(f, (V,), (V,))[1] == pytest.approx(pb.grad(plain)(V) @ V, rel=1e-13)


def two(x, w):
    return np.sum(x * w * w)


def forward_of_two(x, w):
    return two(x, w), (w, x)


def test_a_backward_rule_that_is_a_derivative_term() -> None:
    """The term is taken as it is for a checkpoint only: its arguments, and what it gives."""
    f, g = pb.custom_vjp(two), pb.custom_vjp(two)
    f.defvjp(forward_of_two, lambda kept, ct: pb.vjp(two, kept[0], kept[1])[1](ct))
    g.defvjp(forward_of_two, lambda kept, ct: pb.vjp(two, kept[1], kept[0])[1](ct)[::-1])
    x, w = V, V + 1.0
    for rule, wanted in ((f, (x * x, 2.0 * w * x)), (g, (2.0 * x * w, w * w))):
        got = pb.grad(lambda x, w, rule=rule: rule(x, w), (0, 1))(x, w)
        np.testing.assert_allclose(got, wanted, rtol=1e-14)


# --- nondifferentiable arguments, what rules do ---------------------------------------------------


@functools.partial(pb.custom_vjp, nondiff_argnums=(0,))
def applied(g, x):
    return g(x)


applied.defvjp(lambda g, x: (g(x), x), lambda g, x, ct: (ct * 2.0 * g(x),))


@functools.partial(pb.custom_jvp, nondiff_argnums=(1,))
def power(x, n):
    return x**n


@power.defjvp
def power_rule(n, primals, tangents):
    (x,), (t,) = primals, tangents
    return power(x, n), n * power(x, n - 1) * t


def test_nondifferentiable_arguments() -> None:
    assert pb.grad(lambda x: applied(math.sin, x))(1.0) == 2.0 * math.sin(1.0)
    assert pb.grad(power)(3.0, 4) == 108.0
    assert pb.grad(pb.grad(power))(3.0, 4) == 108.0


@pb.custom_vjp
def by_gradient(x):
    return math.sin(x)


by_gradient.defvjp(
    lambda x: (by_gradient(x), x), lambda x, ct: (ct * pb.grad(lambda y: math.sin(y))(x),)
)


@pb.custom_vjp
def clipped(x, most):
    return x


clipped.defvjp(lambda x, most: (x, most), lambda most, ct: (np.clip(ct, -most, most), None))


def test_rules_may_take_gradients_and_need_not_be_linear() -> None:
    assert pb.grad(by_gradient)(1.0) == math.cos(1.0)
    assert pb.grad(pb.grad(by_gradient))(1.0) == pytest.approx(-math.sin(1.0), rel=1e-15)
    assert pb.grad(lambda x: 100.0 * clipped(x, 1.5))(2.0) == 1.5
    for other in (
        lambda: pb.jvp(lambda x: clipped(x, 1.5), (2.0,), (1.0,)),
        lambda: pb.grad(lambda x: clipped(x, 1.5), method="dual")(2.0),
        lambda: pb.grad(pb.grad(lambda x: clipped(x, 1.5) ** 2))(2.0),
    ):
        with pytest.raises(pb.UnsupportedError, match=r"rule of 'clipped' is not linear"):
            other()


# --- misuse ---------------------------------------------------------------------------------------


def with_rule(bwd: Callable[..., Any], fwd: Callable[..., Any] = lambda v: (np.sum(v), v)) -> Any:
    def total(v):
        return np.sum(v)

    made = pb.custom_vjp(total)
    made.defvjp(fwd, bwd)
    return pb.grad(lambda v: made(v))


def raising(v, ct):
    if ct > 0.0:
        raise ValueError("no cotangent for me")
    return (v,)


def test_what_rules_give_is_checked() -> None:
    with pytest.raises(ValueError, match="rule of 'total' gives a cotangent of another shape"):
        with_rule(lambda v, ct: (np.append(v, ct),))(V)
    with pytest.raises(TypeError, match=r"rule of 'total' gives a float64 as the cotangents of 1"):
        with_rule(lambda v, ct: ct)(V)
    with pytest.raises(TypeError, match=r"gives a tuple of 1 item as the cotangent of an array"):
        with_rule(lambda v, ct: ((ct,),))(V)
    with pytest.raises(TypeError, match=r"gives a tuple of 2 items as the cotangents of 1 arg"):
        with_rule(lambda v, ct: (v, ct))(V)
    with pytest.raises(TypeError, match=r"rule of 'total' gives .* in its first half"):
        with_rule(lambda v, ct: (v,), lambda v: np.sum(v))(V)
    with pytest.raises(ValueError, match="no cotangent for me"):
        with_rule(raising)(V)
    with pytest.raises(pb.PullbackError) as refused:
        with_rule(lambda v, ct: (int.from_bytes(b"x", "big"),))(V)
    assert "in the rule of 'total'" in refused.value.__notes__
    assert with_rule(lambda v, ct: (None,))(V).tolist() == [0.0] * 4


def test_what_is_captured_is_named() -> None:
    with pytest.raises(pb.UnsupportedError, match=r"the derivative by 'a'.*rule of 'applied'"):
        pb.grad(lambda a: applied(lambda x: a * x, 2.0))(1.0)
    with pytest.raises(pb.UnsupportedError, match="the derivative by 'a'"):
        pb.grad(lambda a: applied(lambda x: pb.stop_gradient(a) * x, a))(1.0)

    def known(a):
        b = pb.stop_gradient(a)
        return applied(lambda x: b * x, a)

    assert pb.grad(known)(3.0) == 18.0


def test_misuse() -> None:
    with pytest.raises(pb.PullbackError, match="custom_jvp without a rule"):
        pb.grad(lambda x: pb.custom_jvp(lambda y: y * x)(x))(1.0)
    with pytest.raises(pb.UnsupportedError, match=r"without a rule"):
        pb.grad(pb.custom_vjp(lambda x: x))(1.0)
    with pytest.raises(TypeError, match="nondiff_argnums"):
        pb.custom_vjp(lambda x: x, nondiff_argnums=(-1,))
    with pytest.raises(TypeError, match="applied to a function"):
        pb.custom_jvp(3.0)
    with pytest.raises(TypeError, match="has 1 parts for 2 arguments"):
        pb.grad(pb.primitive(lambda x, y: x * y, lambda x, y: y))(1.0, 2.0)
