"""Descriptors, cached properties and methods of numbers are Python's."""

import pytest

import pullback as pb
from tests import campaign, harness
from tests.frontend import descriptor_programs as programs
from tests.frontend.harness import agrees


@pytest.mark.parametrize("f", programs.RIGHT, ids=lambda f: f.__name__)
def test_values(f):
    """By the evaluator, beside Python."""
    agrees(f, 0.7)


@pytest.mark.parametrize("f", campaign.part("values", programs.RIGHT, 3), ids=lambda f: f.__name__)
def test_derivatives(f):
    """By both methods and forward, beside differences."""
    slope = pytest.approx(harness.difference(f, (0.7,), (1.0,)), rel=1e-6, abs=1e-8)
    for method in ("chad", "dual"):
        value, (gradient,) = harness.gradient(f, (0.7,), (0,), "native", method)
        assert value == pytest.approx(f(0.7)) and gradient == slope
    assert harness.forward(f, (0.7,), (1.0,)) == slope


@pytest.mark.parametrize(
    ("f", "cls"), [(programs.grown, programs.Account), (programs.computed, programs.Square)]
)
def test_arguments_are_updated(f, cls):
    """By descriptors; a cached property is kept in the caller's object, and read from there."""
    compiled, mine, theirs = pb.jit(f), cls(2.0), cls(2.0)
    for x in (0.5, 0.7):
        assert compiled(x, mine) == pytest.approx(f(x, theirs))
        assert vars(mine) == pytest.approx(vars(theirs))


@pytest.mark.parametrize("f", programs.REFUSED, ids=lambda f: f.__name__)
def test_refused(f):
    with pytest.raises(pb.PullbackError):
        pb.jit(f)(0.7)
