"""NumPy's functions with the keywords that are less usual (``numpy_lines``): values, types, shapes
and errors are NumPy's; derivatives by both methods and forward are differences."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import campaign, harness
from tests.frontend import numpy_lines, surface
from tests.frontend.numpy_oracle import flat

ALL = numpy_lines.lines()


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def outcome(f: Any, args: tuple[Any, ...]) -> Any:
    """Return the value, or the error, as its class and text."""
    try:
        return f(*args)
    except pb.PullbackError:
        raise
    except Exception as error:
        return type(error), str(error)


def same(found: Any, wanted: Any, line: str) -> None:
    """Compare two results: their classes, types, shapes and numbers."""
    mine, numpys = flat(found), flat(wanted)
    assert len(mine) == len(numpys), line
    for a, b in zip(mine, numpys):
        if not isinstance(b, np.ndarray | np.generic | int | float):
            assert a == b, line
            continue
        assert np.shape(a) == np.shape(b), line
        assert np.asarray(a).dtype == np.asarray(b).dtype, line
        assert isinstance(a, np.generic | np.ndarray) == isinstance(b, np.generic | np.ndarray)
        assert isinstance(a, np.ndarray) is isinstance(b, np.ndarray), line
        near = 1e-5 if np.asarray(b).dtype == np.float32 else 1e-9
        np.testing.assert_allclose(a, b, near, near, err_msg=line)


@pytest.mark.parametrize("k", range(4))
def test_values_are_numpys(k: int) -> None:
    for line in campaign.part("lines", ALL[k::4], 8):
        f = numpy_lines.function_of(line)
        wanted = outcome(f, numpy_lines.arguments_of(line))
        same(outcome(pb.jit(f), numpy_lines.arguments_of(line)), wanted, line)


@pytest.mark.parametrize("k", range(4))
def test_derivatives_are_differences(k: int) -> None:
    for line in campaign.part("lines", ALL[k::4], 24, core=()):
        f, args = numpy_lines.function_of(line), numpy_lines.arguments_of(line)
        reals = tuple(n for n, a in enumerate(args) if harness.is_real(a))
        wanted = outcome(f, args)
        numbers = [v for v in flat(wanted) if harness.is_real(v)]
        if not reals or not numbers or any(np.asarray(v).dtype == np.float32 for v in numbers):
            continue
        if line in JUMPS:
            continue
        compare_derivatives(line, surface.scalar(f), args, reals)


JUMPS = ("np.frexp(v)",)
"""Lines whose value jumps at one of the numbers that they are tried with (frexp at 0.5)."""


def compare_derivatives(
    line: str, f: Any, args: tuple[Any, ...], reals: tuple[int, ...]
) -> None:
    """Compare the derivatives of a function along one direction with differences."""
    rng = np.random.default_rng(1)
    tangents = tuple(harness.direction(rng, a) for a in args)
    wanted = harness.difference(f, args, tangents)
    for method in ("chad", "dual"):
        slopes = pb.grad(f, reals, method=method)(*args)
        found = sum(np.sum(g * tangents[n]) for g, n in zip(slopes, reals))
        np.testing.assert_allclose(found, wanted, 2e-6, 2e-6, err_msg=f"{line} {method}")
    forward = harness.forward(f, args, tangents)
    np.testing.assert_allclose(forward, wanted, 2e-6, 2e-6, err_msg=line)
