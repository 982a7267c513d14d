"""Sets and frozensets, as arguments: a list of their items."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import cast

from pullback.call.code.reading import Making, Sources
from pullback.call.code.writing import Where, Writing
from pullback.call.given import Normal, What
from pullback.call.shape import Leaves, Made
from pullback.call.shapes.sequence import Items
from pullback.core.types import I64
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.given_tables import NO_ITEMS
from pullback.frontend.kinds.key_numbers import has_pythons
from pullback.frontend.kinds.kinds import ListK, ScalarK, TableK, TupleK
from pullback.frontend.kinds.table_keys import has_methods, key_kind
from pullback.frontend.python.pytypes import register, type_of
from pullback.frontend.python.set_tables import are_known, listed
from pullback.native.builder import increment
from pullback.native.pyabi import LIST_ITEMS, TUPLE_SIZE

_INT = ScalarK(I64, True)


class GivenSet(Items, of=TableK):
    """A set; in a gradient and in a tangent ``None``."""

    leaf = True
    plain = False

    def __init__(self, kind: TableK, declared: object) -> None:
        super().__init__(kind, declared)
        self.is_empty, self.placed = kind.elem == NO_ITEMS, kind.placed
        self.is_flat = kind.placed and kind.elem == _INT

    def items(self, value: object) -> Sequence[object]:
        if type(value) is not self.cls:
            raise self.mismatch(value)
        assert isinstance(value, Set)
        return listed(value, self.is_flat) if self.placed and value else list(value)

    def native(self, value: object) -> object:
        return self.items(value)

    def made(self, parts: Sequence[object], like: object = None) -> object:
        if self.is_flat:
            parts = parts[::2]
        elif self.placed:
            pairs = cast("Sequence[tuple[object, int]]", parts)
            parts = [item for item, _ in pairs]
        return self.cls(parts)

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        found = super().value(leaves, made, gradient)
        return None if gradient else found

    def tangents(self, leaves: Leaves, given: object, what: What, out: list[object]) -> None:
        self.skip(leaves)
        out += [None] * len(self.types)

    def normal(self, value: object, given: object, made: Normal, where: str) -> object:
        return None

    # --- conversions ---

    def read(self, w: Writing, obj: str, where: Where) -> tuple[str, str]:
        c = w.code
        w.exactly(obj, "pb_list")
        n = c.load("i64", obj, TUPLE_SIZE)
        c.need(c.let(f"icmp {'eq' if self.is_empty else 'ne'} i64 {n}, 0"), "fail")
        return n, c.load("ptr", obj, LIST_ITEMS)

    def decode(self, m: Making, sources: Sources) -> str:
        for _ in self.types:
            next(sources)
        return increment(m.code, "@pb_none")

    def seed(self, m: Making, given: str, sources: Sources) -> None:
        for _ in self.types:
            next(sources)


def kind_of(value: set[object] | frozenset[object]) -> TableK:
    """Return the kind of a set."""
    if not value:
        return TableK(NO_ITEMS, cls=type(value))
    listed = type_of(list(value))
    elem = key_kind(listed.elem) if isinstance(listed, ListK) else None
    if elem is None or has_methods(elem):
        what = describe(listed).replace("list", type(value).__name__)
        raise ArgumentTypeError(
            f"{what}: only the run knows what is in a set",
            "let it have ints, strings, members of an enum, or tuples of them, all of one type",
        )
    if has_pythons(elem) and are_known():
        placed = elem if elem == _INT else TupleK((elem, _INT))
        return TableK(placed, cls=type(value), placed=True)
    return TableK(elem, cls=type(value))


register(set, kind_of)
register(frozenset, kind_of)
