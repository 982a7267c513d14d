"""Deques, ranges and the dicts of ``collections`` as arguments and results: values, with Python's
types, what the caller's objects are then, and derivatives."""

import copy
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque

import pytest

import pullback as pb
from tests import harness
from tests.campaign import part
from tests.frontend import given_container_programs as programs
from tests.frontend.given_container_programs import Log


def told(value):
    """What can be seen of a value, with its class."""
    match value:
        case ChainMap():
            inside = told(value.maps)
        case defaultdict():
            inside = value.default_factory, told([*value.items()])
        case dict():
            inside = told([*value.items()])
        case deque():
            inside = value.maxlen, told([*value])
        case list() | tuple():
            inside = [told(v) for v in value]
        case Log():
            inside = told(vars(value))
        case float():
            inside = pytest.approx(value, rel=1e-12)
        case _:
            inside = value
    return type(value).__name__, inside


def outcome(f, args):
    """The value or exception of a call, and what the arguments are then."""
    try:
        found = told(f(*args))
    except ValueError as e:
        found = repr(e)
    return found, told(args)


@pytest.mark.parametrize(
    ("f", "made"), part("values", programs.PROGRAMS, 3), ids=lambda v: v.__name__
)
def test_as_in_python(f, made):
    compiled = pb.jit(f)
    for _ in range(2):
        assert outcome(compiled, made()) == outcome(f, made())


@pytest.mark.parametrize("f", programs.MADE, ids=lambda f: f.__name__)
def test_classes_of_dicts(f):
    assert told(pb.jit(f)(0.7)) == told(f(0.7))


def test_one_place_has_values_of_several_classes():
    @pb.jit
    def first(x, d):
        return x * d[0]

    given = [deque([2.0]), [3.0], (4.0,), deque([5.0], maxlen=2), {0: 6.0}, OrderedDict({0: 7.0})]
    given += [Counter({0: 8}), range(9, 12), deque([10.0, 1.0])]
    assert [first(2.0, d) for d in given] == [4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0, 18.0, 20.0]


NUMBERED = [c for c in programs.PROGRAMS if c[0] in programs.NUMBERED]


@pytest.mark.parametrize(("f", "made"), part("values", NUMBERED, 3), ids=lambda v: v.__name__)
def test_derivatives(f, made):
    def first(x, *rest):
        value = f(x, *rest)
        return value[0] if isinstance(value, tuple) else value

    x, *rest = made()

    def at(x):
        return first(x, *copy.deepcopy(rest))

    slope = pytest.approx((at(x + 1e-6) - at(x - 1e-6)) / 2e-6, rel=1e-6)
    for method in ("chad", "dual"):
        mine, theirs = made(), made()
        assert pb.grad(first, method=method)(*mine) == slope
        first(*theirs)
        assert told(mine) == told(theirs)


def test_derivatives_by_a_deque():
    d, along = deque([1.0, 2.0, 4.0], maxlen=5), deque([0.5, 0.0, 1.0])
    slope = 2.0 * (1.0 * 0.5 + 3.0 * 4.0)
    for method in ("chad", "dual"):
        assert told(pb.grad(programs.weighted, method=method)(d)) == told(deque([2.0, 8.0, 24.0]))
    assert pb.jvp(programs.weighted, (d,), (along,)) == (57.0, slope)
    assert harness.run(programs.weighted, (d,), "eval") == 57.0

    out, pullback = pb.vjp(lambda x: deque([x, x * x], maxlen=3), 2.0)
    assert told(out) == told(deque([2.0, 4.0], maxlen=3)) and pullback(deque([1.0, 1.0])) == (5.0,)


@pytest.mark.parametrize(
    "given", [OrderedDict(b=3.0, a=2.0), Counter(a=2.0, b=3.0), defaultdict(float, a=2.0, b=3.0)],
    ids=lambda d: type(d).__name__,
)
def test_derivatives_by_a_dict(given):
    gradient = {k: {"a": 12.0, "b": 4.0}[k] for k in given}
    found = pb.grad(programs.of_keys)(given)
    assert type(found) is type(given) and list(found.items()) == list(gradient.items())
    along = type(given)(float, b=1.0, a=0.5) if type(given) is defaultdict else {"b": 1.0, "a": 0.5}
    assert pb.jvp(programs.of_keys, (given,), (along,)) == (12.0, 10.0)


def test_derivatives_by_several_dicts():
    given = ChainMap({"a": 2.0}, {"a": 9.0, "b": 3.0})
    gradient = ChainMap({"a": 12.0}, {"a": 0.0, "b": 4.0})
    assert told(pb.grad(programs.of_keys)(given)) == told(gradient)
    along = ChainMap({"a": 0.5}, {"a": 7.0, "b": 1.0})
    assert pb.jvp(programs.of_keys, (given,), (along,)) == (12.0, 10.0)


def test_the_cost_of_a_long_deque():
    """An item that is put in and one that is taken out cost what they cost in a short one."""
    def turned(d):
        s = 0.0
        for _ in range(100):
            d.append(d.popleft())
            s += d[0]
        return s

    short, long = (harness.steps(turned, (deque([1.0] * n),)) for n in (1000, 2000))
    assert long - short < 25 * 1000


def test_derivatives_inside_by_a_deque():
    """What a deque counts with is no part of its gradient, and does not get lost in one."""
    def cube(d):
        return d[0] ** 3 * d[1]

    given = deque([1.0, 2.0])
    assert pb.hvp(cube, (given,), (given,)) == (deque([18.0, 3.0]),)
    assert pb.grad(lambda d: sum(pb.grad(cube)(d)))(given) == deque([15.0, 3.0])
