"""Spread arguments that ``*rest`` takes: as in Python, or refused."""

import pytest

import pullback as pb
from tests.foreign.__main__ import is_right
from tests.frontend.rest_programs import PROGRAMS, REFUSED


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_python(f):
    is_right(f, (1.3,))


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_refused(f):
    with pytest.raises(pb.UnsupportedError, match="must be known at compile time"):
        pb.jit(f)(1.3)
