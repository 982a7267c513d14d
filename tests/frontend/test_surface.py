"""Every function in the table of names, on arguments made from its signature: NumPy's values,
shapes, types and errors, and derivatives by differences. The campaign "surface" makes all calls."""

import inspect
import warnings
from collections.abc import Iterator

import numpy as np
import pytest

from pullback.errors import PullbackError
from pullback.frontend.kinds.values import CALLS
from pullback.frontend.library.text.names import ARRAYS, LISTS, OTHERS
from tests import campaign, harness
from tests.frontend import surface
from tests.frontend.numpy_oracle import evaluated, flat

NAMES = list(surface.texts())
EVERY = 40
NOT_SUPPORTED = "is not supported"
"""Refusals that texts decide on, where they mean less than NumPy's function."""


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def compare(call: surface.Call) -> None:
    """Our value is NumPy's; where NumPy raises, ours is an error of the same class or a refusal."""
    try:
        wanted = flat(call.function(*call.args))
    except (ValueError, TypeError, IndexError, RuntimeError, ZeroDivisionError) as error:
        with pytest.raises((PullbackError, *type(error).__mro__[:-3])):
            evaluated(call.function, *call.args)
        return
    try:
        found = evaluated(call.function, *call.args)
    except (PullbackError, ValueError) as error:
        assert NOT_SUPPORTED in str(error), call.name
        return
    near = 1e-5 if any(np.asarray(a).dtype == np.float32 for a in call.args) else 1e-12
    assert len(found) == len(wanted)
    for mine, numpys in zip(found, wanted):
        assert np.shape(mine) == np.shape(numpys), call.name
        assert not np.ndim(numpys) or mine.dtype == numpys.dtype, call.name
        numbers = np.asarray(mine, float), np.asarray(numpys, float)
        np.testing.assert_allclose(*numbers, near, near, err_msg=call.name)


@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_of_the_library(name: str) -> None:
    for call in campaign.part("surface", surface.all_calls(name), EVERY):
        compare(call)


@pytest.mark.parametrize("name", NAMES)
def test_derivatives_are_differences(name: str) -> None:
    usual = [c for shape in surface.USUAL for c in surface.calls(name, shape) if c.args]
    tier = "native" if campaign.full("surface") else "eval"
    for call in campaign.part("surface", usual, EVERY):
        f, rng = surface.scalar(call.function), np.random.default_rng(1)
        try:
            value = f(*call.args)
        except (ValueError, TypeError, IndexError, RuntimeError, ZeroDivisionError):
            continue  # compared above
        if np.isfinite(value):
            places = tuple(range(len(call.args)))
            tangents = tuple(harness.direction(rng, a) for a in call.args)
            try:
                _, slopes = harness.gradient(f, call.args, places, tier)
            except PullbackError as refusal:
                assert NOT_SUPPORTED in str(refusal), call.name
                continue
            found = harness.inner(slopes, tangents)
            wanted = harness.difference(f, call.args, tangents)
            np.testing.assert_allclose(found, wanted, 1e-6, 1e-7, err_msg=call.name)


@pytest.mark.parametrize("name", NAMES)
def test_signatures_are_those_of_the_library(name: str) -> None:
    """The arguments have the library's names, order and defaults; some of its may be missing."""
    function = surface.texts()[name]
    try:
        theirs = inspect.signature(function).parameters
    except ValueError:
        return  # a function in C
    names = list(theirs)
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
    for p in inspect.signature(ARRAYS[function]).parameters.values():
        if p.kind in kinds or theirs.get(p.name) is None:
            assert p.kind is p.POSITIONAL_ONLY, f"{name} has no argument {p.name}"
            continue
        default = theirs[p.name].default
        if p.kind is not p.KEYWORD_ONLY:
            before = list(inspect.signature(ARRAYS[function]).parameters)
            assert before.index(p.name) == names.index(p.name), p.name
        if isinstance(default, int | float | str | None) and "_NoValue" not in repr(default):
            assert p.default == default, p.name


def test_a_function_has_one_meaning() -> None:
    assert not set(CALLS) & set(ARRAYS | LISTS | OTHERS)
