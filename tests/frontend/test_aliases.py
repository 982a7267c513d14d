"""Two names for one container: an update by one of them is seen by the other, as in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.errors import PullbackError
from tests.campaign import part, rotated
from tests.foreign.__main__ import is_right
from tests.frontend import (
    array_owners,
    equal_chains,
    kept_functions,
    kept_views,
    mixed_trees,
    owned_rows,
    owner_programs,
    put_in_several,
    replaced_records,
    resized_tables,
)
from tests.frontend.alias_programs import PROGRAMS, REFUSED

XS = [1.0, 2.0, 3.0]
LISTS = [
    *owner_programs.RIGHT, *owned_rows.RIGHT, *mixed_trees.RIGHT, *kept_views.RIGHT,
    *put_in_several.RIGHT, *replaced_records.RIGHT, *resized_tables.RIGHT,
    *kept_functions.RIGHT, *equal_chains.RIGHT,
]  # fmt: skip


@pytest.mark.parametrize("f", part("values", PROGRAMS, 3), ids=lambda f: f.__name__)
def test_value_and_derivative(f: Callable[..., Any]) -> None:
    is_right(f, (XS,))


@pytest.mark.parametrize(("f", "text"), REFUSED, ids=lambda v: getattr(v, "__name__", ""))
def test_refused(f: Callable[..., Any], text: str) -> None:
    with pytest.raises(PullbackError, match=text):
        pb.jit(f)(XS)


@pytest.mark.parametrize(
    "f",
    part("values", LISTS, 3),
    ids=lambda f: f.__name__,
)
def test_lists_with_several_owners(f: Callable[..., Any]) -> None:
    is_right(f, ([0.4, 0.7, 0.9],))


@pytest.mark.parametrize("f", owner_programs.REFUSED, ids=lambda f: f.__name__)
def test_lists_with_several_owners_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(PullbackError, match="Instead:") as caught:
        pb.jit(f)([0.4, 0.7, 0.9])
    assert "owner_programs.py" in str(caught.value)


@pytest.mark.parametrize("f", kept_functions.REFUSED, ids=lambda f: f.__name__)
def test_functions_that_change_unknown_variables_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(PullbackError, match="this call changes 'n'"):
        pb.jit(f)([0.4, 0.7, 0.9])


def test_functions_that_change_variables_take_constant_time() -> None:
    f = kept_functions.many_functions
    few, more, many = (pb.cost(f, 0.3, n) for n in (50, 100, 200))
    assert many - more < 2.1 * (more - few)
    slopes = [pb.cost(f, 0.3, n, method="chad") for n in (50, 200)]
    assert slopes[1] < 4.2 * slopes[0] and slopes[1] < 8 * many


def test_lists_with_several_owners_take_constant_time() -> None:
    f = owner_programs.many_rows
    few, more, many = (pb.cost(f, 0.3, n) for n in (50, 100, 200))
    assert many - more < 2.1 * (more - few)
    slopes = [pb.cost(f, 0.3, n, method="chad") for n in (50, 200)]
    assert slopes[1] < 4.2 * slopes[0] and slopes[1] < 8 * many


@pytest.mark.parametrize("f", part("values", array_owners.PROGRAMS, 5), ids=lambda f: f.__name__)
def test_arrays_and_dicts_with_several_owners(f: Callable[..., Any]) -> None:
    start = [0.4, 0.7, 0.9]
    for method in rotated("values", f.__name__, ("chad", "dual")):
        xs = list(start)
        value, gradient = pb.value_and_grad(f, method=method)(xs)
        assert value == pytest.approx(f(list(start)), rel=1e-10) and xs == start
        for k in range(3):
            up, down = ([x + h * (j == k) for j, x in enumerate(start)] for h in (1e-6, -1e-6))
            assert gradient[k] == pytest.approx((f(up) - f(down)) / 2e-6, rel=1e-5, abs=1e-6)


def test_the_derivative_of_what_updates_one_object_by_two_names_is_refused() -> None:
    def g(v: Any, w: Any) -> Any:
        v[0] *= 5.0
        return v[0] * w[0]

    def of_one(x: float) -> Any:
        a = np.array([x, 2.0])
        return pb.grad(g)(a, a)[0]

    def of_a_row(x: float) -> Any:
        a = np.array([x, 2.0])
        rows = [a, a]
        return pb.grad(lambda v: g(rows[1], v))(rows[0])[0]

    def of_its_own(x: float) -> Any:
        a = np.array([x, 2.0])
        rows = [a, a]
        return pb.grad(lambda v: g(v, v.copy()))(rows[0])[0] + rows[1][0]

    for f in (of_one, of_a_row):
        with pytest.raises(PullbackError, match="update refused"):
            pb.jit(f)(1.3)
    assert pb.jit(of_its_own)(1.3) == pytest.approx(of_its_own(1.3), rel=1e-12)
