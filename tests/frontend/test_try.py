"""``try``: exceptions that the function itself catches, beside plain Python."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import pullback as pb
from tests import campaign, harness
from tests.frontend import try_programs as programs
from tests.frontend import try_refused as refused
from tests.frontend.harness import agrees

EVALUATED = [p for p in programs.PROGRAMS if p[0] not in programs.BY_DERIVATIVE]
DERIVED = [p for p in programs.PROGRAMS if p[0] not in programs.WITH_JUMPS]


def name_of(case):
    return getattr(case, "__name__", "")


@pytest.mark.parametrize(("f", "args"), EVALUATED, ids=name_of)
def test_values(f, args):
    agrees(f, *args)


@pytest.mark.parametrize(("f", "args"), campaign.part("values", DERIVED, 3), ids=name_of)
def test_values_and_derivatives_natively(f, args):
    argnums = tuple(k for k, a in enumerate(args) if not isinstance(a, int))
    rng = np.random.default_rng(1)
    tangents = tuple(harness.direction(rng, a) for a in args)
    slope = harness.difference(f, args, tangents)
    for method in campaign.rotated("values", f.__name__, ("chad", "dual")):
        value, gradient = harness.gradient(f, args, argnums, "native", method)
        assert math.isclose(value, f(*args), rel_tol=1e-12, abs_tol=1e-12)
        along = harness.inner(gradient, tuple(tangents[k] for k in argnums))
        assert math.isclose(along, slope, rel_tol=1e-6, abs_tol=1e-8)


@pytest.mark.parametrize(("f", "args", "message"), refused.PROGRAMS, ids=name_of)
def test_refused(f, args, message):
    with pytest.raises(pb.PullbackError, match=message):
        pb.jit(f)(*args)


def test_what_nobody_catches_is_raised_as_ever():
    agrees(programs.uncaught, -1.0)
    agrees(programs.raised_in_handler, -1.0)
    agrees(programs.raised_in_else, 0.5)
    with pytest.raises(ValueError, match="math domain error"):
        pb.grad(programs.uncaught)(-1.0)


def test_the_cause_is_of_the_class_that_was_caught():
    with pytest.raises(programs.OtherError, match="bad input") as found:
        pb.jit(programs.raised_from)(-1.0)
    assert isinstance(found.value.__cause__, ValueError)


@pytest.mark.parametrize("f", [programs.deep_tries, programs.counted_until, programs.many])
@pytest.mark.parametrize("method", [None, "chad", "dual"])
def test_the_work_is_that_of_the_part_before_the_exception(f, method):
    """A failure near the end doubles nothing; one at the start costs nothing."""

    def args(n, bad):
        if f is programs.deep_tries:
            return (1.5, n)
        xs = [1.0 + 0.01 * k for k in range(n)]
        xs[bad] = -1.0
        return (xs,)

    count = functools.partial(harness.steps, f, method=method)
    small, large = count(args(50, 49)), count(args(400, 399))
    assert large <= 8.5 * small
    if f is programs.counted_until and method is None:
        assert count(args(4000, 3)) <= count(args(8, 3)) + 10
