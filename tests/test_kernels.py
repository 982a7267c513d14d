"""Kernels of textbooks, each in several spellings that share nothing: all agree with Python, and
take about as many steps of loop code, where a step is an instruction, for eight lanes or for one.
"""

from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from benchmarks import kernels
from benchmarks.common import worst_difference
from benchmarks.spellings import Group
from pullback.call import driver
from pullback.call.request import Request, What
from tests.lower.agreement import run

KERNELS = {group.name: group for group in kernels.groups()}

MOST = {"covariance": (1.8, 2.2)}
"""Steps of the most expensive spelling over those of the cheapest, of the function and of its
gradient; for the others 1.3."""


WHATS = (What.VALUE, What.VALUE_AND_GRADIENT)


def loop_code(f: Callable[..., Any], kernel: Group, what: What) -> tuple[list[Any], int]:
    """The results of loop code, and its steps."""

    def use(g: Any, unit: Any) -> Any:
        results, machine, _ = run(unit.program(True), unit.special.values(g, kernel.args))
        return results, machine.steps

    argnums = kernel.argnums if what is What.VALUE_AND_GRADIENT else ()
    found: tuple[list[Any], int] = driver.using(f, kernel.args, Request(what, argnums), use)
    return found


@pytest.mark.parametrize("name", KERNELS)
def test_kernels(name: str) -> None:
    kernel = KERNELS[name]
    expected = kernel.spellings[0](*kernel.args)
    for what, most in zip(WHATS, MOST.get(name, (1.3, 1.3)), strict=True):
        found = [loop_code(f, kernel, what) for f in kernel.spellings]
        for f, (results, _) in zip(kernel.spellings, found, strict=True):
            assert abs(f(*kernel.args) - expected) <= 1e-9 * abs(expected)
            assert worst_difference(results, [expected, *found[0][0][1:]]) <= 1e-9
        steps = {f.__name__: s for f, (_, s) in zip(kernel.spellings, found, strict=True)}
        assert max(steps.values()) <= most * min(steps.values()), (what, steps)


def test_a_stencil_reads_without_checks() -> None:
    """The conditions on both indices are one condition, at which the loops are divided."""
    kernel = KERNELS["stencil"]
    for f in kernel.spellings:
        text = pb.show(pb.jit(f), *kernel.args)
        assert "?[" not in text and text.count("= if ") <= 1
