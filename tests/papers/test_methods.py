"""``method=``: every method of the papers on users' functions, against the compiled default."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback import driver
from pullback.by_method import method_names
from tests.harness import distance
from tests.programs import Program, corpus

NAMES = ("polynomial", "two_numbers", "with_int", "shared", "constants")
PROGRAMS = [p for p in corpus() if p.name in NAMES]


def arguments(program: Program) -> tuple[Any, ...]:
    return program.make_args(np.random.default_rng(1), 3)


@pytest.mark.parametrize("method", method_names())
@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_a_method_agrees_with_the_default(program: Program, method: str) -> None:
    args, argnums = arguments(program), program.argnums
    wanted = pb.value_and_grad(program.f, argnums)(*args)
    found = pb.value_and_grad(program.f, argnums, method=method)(*args)
    assert distance(wanted, found) < 1e-9
    assert distance(wanted[1], pb.grad(program.f, argnums, method=method)(*args)) < 1e-9
    assert pb.cost(program.f, *args, method=method) > pb.cost(program.f, *args)


@pytest.mark.parametrize("method", method_names())
def test_every_program_is_differentiated_or_refused(method: str) -> None:
    refused = 0
    for program in corpus():
        if not program.argnums or program.single:
            continue
        args = arguments(program)
        try:
            found = pb.value_and_grad(program.f, program.argnums, method=method)(*args)
        except pb.PullbackError as e:
            assert isinstance(e, NotImplementedError), e
            refused += 1
            continue
        wanted = pb.value_and_grad(program.f, program.argnums)(*args)
        assert distance(wanted, found) < 1e-8, program.name
    assert refused < len(corpus())


def quotient(x: float, y: float) -> float:
    return x / y


def with_beside(x: float) -> tuple[float, tuple[int, float]]:
    return x * x, (3, x + 1.0)


def test_unknown_methods_are_refused_at_once() -> None:
    with pytest.raises(ValueError, match=r"no method 'tape'.*\n.*chad"):
        pb.grad(quotient, method="tape")
    with pytest.raises(ValueError, match="not there yet"):
        pb.cost(quotient, 1.0, 2.0, method="dual")
    assert pb.grad(quotient, method="chad")(1.0, 2.0) == 0.5


@pytest.mark.parametrize("method", method_names()[:1])
def test_operators_by_a_method(method: str, capsys: pytest.CaptureFixture[str]) -> None:
    gradient = pb.grad(with_beside, has_aux=True, method=method)
    assert gradient(3.0) == (6.0, (3, 4.0))
    both = pb.value_and_grad(with_beside, has_aux=True, method=method)
    assert both(x=3.0) == ((9.0, (3, 4.0)), 6.0)
    assert pb.cost(pb.grad(quotient, -1, method=method), 1.0, 2.0) == pb.cost(
        quotient, 1.0, 2.0, method=method)
    text = pb.show(quotient, 1.0, 2.0, method=method)
    assert text and capsys.readouterr().out == text + "\n"
    assert driver.NATIVE not in method_names()
