"""``core.frozen.dataclass`` makes classes that do what frozen dataclasses do, but for the check of
an assignment, which is the type checker's."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable
from typing import Any

import pytest

from pullback.core import frozen

Decorator = Callable[..., Callable[[type], type]]


def classes(decorator: Decorator) -> tuple[Any, ...]:
    """Return a class, one derived from it, one compared by identity, one with a text of its own."""

    class Pair:
        left: int
        right: list[int] = dataclasses.field(default_factory=list, compare=False)

    class Triple:
        third: float = dataclasses.field(default=0.5, repr=False)

    class Hashed:
        left: int

        def __hash__(self) -> int:
            return 7

    class Told:
        left: int

        def __repr__(self) -> str:
            return "told"

    pair = decorator(frozen=True, slots=True)(Pair)
    triple = decorator(frozen=True)(type("Triple", (pair,), dict(vars(Triple))))
    pair.__qualname__, triple.__qualname__ = "Pair", "Triple"
    made = decorator(frozen=True, eq=False)(Told), decorator(frozen=True, order=True)(Hashed)
    return pair, triple, *made


def facts(pair: Any, triple: Any, told: Any, hashed: Any) -> list[object]:
    """Return what can be seen of the classes and their objects."""
    one, two, three = pair(1), pair(1, [2]), triple(1, [], 2.0)
    return [
        one == two, one == pair(2), one == three, hash(one) == hash(two), hash(three) == hash(
            dataclasses.replace(three)), repr(two), repr(three), told(1) == told(1), repr(told(1)),
        hash(hashed(3)), hashed(1) < hashed(2), pair.__match_args__, pair.__slots__,
        [f.name for f in dataclasses.fields(triple)], dataclasses.astuple(three),
        pair.__dataclass_params__.frozen, hasattr(one, "__dict__"), {one: 5}[two],
    ]  # fmt: skip


def test_they_are_as_those_of_dataclasses() -> None:
    quick = typing.cast("Decorator", frozen.dataclass)
    usual = typing.cast("Decorator", dataclasses.dataclass)
    assert facts(*classes(quick)) == facts(*classes(usual))


def test_frozen_classes_of_dataclasses_may_be_derived() -> None:
    pair = classes(typing.cast("Decorator", frozen.dataclass))[0]
    derived: Any = dataclasses.dataclass(frozen=True)(
        type("Derived", (pair,), {"__annotations__": {"more": int}, "more": 3})
    )
    assert derived(1, []).more == 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        derived(1, []).left = 2
    with pytest.raises(TypeError, match="frozen"):  # as for any class that is frozen
        dataclasses.dataclass(type("Loose", (pair,), {"__annotations__": {"more": int}, "more": 3}))


def test_an_object_in_itself_has_a_text() -> None:
    pair = classes(typing.cast("Decorator", frozen.dataclass))[0]
    one = pair(1)
    one.right.append(one)
    assert repr(one) == "Pair(left=1, right=[...])"
