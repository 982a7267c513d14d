"""Functions, ranges and whatever else cannot be an argument or a result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NoReturn

from pullback.call.code.reading import Making, Sources
from pullback.call.code.writing import Slots, Where, Writing
from pullback.call.shape import Leaves, Made, Part, Shape
from pullback.core.types import Type
from pullback.errors import UnsupportedError
from pullback.frontend.kinds.kinds import Kind, describe, leaf_types


class Unsupported(Shape, of=Shape):
    """A value that does not cross the boundary."""

    leaf = True

    def __init__(self, kind: Kind, declared: object) -> None:
        super().__init__(kind)

    def leaf_types(self) -> Iterator[Type]:
        yield from leaf_types(self.kind)

    @property
    def convertible(self) -> bool:
        return False

    def inside(self, value: object) -> Sequence[Part]:
        raise UnsupportedError(f"{describe(self.kind)} is not supported inside an argument")

    def made(self, parts: Sequence[object], like: object = None) -> object:
        return like

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        raise UnsupportedError(
            f"{describe(self.kind)} is not supported as a result of compiled code",
            "return numbers, arrays, tuples or dataclasses",
        )

    def encode(self, w: Writing, obj: str, slots: Slots, where: Where) -> NoReturn:
        raise AssertionError(f"there is no conversion of {describe(self.kind)}")

    def decode(self, m: Making, sources: Sources) -> NoReturn:
        raise AssertionError(f"there is no conversion of {describe(self.kind)}")

    def seed(self, m: Making, given: str, sources: Sources) -> NoReturn:
        raise AssertionError(f"there is no conversion of {describe(self.kind)}")
