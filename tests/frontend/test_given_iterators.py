"""Iterators as results: their items one by one, as in Python, and what would be told otherwise is
refused."""

from __future__ import annotations

import copy
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.core.waiting import join
from pullback.errors import MutationError
from tests.campaign import part
from tests.frontend import given_iterators as programs

CASES: list[tuple[str, tuple[Any, ...]]] = [
    ("roots", ([4.0, 9.0, -1.0, 2.0],)), ("roots", ([-1.0],)), ("roots", ([1.0] * 9,)),
    ("primes", ()), ("powers", (4, 3.0)), ("powers", (-1, 3.0)),
    ("chosen", (0, [1.0, 2.0])), ("chosen", (1, [1.0, 2.0])), ("chosen", (2, [1.0, 2.0])),
    ("paired", ([1.0, 2.0, 3.0], [4.0, 5.0])), ("mapped", ([1.0, 2.0, 3.0],)),
    ("windows", ([1.0, 2.0, 3.0], 2)),
    ("walk", (((None, 1, None), 2, (None, 3, None)),)), ("inverses", ([2.0, 0.0, 4.0],)),
    ("rows", (np.arange(6.0).reshape(3, 2),)), ("never", (2,)), ("never", (7,)),
    ("cycled", ([1, 2, 3],)),
]  # fmt: skip
compiled: dict[str, Callable[..., Any]] = {}


def jit(name: str) -> Callable[..., Any]:
    return compiled.setdefault(name, pb.jit(getattr(programs, name)))


def plain(x: Any) -> Any:
    return (str(x.dtype), x.tolist()) if isinstance(x, np.ndarray) else x


def story(f: Callable[..., Any], args: tuple[Any, ...], most: int = 12) -> list[Any]:
    """What happens when the function is called, and its items are taken."""
    told: list[Any] = []
    try:
        items = f(*copy.deepcopy(args))
        told.append("made")
        for _ in range(most):
            told.append(plain(next(items)))
    except (Exception, StopIteration) as error:
        told.append((type(error), str(error)))
    return told


@pytest.mark.parametrize(("name", "args"), part("values", CASES, 6, (0, 1, 2)))
def test_items(name: str, args: tuple[Any, ...]) -> None:
    assert repr(story(jit(name), args)) == repr(story(getattr(programs, name), args))


def test_it_is_a_generator() -> None:
    items = jit("two")(3)
    assert isinstance(items, types.GeneratorType) and items.__name__ == "two"
    assert next(items) == 0
    items.close()
    assert list(items) == []
    items = jit("two")(3)
    assert (next(items), items.send(None)) == (0, 1)
    with pytest.raises(pb.UnsupportedError, match="throw"):
        items.throw(ValueError())


def test_it_begins_with_the_first_item() -> None:
    xs = [1.0, 4.0]
    items = jit("roots")(xs)
    xs[0] = 16.0
    assert list(items) == [8.0, 4.0]


@pytest.mark.parametrize("change", ["item", "length", "global", "array"])
def test_changes_between_items_are_refused(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    xs: Any = np.ones((9, 2)) if change == "array" else [1.0] * 9
    items: Iterator[Any] = jit("rows" if change == "array" else "roots")(xs)
    assert [len(np.shape(next(items))) for _ in range(3)] == [int(change == "array")] * 3
    match change:
        case "length":
            xs.append(1.0)
        case "global":
            monkeypatch.setattr(programs, "scale", 3.0)
        case _:
            xs[8] = 0.0
    with pytest.raises(MutationError, match="between two items"):
        next(items)


def first_two() -> None:
    items = jit("two")(3)
    assert [next(items), next(items)] == [0, 1]


def test_items_that_nobody_asked_for_may_not_exist() -> None:
    first_two()
    errors: list[BaseException] = []

    def work() -> None:
        try:
            first_two()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    join(thread)
    assert errors == []


@pytest.mark.parametrize(
    ("name", "args", "reason"),
    [
        ("printed", (2,), "it prints"), ("popped", ([1, 2],), "updates its parameter"),
        ("grown", (3,), "may share memory"), ("counted", (2,), "returns something at its end"),
        ("beside", (2,), "where it is made"),
    ],
)  # fmt: skip
def test_what_would_be_told_is_refused(name: str, args: tuple[Any, ...], reason: str) -> None:
    with pytest.raises(pb.UnsupportedError, match=reason):
        jit(name)(*args)


@pytest.mark.parametrize("operator", [pb.grad, pb.value_and_grad, pb.jacfwd])
def test_it_has_no_derivative(operator: Callable[..., Any]) -> None:
    with pytest.raises(pb.UnsupportedError, match=r"iterator|generator"):
        operator(programs.roots)([2.0])
