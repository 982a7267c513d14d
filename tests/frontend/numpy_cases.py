"""Compute a function of NumPy code in all ways: value, derivatives, evaluator, native, differences.

The gradient is always computed natively, with its value; the evaluator computes the gradient or the
tangent, in turns of the shards of the campaign "agreement"; the tangent and the value by code
of its own are computed natively for the functions in the shard."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests import campaign, harness

EVERY = 8
EVALUATED = ("reverse", "forward")


def check_value(f: Callable[..., Any], args: tuple[Any, ...], tolerance: float = 1e-11) -> None:
    """Assert that the evaluator or native code give NumPy's value."""
    wanted = leaves(f(*args))
    for tier in campaign.rotated("agreement", f.__qualname__, ("eval", "native")):
        found = leaves(harness.run(f, args, tier))
        assert len(found) == len(wanted)
        for mine, numpys in zip(found, wanted):
            assert np.shape(mine) == np.shape(numpys), tier
            np.testing.assert_allclose(
                np.asarray(mine, float), np.asarray(numpys, float), tolerance, tolerance, True, tier
            )


def leaves(value: Any) -> list[Any]:
    if isinstance(value, tuple | list):
        return [leaf for part in value for leaf in leaves(part)]
    return [value]


def tier_of(f: Callable[..., Any]) -> str:
    """Return the tier in which the other ways of a function run."""
    return "native" if campaign.chosen("agreement", f.__qualname__, EVERY) else "eval"


def check_derivatives(
    f: Callable[..., Any], args: tuple[Any, ...], tolerance: float = 1e-6
) -> None:
    """Assert that reverse mode, another way (``EVALUATED``) and finite differences agree, for the
    first argument, and that the value beside the gradient is NumPy's."""
    rng = np.random.default_rng(1)
    value, native = harness.gradient(f, args, (0,), "native")
    np.testing.assert_allclose(value, f(*args), 1e-8, 1e-9)
    ways = campaign.rotated("agreement", f"{f.__qualname__}, derivatives", EVALUATED)
    if "reverse" in ways:
        _, evaluated = harness.gradient(f, args, (0,), "eval")
        np.testing.assert_allclose(native[0], evaluated[0], 1e-8, 1e-9)
    tangents = (harness.direction(rng, args[0]), *(harness.still(a) for a in args[1:]))
    reverse = harness.inner(native, tangents[:1])
    if "forward" in ways or tier_of(f) == "native":
        forward = float(harness.forward(f, args, tangents, tier_of(f)))
        np.testing.assert_allclose(reverse, forward, 1e-8, 1e-9)
    if np.size(args[0]):
        difference = harness.difference(f, args, tangents)
        np.testing.assert_allclose(reverse, difference, tolerance, 1e-7)
