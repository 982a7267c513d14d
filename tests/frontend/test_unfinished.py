"""Updates by calls that raise: right where nothing has changed yet, else refused, never wrong."""

import pytest

import pullback as pb
from tests import harness
from tests.frontend import unfinished_programs as programs
from tests.frontend.harness import agrees

POINTS = 0.5, 1.1, 2.0, 2.7, 4.03


@pytest.mark.parametrize("f", programs.RIGHT, ids=lambda f: f.__name__)
def test_nothing_has_changed_where_it_raises(f):
    for x in POINTS:
        agrees(f, x)


@pytest.mark.parametrize("method", ["chad", "dual"])
@pytest.mark.parametrize("f", [programs.tests_first, programs.of_two, programs.in_a_list])
def test_derivatives(f, method):
    for x in (1.13, 2.07):
        value, gradient = harness.gradient(f, (x,), (0,), "native", method)
        assert value == pytest.approx(f(x), rel=1e-12)
        slope = harness.difference(f, (x,), (1.0,))
        assert gradient == pytest.approx((slope,), rel=1e-6)


@pytest.mark.parametrize("update", programs.UNKNOWN, ids=lambda f: f.__name__)
def test_what_has_changed_in_part_is_refused(update):
    with pytest.raises(pb.PullbackError, match="may raise after it has changed 'a'"):
        pb.jit(programs.unknown(update))(1.5)


def test_a_list_is_not_copied_where_a_call_may_raise():
    def work(n):
        return pb.cost(programs.tests_first_of, 1.0, n)

    assert work(800) < 2.1 * work(400)
