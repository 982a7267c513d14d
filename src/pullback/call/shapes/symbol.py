"""Strings and members of enumerations that are not static: in words they are their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pullback.call.code.reading import Making, Reading, Sources
from pullback.call.code.writing import Slots, Where, Writing
from pullback.call.shape import Leaves, Made, NodeOf, Part, Shape
from pullback.core.types import I64, Type
from pullback.frontend.kinds.kinds import SymbolK
from pullback.frontend.python import symbols
from pullback.native.builder import increment
from pullback.native.pyabi import OB_TYPE, TUPLE_ITEMS


class Symbol(Shape, of=SymbolK):
    """A member of an enumeration, or a string (``members`` is None); in a gradient ``None``."""

    leaf = True

    def __init__(self, kind: SymbolK, declared: object) -> None:
        super().__init__(kind)
        self.cls = kind.cls
        self.members = None if kind.cls is str else symbols.members(kind.cls)

    def leaf_types(self) -> Iterator[Type]:
        yield I64

    # --- values ---

    def inside(self, value: object) -> Sequence[Part]:
        if symbols.symbol_class(value) is not self.cls:
            raise self.mismatch(value)
        return ()

    def made(self, parts: Sequence[object], like: object = None) -> object:
        return like

    def flatten(self, value: object, node: NodeOf, out: list[object]) -> None:
        self.inside(value)
        out.append(symbols.number_of(value))

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        number = next(leaves)
        assert isinstance(number, int)
        return None if gradient else symbols.symbol_of(self.cls, number)

    # --- compiled conversions ---

    def encode(self, w: Writing, obj: str, slots: Slots, where: Where) -> None:
        (slot,), _ = next(slots)
        w.code.store("i64", self._number(w, obj), slot)

    def _number(self, w: Writing, obj: str) -> str:
        """The number of a symbol; to the block "fail" if it is none, or a string not met before."""
        c, name = w.code, w.names.symbol
        if self.members is None:
            ty = c.load("ptr", obj, OB_TYPE)
            c.need(c.same(ty, "@pb_str"), "fail")
            table = name(symbols.NUMBERS)
            found = c.call("ptr", "PyDict_GetItem", f"ptr @{table}", f"ptr {obj}")
            c.need(c.let(f"icmp ne ptr {found}, null"), "fail")
            over = c.slot("i32")
            return c.call("i64", "PyLong_AsLongLongAndOverflow", f"ptr {found}", f"ptr {over}")
        members = c.at("@" + name(self.members), TUPLE_ITEMS)
        number, count = c.var("i64", "0"), str(len(self.members))

        def other() -> str:
            k = c.load("i64", number)
            c.need(c.let(f"icmp ult i64 {k}, {count}"), "fail")
            return c.let(f"icmp ne ptr {c.load('ptr', members, c.mul(k, 8))}, {obj}")

        with c.loop(other):
            c.store("i64", c.add(c.load("i64", number), 1), number)
        return c.load("i64", number)

    def decode(self, m: Making, sources: Sources) -> str:
        number = m.code.load("i64", next(sources).words[0])
        if m.reading is not Reading.VALUE:
            return increment(m.code, "@pb_none")
        return self._object(m, number)

    def _object(self, m: Making, number: str) -> str:
        """A new reference to the symbol with this number."""
        c, name = m.code, m.names.symbol
        if self.members is None:
            table = name(symbols.STRINGS)
            key = c.call("ptr", "PyLong_FromLongLong", f"i64 {number}")
            c.need(c.let(f"icmp ne ptr {key}, null"), "fail")
            found = c.call("ptr", "PyObject_GetItem", f"ptr @{table}", f"ptr {key}")
            c.call("void", "Py_DecRef", f"ptr {key}")
            c.need(c.let(f"icmp ne ptr {found}, null"), "fail")
            return found
        members = c.at("@" + name(self.members), TUPLE_ITEMS)
        return increment(c, c.load("ptr", members, c.mul(number, 8)))

    def seed(self, m: Making, given: str, sources: Sources) -> None:
        next(sources)
