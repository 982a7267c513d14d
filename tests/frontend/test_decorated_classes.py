"""Classes in functions under decorators of the user's, and clauses whose classes are captured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import pullback as pb
from pullback.errors import PullbackError
from tests.foreign.__main__ import is_right
from tests.frontend.harness import agrees


def registry(x):
    known = {}

    def register(name):
        def enter(cls):
            known[name] = cls
            return cls

        return enter

    @register("lin")
    class Linear:
        def __init__(self, k):
            self.k = k

        def run(self, v):
            return v * self.k

    @register("sq")
    class Square:
        def __init__(self, k):
            self.k = k

        def run(self, v):
            return v * v * self.k

    return sum(known[n](k).run(x) for n, k in [("lin", 2.0), ("sq", 3.0)]) + len(known)


def above_those_of_the_library(x):
    made = []

    def note(cls):
        made.append(cls)
        return cls

    @note
    @dataclass
    class P:
        a: float

        def f(self):
            return self.a * x

    @note
    class Q:
        def __init__(self, a):
            self.a = a

        def f(self):
            return self.a + x

    return sum(c(2.0).f() for c in made) + P(x).f()


def singleton(x):
    def one(cls):
        made = []

        def get(*args):
            if not made:
                made.append(cls(*args))
            return made[0]

        return get

    @one
    class Settings:
        def __init__(self, v):
            self.v = v

    return Settings(x).v + Settings(2 * x).v


def each_time(x):
    n = 0

    def count(cls):
        nonlocal n
        n += 1
        return cls

    t = 0.0
    for k in range(3):

        @count
        class A:
            def f(self, v):
                return v * x

        t += A().f(k)
    return t * n


NAMES: list[str] = []


def plug(cls):
    NAMES.append(cls.__name__)
    return cls


def of_the_module(x):
    del NAMES[:]

    @plug
    class A:
        def f(self):
            return x

    @plug
    class B:
        def f(self):
            return 2 * x

    return A().f() + B().f() + len(NAMES)


def retried(x):
    def retry(times, kind=ValueError):
        def around(f):
            def g(*args):
                last = None
                for _ in range(times):
                    try:
                        return f(*args)
                    except kind as e:
                        last = e
                raise last

            return g

        return around

    tries = []

    @retry(3)
    def flaky(v):
        tries.append(v)
        if len(tries) < 3:
            raise ValueError("again")
        return v * len(tries)

    return flaky(x)


def by_a_class_of_the_function(x):
    class Reset(Exception):
        def __init__(self, to):
            self.to = to

    def again(f):
        def g(v):
            while True:
                try:
                    return f(v)
                except Reset as r:
                    v = r.to

        return g

    @again
    def h(v):
        if v < 5:
            raise Reset(v * 2)
        return v * x

    return h(x)


def by_several(x):
    def guard(*kinds):
        def around(f):
            def g(v):
                try:
                    return f(v)
                except kinds:
                    return -v

            return g

        return around

    @guard(ValueError, ZeroDivisionError)
    def h(v):
        if v > 2:
            raise ValueError("large")
        return v * x

    return h(x) + h(3 * x)


CASES = [registry, above_those_of_the_library, singleton, each_time, retried,
         by_a_class_of_the_function, by_several]  # fmt: skip


@pytest.mark.parametrize("f", CASES)
def test_value_and_derivative(f: Callable[..., Any]) -> None:
    agrees(f, 1.3)  # the evaluator
    is_right(f, (1.3,))  # native code, and finite differences
    pb.check_grads(f, (1.3,))  # forward and reverse mode
    assert pb.grad(f, method="dual")(1.3) == pytest.approx(pb.grad(f)(1.3), rel=1e-13)


def test_a_decorator_is_called_each_time() -> None:
    for _ in range(2):
        assert pb.jit(of_the_module)(1.3) == of_the_module(1.3)
        assert NAMES == ["A", "B"]


def replaced(x):
    def tagged(cls):
        def make(*args):
            made = cls(*args)
            made.tag = 2.0
            return made

        return make

    @tagged
    class A:
        def __init__(self, v):
            self.v = v

        def twin(self):
            return A(self.v * 2)

    return A(x).twin().v * A(x).tag


def test_a_class_that_uses_its_name() -> None:
    with pytest.raises(PullbackError, match="which its decorator replaces"):
        pb.jit(replaced)(1.3)
