"""Dicts whose keys are of several types, made, updated, given and returned, as in Python."""

import copy

import pytest

import pullback as pb
from tests.campaign import part
from tests.foreign.__main__ import is_right
from tests.frontend.mixed_key_programs import PROGRAMS


def name_of(case):
    return case[0].__name__


@pytest.mark.parametrize("case", PROGRAMS, ids=name_of)
def test_as_in_python(case):
    f, *args = case
    mine, other = copy.deepcopy(args), copy.deepcopy(args)
    found, wanted = pb.jit(f)(*mine), f(*other)
    assert found == pytest.approx(wanted) and type(found) is type(wanted) and mine == other


@pytest.mark.parametrize("case", part("values", PROGRAMS, 3), ids=name_of)
def test_gradients(case):
    f, *args = case
    is_right(f, tuple(args))


def test_the_gradient_has_the_keys():
    d = {None: 2.0, (1, 2): 3.0, "a": [4.0]}

    def f(d):
        return d[None] * d[1, 2] + d["a"][0] * d[1, 2]

    for method in ("chad", "dual"):
        assert pb.grad(f, method=method)(d) == {None: 3.0, (1, 2): 6.0, "a": [3.0]}


@pytest.mark.parametrize("key", [0.5, True, (1, 0.5), (True, 2), b"k"])
def test_other_keys_are_refused(key):
    with pytest.raises(TypeError, match="a dict with the key"):
        pb.jit(lambda d: sum(d.values()))({key: 1.0})
