"""Compare a function that is specialised and evaluated with its own run by plain NumPy, the
oracle."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pullback.core.check import check
from pullback.core.eval import evaluate
from pullback.core.terms import Dialect, Program
from pullback.frontend.kinds.kinds import Kind, ListK, ScalarK, StaticK, TupleK, leaf_types
from pullback.frontend.python.pytypes import type_of
from pullback.frontend.specialisation import Specialised
from pullback.frontend.specialise import specialise

ERRORS = (ValueError, IndexError, ZeroDivisionError, OverflowError)


def specialised(f: Callable[..., Any], *args: Any, assume_equal: bool = False) -> Specialised:
    """Return f, specialised for numbers and arrays of these types."""
    kinds = tuple(type_of(a) for a in args)
    return specialise(f, kinds, args, assume_equal=assume_equal)


def core(f: Callable[..., Any], *args: Any) -> Program:
    return specialised(f, *args).program


def evaluated(f: Callable[..., Any], *args: Any, assume_equal: bool = False) -> list[Any]:
    """Return the value of f(*args) by the evaluator, in one list of leaves."""
    special = specialised(f, *args, assume_equal=assume_equal)
    check(special.program, Dialect.SOURCE)
    values = [*args, *special.hidden_values(f, args)]
    leaves = [np.asarray(v) if isinstance(v, list) else v for v in values]
    return flat(rebuilt(special.result, iter(evaluate(special.program, leaves)[0])))


def rebuilt(kind: Kind, leaves: Iterator[Any]) -> Any:
    """Return the Python result of numbers, arrays, tuples and lists."""
    match kind:
        case StaticK(_, value):
            return value
        case TupleK(items):
            return [rebuilt(k, leaves) for k in items]
        case ListK(elem):
            next(leaves)
            columns = [list(next(leaves)) for _ in leaf_types(elem)]
            return [rebuilt(elem, iter(row)) for row in zip(*columns)]
        case ScalarK(may_be_int=True):
            number, is_int = next(leaves), next(leaves)
            return int(number) if is_int else number
        case _:
            return next(leaves)


def flat(value: Any) -> list[Any]:
    if isinstance(value, tuple | list):
        return [leaf for part in value for leaf in flat(part)]
    return [value]


def agree(f: Callable[..., Any], *args: Any, tolerance: float = 1e-12) -> None:
    """Assert that value, shape and element type are NumPy's, or that the exception is."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            wanted = flat(f(*args))
        except ERRORS as error:
            agree_to_raise(error, f, *args)
            return
        found = evaluated(f, *args)
    assert len(found) == len(wanted)
    for mine, numpys in zip(found, wanted):
        assert np.shape(mine) == np.shape(numpys), f"{np.shape(mine)} for {np.shape(numpys)}"
        if np.ndim(numpys):
            assert mine.dtype == numpys.dtype, f"{mine.dtype} for {numpys.dtype}"
        else:
            kinds = {"f": (float, np.floating), "i": (int, np.integer), "b": (bool, np.bool_)}
            assert isinstance(mine, kinds[np.asarray(numpys).dtype.kind]), f"{mine!r}: {numpys!r}"
        np.testing.assert_allclose(
            np.asarray(mine, float), np.asarray(numpys, float), rtol=tolerance, atol=tolerance
        )


def agree_to_raise(error: Exception, f: Callable[..., Any], *args: Any) -> None:
    """Assert that the evaluator raises a built-in exception of which the oracle's is an instance,
    or its own."""
    try:
        found = evaluated(f, *args)
    except ERRORS as mine:
        builtin = next(t for t in ERRORS if isinstance(error, t))
        assert isinstance(mine, builtin), f"{mine!r} for {error!r}"
    else:
        raise AssertionError(f"{found} for {error!r}")
