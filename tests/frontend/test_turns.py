"""Variables that are changed in one place and read in another, in turns, and functions with
variables of their own: as in Python, with the derivative, or refused."""

import pytest

import pullback as pb
from tests.campaign import part
from tests.frontend import (
    applied_programs,
    chosen_programs,
    counters_programs,
    mixed_programs,
    turns_programs,
    turns_refused,
)
from tests.frontend.harness import run, same

X = [0.7, 1.3, 0.9]
PROGRAMS = [
    *turns_programs.PROGRAMS, *applied_programs.PROGRAMS, *counters_programs.PROGRAMS,
    *mixed_programs.PROGRAMS, *chosen_programs.PROGRAMS, *turns_refused.RIGHT,
]  # fmt: skip
DIFFERENTIATED = [
    turns_programs.counts_in_turns, turns_programs.appends_between,
    turns_programs.recursive_walk_that_counts, turns_programs.returns_from_the_loop,
    turns_programs.int_becomes_float, turns_programs.generator_over_a_generator,
    turns_programs.queue_that_the_body_fills, applied_programs.expressions_that_count,
    turns_programs.walrus_with_break_and_else, applied_programs.key_that_counts,
    counters_programs.counters_in_a_loop, counters_programs.memo_of_a_function_that_counts,
    *chosen_programs.PROGRAMS, counters_programs.stack_of_closures,
    counters_programs.composed_counters,
]  # fmt: skip


def name_of(f):
    return getattr(f, "__name__", "")


@pytest.mark.parametrize("f", PROGRAMS, ids=name_of)
def test_as_in_python(f):
    same(run(f, list(X)), f(list(X)))


@pytest.mark.parametrize("f", part("values", DIFFERENTIATED, 3), ids=name_of)
def test_gradients(f):
    """Natively, and by finite differences."""
    value, found = pb.value_and_grad(f)(X)
    assert value == pytest.approx(f(X), rel=1e-12)
    for k in range(3):
        up, down = list(X), list(X)
        up[k] += 1e-6
        down[k] -= 1e-6
        assert found[k] == pytest.approx((f(up) - f(down)) / 2e-6, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("f", turns_refused.REFUSED, ids=name_of)
def test_refused(f):
    with pytest.raises(pb.PullbackError, match=turns_refused.REFUSED[f]):
        run(f, list(X))
