"""Sets and frozensets as arguments, inside of arguments and around a function: values, gradients by
both methods, what is raised and what the caller's sets are afterwards are those of Python."""

import copy

import pytest

import pullback as pb
from tests.campaign import part, rotated
from tests.frontend import given_set_programs as programs


def name_of(case):
    return case[0].__name__


def outcome(f, args):
    """The value or exception of a call, and what the arguments are then."""
    args = copy.deepcopy(args)
    try:
        found = f(*args)
    except ValueError as e:
        found = str(e)
    return found, [vars(a) if hasattr(a, "__dict__") else a for a in args]


@pytest.mark.parametrize("case", part("values", programs.PROGRAMS, 2), ids=name_of)
def test_as_in_python(case):
    f, *args = case
    (value, state), (wanted, then) = outcome(pb.jit(f), args), outcome(f, args)
    assert value == pytest.approx(wanted) and state == then


@pytest.mark.parametrize("case", part("values", programs.PROGRAMS, 3), ids=name_of)
def test_gradients(case):
    f, *args = case
    k = args.index(0.7)
    if isinstance(outcome(f, args)[0], str):
        return

    def at(x):
        return f(*copy.deepcopy(args[:k]), x, *copy.deepcopy(args[k + 1 :]))

    for method in rotated("values", f.__name__, ("chad", "dual")):
        found, state = outcome(pb.grad(f, argnums=k, method=method), args)
        assert found == pytest.approx((at(0.7 + 1e-6) - at(0.7 - 1e-6)) / 2e-6, rel=1e-5)
        assert state == outcome(f, args)[1]


def test_sets_around_a_function_are_updated():
    found = []
    for f in (programs.global_set, pb.jit(programs.global_set)):
        programs.refilled()
        found.append([f(0.5), set(programs.MARKS), f(2.0), set(programs.MARKS | programs.NAMES)])
    programs.refilled()
    assert pb.grad(programs.global_set)(0.5) == 6.0 and {1, 2, 7} == programs.MARKS
    programs.refilled()
    assert found[0] == found[1]


def test_a_set_has_no_gradient():
    args = {"w": 2.0, "seen": {1, 2}}, 3.0
    for method in ("chad", "dual"):
        found = pb.grad(lambda p, x: p["w"] * x * len(p["seen"]), method=method)(*args)
        assert found == {"w": 6.0, "seen": None}
    with pytest.raises(TypeError, match="a set of int items"):
        pb.grad(programs.members, argnums=1)(0.7, {1, 2}, 1)


@pytest.mark.parametrize("items", [{1, "a"}, {1.5}, {None, "a", 1}])
def test_sets_of_several_types_are_refused(items):
    with pytest.raises(pb.PullbackError, match="only the run knows what is in a set"):
        pb.jit(programs.members)(0.7, items, 1)


@pytest.mark.parametrize("items", [{None}, {1, 2, None}, {"a", None}, {(1, None), (2, 3)}])
def test_sets_with_none(items):
    def f(x, s, i):
        return x * len(s) + (i in s) * 2.0 + (None in s) * 3.0 + ((i, None) in s) * 5.0

    for i in (1, 4):
        assert pb.jit(f)(0.7, items, i) == f(0.7, items, i)


class Tagged:
    def __init__(self, x):
        self.x = x
        self.tags = {1, 2}


def test_sets_in_objects_of_a_list_are_left_out():
    """A program that does not read them takes lists of any length, and one object's set is read."""
    many = [Tagged(float(k)) for k in range(100)]
    assert pb.jit(lambda ps: sum(p.x for p in ps))(many) == 4950.0
    assert pb.jit(lambda o: o.x * len(o.tags))(many[2]) == 4.0
    with pytest.raises(pb.PullbackError, match="there are sets or large dicts in it"):
        pb.jit(lambda ps: sum(len(p.tags) for p in ps))(many)
