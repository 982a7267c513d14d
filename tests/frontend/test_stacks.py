"""``contextlib.ExitStack`` and ``collections.ChainMap``."""

import numpy as np
import pytest

import pullback as pb
from tests import campaign, harness
from tests.frontend import entered_programs
from tests.frontend import stack_programs as programs
from tests.frontend.harness import agrees

EVERY = [*programs.RIGHT, *entered_programs.RIGHT]


@pytest.mark.parametrize("f", EVERY, ids=lambda f: f.__name__)
def test_values(f):
    """By the evaluator, beside Python."""
    agrees(f, 0.7)
    agrees(f, 1.3)


@pytest.mark.parametrize("f", campaign.part("values", EVERY, 3), ids=lambda f: f.__name__)
def test_derivatives(f):
    """By both methods and forward, beside differences."""
    tangents = (1.0,)
    slope = pytest.approx(harness.difference(f, (0.7,), tangents), rel=1e-6, abs=1e-8)
    for method in ("chad", "dual"):
        value, (gradient,) = harness.gradient(f, (0.7,), (0,), "native", method)
        assert value == pytest.approx(f(0.7)) and gradient == slope
    assert harness.forward(f, (0.7,), tangents) == slope
    assert pb.jit(f)(np.float64(1.3)) == pytest.approx(f(1.3))


REFUSED = programs.REFUSED


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_refused(f):
    with pytest.raises(pb.PullbackError):
        pb.jit(f)(0.7)
