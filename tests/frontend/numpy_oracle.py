"""Plain NumPy is the oracle: a function is specialised, evaluated and compared with its own run."""

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.core.check import check
from pullback.core.eval import evaluate
from pullback.core.terms import Dialect
from tests.frontend.compile import compile_for  # the one place that knows the entry point


def evaluated(f: Callable[..., Any], *args: Any) -> Any:
    """The value of f(*args) by the evaluator, in one list of leaves."""
    program, leaves = compile_for(f, args)
    check(program, Dialect.SOURCE)
    return list(evaluate(program, leaves)[0])


def flat(value: Any) -> list[Any]:
    if isinstance(value, tuple | list):
        return [leaf for part in value for leaf in flat(part)]
    return [value]


def agree(f: Callable[..., Any], *args: Any, tolerance: float = 1e-12) -> None:
    """Value, shape and element type are NumPy's; an exception is NumPy's too."""
    with np.errstate(all="ignore"):
        try:
            wanted = flat(f(*args))
        except (ValueError, IndexError, ZeroDivisionError, OverflowError) as error:
            caught: type[Exception] | None = None
            try:
                evaluated(f, *args)
            except (ValueError, IndexError, ZeroDivisionError, OverflowError) as mine:
                caught = type(mine)
            assert caught is not None, f"NumPy raises {error!r}"
            assert issubclass(caught, type(error).__mro__[-4]), f"{caught} for {error!r}"
            return
        found = evaluated(f, *args)
    assert len(found) == len(wanted)
    for mine, numpys in zip(found, wanted):
        assert np.shape(mine) == np.shape(numpys), f"{np.shape(mine)} for {np.shape(numpys)}"
        if isinstance(numpys, np.ndarray):
            assert mine.dtype == numpys.dtype, f"{mine.dtype} for {numpys.dtype}"
        else:
            kinds = {"f": (float, np.floating), "i": (int, np.integer), "b": (bool, np.bool_)}
            assert isinstance(mine, kinds[np.asarray(numpys).dtype.kind]), f"{mine!r}: {numpys!r}"
        np.testing.assert_allclose(
            np.asarray(mine, float), np.asarray(numpys, float), rtol=tolerance, atol=tolerance
        )
