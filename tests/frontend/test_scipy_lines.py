"""Calls of SciPy as people write them (``scipy_lines``): values, types, shapes and errors are
SciPy's; derivatives by both methods and forward, and those of second order, are differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import campaign, harness
from tests.frontend import scipy_lines
from tests.frontend.numpy_oracle import flat
from tests.frontend.test_numpy_lines import outcome

ALL = scipy_lines.lines()
PART = campaign.part("lines", ALL, 8)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def same(found: Any, wanted: Any, line: str) -> None:
    """Compare two results: their classes, types, shapes and numbers."""
    mine, theirs = flat(found), flat(wanted)
    assert len(mine) == len(theirs), line
    for a, b in zip(mine, theirs):
        if not isinstance(b, np.ndarray | np.generic | int | float | complex):
            assert a == b, line
            continue
        assert np.shape(a) == np.shape(b), line
        assert np.asarray(a).dtype == np.asarray(b).dtype, line
        near = 1e-5 if np.asarray(b).dtype == np.float32 else 1e-9
        np.testing.assert_allclose(a, b, near, near, err_msg=line)


@pytest.mark.parametrize("line", PART)
def test_values_are_scipys(line: str) -> None:
    f = scipy_lines.function_of(line)
    wanted = outcome(f, scipy_lines.arguments_of(line))
    same(outcome(pb.jit(f), scipy_lines.arguments_of(line)), wanted, line)


def scalar(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose result is a number that depends on all of the result, smoothly; on
    NaN, which outside of a domain is as constant as any fill value, not at all."""

    def weighed(*args: Any) -> Any:
        found = function(*args)
        total = 0.0
        for several in found if isinstance(found, tuple) else (found,):
            for part in several if isinstance(several, tuple) else (several,):
                part = np.where(np.isnan(part), 0.0, part)
                weights = 1.0 + 0.1 * np.arange(np.size(part))
                total += np.sum(np.sin(0.1 * np.ravel(np.real(part))) * weights)
                total += np.sum(np.cos(0.3 * np.ravel(np.imag(part)) + 1.0) * weights)
        return total

    return weighed


@pytest.mark.parametrize("line", campaign.part("lines", ALL, 16, core=()))
def test_derivatives_are_differences(line: str) -> None:
    f, args = scipy_lines.function_of(line), scipy_lines.arguments_of(line)
    reals = tuple(n for n, a in enumerate(args) if harness.is_real(a))
    wanted = outcome(f, args)
    floats = [v for v in flat(wanted) if np.asarray(v).dtype in (np.float64, np.complex128)]
    if not floats or len(floats) < len(flat(wanted)):
        return
    whole, rng = scalar(f), np.random.default_rng(1)
    tangents = tuple(harness.direction(rng, a) for a in args)
    slope = harness.difference(whole, args, tangents)
    for method in ("chad", "dual"):
        slopes = pb.grad(whole, reals, method=method)(*args)
        found = sum(np.sum(g * tangents[n]) for g, n in zip(slopes, reals))
        np.testing.assert_allclose(found, slope, 2e-6, 2e-6, err_msg=f"{line} {method}")
    forward = pb.jit(lambda *args: pb.jvp(whole, args, tangents)[1])
    np.testing.assert_allclose(forward(*args), slope, 2e-6, 2e-6, err_msg=line)
    second = pb.jvp(forward, args, tangents)[1]
    bend = harness.difference(forward, args, tangents)
    np.testing.assert_allclose(second, bend, 2e-5, 2e-5, err_msg=line)
