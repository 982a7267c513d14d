"""Python functions that compiled code calls: values, rules, order, threads, errors."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call.driver import gradient, run

CALLS: list[float] = []
THREADS: set[int] = set()


def table(x: float) -> float:
    """Say what no compiler could: it also notes that it was called."""
    CALLS.append(x)
    THREADS.add(threading.get_ident())
    return float(np.interp(x, [0.0, 1.0, 4.0], [0.0, 1.0, 16.0]))


def slope(x: float) -> float:
    return 1.0 if x < 1.0 else 5.0


plain = pb.pure_callback(table, 0.0)
looked_up: Any = pb.custom_vjp(plain)
looked_up.defvjp(lambda x: (looked_up(x), x), lambda x, ct: (slope(x) * ct,))
pushed: Any = pb.custom_jvp(plain)
pushed.defjvp(lambda x, t: (pushed(x[0]), slope(x[0]) * t[0]))

XS = np.array([0.25, 3.0, 0.5, 2.0, 1.5, 0.75, 2.5, 3.5, 0.1])
SLOPES = np.array([slope(x) for x in XS])
LEVELS = np.array([np.interp(x, [0.0, 1.0, 4.0], [0.0, 1.0, 16.0]) for x in XS])


@dataclass(frozen=True)
class Part:
    a: float
    b: Any


def chained(xs: Any) -> float:
    """A loop that hands a state on: each call needs the one before."""
    s = 0.5
    for x in xs:
        s = looked_up(x) + 0.25 * s
    return s


def chained_tangent(xs: Any) -> float:
    s = 0.5
    for x in xs:
        s = pushed(x) + 0.25 * s
    return s


SUMS: list[Callable[[Any], Any]] = [
    lambda xs: sum(looked_up(x) ** 2 for x in xs),
    lambda xs: np.sum(pb.vmap(pushed)(xs) ** 2),
]


def test_each_call_is_made_once_in_order_on_the_caller_s_thread() -> None:
    weights = 0.25 ** np.arange(len(XS))[::-1]
    for f in (chained, chained_tangent):
        for method in ("chad", "dual"):
            CALLS.clear()
            value, grad = pb.value_and_grad(f, method=method)(XS)
            assert list(XS) == CALLS
            expected = weights @ LEVELS + 0.5 * 0.25 ** len(XS)
            np.testing.assert_allclose(value, expected, rtol=1e-13)
            np.testing.assert_allclose(grad, weights * SLOPES, rtol=1e-13)
    for g in SUMS:
        CALLS.clear()
        value, grad = pb.value_and_grad(g)(XS)
        assert list(XS) == CALLS
        np.testing.assert_allclose(grad, 2.0 * LEVELS * SLOPES, rtol=1e-13)
    assert {threading.get_ident()} == THREADS


def test_all_modes_agree() -> None:
    for f in (chained, chained_tangent):
        _, (grad,) = gradient(f, (XS,), (0,), "eval")
        np.testing.assert_allclose(grad, pb.grad(f)(XS), rtol=1e-13)
        assert run(f, (XS,), "eval") == f(XS)
        out, tangent = pb.jvp(f, (XS,), (np.ones_like(XS),))
        np.testing.assert_allclose([out, tangent], [f(XS), np.sum(grad)], rtol=1e-13)
        pb.check_grads(f, (XS,))
    curved = SUMS[0]
    found = pb.hvp(curved, (XS,), (np.ones_like(XS),))[0]
    np.testing.assert_allclose(found, 2.0 * SLOPES**2, rtol=1e-13)
    np.testing.assert_allclose(pb.hessian(curved)(XS), np.diag(2.0 * SLOPES**2), rtol=1e-13)
    assert pb.jet(pushed, (2.0,), ((1.0, 0.0),)) == (6.0, (5.0, 0.0))


def test_structures_go_over_and_come_back() -> None:
    def told(p: Part, more: Any, k: int, name: str) -> Any:
        assert type(p.a) is float and type(k) is int and name == "n"
        assert more["i"].dtype == np.int32 and p.b.flags.writeable
        p.b[0] = 9.0  # its own copy
        return {"y": p.b * p.a + np.sum(more["i"]), "z": (float(k), [np.ones((2, 1))])}

    called = pb.pure_callback(told, {"y": np.zeros(3), "z": (0.0, [np.zeros((2, 1))])})
    f = pb.jit(lambda p, more: called(p, more, 7, "n"))
    given = Part(2.0, np.arange(3.0)[::-1]), {"i": np.arange(4, dtype=np.int32)}
    found = f(*given)
    assert found["y"].tolist() == [24.0, 8.0, 6.0] and given[0].b[0] == 2.0
    assert found["z"][0] == 7.0 and found["z"][1][0].tolist() == [[1.0], [1.0]]
    short = pb.pure_callback(lambda x: x * 2, np.zeros(2, np.float32))
    assert pb.jit(lambda x: short(x))(np.ones(2, np.float32)).dtype == np.float32


def test_nothing_is_run_again_where_shapes_turn_out_otherwise() -> None:
    def both(x: Any, y: Any) -> Any:
        return plain(x[0]) + np.sum(x + y)

    CALLS.clear()
    assert pb.jit(both)(np.ones(3), np.ones(1)) == 7.0
    assert len(CALLS) == 1


def test_errors_come_out_as_they_are() -> None:
    def lost(x: float) -> float:
        raise KeyError(x)

    def interrupted(x: float) -> float:
        raise KeyboardInterrupt

    failing = pb.pure_callback(lost, 0.0)

    def through(x: Any) -> Any:
        return failing(x) * 2.0

    for f in (pb.jit(through), through):
        with pytest.raises(KeyError) as caught:
            f(1.0)
        names = [entry.name for entry in traceback.extract_tb(caught.value.__traceback__)]
        assert names[-1] == "lost" and "through" in names
    stopped = pb.pure_callback(interrupted, 0.0)
    with pytest.raises(KeyboardInterrupt):
        pb.jit(lambda x: stopped(x))(1.0)
    inside = pb.pure_callback(lambda x: pb.grad(lambda y: y * y * y)(x), 0.0)
    assert pb.jit(lambda x: inside(x) + 1.0)(3.0) == 28.0




MISUSE: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: pb.grad(lambda x: plain(x) * x)(1.0), TypeError, "callback 'table', which has no"),
    (lambda: pb.jvp(plain, (1.0,), (1.0,)), TypeError, "callback 'table', which has no rule"),
    (lambda: pb.pure_callback(table, 0), TypeError, "floats and arrays of floats"),
    (lambda: pb.pure_callback(3.0, 0.0), TypeError, "pure_callback"),
    (lambda: pb.jit(lambda x: pb.pure_callback(table, 0.0)(x))(1.0), TypeError, "outside"),
    (lambda: pb.jit(lambda xs: plain([x for x in xs]))(XS), TypeError, "argument of the callback"),
    (lambda: pb.jit(lambda x: plain(x=x))(1.0), TypeError, "keyword arguments"),
]

WRONG: list[tuple[Any, Any, type[Exception], str]] = [
    (np.ones(4), np.zeros(3), ValueError, r"shape \(4,\) where its example has shape \(3,\)"),
    ((1.0, 2.0), 0.0, TypeError, "another structure"),
    ({"b": 1.0}, {"a": 0.0}, TypeError, "another structure"),
    ("text", 0.0, TypeError, "another structure"),
]


@pytest.mark.parametrize("k", range(len(MISUSE)))
def test_misuse(k: int) -> None:
    act, error, text = MISUSE[k]
    with pytest.raises((error, pb.UnsupportedError), match=text):
        act()


@pytest.mark.parametrize("k", range(len(WRONG)))
def test_results_of_another_form_than_the_example(k: int) -> None:
    result, example, error, text = WRONG[k]
    called = pb.pure_callback(lambda x: result, example)
    with pytest.raises(error, match=text):
        pb.jit(lambda x: called(x))(1.0)


def test_without_a_derivative_it_can_be_a_constant() -> None:
    assert pb.grad(lambda x: plain(pb.stop_gradient(x)) * x)(2.0) == 6.0
    assert pb.jit(lambda x: plain(x) if x > 0.0 else 0.0)(-1.0) == 0.0
