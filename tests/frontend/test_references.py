"""Functions that hold an object by reference, several names of one object, and parts of structures
that helpers give to callers who update them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from tests.frontend import reference_programs as programs
from tests.frontend.harness import agrees


@pytest.mark.parametrize("f", programs.PROGRAMS, ids=lambda f: f.__name__)
def test_agrees(f: Callable[..., Any]) -> None:
    agrees(f, 1.3, 7)


@pytest.mark.parametrize(
    "f", [programs.heap, programs.row_of_a_list, programs.of_an_object], ids=lambda f: f.__name__
)
def test_derivatives(f: Callable[..., Any]) -> None:
    pb.check_grads(lambda x: f(x, 5), (1.3,))
    native = pb.grad(f)(1.3, 5)
    assert pb.grad(f, method="dual")(1.3, 5) == pytest.approx(native)


def test_the_gradient_of_a_method() -> None:
    def slope(x: float) -> float:
        m = programs.Model(3.0 * x)
        f, change = m.loss, m.set
        before = pb.grad(f)(x)
        change(x)
        return before + pb.grad(m.loss)(x)

    assert pb.jit(slope)(1.3) == pytest.approx(8 * 1.3**2)


def test_a_method_of_a_list_costs_no_function() -> None:
    def by_name(x: float, n: int) -> float:
        out = [x]
        for i in range(n):
            out.append(x * i)
        return sum(out)

    def by_value(x: float, n: int) -> float:
        out = [x]
        push = out.append
        for i in range(n):
            push(x * i)
        return sum(out)

    assert pb.cost(by_value, 1.3, 50) == pb.cost(by_name, 1.3, 50)
