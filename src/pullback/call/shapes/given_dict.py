"""Large dicts, as arguments: a column of their keys and columns of their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pullback.call.code.reading import Making, Reading, Source, Sources
from pullback.call.code.tangent_items import exactly_or_none, item_of
from pullback.call.code.writing import Slots, Where, Writing
from pullback.call.given import Normal, What, name_of, placed
from pullback.call.shape import Leaves, Made, NodeOf, Part, Shape, shape_of
from pullback.call.shapes.sequence import Items, column_of, places_at, room
from pullback.call.shapes.table import Cotangents
from pullback.core.types import Type
from pullback.core.values import make_array
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.kinds import TableK, TupleK
from pullback.frontend.python.pytypes import MOST_KEYS
from pullback.native.pyabi import LIST_ITEMS, TUPLE_SIZE


class GivenDict(Items, of=TableK, container=dict):
    """A dict with keys of one type and values of one type; a gradient and a tangent are dicts with
    the same keys."""

    def __init__(self, kind: TableK, declared: object) -> None:
        super().__init__(kind, declared)
        assert isinstance(kind.elem, TupleK)
        self.key, self.held = map(shape_of, kind.elem.items)
        self.more_than = 0 if kind.any_size else MOST_KEYS

    def parts(self) -> tuple[Shape, ...]:
        return (self.held,)

    # --- values and leaves ---

    def inside(self, value: object) -> Sequence[Part]:
        if isinstance(value, Cotangents):
            return [Part(self.held, x, k) for k, x in enumerate(value)]
        if type(value) is not dict or len(value) <= self.more_than:
            raise self.mismatch(value)
        return [Part(self.held, x, key) for key, x in [*value.items()]]

    def made(self, parts: Sequence[object], like: object = None) -> object:
        if isinstance(like, Cotangents):
            return Cotangents(parts)
        assert isinstance(like, dict)
        return dict(zip(like, parts, strict=True))

    def made_given(self, parts: Sequence[object]) -> object:
        return Cotangents(parts)

    def flatten(self, value: object, node: NodeOf, out: list[object]) -> None:
        rows: list[list[object]] = []
        for part in self.inside(value):
            rows.append([])
            self.key.flatten(part.step, node, rows[-1])
            self.held.flatten(part.value, node, rows[-1])
        out.append(len(rows))
        for j, t in enumerate(self.item.types):
            out.append(make_array(t, [leaves[j] for leaves in rows], (len(rows),)))

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        out: dict[object, object] = {}
        for leaves_of_one in self.rows(leaves):
            rest = iter(leaves_of_one)
            key = self.key.value(rest, made, False)
            out[key] = self.held.value(rest, made, gradient)
        return out

    # --- tangents ---

    def normal(self, value: object, given: object, made: Normal, where: str) -> object:
        if given is not None:
            with placed(where):
                given = self._in_order(value, given, made.what)
        return super().normal(value, given, made, where)

    def _in_order(self, value: object, given: object, what: What) -> list[object]:
        """The parts of a tangent, in the order of the value's keys."""
        assert isinstance(value, dict)
        if type(given) is not dict:
            reason = f"the {what} of {describe(self.kind)} is a dict, not a {name_of(given)}"
            raise ArgumentTypeError(reason)
        if given.keys() != value.keys():
            raise ArgumentTypeError(f"the {what} of {describe(self.kind)} has other keys")
        return [given[key] for key in value]

    def tangents(self, leaves: Leaves, given: object, what: What, out: list[object]) -> None:
        pairs = None if given is None else [(None, x) for x in self._listed(given)]
        super().tangents(leaves, pairs, what, out)

    def _listed(self, given: object) -> list[object]:
        assert isinstance(given, (dict, list))
        return list(given.values()) if isinstance(given, dict) else given

    # --- conversions ---

    def encode(self, w: Writing, obj: str, slots: Slots, where: Where) -> None:
        c = w.code
        w.exactly(obj, "pb_dict")
        n = c.call("i64", "PyDict_Size", f"ptr {obj}")
        c.need(c.let(f"icmp sgt i64 {n}, {self.more_than}"), "fail")
        (slot,), _ = next(slots)
        c.store("i64", n, slot)
        columns = [room(w, t, *next(slots), n, where) for t in self.item.types]
        inside = w.inside(False, obj, where, in_list=True)
        tangents = self._tangents(w, where.tangent, n)
        position, key, value = c.var("i64", "0"), c.slot("ptr"), c.slot("ptr")
        with c.counting(n) as i:
            following = c.call("i32", "PyDict_Next", f"ptr {obj}", f"ptr {position}", f"ptr {key}",
                               f"ptr {value}")  # fmt: skip
            c.need(c.let(f"icmp ne i32 {following}, 0"), "fail")
            places = ((places_at(c, data, i), places_at(c, more, i)) for data, more in columns)
            none = "@pb_none" if where.tangent else ""
            self.key.encode(w, c.load("ptr", key), places, replace(inside, tangent=none))
            part = replace(inside, tangent=item_of(c, tangents, i))
            self.held.encode(w, c.load("ptr", value), places, part)

    def _tangents(self, w: Writing, tangent: str, n: str) -> str:
        """The address of the tangents of the values; null: all are zero. No tangent: none."""
        if not tangent:
            return ""
        c = w.code
        none = exactly_or_none(c, tangent, "@" + w.names.symbol(Cotangents))

        def counted() -> str:
            return c.same(c.load("i64", tangent, TUPLE_SIZE), n, "i64")

        c.need(c.choose(none, lambda: "true", counted, "i1"), "fail")
        return c.choose(none, lambda: "null", lambda: c.load("ptr", tangent, LIST_ITEMS), "ptr")

    def decode(self, m: Making, sources: Sources) -> str:
        c = m.code
        n = c.load("i64", next(sources).words[0])
        taken: list[tuple[Type, Source]] = [(t, next(sources)) for t in self.item.types]
        columns = [column_of(m, t, source) for t, source in taken]
        out = m.checked(c.call("ptr", "PyDict_New"))
        with c.counting(n) as i:
            rest = iter([at(i) for at in columns])
            reading, m.reading = m.reading, Reading.VALUE
            key = self.key.decode(m, rest)
            m.reading = reading
            value = self.held.decode(m, rest)
            done = c.call("i32", "PyDict_SetItem", f"ptr {out}", f"ptr {key}", f"ptr {value}")
            c.call("void", "Py_DecRef", f"ptr {key}")
            c.call("void", "Py_DecRef", f"ptr {value}")
            c.need(c.same(done, "0", "i32"), "fail")
        return out

    def seed(self, m: Making, given: str, sources: Sources) -> None:
        raise NotImplementedError("no result is of this kind")
