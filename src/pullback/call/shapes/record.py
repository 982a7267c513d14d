"""Records: instances of frozen dataclasses and NamedTuples, field by field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial

from pullback.call import given as tangent_of
from pullback.call.code.fields import (
    VALUES_BEFORE,
    Access,
    Attribute,
    Offset,
    access_of,
    known_slots,
    native_class,
)
from pullback.call.code.reading import Making, Sources, stays_acyclic
from pullback.call.code.tangent_items import NONE, exactly_or_none
from pullback.call.code.writing import Names, Slots, Where, Writing, read_field
from pullback.call.given import Normal, What
from pullback.call.shape import Part, Step, shape_of
from pullback.call.shapes.product import Product
from pullback.call.trees import Writer
from pullback.errors import ArgumentTypeError
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.kinds import RecordK
from pullback.frontend.python.annotations import annotations_of
from pullback.frontend.python.instances import bare, is_inside
from pullback.frontend.python.records import field_of
from pullback.native.builder import Code


class Record(Product, of=RecordK):
    """An instance of exactly one class."""

    def __init__(self, kind: RecordK, declared: object) -> None:
        hints = self.hints(kind.cls)
        super().__init__(kind, tuple(shape_of(k, hints.get(n)) for n, k in kind.fields))
        self.cls = kind.cls
        self.names = tuple(n for n, _ in kind.fields)

    def hints(self, cls: type) -> dict[str, object]:
        """The annotations of the fields."""
        return annotations_of(cls)

    def inside(self, value: object) -> Sequence[Part]:
        cls = type(value)
        if cls is not self.cls and cls is not self.native:
            raise self.mismatch(value)
        return [
            Part(s, field_of(value, cls, n), n)
            for s, n in zip(self.items, self.names, strict=True)
        ]

    def made(self, parts: Sequence[object], like: object = None) -> object:
        return bare(self.cls, dict(zip(self.names, parts, strict=True)))

    def made_native(self, parts: Sequence[object], like: object = None) -> object:
        return bare(self.native, dict(zip(self.names, parts, strict=True)))

    def place(self, step: Step) -> str:
        return f".{step}"

    def given(self, given: object, count: int, what: What) -> Iterator[object]:
        for name in self.names:
            yield self._field(given, name, what)

    def _field(self, given: object, name: str, what: What) -> object:
        if given is None:
            return None
        tangent_of.require_exact(given, what)
        if isinstance(given, dict):
            for other in given.keys() - set(self.names):
                raise ArgumentTypeError(f"the {what} of {describe(self.kind)} has no {other!r}")
        try:
            return field_of(given, type(given), name)
        except (AttributeError, KeyError):
            raise ArgumentTypeError(
                f"the {what} of {describe(self.kind)} has its fields; "
                f"a {tangent_of.name_of(given)} has no {name!r}"
            ) from None

    def fill_normal(
        self, node: object, value: object, given: object, made: Normal, where: str
    ) -> None:
        """Give a node, the tangent of ``value`` in normal form, its fields."""
        for part in self.inside(value):
            place = where + self.place(part.step)
            with tangent_of.placed(place):
                mine = self._field(given, str(part.step), made.what)
            inside = part.shape.normal(part.value, mine, made, place)
            object.__setattr__(node, str(part.step), inside)

    # --- entry points ---

    def fits(self, w: Writer, at: str) -> str:
        return f"type({at}) is {w.name('class', self.cls)}"

    def reach(self, w: Writer, at: str) -> list[str]:
        return [f"{at}.{name}" for name in self.names]

    def finish(self) -> Callable[[Iterable[object]], object]:
        cls, names, give = self.cls, self.names, object.__setattr__
        if issubclass(cls, tuple):
            return lambda items: tuple.__new__(cls, items)

        def instance(items: Iterable[object]) -> object:
            made: object = object.__new__(cls)
            for name, item in zip(names, items, strict=False):
                give(made, name, item)
            return made

        return instance

    # --- from objects to words ---

    @cached_property
    def native(self) -> type:
        """The class of the instances that compiled code reads and makes."""
        return native_class(self.cls, self.names)

    @cached_property
    def fields(self) -> tuple[Access, ...]:
        """How compiled code reaches each field."""
        access = access_of(self.native, self.names)
        assert access is not None
        return access

    @property
    def plain(self) -> bool:
        return self.native is self.cls and super().plain

    def encode(self, w: Writing, obj: str, slots: Slots, where: Where) -> None:
        w.exactly(obj, w.names.symbol(self.native))
        self.encode_fields(w, obj, slots, w.inside(self.holds_nodes, obj, where))

    def encode_fields(self, w: Writing, obj: str, slots: Slots, inside: Where) -> None:
        """Write the words of the fields."""
        parts, tangent = self.read(w.code, w.names, obj), inside.tangent
        none = self.or_none(w.code, w.names, tangent) if tangent else ""
        for access, item, part in zip(self.fields, self.items, parts, strict=True):
            beside_it = _given_field(w.code, w.names, tangent, none, access) if tangent else ""
            item.encode(w, part, slots, replace(inside, tangent=beside_it))

    def read(self, c: Code, names: Names, obj: str) -> Iterator[str]:
        """The values of the fields, as borrowed references."""
        return (read_field(c, names, obj, access, "fail") for access in self.fields)

    def or_none(self, c: Code, names: Names, tangent: str) -> str:
        """An ``i1``: whether a tangent is None; if not, it may be one of such an instance (or at
        the block "fail")."""
        return exactly_or_none(c, tangent, "@" + names.symbol(self.native))

    # --- from words to objects ---

    def decode(self, m: Making, sources: Sources) -> str:
        out = self.bare(m)
        self.decode_fields(m, out, sources)
        return out

    def decode_fields(self, m: Making, obj: str, sources: Sources) -> None:
        """Give a fresh instance its fields."""
        for access, item in zip(self.fields, self.items, strict=True):
            made = item.decode(m, sources)
            if isinstance(access, Attribute) and is_inside(access.name):
                m.code.call("void", "Py_DecRef", f"ptr {made}")
            else:
                self.set(m, obj, access, made)

    def bare(self, m: Making) -> str:
        """An instance without fields; the collector is told to forget it if it may."""
        made = self.new(m)
        if self.stays_acyclic(m):
            m.code.call("void", "PyObject_GC_UnTrack", f"ptr {made}")
        return made

    def stays_acyclic(self, m: Making) -> bool:
        """Whether no instance becomes part of a cycle of references."""
        atomic = all(item.atomic for item in self.items)
        return (atomic or m.acyclic) and stays_acyclic(self.native)

    def new(self, m: Making) -> str:
        """An instance without fields."""
        c, cls = m.code, f"ptr @{m.names.symbol(self.native)}"
        if issubclass(self.native, tuple):
            return m.checked(c.call("ptr", "PyType_GenericAlloc", cls, f"i64 {len(self.items)}"))
        if known_slots(self.fields):
            return m.checked(c.call("ptr", "PyType_GenericAlloc", cls, "i64 0"))
        empty = m.names.symbol((), "no arguments")
        return m.checked(c.call("ptr", "pb_object_new", cls, f"ptr @{empty}", "ptr null"))

    def set(self, m: Making, obj: str, access: Access, value: str) -> None:
        """Give a fresh instance a field."""
        c = m.code
        if isinstance(access, Offset):
            c.store("ptr", value, obj, access.bytes)
            return
        assert isinstance(access, Attribute)
        name = m.names.symbol(access.name, access.name)

        def general() -> None:
            set_ = c.call("i32", "PyObject_GenericSetAttr", f"ptr {obj}", f"ptr @{name}",
                          f"ptr {value}")  # fmt: skip
            c.call("void", "Py_DecRef", f"ptr {value}")
            c.need(c.same(set_, "0", "i32"), "fail")

        if access.place < 0:
            general()
            return
        row = c.load("ptr", obj, -VALUES_BEFORE)
        fast, slow, done = c.label("row"), c.label("dict"), c.label("done")
        c.branch(c.same(row, "null"), slow, fast)
        c.block(fast)
        c.store("ptr", value, row, 8 * access.place)
        count = c.let(f"add i8 {c.load('i8', row, -2)}, 1")  # the order of insertion is before it
        back = c.let(f"sub i64 -2, {c.let(f'zext i8 {count} to i64')}")
        c.store("i8", str(access.place), row, back)
        c.store("i8", count, row, -2)
        c.jump(done)
        c.block(slow)
        general()
        c.jump(done)
        c.block(done)

    # --- cotangents ---

    def seed(self, m: Making, given: str, sources: Sources) -> None:
        none = self.or_none(m.code, m.names, given)
        for access, item in zip(self.fields, self.items, strict=True):
            item.seed(m, _given_field(m.code, m.names, given, none, access), sources)


def _given_field(c: Code, names: Names, given: str, none: str, access: Access) -> str:
    """A field of a tangent, which is None if ``none``."""
    read = partial(read_field, c, names, given, access, "fail")
    return c.choose(none, lambda: NONE, read, "ptr")
