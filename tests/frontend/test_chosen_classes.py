"""Classes that the run chooses, and objects of several classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.errors import PullbackError
from tests.campaign import part
from tests.foreign.__main__ import is_right
from tests.frontend import chosen_classes as chosen
from tests.frontend import some_classes


@pytest.mark.parametrize(
    "f", part("values", [*chosen.RIGHT, *some_classes.RIGHT], 3), ids=lambda f: f.__name__
)
def test_value_and_derivative(f: Callable[..., Any]) -> None:
    is_right(f, ([0.4, 0.7, 0.9],))


@pytest.mark.parametrize("f", [chosen.itself, chosen.inside, chosen.in_lists])
def test_as_results(f: Callable[..., Any]) -> None:
    compiled = pb.jit(f)
    assert [compiled(k) for k in range(3)] == [f(k) for k in range(3)]


@pytest.mark.parametrize("f", [
    chosen.its_length, chosen.its_items, chosen.its_parts, chosen.with_a_tuple,
])  # fmt: skip
def test_what_no_class_has_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(PullbackError, match=r"chosen_classes\.py"):
        pb.jit(f)(1)
    with pytest.raises(TypeError):
        f(1)


def test_none_among_them_is_not_called() -> None:
    compiled = pb.jit(chosen.none_is_called)
    assert compiled(1) == chosen.none_is_called(1)
    with pytest.raises(TypeError, match="'NoneType' object is not callable"):
        compiled(0)


@pytest.mark.parametrize("k", range(3))
def test_exceptions(k: int) -> None:
    with pytest.raises(chosen.KINDS_OF_ERRORS[k]) as wanted:
        chosen.raised(k)
    with pytest.raises(chosen.KINDS_OF_ERRORS[k]) as found:
        pb.jit(chosen.raised)(k)
    assert found.value.args == wanted.value.args


def test_several_points_at_once() -> None:
    def f(x: float, k: int) -> Any:
        return chosen.KINDS[k](x).area() * chosen.KINDS[k].sides

    xs, ks = np.array([0.4, 0.7, 0.9]), np.array([0, 1, 2])
    found = pb.vmap(pb.grad(f))(xs, ks)
    assert list(found) == pytest.approx([0.0, 4 * 1.4, 3.0])
