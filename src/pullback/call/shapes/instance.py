"""Objects whose attributes can be assigned, attribute by attribute."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace

from pullback.call.code.fields import (
    VALUES_BEFORE,
    Attribute,
    Offset,
    keeps_dict,
    other_slots,
)
from pullback.call.code.reading import Making
from pullback.call.code.writing import Names
from pullback.call.shape import Changing, Part
from pullback.call.shapes.record import Record
from pullback.call.trees import Form, NoForm, Writer
from pullback.frontend.kinds.kinds import PERHAPS_UNREAD, RecordK, UnreadK
from pullback.frontend.python.instances import bare
from pullback.frontend.python.pytypes import has_attributes
from pullback.native import Tree
from pullback.native.builder import Code


class Instance(Record, of=RecordK, container=Changing):
    """An object of exactly one class that has these attributes, and perhaps others that nobody can
    read, without which it is then built again."""

    grows = True

    def __init__(self, kind: RecordK, declared: object) -> None:
        held = tuple((n, k) for n, k in kind.fields if k != PERHAPS_UNREAD)
        super().__init__(replace(kind, fields=held), declared)
        self.unread = {n for n, k in kind.fields if isinstance(k, UnreadK)}

    def hints(self, cls: type) -> dict[str, object]:
        return {}

    def inside(self, value: object) -> Sequence[Part]:
        if type(value) is self.cls and not self._is_same(value):
            raise self.mismatch(value)
        return super().inside(value)

    def _is_same(self, value: object) -> bool:
        return has_attributes(value, self.cls, self.names, self.unread)

    # --- entry points: conversions are faster ---

    def argument(self, w: Writer, at: str) -> tuple[Tree, str] | None:
        if self.plain:
            raise NoForm
        return super().argument(w, at)

    def tangent_argument(
        self, w: Writer, at: str, sizes: Iterator[str]
    ) -> tuple[Tree, str] | None:
        if self.plain:
            raise NoForm
        return super().tangent_argument(w, at, sizes)

    def result_form(self) -> Form | None:
        return None if self.plain else super().result_form()

    def gradient_form(self) -> Form | None:
        return None if self.plain else super().gradient_form()

    def tangent_form(self) -> Form | None:
        return None if self.plain else super().tangent_form()

    def fits(self, w: Writer, at: str) -> str:
        return f"{w.name('same', self._is_same)}({at})"

    def finish(self) -> Callable[[Iterable[object]], object]:
        cls, names = self.cls, self.names
        return lambda items: bare(cls, dict(zip(names, items, strict=True)))

    # --- from objects to words ---

    def read(self, c: Code, names: Names, obj: str) -> Iterator[str]:
        """The values of the attributes, as borrowed references; to the block "fail" unless the
        object has these and no others."""
        for other in other_slots(self.cls, self.names):
            c.need(c.same(c.load("ptr", obj, other.bytes), "null"), "fail")
        found = self._in_dict(c, names, obj) if keeps_dict(self.native) else {}
        for access in self.fields:
            value = c.load("ptr", obj, access.bytes) if isinstance(access, Offset) else ""
            if isinstance(access, Attribute):
                value = c.load("ptr", found[access.name])
            c.need(c.let(f"icmp ne ptr {value}, null"), "fail")
            yield value

    def _in_dict(self, c: Code, names: Names, obj: str) -> dict[str, str]:
        """Variables of the values in the dictionary of an object: these and no others."""
        entries = [a for a in self.fields if isinstance(a, Attribute)]
        found = {a.name: c.var("ptr", "null") for a in entries}

        def looked_up() -> None:
            held = c.call("ptr", "PyObject_GenericGetDict", f"ptr {obj}", "ptr null")
            c.need(c.let(f"icmp ne ptr {held}, null"), "fail")
            c.call("void", "Py_DecRef", f"ptr {held}")
            size = c.call("i64", "PyDict_Size", f"ptr {held}")
            c.need(c.same(size, str(len(entries)), "i64"), "fail")
            for a in entries:
                name = names.symbol(a.name, a.name)
                value = c.call("ptr", "PyDict_GetItem", f"ptr {held}", f"ptr @{name}")
                c.store("ptr", value, found[a.name])

        if not entries or any(a.place < 0 for a in entries):
            looked_up()
            return found
        row = c.load("ptr", obj, -VALUES_BEFORE)
        in_row, in_dict, done = c.label("row"), c.label("dict"), c.label("done")
        c.branch(c.same(row, "null"), in_dict, in_row)
        c.block(in_row)
        c.need(c.same(c.load("i8", row, -2), str(len(entries)), "i8"), "fail")
        for a in entries:
            c.store("ptr", c.load("ptr", row, 8 * a.place), found[a.name])
        c.jump(done)
        c.block(in_dict)
        looked_up()
        c.jump(done)
        c.block(done)
        return found

    # --- from words to objects ---

    def stays_acyclic(self, m: Making) -> bool:
        return False

    def new(self, m: Making) -> str:
        if self.native is not SimpleNamespace:
            return super().new(m)
        cls = m.names.symbol(self.native)
        return m.checked(m.code.call("ptr", "PyObject_CallNoArgs", f"ptr @{cls}"))
