"""Classes that are defined inside of compiled functions."""

import numpy as np
import pytest

import pullback as pb
from tests import harness
from tests.campaign import part
from tests.foreign.__main__ import is_right
from tests.frontend import captured_classes, capturing_classes
from tests.frontend import local_class_programs as programs
from tests.frontend.harness import agrees


@pytest.mark.parametrize(("f", "args"), programs.RIGHT, ids=lambda f: getattr(f, "__name__", ""))
def test_values_and_derivatives(f, args):
    agrees(f, *args)
    rng = np.random.default_rng(1)
    tangents = tuple(harness.direction(rng, a) for a in args)
    _, gradient = harness.gradient(f, args, tuple(range(len(args))), "native", "chad")
    along = harness.inner(gradient, tangents)
    assert along == pytest.approx(harness.difference(f, args, tangents), rel=1e-6, abs=1e-8)


CAPTURING = [*capturing_classes.PROGRAMS, *captured_classes.PROGRAMS]


@pytest.mark.parametrize("f", part("values", CAPTURING, 3), ids=lambda f: f.__name__)
def test_methods_that_use_variables(f):
    is_right(f, (1.3,))


@pytest.mark.parametrize(("f", "message"), programs.REFUSED)
def test_refused(f, message):
    with pytest.raises(pb.PullbackError, match=message):
        pb.jit(f)(1.0)


def test_an_object_comes_out():
    def given(x):
        class Point:
            def __init__(self, x):
                self.x = x

        return Point(2.0 * x)

    made = pb.jit(given)(1.5)
    assert type(made).__name__ == "Point" and made.x == 3.0
    assert type(made) is type(pb.jit(given)(2.5))
