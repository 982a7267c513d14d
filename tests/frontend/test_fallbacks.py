"""``__getattr__`` of a class is asked where Python asks it."""

import copy

import pytest

import pullback as pb
from tests import campaign, harness
from tests.frontend import asked_programs as programs
from tests.frontend.harness import agrees

HELD = programs.Proxy(programs.Engine(3.0))
SLOTTED = programs.Slotted(programs.Engine(3.0))


@pytest.mark.parametrize("f", programs.RIGHT, ids=lambda f: f.__name__)
def test_values(f):
    """By the evaluator, beside Python."""
    agrees(f, 0.7)


@pytest.mark.parametrize("f", campaign.part("values", programs.RIGHT, 5), ids=lambda f: f.__name__)
def test_derivatives(f):
    """By both methods and forward, beside differences."""
    slope = pytest.approx(harness.difference(f, (0.7,), (1.0,)), rel=1e-6, abs=1e-8)
    for method in ("chad", "dual"):
        value, (gradient,) = harness.gradient(f, (0.7,), (0,), "native", method)
        assert value == pytest.approx(f(0.7)) and gradient == slope
    assert harness.forward(f, (0.7,), (1.0,)) == slope


@pytest.mark.parametrize("f", programs.REFUSED, ids=lambda f: f.__name__)
def test_refused(f):
    with pytest.raises(pb.PullbackError):
        pb.jit(f)(0.7)


def used(p, x):
    return p.power * x + p.twice + p.run(2.0) + getattr(p, "calls", 0)


@pytest.mark.parametrize("cls", [programs.Proxy, programs.Counting, programs.Slotted])
def test_arguments(cls):
    compiled, mine, theirs = pb.jit(used), cls(programs.Engine(2.0)), cls(programs.Engine(2.0))
    for x in (0.5, 0.7):
        assert compiled(mine, x) == used(theirs, x)
        assert vars(mine._inner) == vars(theirs._inner)


def test_what_an_argument_keeps():
    def f(a, x):
        return a.root * x + a.root

    compiled, mine, theirs = pb.jit(f), programs.Lazy(4.0), programs.Lazy(4.0)
    for x in (2.0, 3.0):
        assert compiled(mine, x) == f(theirs, x) and vars(mine) == vars(theirs)


def test_an_attribute_that_is_no_argument():
    """It is there, so it is not asked for."""

    def f(c, x):
        return x if isinstance(c.lock, float) else 2.0 * x

    compiled, c = pb.jit(f), programs.Cached(1.0)
    assert compiled(c, 3.0) == 3.0
    c.lock = memoryview(b"")
    with pytest.raises(pb.PullbackError, match="lock"):
        compiled(c, 3.0)


def test_captured():
    """Every call sees what the object has now."""

    def f(x):
        return HELD.power * x + getattr(HELD, "own", 5.0)

    def g(x):
        return SLOTTED.power * x

    compiled = pb.jit(f)
    assert compiled(2.0) == f(2.0) == 11.0
    HELD._inner.own = 2.0
    assert compiled(2.0) == f(2.0) == 8.0
    HELD.own = 12.0
    assert compiled(2.0) == f(2.0) == 18.0
    del HELD.own, HELD._inner.own
    assert compiled(2.0) == f(2.0) == 11.0
    with pytest.raises(pb.PullbackError, match="slots and __getattr__"):
        pb.jit(g)(2.0)


def test_another_one():
    """The class is given another ``__getattr__``, or the attribute."""

    class Changed:
        def __init__(self, a):
            self.a = a

        def __getattr__(self, name):
            return 2.0 * self.a

    def f(c):
        return c.lacking

    compiled = pb.jit(f)
    assert compiled(Changed(1.0)) == 2.0
    Changed.__getattr__ = lambda self, name: 3.0 * self.a
    assert compiled(Changed(1.0)) == 3.0
    Changed.lacking = 7.0
    assert compiled(Changed(1.0)) == 7.0


def copied(x):
    return copy.copy(programs.Lazy(x)).a


def copied_deeply(x):
    a = programs.Lazy(x)
    a.other = a
    return copy.deepcopy(a).other.a


@pytest.mark.parametrize("f", [copied, copied_deeply])
def test_copies_are_refused(f):
    """Python asks the empty copy for ``__setstate__``."""
    with pytest.raises(pb.PullbackError, match="__getattr__ of its own"):
        pb.jit(f)(0.7)
