"""Functions in nodes: what may be one, what they capture, and what stays outside."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import pytest

import pullback as pb
from tests import harness
from tests.programs.codata import Done, Layer, More, Stream, iterate, run
from tests.programs.generics import Cons

T = TypeVar("T")
XS = np.array([1.0, 2.0, 0.5])


@dataclass(frozen=True)
class Scale:
    a: float

    def apply(self, v: float) -> float:
        return self.a * v

    def __call__(self, v: float) -> float:
        return self.a + v


@dataclass(frozen=True)
class Some:
    one: Callable[[float], float] | None
    others: list[Callable[[float], float]]
    rest: Some | None


@dataclass(frozen=True)
class Point:
    value: float
    before: Callable[[], Point] | None


@dataclass(frozen=True)
class Pure(Generic[T]):
    value: T


@dataclass(frozen=True)
class Later(Generic[T]):
    get: Callable[[], Free[T]]


Free = Pure[T] | Later[T]


def forced(m: Any) -> Any:
    while True:
        match m:
            case Pure(v):
                return v
            case Later(get):
                m = get()


def bound(m: Any, f: Any) -> Any:
    match m:
        case Pure(v):
            return f(v)
        case Later(get):
            return Later[float](lambda: bound(get(), f))


def of_all_sorts(x: float) -> float:
    """Library functions, partial applications, methods, objects that are called, derivatives."""
    net = Layer(math.sin, Layer(functools.partial(lambda a, b: a * b, x), None))
    net = Layer(Scale(x).apply, Layer(Scale(x), Layer(pb.grad(lambda v: v * v * x), net)))
    v = x
    while net is not None:
        v = net.apply(v)
        net = net.after
    return v


def where_there_is_one(x: float) -> float:
    s = Some(None, [math.sin, lambda v: v * x], Some(math.cos, [], None))
    total = 0.0
    while s is not None:
        if s.one is not None:
            total += s.one(x)
        for f in s.others:
            total += f(x)
        s = s.rest
    return total


def history(xs: Any) -> Any:
    """Every function captures a node of the type that it is in."""
    p = None
    for i in range(len(xs)):
        p = Point(xs[i], None if p is None else (lambda p=p: p))
    total, weight = 0.0, 1.0
    while p is not None:
        total, weight = total + p.value * weight, weight * 2.0
        p = None if p.before is None else p.before()
    return total


def lists_of_functions_meet(x: float) -> float:
    a = Cons(lambda v: v * x, None)
    b = Cons(math.sin, Cons(lambda v: v + x, None))
    c = a if x > 1.0 else b
    v = 1.0
    while c is not None:
        v, c = c.head(v), c.tail
    return v


def forced_at_once(x: float) -> float:
    return forced(bound(Later[float](lambda: Pure(x)), lambda a: Pure(a * a)))


def made_at_the_call(x: float) -> float:
    return run(More(lambda: Done(x * x)))


@pytest.mark.parametrize("x", [0.7, 1.3])
@pytest.mark.parametrize("f", [
    of_all_sorts, where_there_is_one, lists_of_functions_meet, forced_at_once, made_at_the_call,
])  # fmt: skip
def test_gradients(f: Any, x: float) -> None:
    value, gradient = pb.value_and_grad(f)(x)
    assert value == pytest.approx(f(x), rel=1e-14)
    assert gradient == pytest.approx(harness.difference(f, (x,), (1.0,)), rel=1e-7)
    assert gradient == pytest.approx(pb.jvp(f, (x,), (1.0,))[1], rel=1e-12)


def test_functions_that_capture_nodes() -> None:
    assert pb.value_and_grad(history)(XS)[0] == history(XS)
    assert pb.grad(history)(XS).tolist() == [4.0, 2.0, 1.0]


def test_a_long_trampoline() -> None:
    def power(x: float, n: int, acc: float) -> Any:
        return Done(acc) if n == 0 else More(lambda: power(x, n - 1, acc * x))

    n = 200_000
    value, gradient = pb.value_and_grad(lambda x: run(power(x, n, 1.0)))(1.00001)
    assert value == pytest.approx(1.00001**n, rel=1e-9)
    assert gradient == pytest.approx(n * 1.00001 ** (n - 1), rel=1e-9)


def refused(f: Any, arg: Any, text: str) -> None:
    with pytest.raises(pb.PullbackError, match=text):
        pb.vjp(f, arg)


def test_what_a_function_captured_must_not_change() -> None:
    def rebound(x: float) -> float:
        y = x
        net = Layer(lambda v: v * y, None)
        y = y + 1.0
        return net.apply(2.0)

    def updated(x: float) -> float:
        a = np.array([x, x])
        net = Layer(lambda v: v * a[0], None)
        a[0] = 3.0
        return net.apply(2.0)

    def of_a_loop(xs: Any) -> float:
        net = None
        for x in xs:
            net = Layer(lambda v: v * x, net)
        return 1.0 if net is None else net.apply(1.0)

    refused(rebound, 1.5, "captured 'y', which has been assigned again")
    assert pb.jit(updated)(1.5) == updated(1.5)  # the array has several owners
    refused(of_a_loop, XS, "captured 'x', which has been assigned again")


NET = Layer(math.sin, None)


def test_functions_in_nodes_stay_inside() -> None:
    outside = "data with functions inside of nodes cannot come from outside"
    refused(lambda s: s.head, iterate(lambda v: v + 1.0, 1.0), outside)
    refused(lambda x: NET.apply(x), 1.0, outside)
    refused(lambda x: iterate(lambda v: v * x, x), 1.0, "as a result: there are functions in it")
    refused(lambda x: (x, [More(lambda: Done(x))]), 1.0, "there are functions in it")


def test_what_a_function_returns_does_not_show() -> None:
    refused(
        lambda x: forced(Later(lambda: Pure(x))), 1.0, r"does not show(.|\n)*Later\[float\]\(",
    )


def test_streams_are_compared_by_nothing() -> None:
    def same(x: float) -> float:
        a, b = Stream(x, lambda: a), Stream(x, lambda: b)
        return x if a == b else 2.0 * x

    refused(same, 1.0, "== of a Stream")
