"""Dicts: records whose keys are constants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from pullback.call.code.fields import Access, Key
from pullback.call.code.reading import Making
from pullback.call.code.tangent_items import exactly_or_none
from pullback.call.code.writing import Names
from pullback.call.shape import Part, Step
from pullback.call.shapes.record import Record
from pullback.call.trees import Writer
from pullback.frontend.kinds.kinds import RecordK
from pullback.native.builder import Code
from pullback.native.pyabi import OB_TYPE

_COMPARED = {str: "@pb_str", int: "@pb_int"}
_EQUAL = 2  # Py_EQ


class Dict(Record, of=RecordK, container=dict):
    """A dict of these keys, in this order."""

    def inside(self, value: object) -> Sequence[Part]:
        if type(value) is not dict or tuple(value) != self.names:
            raise self.mismatch(value)
        return super().inside(value)

    def place(self, step: Step) -> str:
        return f"[{step!r}]"

    # --- entry points ---

    def fits(self, w: Writer, at: str) -> str:
        return f"type({at}) is dict and tuple({at}) == {w.name('keys', self.names)}"

    def reach(self, w: Writer, at: str) -> list[str]:
        keys = (repr(k) if type(k) in (str, int) else w.name("key", k) for k in self.names)
        return [f"{at}[{key}]" for key in keys]

    def finish(self) -> Callable[[Iterable[object]], object]:
        names = self.names
        return lambda items: dict(zip(names, items, strict=True))

    # --- compiled conversions ---

    def read(self, c: Code, names: Names, obj: str) -> Iterator[str]:
        """The values, as borrowed references; to the block "fail" unless the keys are these, in
        this order."""
        position, key, value = c.var("i64", "0"), c.slot("ptr"), c.slot("ptr")

        def following() -> str:
            return c.call("i32", "PyDict_Next", f"ptr {obj}", f"ptr {position}", f"ptr {key}",
                          f"ptr {value}")  # fmt: skip

        out: list[str] = []
        for a in self.fields:
            assert isinstance(a, Key)
            c.need(c.let(f"icmp ne i32 {following()}, 0"), "fail")
            known = "@" + names.symbol(a.key, a.key)
            c.need(_is_key(c, c.load("ptr", key), a.key, known), "fail")
            out.append(c.load("ptr", value))
        c.need(c.same(following(), "0", "i32"), "fail")
        return iter(out)

    def or_none(self, c: Code, names: Names, tangent: str) -> str:
        none = exactly_or_none(c, tangent, "@pb_dict")

        def counted() -> str:
            size = c.call("i64", "PyDict_Size", f"ptr {tangent}")
            return c.same(size, str(len(self.items)), "i64")

        c.need(c.choose(none, lambda: "true", counted, "i1"), "fail")
        return none

    def bare(self, m: Making) -> str:
        return m.checked(m.code.call("ptr", "PyDict_New"))  # dicts see to the collector themselves

    def set(self, m: Making, obj: str, access: Access, value: str) -> None:
        assert isinstance(access, Key)
        c, key = m.code, m.names.symbol(access.key, access.key)
        set_ = c.call("i32", "PyDict_SetItem", f"ptr {obj}", f"ptr @{key}", f"ptr {value}")
        c.call("void", "Py_DecRef", f"ptr {value}")
        c.need(c.same(set_, "0", "i32"), "fail")


def _is_key(c: Code, found: str, key: object, known: str) -> str:
    """Whether a key is the known one. Members of enumerations are only what they are."""
    same = c.same(found, known)
    cls = _COMPARED.get(type(key))
    if cls is None:
        return same

    def compare() -> str:
        equal = c.call("i32", "PyObject_RichCompareBool", f"ptr {found}", f"ptr {known}",
                       f"i32 {_EQUAL}")  # fmt: skip
        return c.same(equal, "1", "i32")

    def look() -> str:
        alike = c.same(c.load("ptr", found, OB_TYPE), cls)
        return c.choose(alike, compare, lambda: "false", "i1")

    return c.choose(same, lambda: "true", look, "i1")
