"""Compiled code does no more work than Python: the evaluator's steps against CPython's bytecodes,
at growing sizes.

The ratio may be what it is; it does not grow. Where C goes through elements (whole arrays, ``sum``,
slices of lists), these are counted instead (``python_work``). Then recursions, where what is done
twice at a level doubles with the depth, and tables that functions hand on, which nobody has to
copy: the function against its bytecodes, the gradient against the function.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests import harness, python_work
from tests.campaign import part, seeds
from tests.programs import Program, corpus
from tests.recursions import RECURSIONS, Recursion, random_recursion, random_text
from tests.tables import TABLES

MOST = 100_000
"""Bytecodes that are traced."""

BOUND = 4.0
"""Steps for a bytecode, at the most."""

SPECIAL = 40.0
"""Steps for an element where one function of C is a program here (series, sorting networks)."""

GROWTH = 1.3
"""So much larger the ratio may be at the next size, at which the work is double or more; compared
is what is added to both, so that what does not depend on the size plays no part."""

GRADIENT = 4.0
"""Steps of the gradient of a recursion for a step of the function."""


@cache
def instrumented() -> dict[str, Program]:
    return python_work.instrumented()


def counted(program: Program) -> list[tuple[int, int]]:
    """The work of Python and the steps of the evaluator, at growing sizes."""
    second, found = instrumented()[program.name], []
    for n in program.growth or (*program.sizes, 2 * program.sizes[-1], 4 * program.sizes[-1]):
        try:
            given = second.make_args(np.random.default_rng(n), n)
            python_work.forget_results(second.f)
            done = python_work.work(second.f, given, MOST)
        except (ValueError, IndexError):  # there is nothing of that size
            break
        if done is None:
            break
        args = program.make_args(np.random.default_rng(n), n)
        found.append((done.total, harness.steps(program.f, args)))
    return found


def ratios(found: Sequence[tuple[int, int]]) -> list[float]:
    """Steps for a unit of work, of what each size adds to the one before, where it is double or
    more: else another way through the program says more than the size."""
    out, (work, steps) = [], found[0]
    for more, further in found[1:]:
        if more > 1.9 * work:
            out.append((further - steps) / (more - work))
            work, steps = more, further
    return out


@pytest.mark.parametrize("program", part("work", corpus(), 30, core=range(3, 445, 100)), ids=str)
def test_no_more_work_than_python(program: Program) -> None:
    found = counted(program)
    if found:
        work, steps = found[-1]
        assert steps <= (SPECIAL if program.name in LONG else BOUND) * work, found
        last = ratios(found)[-2:]
        assert len(last) < 2 or last[1] <= max(0.3, GROWTH * last[0]), (found, last)


LONG = frozenset({"gamma_likelihood", "simulated_events", "priorities_with_marks"})
"""A series; heaps, whose sifting is C's in Python."""


# --- recursions -----------------------------------------------------------------------------------


def by_size(f: Recursion, sizes: Sequence[int]) -> tuple[list[float], list[float]]:
    """Steps of the function for a bytecode, and steps of the gradient for a step of the
    function."""
    function, gradient = [], []
    for d in sizes:
        done = python_work.work(f, (0.5, d))
        assert done is not None
        assert harness.distance(f(0.5, d), harness.run(f, (0.5, d), "eval")) < 1e-12
        steps = harness.steps(f, (0.5, d))
        function.append(steps / done.bytecodes)
        gradient.append(harness.steps(f, (0.5, d), "chad") / steps)
    return function, gradient


def assert_bounded(f: Recursion, sizes: Sequence[int] = (3, 7), text: str = "") -> None:
    (small, large), gradients = by_size(f, sizes)
    grown = large > GROWTH * small or gradients[1] > GROWTH * gradients[0]
    if grown:  # by ways through it that are taken at some depths, or without end
        (small, large), gradients = by_size(f, (sizes[-1], sizes[-1] + 3))
    assert large <= max(0.2, GROWTH * small) and large <= BOUND, (small, large, text)
    assert max(gradients) <= GRADIENT, (gradients, text)
    assert gradients[1] <= GROWTH * gradients[0], (gradients, text)


@pytest.mark.parametrize("f", RECURSIONS, ids=lambda f: f.__name__)
def test_recursions_and_their_gradients(f: Recursion) -> None:
    assert_bounded(f)


def test_random_recursions_and_their_gradients(tmp_path: Path) -> None:
    for seed in seeds("work", 6, 6, 1500):
        assert_bounded(random_recursion(seed, tmp_path), text=random_text(seed))


@pytest.mark.parametrize("f", TABLES, ids=lambda f: f.__name__)
def test_tables_that_functions_hand_on(f: Recursion) -> None:
    assert_bounded(f, (16, 128))
