"""Methods that keep their results, and cached functions of floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from pullback.errors import PullbackError
from tests.campaign import part
from tests.foreign.__main__ import is_right
from tests.frontend import cached_floats
from tests.frontend import cached_methods as cached

RIGHT = [*cached.RIGHT, *cached_floats.RIGHT]


@pytest.mark.parametrize("f", part("values", RIGHT, 3), ids=lambda f: f.__name__)
def test_value_and_derivative(f: Callable[..., Any]) -> None:
    is_right(f, (1.3,))


@pytest.mark.parametrize("f", [*cached.REFUSED, *cached_floats.REFUSED], ids=lambda f: f.__name__)
def test_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(PullbackError, match=r"cached_(methods|floats)\.py"):
        pb.jit(f)(1.3)


def test_objects_of_the_caller_keep_nothing() -> None:
    m, other = cached.Model([0.3, 0.2]), cached.Model([0.3, 0.2])
    for f in (cached.of_an_argument, cached.returned):
        found = pb.jit(f)(m, 0.7)
        assert vars(m) == vars(other)
    assert found is m
    value, gradient = pb.value_and_grad(cached.of_an_argument)(m, 0.7)
    assert value == cached.of_an_argument(other, 0.7)
    assert gradient.p == pytest.approx([2.0, 2 * (0.7 + 1.4)]) and vars(m).keys() == {"p", "log"}
    several = [m, cached.Model([0.5])]
    found = pb.grad(cached.of_arguments)(several, 0.7)
    assert [g.p for g in found] == [pytest.approx([1.0, 1.4]), [1.0]]


def test_globals_are_updated_by_their_methods() -> None:
    assert pb.jit(cached.of_a_global)(0.7) == pytest.approx((0.3 + 0.4 * 0.7) * 0.7)
    assert pb.grad(cached.of_a_global)(0.7) == pytest.approx(0.3 + 2 * 0.4 * 0.7)
    assert vars(cached.MODEL).keys() == {"p", "log"}
    compiled = pb.jit(cached.noted)
    assert [compiled(0.5), compiled(0.7), cached.noted(1.0)] == [0.5, 1.4, 3.0]
    assert cached.NOTES.log == [0.5, 0.7, 1.0]
    expected = cached.Lazy().series(0.4)
    assert pb.jit(cached.of_a_lazy_global)(0.4) == expected
    assert cached.LAZY.table == {0: 1.0, 1: 0.5, 2: 1 / 3}
    assert pb.jit(cached.of_a_lazy_global)(0.4) == expected


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_each_result_is_computed_once(method: str) -> None:
    f = cached.long_recursion
    few, more, many = (pb.cost(f, 0.3, n) for n in (50, 100, 200))
    assert many - more < 2.1 * (more - few)
    slopes = [pb.cost(f, 0.3, n, method=method) for n in (50, 200)]
    assert slopes[1] < 4.2 * slopes[0] and slopes[1] < 8 * many
