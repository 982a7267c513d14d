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


def test_methods_are_compiled_at_the_first_call() -> None:
    pair = classes(typing.cast("Decorator", frozen.dataclass))[0]
    written = pair.__init__, pair.__eq__, pair.__hash__
    assert {method.__code__.co_filename for method in written} == {"<string>"}  # of no file
    one, two = pair(1), pair(left=1, right=[2])
    assert pair.__init__ is not written[0]
    assert (pair.__eq__, pair.__hash__) == written[1:]
    assert one == two
    assert hash(one) == hash(two)
    compiled = pair.__init__, pair.__eq__, pair.__hash__
    assert not any(new is old for new, old in zip(compiled, written, strict=True))
    assert pair(2) != one
    assert (pair.__init__, pair.__eq__, pair.__hash__) == compiled


def test_constructors_take_what_those_of_dataclasses_take() -> None:
    class Base:
        left: int
        made: list[int] = dataclasses.field(default_factory=list, init=False)
        kept: int = dataclasses.field(default=4, init=False)
        named: int = dataclasses.field(default=5, kw_only=True)

        def __post_init__(self) -> None:
            self.made.append(self.left)

    class Derived:
        more: int

    def seen(decorator: Decorator) -> list[object]:
        base: Any = decorator(slots=True)(type("Base", (), dict(vars(Base))))
        derived: Any = decorator(slots=True)(type("Derived", (base,), dict(vars(Derived))))
        one, two = derived(1, 2), derived(left=1, more=2, named=6)
        texts = []
        for wrong in ((), (1, 2, 3), (1,)):
            with pytest.raises(TypeError):
                derived(*wrong)
            texts.append(len(wrong))
        unhashable = base.__hash__ is None
        return [repr(one), repr(two), one == derived(1, 2), one == two, unhashable, one.made, texts]

    quick = typing.cast("Decorator", frozen.dataclass)
    assert seen(quick) == seen(typing.cast("Decorator", dataclasses.dataclass))
