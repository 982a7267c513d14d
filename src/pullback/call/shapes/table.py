"""Dicts and sets whose keys only the run knows, as results: made of the entries that are left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pullback.call.code.reading import Making, Reading, Source, Sources
from pullback.call.code.tangent_items import exactly_or_none, item_of
from pullback.call.given import Normal, What, name_of
from pullback.call.shape import Leaves, Made, Part, Shape, shape_of
from pullback.call.shapes.sequence import columns_of, rows_of
from pullback.call.shapes.unsupported import Unsupported
from pullback.core.types import I64, Array, Type
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.kinds import HashK, StaticK
from pullback.native.builder import increment
from pullback.native.pyabi import LIST_ITEMS, TUPLE_ITEMS, TUPLE_SIZE


class Cotangents(list[object]):
    """The cotangents of the values of a dict, in order: the form that compiled code reads."""


class Table(Unsupported, of=HashK):
    """A dict, a set or one of their subclasses. Its leaves: see ``HashK``. It is no argument."""

    leaf = False
    grows = True

    def __init__(self, kind: HashK, declared: object) -> None:
        super().__init__(kind, declared)
        self.cls, self.holes, self.counts = kind.cls, kind.holes, kind.counts
        self.entry = tuple(map(shape_of, kind.elem.items))
        self.entry_types = tuple(t for part in self.entry for t in part.types)
        self.is_set = issubclass(kind.cls, (set, frozenset))
        assert isinstance(kind.factory, StaticK)
        self.factory: Any = kind.factory.value

    def leaf_types(self) -> Iterator[Type]:
        yield from (I64, Array(I64, 1))
        yield from [I64] * self.counts
        for t in self.entry_types:
            yield Array(t, 1)

    def parts(self) -> tuple[Shape, ...]:
        return self.entry[1:2]

    # --- values and leaves ---

    def build(self, pairs: Sequence[Any]) -> object:
        """The dict or set of these entries."""
        if self.is_set:
            return self.cls(key for key, _ in pairs)
        if self.cls is defaultdict:
            return defaultdict(self.factory, pairs)
        made = self.cls()
        for key, value in pairs:
            made[key] = value
        return made

    def inside(self, value: object) -> Sequence[Part]:
        if self.is_set or not self.entry:
            return []
        if isinstance(value, Cotangents):
            return [Part(self.entry[1], x, k) for k, x in enumerate(value)]
        if not isinstance(value, dict):
            raise self.mismatch(value)
        return [Part(self.entry[1], x, key) for key, x in value.items()]

    def made(self, parts: Sequence[object], like: object = None) -> object:
        if isinstance(like, Cotangents):
            return Cotangents(parts)
        assert isinstance(like, (dict, set, frozenset))
        return like if self.is_set else self.build([*zip(like, parts, strict=True)])

    def _rows(self, leaves: Leaves) -> list[tuple[object, ...]]:
        """The leaves of the entries that are left."""
        length = next(leaves)
        assert isinstance(length, int)
        for _ in range(1 + self.counts):  # the index is behind the length
            next(leaves)
        rows = rows_of(self.entry_types, length, leaves)
        return [row for row in rows if row[-1]] if self.holes else rows

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        pairs: list[tuple[object, object]] = []
        for row in self._rows(leaves):
            rest = iter(row)
            key = self.entry[0].value(rest, made, False)
            pairs.append((key, self.entry[1].value(rest, made, gradient)))
        return None if self.is_set and gradient else self.build(pairs)

    # --- cotangents ---

    def _values(self, keys: Sequence[object], given: object, what: What) -> list[object]:
        """The parts of a tangent, one for each key."""
        if given is None:
            return [None] * len(keys)
        if type(given) not in (dict, self.cls):
            reason = f"the {what} of {describe(self.kind)} is a dict, not a {name_of(given)}"
            raise ArgumentTypeError(reason)
        assert isinstance(given, dict)
        for key in given.keys() ^ {*keys}:
            has = "no" if key in given else "the key"
            reason = f"{describe(self.kind)} has {has} {key!r}, its {what} has"
            raise ArgumentTypeError(reason + (" it" if has == "no" else " not"))
        return [given[key] for key in keys]

    def normal(self, value: object, given: object, made: Normal, where: str) -> object:
        if given is None or self.is_set:
            return None
        parts = self.inside(value)
        values = self._values([part.step for part in parts], given, made.what)
        return Cotangents(
            part.shape.normal(part.value, mine, made, where + self.place(part.step))
            for part, mine in zip(parts, values, strict=True)
        )

    # --- from words to objects ---

    def decode(self, m: Making, sources: Sources) -> str:
        c = m.code
        live, entries = self._entries(m, sources)
        if self.is_set and m.reading is not Reading.VALUE:
            return increment(c, "@pb_none")
        out = m.checked(c.call("ptr", "PyList_New", f"i64 {live}"))
        items = c.load("ptr", out, LIST_ITEMS)

        def pair(i: str, rows: list[Source]) -> None:
            rest = iter(rows)
            both = m.checked(c.call("ptr", "PyTuple_New", "i64 2"))
            c.store("ptr", both, items, c.mul(i, 8))
            reading, m.reading = m.reading, Reading.VALUE
            c.store("ptr", self.entry[0].decode(m, rest), both, TUPLE_ITEMS)
            m.reading = reading
            c.store("ptr", self.entry[1].decode(m, rest), both, TUPLE_ITEMS + 8)

        entries(pair)
        build = m.names.symbol(self.build, (self.kind, "build"))
        made = c.call("ptr", "PyObject_CallOneArg", f"ptr @{build}", f"ptr {out}")
        c.call("void", "Py_DecRef", f"ptr {out}")
        return m.checked(made)

    def seed(self, m: Making, given: str, sources: Sources) -> None:
        c = m.code
        live, entries = self._entries(m, sources)
        if self.is_set or not self.entry:
            return
        none = exactly_or_none(c, given, "@" + m.names.symbol(Cotangents))
        c.need(c.choose(none, lambda: "true",
                        lambda: c.same(c.load("i64", given, TUPLE_SIZE), live, "i64"), "i1"),
               "fail")  # fmt: skip
        items = c.choose(none, lambda: "null", lambda: c.load("ptr", given, LIST_ITEMS), "ptr")
        keys = len(self.entry[0].types)
        entries(lambda i, rows: self.entry[1].seed(m, item_of(c, items, i), iter(rows[keys:])))

    def _entries(
        self, m: Making, sources: Sources
    ) -> tuple[str, Callable[[Callable[[str, list[Source]], None]], None]]:
        """The number of the entries that are left, and what prints code that is run for each, with
        its number and the sources of its leaves."""
        c = m.code
        n = c.load("i64", next(sources).words[0])
        next(sources)
        counts = [next(sources) for _ in range(self.counts)]
        live = c.load("i64", counts[0].words[0]) if counts else n
        columns = columns_of(m, self.entry_types, sources)

        def each(one: Callable[[str, list[Source]], None]) -> None:
            if not self.entry:
                return
            count = c.var("i64", "0")
            with c.counting(n) as k:
                rows = [column(k) for column in columns]
                there = c.load("i8", rows[-1].words[0]) if self.holes else "1"
                with c.when(c.let(f"icmp ne i8 {there}, 0")):
                    i = c.load("i64", count)
                    one(i, rows)
                    c.store("i64", c.add(i, 1), count)

        return live, each
