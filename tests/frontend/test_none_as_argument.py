"""None and other arguments of a wrong sort, and in an order: as in Python, or refused."""

import math
import operator
from collections import deque
from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb

ASKED: list[Callable[[Any], Any]] = [
    lambda v: operator.eq(v, 1.5), lambda v: operator.ne(v, 1.5), operator.not_, operator.truth,
    lambda v: operator.is_(v, None), lambda v: operator.is_not(v, None), bool, repr,
    lambda v: v == v, lambda v: hasattr(v, "real"), lambda v: type(v) is float,
    lambda v: type(v).__name__, lambda v: type(v), lambda v: type(v) in (int, type(None)),
]  # fmt: skip


@pytest.mark.parametrize("ask", ASKED)
def test_what_is_asked_of_what_may_be_none(ask: Callable[[Any], Any]) -> None:
    def f(a: float) -> Any:
        v = a if a > 1.0 else None
        return ask(v)

    for a in (0.5, 1.5):
        assert pb.jit(f)(a) == f(a)


UNORDERED: list[Callable[[int], Any]] = [
    lambda n: sorted([None, None]), lambda n: sorted([int, int]),
    lambda n: len(sorted([None for _ in range(n)])), lambda n: len(sorted(range(n), key=type)),
    lambda n: len(sorted(range(n), key=lambda k: None)),
]  # fmt: skip


@pytest.mark.parametrize("f", UNORDERED)
def test_two_items_without_an_order_are_an_error(f: Callable[[int], Any]) -> None:
    """One item is compared with nothing."""
    for n in (1, 3):
        try:
            wanted = f(n)
        except TypeError:
            with pytest.raises((TypeError, pb.PullbackError)):
                pb.jit(f)(n)
        else:
            assert pb.jit(f)(n) == wanted


@pytest.mark.parametrize(
    "f", [lambda a: math.fsum(["1", a]), lambda a: math.dist(["1"], [a]), lambda a: math.fsum("12")]
)
def test_texts_are_no_numbers(f: Callable[[float], float]) -> None:
    with pytest.raises((TypeError, pb.PullbackError)):
        pb.jit(f)(0.5)


@pytest.mark.parametrize(
    "f", [lambda a: dict(**{1: a}), lambda a: deque([a]) + [1.0], lambda a: [a] + deque([1.0])]
)
def test_what_is_a_type_error(f: Callable[[float], Any]) -> None:
    with pytest.raises(TypeError):
        f(0.5)
    with pytest.raises((TypeError, pb.PullbackError)):
        pb.jit(f)(0.5)


def test_the_greater_of_two_sets_is_a_set() -> None:
    assert pb.jit(lambda n: max({n, 2}, {n, 2}))(1) == {1, 2}
    assert pb.jit(lambda n: max({n, 2}))(1) == 2
