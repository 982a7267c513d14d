"""Functions that a manager decorates: a generator, or an object of a ``ContextDecorator``."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from tests.frontend.harness import same


@contextlib.contextmanager
def told(name, k=1):
    print("enter", name, k)
    try:
        yield
    finally:
        print("exit", name)


@told("module", k=2)
def squared(x):
    return x * x * 3.0


class Swallowing(contextlib.ContextDecorator):
    def __enter__(self):
        return self

    def __exit__(self, t, e, tb):
        return t is ValueError


@Swallowing()
def risky(x):
    if x > 1.0:
        raise ValueError(x)
    return x * x


def of_the_module(x):
    y = risky(x)
    return squared(x) + squared(x + 1.0) + (x if y is None else y)


class Counting(contextlib.ContextDecorator, contextlib.AbstractContextManager):
    def __init__(self):
        self.begun = 0
        self.failed = 0.0

    def __enter__(self):
        self.begun += 1
        return self

    def __exit__(self, t, e, tb):
        if t is not None:
            self.failed += e.args[0]
        return t is KeyError


def an_object_around(x):
    counts = Counting()

    @counts
    def f(v, k=2.0):
        if v > 3.0:
            raise KeyError(x)
        return v * x * k

    y = f(2.0) + f(1.0, k=x)
    z = f(v=4.0)
    with counts:
        y += 1.0
    return y * counts.begun + counts.failed + (x if z is None else 0.0)


def generators_around(x):
    log = []

    @contextlib.contextmanager
    def noted(v, w=2.0):
        log.append(v)
        try:
            yield
        finally:
            log.append(w)

    k = x

    @told("outer")
    @noted(k, w=k * 3.0)
    def g(y):
        if y > 2.5:
            return 0.0
        return y * x

    k = 100.0
    total = g(2.0) + g(3.0)
    for i in range(3):

        @told("loop", i)
        def h(y):
            return y * x

        total += h(float(i))
    return total + sum(log) * k


def said(f: Callable[..., Any], *args: Any) -> tuple[Any, str]:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        made = f(*args)
    return made, out.getvalue()


@pytest.mark.parametrize("f", [of_the_module, an_object_around, generators_around])
def test_as_in_python(f: Callable[..., Any]) -> None:
    slope = pb.value_and_grad(f)
    for x in (1.3, 0.4):
        (value, derivative), printed = said(slope, x)
        right, printed_there = said(f, x)
        same(value, right)
        assert printed == printed_there
        difference = (said(f, x + 1e-6)[0] - said(f, x - 1e-6)[0]) / 2e-6
        assert derivative == pytest.approx(difference, rel=1e-6)
    other = said(pb.grad(f, method="dual"), 1.3)[0]
    assert other == pytest.approx(said(slope, 1.3)[0][1], rel=1e-12)
