"""Tuples, and lists of known length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from pullback.call import given as tangent_of
from pullback.call.code.reading import Making, Reading, Sources
from pullback.call.code.tangent_items import item_of
from pullback.call.code.tangent_items import items_of as given_items
from pullback.call.code.writing import Slots, Where, Writing
from pullback.call.given import What
from pullback.call.shape import Part, shape_of
from pullback.call.shapes.product import Product, items_of
from pullback.call.trees import Writer
from pullback.frontend.kinds.chosen import CHOICE, chosen
from pullback.frontend.kinds.kinds import StaticK, TupleK
from pullback.frontend.python.annotations import inside as annotation_inside
from pullback.native import Tree
from pullback.native.builder import increment
from pullback.native.pyabi import LIST_ITEMS, TUPLE_ITEMS, TUPLE_SIZE


class Fixed(Product, of=TupleK):
    """A tuple or list of known length."""

    def __init__(self, kind: TupleK, declared: object) -> None:
        hints = (annotation_inside(declared, j) for j in range(len(kind.items)))
        super().__init__(kind, tuple(map(shape_of, kind.items, hints)))
        self.is_list = kind.is_list
        first = kind.items[0] if kind.items else None
        self.is_choice = isinstance(first, StaticK) and first.value is CHOICE

    def inside(self, value: object) -> Sequence[Part]:
        found = items_of(self, value, len(self.items))
        return [Part(s, v, k) for k, (s, v) in enumerate(zip(self.items, found, strict=True))]

    def made(self, parts: Sequence[object], like: object = None) -> object:
        is_list = self.is_list if like is None else isinstance(like, list)
        return chosen(parts) if self.is_choice else (list if is_list else tuple)(parts)

    def given(self, given: object, count: int, what: What) -> Iterator[object]:
        return iter(tangent_of.items(given, count, self.kind, what))

    # --- entry points ---

    def fits(self, w: Writer, at: str) -> str:
        word = "list" if self.is_list else "tuple"
        return f"type({at}) is {word} and len({at}) == {len(self.items)}"

    def reach(self, w: Writer, at: str) -> list[str]:
        return [f"{at}[{j}]" for j in range(len(self.items))]

    def finish(self) -> Callable[[Iterable[object]], object] | None:
        return chosen if self.is_choice else (list if self.is_list else None)

    @property
    def direct(self) -> bool:
        return not self.is_list and all(item.direct for item in self.items)

    def argument(self, w: Writer, at: str) -> tuple[Tree, str] | None:
        if not self.direct:
            return super().argument(w, at)
        return w.together([item.argument(w, at) for item in self.items])[0], at

    # --- compiled conversions ---

    def encode(self, w: Writing, obj: str, slots: Slots, where: Where) -> None:
        c, count = w.code, str(len(self.items))
        w.exactly(obj, "pb_list" if self.is_list else "pb_tuple_type")
        c.need(c.same(c.load("i64", obj, TUPLE_SIZE), count, "i64"), "fail")
        start = c.load("ptr", obj, LIST_ITEMS) if self.is_list else c.at(obj, TUPLE_ITEMS)
        inside = w.inside(self.holds_nodes, obj, where)
        beside_it = given_items(c, where.tangent, count)
        for k, item in enumerate(self.items):
            part = replace(inside, tangent=item_of(c, beside_it, str(k)))
            item.encode(w, c.load("ptr", start, 8 * k), slots, part)

    def decode(self, m: Making, sources: Sources) -> str:
        c = m.code
        name = "PyList_New" if self.is_list else "PyTuple_New"
        out = m.checked(c.call("ptr", name, f"i64 {len(self.items)}"))
        start = c.load("ptr", out, LIST_ITEMS) if self.is_list else c.at(out, TUPLE_ITEMS)
        for k, item in enumerate(self.items):
            c.store("ptr", item.decode(m, sources), start, 8 * k)
        if not self.is_choice or m.reading is not Reading.VALUE:
            return out
        over = c.slot("i32")
        number = c.load("ptr", start, 8)
        n = c.call("i64", "PyLong_AsLongLongAndOverflow", f"ptr {number}", f"ptr {over}")
        member = increment(c, c.load("ptr", start, c.add(c.mul(n, 8), 16)))
        c.call("void", "Py_DecRef", f"ptr {out}")
        return member

    def seed(self, m: Making, given: str, sources: Sources) -> None:
        parts = given_items(m.code, given, str(len(self.items)))
        for k, item in enumerate(self.items):
            item.seed(m, item_of(m.code, parts, str(k)), sources)
