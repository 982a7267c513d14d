"""Exceptions that the program has caught or made: in words they are their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pullback.call.code.reading import Making, Reading, Sources
from pullback.call.code.writing import Slots, Where, Writing
from pullback.call.shape import Leaves, Made, Part, Shape
from pullback.core.types import I64, Type
from pullback.errors import UnsupportedError
from pullback.frontend.functions.clauses import part_of_caught
from pullback.frontend.kinds.kinds import CaughtK
from pullback.native.builder import increment


class _Numbered:
    """The exceptions by their numbers, or what some steps read of them."""

    def __init__(self, steps: tuple[str | int, ...]) -> None:
        self.steps = steps

    def __getitem__(self, number: int) -> object:
        return part_of_caught(self.steps, number, leaves=True)


class Caught(Shape, of=CaughtK):
    """Python's object of an exception, or its class, cause or context; in a gradient ``None``."""

    leaf = True

    def __init__(self, kind: CaughtK, declared: object) -> None:
        super().__init__(kind)
        self.steps, self.table = kind.steps, _Numbered(kind.steps)

    def leaf_types(self) -> Iterator[Type]:
        yield I64

    # --- values ---

    def inside(self, value: object) -> Sequence[Part]:
        raise UnsupportedError("an exception is not supported inside an argument")

    def made(self, parts: Sequence[object], like: object = None) -> object:
        return like

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        number = next(leaves)
        assert isinstance(number, int)
        return None if gradient else self.table[number]

    # --- compiled conversions ---

    def encode(self, w: Writing, obj: str, slots: Slots, where: Where) -> None:
        next(slots)
        w.code.jump("fail")
        w.code.block(w.code.label("never"))

    def decode(self, m: Making, sources: Sources) -> str:
        c, number = m.code, m.code.load("i64", next(sources).words[0])
        if m.reading is not Reading.VALUE:
            return increment(c, "@pb_none")
        table = m.names.symbol(self.table, (CaughtK, self.steps))
        key = c.call("ptr", "PyLong_FromLongLong", f"i64 {number}")
        c.need(c.let(f"icmp ne ptr {key}, null"), "fail")
        found = c.call("ptr", "PyObject_GetItem", f"ptr @{table}", f"ptr {key}")
        c.call("void", "Py_DecRef", f"ptr {key}")
        c.need(c.let(f"icmp ne ptr {found}, null"), "fail")
        return found

    def seed(self, m: Making, given: str, sources: Sources) -> None:
        next(sources)
