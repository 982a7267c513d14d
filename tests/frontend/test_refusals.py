"""Programs are refused before anything runs, with the line, a caret, the reason and a way out."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    EndlessError,
    MutationError,
    PullbackError,
    SourceError,
    StaticIndexError,
    StaticValueError,
    TypesDoNotMeetError,
    UnknownAttributeError,
    UnknownNameError,
    UnsupportedError,
)
from tests.frontend.harness import run

A = np.arange(4.0)


def catches(x):
    try:
        return 1.0 / x
    except ZeroDivisionError as error:
        raise error.args[0] from error


def reads_text(x):
    return x * float(f"{x:.1f}")


class Changing:
    def __init__(self, x):
        self.x = x

    def __getattribute__(self, name):
        return object.__getattribute__(self, name)


def makes_changing(x):
    return Changing(x).x


def draws(x):
    return x * np.random.randn()


def opens(x):
    with open("f"):
        return x


def generates(x):
    yield x


def changes_global(x):
    global A
    A = x
    return x


def unknown_name(x):
    return x + undefined_thing


def never_set(x):
    y = x + z
    z = 1.0
    return y * z


def other_type_in_loop(x):
    y = [x, x]
    for _ in range(int(x)):
        y = 1.0
    return y


def updates_argument(a):
    a[0] = 1.0
    return a


def updates_view(x):
    a = x * np.ones((3, 3))
    row = a.reshape(9)
    row[1] = x
    return a


def augments_argument(a):
    a += 1.0
    return a


def uses_view_after_update(x):
    a = x * np.ones((3, 3))
    b = a.ravel()
    a[1] = x
    return b


def updates_global(x):
    A[0] = x
    return x


def mixed_result(x):
    if x > 0:
        return x
    return [x, x]


def endless(x):
    return endless(x) + 1.0


def endless_types(x):
    return endless_types((x, x))


def wrong_operands(x):
    return x + None


def wrong_call(x):
    return x(1)


def wrong_count(x):
    return math.sqrt(helper(x, x, x))


def helper(x):
    return x


def no_such_attribute(x):
    return x.foo


def calls_unknown(x):
    return open(x)


def appends(xs):
    xs.append(1.0)
    return xs[1]


def static_axis(a):
    return np.sum(a, axis=int(a[0]))


def tuple_index(x):
    return (x, x)[2]


def unpacks_wrong(x):
    a, b = (x, x, x)
    return a + b


def late_lambda(x):
    fs = [lambda y: y * i for i in range(int(x))]
    return fs[0](x)


def rebound_after_choice(x):
    k = x
    f = (lambda y: y * k) if x > 0 else (lambda y: y + k)
    k = 2.0 * x
    return f(x)


def changes_type(x):
    s = 0.0
    for _ in range(3):
        s = tuple([s, x])
    return s


def sets_field(r):
    r.x = 1.0
    return r


@dataclass(frozen=True)
class Frozen:
    x: float


@functools.cache
def remembered(*ns):
    return ns[0] if ns[0] < 2 else remembered(ns[0] - 1) + remembered(ns[0] - 2)


def uses_cache(x):
    return x * remembered(10)


def bumped(a, i):
    a[i] += 1.0
    return a


def helper_updates_argument(a):
    return bumped(a, 0)


def table_or_array(x):
    if x > 0.0:
        return {"a": x}
    return np.zeros(2)


CASES = [
    (helper_updates_argument, A, MutationError, "return bumped(a, 0)"),
    (table_or_array, 1.0, TypesDoNotMeetError, "if x > 0.0:"),
    (catches, 1.0, UnsupportedError, "raise error.args[0]"),
    (opens, 1.0, UnsupportedError, "with open"),
    (generates, 1.0, UnsupportedError, "yield x"),
    (changes_global, 1.0, UnsupportedError, "global A"),
    (unknown_name, 1.0, UnknownNameError, "undefined_thing"),
    (never_set, 1.0, UnknownNameError, "y = x + z"),
    (updates_argument, A, MutationError, "a[0] = 1.0"),
    (updates_view, 1.0, MutationError, "row[1] = x"),
    (augments_argument, A, MutationError, "a += 1.0"),
    (uses_view_after_update, 1.0, MutationError, "return b"),
    (updates_global, 1.0, MutationError, "A[0] = x"),
    (endless, 1.0, EndlessError, "def endless"),
    (endless_types, 1.0, EndlessError, "return endless_types((x, x))"),
    (wrong_operands, 1.0, ArgumentTypeError, "return x + None"),
    (wrong_call, 1.0, ArgumentTypeError, "return x(1)"),
    (wrong_count, 1.0, ArgumentTypeError, "helper(x, x, x)"),
    (no_such_attribute, 1.0, UnknownAttributeError, "return x.foo"),
    (calls_unknown, 1.0, UnsupportedError, "open(x)"),
    (reads_text, 1.0, UnsupportedError, 'float(f"{x:.1f}")'),
    (uses_cache, 1.0, UnsupportedError, "x * remembered(10)"),
    (makes_changing, 1.0, UnsupportedError, "Changing(x)"),
    (draws, 1.0, UnsupportedError, "np.random.randn()"),
    (appends, [1.0, 2.0], MutationError, "xs.append(1.0)"),
    (static_axis, A, StaticValueError, "np.sum(a, axis=int(a[0]))"),
    (tuple_index, 1.0, StaticIndexError, "(x, x)[2]"),
    (unpacks_wrong, 1.0, ArgumentValueError, "a, b = (x, x, x)"),
    (late_lambda, 3.0, UnsupportedError, "fs = [lambda"),
    (rebound_after_choice, 3.0, UnknownNameError, "return f(x)"),
    (changes_type, 1.0, EndlessError, "for _ in range(3):"),
    (sets_field, Frozen(1.0), UnsupportedError, "r.x = 1.0"),
]


@pytest.mark.parametrize("f, arg, error, line", CASES, ids=[c[0].__name__ for c in CASES])
def test_refused(f, arg, error, line):
    with pytest.raises(error) as caught:
        run(f, arg)
    text = str(caught.value)
    assert "test_refusals.py" in text
    shown = next(n for n, part in enumerate(text.splitlines()) if n > 1 and line in part)
    assert "^" in text.splitlines()[shown + 1], text
    assert isinstance(caught.value, PullbackError)


def test_a_number_or_a_list_is_refused_where_it_is_the_list():
    for f, x, other in ((mixed_result, 1.0, -1.0), (other_type_in_loop, 2.0, 0.0)):
        assert pb.jit(f)(x) == f(x)
        with pytest.raises(UnsupportedError, match="what may be a float is a list or dict"):
            pb.jit(f)(other)


def test_builtin_classes():
    """The errors are also the built-in exceptions that a Python user expects."""
    for f, builtin in (
        (wrong_operands, TypeError),
        (unknown_name, NameError),
        (no_such_attribute, AttributeError),
        (tuple_index, IndexError),
        (catches, NotImplementedError),
        (endless, RecursionError),
    ):
        with pytest.raises(builtin):
            run(f, 1.0)


def test_the_text_of_a_refusal():
    with pytest.raises(MutationError) as caught:
        run(updates_argument, A)
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("update refused: 'a' is (or shares memory with) an argument")
    assert lines[1].endswith("in updates_argument")
    assert lines[2:4] == ["    a[0] = 1.0", "    ^"]
    assert lines[4] == "  Instead: work on a copy: a = a.copy()"


def test_no_source():
    space: dict[str, object] = {}
    exec("def f(x): return x", space)
    with pytest.raises(SourceError):
        run(space["f"], 1.0)


@pytest.mark.parametrize(
    "value", [{1.5: 2}, {1, 2.5}, memoryview(b""), np.zeros(2, np.clongdouble)]
)
def test_arguments(value):
    with pytest.raises(TypeError):
        run(helper, value)


@pytest.mark.parametrize(
    ("f", "name"),
    [
        (lambda x: x.item(), "item"),
        (lambda x: (x + 1.0).item(), "item"),
        (lambda x: x.astype(np.float32), "astype"),
        (lambda x: x.sum(), "sum"),
        (lambda x: x.mean(), "mean"),
        (lambda x: x.shape, "shape"),
        (lambda x: x.ndim, "ndim"),
        (lambda x: x.dtype, "dtype"),
        (lambda x: x.T, "T"),
        (lambda x: len([x]).item(), "item"),
    ],
)
def test_numbers_of_python_are_not_those_of_numpy(f: object, name: str) -> None:
    """``x.item()`` of a Python float is an AttributeError in Python; NumPy's scalars have it."""
    with pytest.raises(UnknownAttributeError, match=name):
        run(f, 2.0)


