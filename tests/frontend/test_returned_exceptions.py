"""Exceptions as results: the object that Python would return, with all that is in it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests.frontend.harness import run
from tests.frontend.returned_programs import PROGRAMS, Bad, checked, of_ones_own_class

Program = Callable[[float], Any]


def told(value: Any, seen: tuple[int, ...] = ()) -> Any:
    """Return what can be seen of a result, with the exceptions in it."""
    match value:
        case BaseException() if id(value) in seen:
            return "again", seen.index(id(value))
        case BaseException():
            seen = (*seen, id(value))
            own = {k: told(v) for k, v in vars(value).items() if k != "__notes__"}
            behind = [told(e, seen) for e in (value.__cause__, value.__context__)]
            notes = getattr(value, "__notes__", None)
            hides = value.__suppress_context__
            return type(value), told(value.args), own, behind, hides, notes, str(value)
        case list() | tuple():
            return type(value), [told(v) for v in value]
        case dict():
            return [(k, told(v)) for k, v in value.items()]
        case np.ndarray():
            return value.dtype, value.tolist()
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return type(value), told(vars(value))
        case _:
            return type(value), repr(value)


@pytest.mark.parametrize("x", [0.5, 2.0])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_they_are_pythons(f: Program, x: float) -> None:
    wanted = told(f(x))
    assert told(pb.jit(f)(x)) == wanted
    assert told(pb.jit(f)(x)) == wanted  # nothing is left of the first call
    assert told(run(f, x)) == wanted


def first_and_again(x):
    e = Bad(x)
    return e, [e, e]


def test_one_exception_is_one_object() -> None:
    e, (a, b) = pb.jit(first_and_again)(2.0)
    assert e is a is b


def with_aux(x):
    error = None
    try:
        checked(x)
    except Bad as e:
        error = e
    return x * x, error


def used_inside(x):
    return with_aux(x)[1].value * x


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_beside_derivatives(method: Any) -> None:
    for x in (0.5, 3.0):
        (value, error), slope = pb.value_and_grad(with_aux, has_aux=True, method=method)(x)
        assert (value, slope) == (x * x, 2 * x)
        assert told(error) == told(with_aux(x)[1])
    assert pb.grad(used_inside, method=method)(3.0) == 6.0


def test_in_forward_mode_and_pullbacks() -> None:
    (value, error), (slope, nothing) = pb.jvp(with_aux, (3.0,), (1.0,))
    assert (value, slope, nothing) == (9.0, 6.0, None) and told(error) == told(with_aux(3.0)[1])
    (value, error), back = pb.vjp(with_aux, 3.0)
    assert value == 9.0 and isinstance(error, Bad) and back((1.0, None)) == (6.0,)
    assert pb.jvp(used_inside, (3.0,), (1.0,)) == (9.0, 6.0)


def test_what_the_caller_handles_is_their_context() -> None:
    for f in (of_ones_own_class, pb.jit(of_ones_own_class)):
        try:
            raise KeyError("outside")
        except KeyError as outside:
            assert f(2.0).__context__ is outside
        assert f(2.0).__context__ is None


def very_many(x):
    out = []
    for k in range(20_000):
        try:
            raise ValueError(k, x)
        except ValueError as e:
            out.append(e)
    return out


def test_too_many_are_no_others() -> None:
    with pytest.raises(MemoryError, match="more than 16384 exceptions"):
        pb.jit(very_many)(1.0)


def an_array_that_changes(x):
    a = np.array([x, 2.0])
    try:
        raise ValueError("arr", a)
    except ValueError as e:
        a[0] = 7.0
        return e


def a_copy(x):
    a = np.array([x, 2.0])
    try:
        raise ValueError("arr", a.copy())
    except ValueError as e:
        a[0] = 7.0
        return e


def a_function(x):
    return ValueError(lambda: x)


def its_arguments(x):
    try:
        raise ValueError("v", x)
    except ValueError as e:
        return e.args


REFUSED = {
    an_array_that_changes: "holds an array.* which somebody else has",
    a_function: "made of what compiled code cannot record",
    its_arguments: "what is in a caught exception",
}


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_what_would_be_another_one_is_refused(f: Program) -> None:
    with pytest.raises(pb.PullbackError, match=REFUSED[f]):
        pb.jit(f)(2.0)


def test_a_copy_is_its_own() -> None:
    assert told(pb.jit(a_copy)(2.0)) == told(a_copy(2.0))
