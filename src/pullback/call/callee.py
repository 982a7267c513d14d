"""Anything that can be called, as a Python function with source: the front end reads functions.

``pb.grad(np.sin)``, ``pb.grad(pb.grad(f))``, ``pb.jit(model.loss)``: the function below is what is
compiled, and what it captures is found in it as in any user's function.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from types import FunctionType
from typing import Any

Call = Callable[..., Any]


def as_function(f: object, count: int) -> FunctionType:
    """A function of ``count`` positional arguments that calls f; f itself if it is a function."""
    if isinstance(f, FunctionType):
        return f
    assert callable(f)
    made = (_APPLY[count] if count < len(_APPLY) else _many)(f)
    assert isinstance(made, FunctionType)
    return made


def _none(f: Call) -> Call:
    def call() -> Any:
        return f()

    return call


def _one(f: Call) -> Call:
    def call(a: Any) -> Any:
        return f(a)

    return call


def _two(f: Call) -> Call:
    def call(a: Any, b: Any) -> Any:
        return f(a, b)

    return call


def _three(f: Call) -> Call:
    def call(a: Any, b: Any, c: Any) -> Any:
        return f(a, b, c)

    return call


def _four(f: Call) -> Call:
    def call(a: Any, b: Any, c: Any, d: Any) -> Any:
        return f(a, b, c, d)

    return call


def _five(f: Call) -> Call:
    def call(a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
        return f(a, b, c, d, e)

    return call


def _six(f: Call) -> Call:
    def call(a: Any, b: Any, c: Any, d: Any, e: Any, g: Any) -> Any:
        return f(a, b, c, d, e, g)

    return call


def _many(f: Call) -> Call:
    def call(*args: Any) -> Any:
        return f(*args)

    return call


_APPLY: tuple[Callable[[Call], Call], ...] = (_none, _one, _two, _three, _four, _five, _six)


def first_items(f: Call) -> FunctionType:
    """A function that gives a list of the first ``count`` items of the iterator that f returns."""

    def call(count: int, *args: Any) -> Any:
        return list(itertools.islice(f(*args), count))

    assert isinstance(call, FunctionType)
    return call


def first_copies(f: Call) -> FunctionType:
    """A function that gives copies of these items, as they are when they are yielded."""

    def call(count: int, *args: Any) -> Any:
        return [copy.deepcopy(item) for item in itertools.islice(f(*args), count)]

    assert isinstance(call, FunctionType)
    return call