ROWS = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    "f",
    [
        lambda x, y: np.sum(x, axis=1, out=y),
        lambda x, y: np.prod(x, 1, None, y),
        lambda x, y: np.mean(x, 1, None, y),
        lambda x, y: np.max(x, 1, y),
        lambda x, y: np.ptp(x, 1, y),
        lambda x, y: np.var(x, 1, None, y),
        lambda x, y: x.sum(1, None, y),
        lambda x, y: x.max(axis=1, out=y),
        lambda x, y: x[0, :2].clip(0.5, 3.0, y),
        lambda x, y: np.quantile(x, 0.5, 1, y),
        lambda x, y: np.add.reduce(x, 1, None, y),
        lambda x, y: np.nanmedian(x, 1, y),
    ],
)
def test_results_are_written_into_an_array(f: Callable[..., Any]) -> None:
    mine, numpys = np.zeros(2), np.zeros(2)
    assert pb.jit(f)(ROWS, mine).tolist() == f(ROWS, numpys).tolist()
    assert mine.tolist() == numpys.tolist()


@pytest.mark.parametrize(
    "f",
    [
        lambda x, y: np.argmin(x, axis=1, out=y),
        lambda x, y: np.all(x, axis=1, out=y),
        lambda x, y: np.nan_to_num(x, copy=False),
        lambda x, y: np.quantile(x, 0.5, overwrite_input=True),
    ],
)
def test_what_would_write_into_an_array_is_refused(f: object) -> None:
    """It was left out: the result was right, but nothing was written."""
    with pytest.raises(UnsupportedError, match=r"out=|copy=False|overwrite_input"):
        run(f, ROWS, np.zeros(2))


def converted_without_a_copy(x: np.ndarray) -> float:
    y = x.copy()
    z = y.astype(np.float64, copy=False)
    return z[0, 1] + np.array(y, copy=False)[1, 1] + x.astype(np.int64, copy=False)[1, 2]


def updates_what_is_no_copy(x: np.ndarray) -> float:
    y = x.astype(np.float64, copy=False)
    y[0, 0] = 1.0
    return y[0, 0]


def test_without_a_copy_an_array_is_itself() -> None:
    assert run(converted_without_a_copy, ROWS) == 10.0
    with pytest.raises(MutationError):
        run(updates_what_is_no_copy, ROWS)


def test_numbers_of_numpy_have_their_methods() -> None:
    assert run(lambda x: x.item(), np.float64(2.0)) == 2.0
    assert run(lambda x: x.real, 2.0) == 2.0
    assert run(lambda x: x.sum().item(), A) == 6.0
