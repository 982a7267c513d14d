"""Functions, ranges and whatever else cannot be an argument or a result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pullback.call.code.reading import Making, Sources
from pullback.call.code.writing import Slots, Where, Writing
from pullback.call.shape import Leaves, Made, Part, Shape
from pullback.core.types import Type
from pullback.errors import UnsupportedError
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.kinds import Kind, leaf_types


class Unsupported(Shape, of=Shape):
    """A value that does not cross the boundary."""

    leaf = True

    def __init__(self, kind: Kind, declared: object) -> None:
        super().__init__(kind)

    def leaf_types(self) -> Iterator[Type]:
        yield from leaf_types(self.kind)

    def inside(self, value: object) -> Sequence[Part]:
        raise UnsupportedError(f"{describe(self.kind)} is not supported inside an argument")

    def made(self, parts: Sequence[object], like: object = None) -> object:
        return like

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        raise UnsupportedError(*self._refusal)

    @property
    def _refusal(self) -> tuple[str, str]:
        return (
            f"{describe(self.kind)} is not supported as a result of compiled code",
            "return numbers, arrays, tuples or dataclasses",
        )

    def encode(self, w: Writing, obj: str, slots: Slots, where: Where) -> None:
        for _ in self.types:
            next(slots)
        w.code.jump("fail")
        w.code.block(w.code.label("never"))

    def decode(self, m: Making, sources: Sources) -> str:
        for _ in self.types:
            next(sources)
        c, refusal = m.code, self._refusal
        error, reason = m.names.symbol(UnsupportedError), m.names.symbol(refusal, refusal)
        c.call("void", "PyErr_SetObject", f"ptr @{error}", f"ptr @{reason}")
        c.jump("fail")
        c.block(c.label("never"))
        return "null"

    def seed(self, m: Making, given: str, sources: Sources) -> None:
        for _ in self.types:
            next(sources)
