"""Symbols (members of enumerations, strings) and values that may be None, from objects and back."""

from __future__ import annotations

from collections.abc import Callable

from pullback.lower.loopcode import Ty
from pullback.native.builder import Code, increment
from pullback.native.pyabi import OB_TYPE
from pullback.native.shapes import Layout, Maybe, Symbol, beside_in, leaf_types, words
from pullback.native.text import memory_type

MOST_MEMBERS = 32
"""Members of an enumeration are told apart one by one."""

_NOTHING = {Ty.F64: "0.0", Ty.F32: "0.0", Ty.PTR: "%block"}
"""What a word is where there is no value, if not 0: addresses are never null."""

Slots = list[tuple[list[str], list[str]]]
Name = Callable[[object], str]


def symbol_number(c: Code, name: Name, shape: Symbol, obj: str) -> str:
    """The number of a symbol; to the block "fail" if it is none, or a string not met before."""
    if shape.members is None:
        ty = c.load("ptr", obj, OB_TYPE)
        c.need(c.same(ty, "@pb_str"), "fail")
        table = name(shape.numbers)
        found = c.call("ptr", "PyDict_GetItem", f"ptr @{table}", f"ptr {obj}")
        c.need(c.let(f"icmp ne ptr {found}, null"), "fail")
        over = c.slot("i32")
        return c.call("i64", "PyLong_AsLongLongAndOverflow", f"ptr {found}", f"ptr {over}")
    number = "-1"
    for k, member in enumerate(shape.members):
        is_it = c.same(obj, "@" + name(member))
        number = c.let(f"select i1 {is_it}, i64 {k}, i64 {number}")
    c.need(c.let(f"icmp sge i64 {number}, 0"), "fail")
    return number


def symbol_object(c: Code, name: Name, shape: Symbol, number: str) -> str:
    """A new reference to the symbol with this number."""
    if shape.members is None:
        table = name(shape.strings)
        key = c.call("ptr", "PyLong_FromLongLong", f"i64 {number}")
        c.need(c.let(f"icmp ne ptr {key}, null"), "fail")
        found = c.call("ptr", "PyDict_GetItem", f"ptr @{table}", f"ptr {key}")
        c.call("void", "Py_DecRef", f"ptr {key}")
        c.need(c.let(f"icmp ne ptr {found}, null"), "fail")
        return increment(c, found)
    found = "@" + name(shape.members[0])
    for k, member in enumerate(shape.members[1:], 1):
        is_it = c.same(number, str(k), "i64")
        found = c.let(f"select i1 {is_it}, ptr @{name(member)}, ptr {found}")
    return increment(c, found)


def optional(
    c: Code, layout: Layout, shape: Maybe, obj: str, slots: Slots,
    encode: Callable[[Slots], None], in_node: bool,
) -> None:  # fmt: skip
    """Write whether there is a value, and the value; or zeros and arrays without elements."""
    ((flag,), _), rest = slots[0], slots[1:]
    there, nothing, done = c.label("there"), c.label("nothing"), c.label("done")
    c.branch(c.same(obj, "@pb_none"), nothing, there)
    c.block(there)
    c.store("i8", "1", flag)
    encode(rest)
    c.jump(done)
    c.block(nothing)
    c.store("i8", "0", flag)
    for t, (own, more) in zip(leaf_types(shape.item), rest, strict=True):
        near = words(beside_in(layout, t, in_node)) if more else ()
        for ty, slot in zip((*words(t), *near), (*own, *more), strict=True):
            c.store(memory_type(ty), _NOTHING.get(ty, "0"), slot)
    c.jump(done)
    c.block(done)
