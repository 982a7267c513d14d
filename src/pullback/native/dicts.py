"""Dicts with constant keys, for compiled conversions: reading them in order, making them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pullback.native.builder import Code
from pullback.native.classes import Access, Key
from pullback.native.pyabi import OB_TYPE
from pullback.native.tangent_items import exactly_or_none

Name = Callable[[object, object], str]
"""The symbol of an object, found again by a key."""

_COMPARED = {str: "@pb_str", int: "@pb_int"}
_EQUAL = 2  # Py_EQ


def dict_items(c: Code, name: Name, obj: str, access: Sequence[Access], fail: str) -> list[str]:
    """The values of a dict, as borrowed references; to the block ``fail`` unless its keys are
    these, in this order."""
    position, key, value = c.var("i64", "0"), c.slot("ptr"), c.slot("ptr")

    def following() -> str:
        return c.call("i32", "PyDict_Next", f"ptr {obj}", f"ptr {position}", f"ptr {key}",
                      f"ptr {value}")  # fmt: skip

    out: list[str] = []
    for a in access:
        assert isinstance(a, Key)
        c.need(c.let(f"icmp ne i32 {following()}, 0"), fail)
        c.need(_is_key(c, c.load("ptr", key), a.key, "@" + name(a.key, a.key)), fail)
        out.append(c.load("ptr", value))
    c.need(c.same(following(), "0", "i32"), fail)
    return out


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


def dict_or_none(c: Code, tangent: str, count: int) -> str:
    """An ``i1``: whether a tangent is None; if not, it is a dict of so many keys (or at "fail")."""
    none = exactly_or_none(c, tangent, "@pb_dict")

    def counted() -> str:
        size = c.call("i64", "PyDict_Size", f"ptr {tangent}")
        return c.same(size, str(count), "i64")

    c.need(c.choose(none, lambda: "true", counted, "i1"), "fail")
    return none


def set_item(c: Code, obj: str, key: str, value: str) -> None:
    """Give a fresh dict a value, whose reference is given away."""
    set_ = c.call("i32", "PyDict_SetItem", f"ptr {obj}", f"ptr {key}", f"ptr {value}")
    c.call("void", "Py_DecRef", f"ptr {value}")
    c.need(c.same(set_, "0", "i32"), "fail")
