"""Run a function through the front end and the evaluator, and compare with plain Python."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.call.marshal import Flattener, result_value
from pullback.call.shapes import shape_of
from pullback.core.check import check
from pullback.core.eval import evaluate
from pullback.core.terms import Dialect
from pullback.frontend.python.pytypes import type_of
from pullback.frontend.specialisation import Specialised
from pullback.frontend.specialise import specialise


def compiled(f: Callable[..., Any], *args: Any) -> Specialised:
    """The specialisation for these arguments, checked."""
    made = specialise(f, tuple(map(type_of, args)), args)
    check(made.program, Dialect.SOURCE)
    return made


def run(f: Callable[..., Any], *args: Any) -> Any:
    """Return ``f(*args)``, computed by the front end and the evaluator."""
    return rerun(compiled(f, *args), f, *args)


def rerun(made: Specialised, f: Callable[..., Any], *args: Any) -> Any:
    """Call a specialisation that was made before."""
    assert made.valid(f, args)
    flattener = Flattener()
    leaves: list[object] = []
    hidden = made.hidden_values(f, args)
    for kind, value in [*zip(made.args, args), *zip((h.kind for h in made.hidden), hidden)]:
        leaves += flattener.leaves(shape_of(kind), value)
    results, _ = evaluate(made.program, leaves)
    return result_value(shape_of(made.result), results)


def same(a: Any, b: Any) -> None:
    """Assert that two results are equal up to rounding, and of one sort (Python's or NumPy's, int
    or float)."""
    if isinstance(b, np.ndarray):
        assert isinstance(a, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    elif isinstance(b, tuple | list):
        assert len(a) == len(b) and isinstance(a, type(b)), (a, b)
        for x, y in zip(a, b):
            same(x, y)
    elif isinstance(b, dict):
        assert list(a) == list(b) and type(a) is type(b), (a, b)
        for key in b:
            same(a[key], b[key])
    elif dataclasses.is_dataclass(b):
        assert type(a) is type(b)
        for field in dataclasses.fields(b):
            same(getattr(a, field.name), getattr(b, field.name))
    elif isinstance(b, float | int | np.generic):
        # Where paths merge, a Python number and a NumPy one become a NumPy one.
        assert type(a) is type(b) or isinstance(a, np.generic), (type(a), type(b))
        assert np.asarray(a).dtype == np.asarray(b).dtype
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
        assert np.copysign(1, float(a)) == np.copysign(1, float(b)), "sign of zero"
    else:
        assert a == b and type(a) is type(b)


def agrees(f: Callable[..., Any], *args: Any) -> None:
    """Assert that the front end and plain Python give the same result, or the same exception."""
    try:
        expected = f(*args)
    except Exception as e:
        expected_error: BaseException = e
    else:
        same(run(f, *args), expected)
        return
    try:
        result = run(f, *args)
    except type(expected_error) as e:
        message = str(expected_error).splitlines()[:1]  # pytest adds lines to failed asserts
        assert message == [] or str(e) in message[0], (str(e), message)
        return
    raise AssertionError(f"gave {result!r}, Python raises {expected_error!r}")
