"""Dicts that may lack keys: as in Python where they are read, asked and updated by their keys;
refused where their order, or all of their keys, would be seen."""

import pytest

import pullback as pb
from tests.foreign.__main__ import is_right
from tests.frontend.loose_dict_programs import PROGRAMS, REFUSED


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_python(f):
    is_right(f, (1.3,))


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_refused(f):
    with pytest.raises(pb.PullbackError) as caught:
        pb.jit(f)(1.3)
    assert "internal" not in str(caught.value) and "loose_dict_programs.py" in str(caught.value)


def test_an_argument_that_gets_a_key_on_some_paths():
    """It has it for the caller where it has got it, or the update is refused."""

    def f(d, x):
        if x > 1.0:
            d["more"] = "text"
        return d["a"] * x

    for x in (0.5, 2.0, 0.5):
        mine, theirs = {"a": 3.0}, {"a": 3.0}
        wanted = f(theirs, x)
        try:
            found = pb.jit(f)(mine, x)
        except pb.PullbackError:
            assert mine == {"a": 3.0}
        else:
            assert found == wanted and mine == theirs
