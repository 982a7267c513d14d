"""From Python objects to words: the code for values, whatever holds them (see ``encode``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import assert_never

from pullback.core.types import Real
from pullback.lower.loopcode import Ty
from pullback.native import blocks as at
from pullback.native.builder import Code
from pullback.native.choices import optional, symbol_number
from pullback.native.classes import VALUES_BEFORE, Access, Key, Offset
from pullback.native.dicts import dict_items, dict_or_none
from pullback.native.pyabi import (
    FLOAT_VALUE,
    LIST_ITEMS,
    OB_TYPE,
    SCALAR_VALUE,
    TUPLE_ITEMS,
    TUPLE_SIZE,
)
from pullback.native.shapes import (
    Alternative,
    Boxed,
    Constant,
    Fixed,
    Instance,
    Layout,
    Many,
    Maybe,
    Number,
    Shape,
    Space,
    Strided,
    Symbol,
    beside_in,
    leaf_types,
    parts_of,
    words,
)
from pullback.native.tangent_items import NONE, exactly_or_none, item_of, items_of
from pullback.native.text import SHIFT, SIZE, memory_type

Slots = Iterator[tuple[list[str], list[str]]]
"""For every leaf, the addresses of its words and of those of what is beside it."""


class Names:
    """The Python objects that a conversion mentions, as symbols."""

    def __init__(self) -> None:
        self.objects: list[object] = []
        self.found: dict[tuple[type, object], str] = {}

    def symbol(self, value: object, key: object = None) -> str:
        """The symbol of an object's address."""
        known = (type(value), id(value) if key is None else key)
        if known not in self.found:
            self.found[known] = f"pb_own_{len(self.objects)}"
            self.objects.append(value)
        return self.found[known]

    def declarations(self) -> str:
        """What a module that uses them begins with."""
        return "".join(f"@{name} = external global i8\n" for name in self.found.values())


@dataclass(frozen=True, slots=True)
class Where:
    """What is known of the place of an object: whether it is inside a node, or a list; an ``i1``:
    that this is the only way to it, as far as the containers around it tell; and in dual space its
    tangent, an object of its form or None."""

    in_node: bool
    in_list: bool
    sole: str
    tangent: str = ""


def holds_nodes(shape: Shape) -> bool:
    """Whether nodes are reached from it."""
    return isinstance(shape, Boxed) or any(map(holds_nodes, parts_of(shape)))


def alternatives(layout: Layout) -> Iterator[tuple[int, int, Alternative]]:
    """All alternatives with their union and a number of their own."""
    count = 0
    for u, union in enumerate(layout.unions):
        for a in union:
            yield count, u, a
            count += 1


def read_field(c: Code, names: Names, obj: str, access: Access, fail: str) -> str:
    """A field of an instance, as a borrowed reference (the instance holds it)."""
    if isinstance(access, Offset):
        value = c.load("ptr", obj, access.bytes)
        c.need(c.let(f"icmp ne ptr {value}, null"), fail)
        return value
    if isinstance(access, Key):
        key = names.symbol(access.key, access.key)
        value = c.call("ptr", "PyDict_GetItem", f"ptr {obj}", f"ptr @{key}")
        c.need(c.let(f"icmp ne ptr {value}, null"), fail)
        return value
    name = names.symbol(access.name, access.name)
    found = c.var("ptr", "null")
    if access.place >= 0:
        row = c.load("ptr", obj, -VALUES_BEFORE)
        with c.when(c.let(f"icmp ne ptr {row}, null")):
            c.store("ptr", c.load("ptr", row, 8 * access.place), found)
    with c.when(c.same(c.load("ptr", found), "null")):
        value = c.call("ptr", "PyObject_GenericGetAttr", f"ptr {obj}", f"ptr @{name}")
        c.need(c.let(f"icmp ne ptr {value}, null"), fail)
        c.call("void", "Py_DecRef", f"ptr {value}")
        c.store("ptr", value, found)
    return c.load("ptr", found)


def instance_or_none(c: Code, names: Names, tangent: str, shape: Instance) -> str:
    """An ``i1``: whether a tangent is None; if not, it may be one of such an instance (or at the
    block "fail")."""
    if shape.cls is dict:
        return dict_or_none(c, tangent, len(shape.items))
    return exactly_or_none(c, tangent, "@" + names.symbol(shape.cls))


class ValueEncoder:
    """Prints the code that writes the words of a value."""

    def __init__(self, layout: Layout, names: Names) -> None:
        self.layout = layout
        self.names = names
        self.code = Code()
        self.dual = layout.space is Space.DUAL

    # --- values ---

    def encode(self, shape: Shape, obj: str, slots: Slots, where: Where) -> None:
        """Write the words of an object; to the block "fail" if it is not of this shape."""
        c = self.code
        match shape:
            case Number():
                (slot,), tangent = next(slots)
                self._number(shape, obj, slot, where)
                if tangent and self.dual:
                    self._tangent_number(shape.ty, where.tangent, tangent[0])
                elif tangent:
                    c.store("i64", self._new_ids("1"), tangent[0])
            case Strided():
                self._array(shape, obj, *next(slots), where)
            case Many():
                self._many(shape, obj, slots, where)
            case Fixed(items, is_list):
                self._exactly(obj, "pb_list" if is_list else "pb_tuple_type")
                n = c.load("i64", obj, TUPLE_SIZE)
                c.need(c.same(n, str(len(items)), "i64"), "fail")
                start = c.load("ptr", obj, LIST_ITEMS) if is_list else c.at(obj, TUPLE_ITEMS)
                inside = self._inside(shape, obj, where)
                beside_it = items_of(c, where.tangent, str(len(items)))
                for k, item in enumerate(items):
                    part = replace(inside, tangent=item_of(c, beside_it, str(k)))
                    self.encode(item, c.load("ptr", start, 8 * k), slots, part)
            case Instance(cls):
                self._exactly(obj, self.names.symbol(cls))
                self._fields(shape, obj, slots, self._inside(shape, obj, where))
            case Constant(key, value):
                c.need(c.same(obj, "@" + self.names.symbol(value, key)), "fail")
            case Boxed(union):
                (slot,), _ = next(slots)
                node = c.call("ptr", f"pb.find.{union}", "ptr %block", f"ptr {obj}",
                              f"i1 {where.sole}", f"ptr {where.tangent or NONE}")  # fmt: skip
                c.need(c.let(f"icmp ne ptr {node}, null"), "fail")
                c.store("ptr", node, slot)
            case Symbol():
                (slot,), _ = next(slots)
                c.store("i64", symbol_number(c, self.names.symbol, shape, obj), slot)
            case Maybe(item):
                taken = [next(slots) for _ in leaf_types(shape)]
                optional(
                    c, self.layout, shape, obj, taken,
                    lambda s: self.encode(item, obj, iter(s), where), where.in_node,
                )  # fmt: skip
            case _:
                assert_never(shape)

    def _fields(self, shape: Instance, obj: str, slots: Slots, inside: Where) -> None:
        c, tangent = self.code, inside.tangent
        parts = None
        if shape.cls is dict:
            parts = iter(dict_items(c, self.names.symbol, obj, shape.access, "fail"))
        if tangent:
            none = instance_or_none(c, self.names, tangent, shape)
        for a, item in zip(shape.access, shape.items, strict=True):
            part = read_field(c, self.names, obj, a, "fail") if parts is None else next(parts)
            beside_it = ""
            if tangent:
                read = partial(read_field, c, self.names, tangent, a, "fail")
                beside_it = c.choose(none, lambda: NONE, read, "ptr")
            self.encode(item, part, slots, replace(inside, tangent=beside_it))

    def _exactly(self, obj: str, cls: str) -> None:
        ty = self.code.load("ptr", obj, OB_TYPE)
        self.code.need(self.code.same(ty, f"@{cls}"), "fail")

    def _inside(self, shape: Shape, obj: str, where: Where, in_list: bool = False) -> Where:
        """What is known of the parts of a container."""
        sole = "false"
        if holds_nodes(shape) and where.sole != "false":
            one = self.code.same(self.code.load("i64", obj), "1", "i64")
            sole = self.code.let(f"and i1 {one}, {where.sole}")
        return Where(where.in_node, where.in_list or in_list, sole, where.tangent)

    # --- tangents ---

    def _tangent_number(self, ty: Ty, tangent: str, slot: str) -> None:
        c = self.code
        cell = c.slot("double")
        c.need(c.call("i1", "pb.tangent", f"ptr {tangent}", f"ptr {cell}"), "fail")
        value = c.load("double", cell)
        if ty is Ty.F32:
            value = c.let(f"fptrunc double {value} to float")
        c.store(memory_type(ty), value, slot)

    def _tangent_array(self, shape: Strided, tangent: str, extents: list[str],
                       slots: list[str]) -> None:  # fmt: skip
        c = self.code

        def zeros() -> str:
            size = str(SIZE[shape.ty])
            for n in extents:
                size = c.mul(n, size)
            data = c.call("ptr", "pb.data", "ptr %block", f"i64 {size}")
            c.need(c.let(f"icmp ne ptr {data}, null"), "fail")
            c.call("void", "llvm.memset.p0.i64", f"ptr {data}", "i8 0", f"i64 {size}", "i1 false")
            view = c.slot("i64", 1 + 2 * shape.rank)
            c.store("ptr", data, view)
            for k, n in enumerate(extents):
                c.store("i64", n, view, 8 * (1 + k))
            c.call("void", "pb_dense", f"i64 {shape.rank}", f"ptr {c.at(view, 8)}",
                   f"ptr {c.at(view, 8 * (1 + shape.rank))}")  # fmt: skip
            return view

        def given() -> str:
            view = self._view(shape, tangent)
            for k, n in enumerate(extents):
                c.need(c.same(c.load("i64", view, 8 * (1 + k)), n, "i64"), "fail")
            return view

        view = c.choose(c.same(tangent, NONE), zeros, given, "ptr")
        for k, slot in enumerate(slots):
            c.store("i64", c.load("i64", view, 8 * k), slot)

    # --- numbers and arrays ---

    def _number(self, shape: Number, obj: str, slot: str, where: Where) -> None:
        c = self.code
        match shape:
            case Number(Ty.F64, True) if where.in_node:
                ty = c.load("ptr", obj, OB_TYPE)
                is_float, is_numpy = c.same(ty, "@pb_float"), c.same(ty, "@pb_np_f64")
                value = c.choose(
                    c.let(f"or i1 {is_float}, {is_numpy}"),
                    lambda: c.load("double", obj, FLOAT_VALUE),
                    lambda: c.let(f"sitofp i64 {self._integer(obj)} to double"),
                    "double",
                )
            case Number(Ty.F64, True):
                self._exactly(obj, "pb_float")
                value = c.load("double", obj, FLOAT_VALUE)
            case Number(Ty.I64, True):
                value = self._integer(obj)
            case Number(Ty.I1, True):
                yes, no = c.same(obj, "@pb_true"), c.same(obj, "@pb_false")
                c.need(c.let(f"or i1 {yes}, {no}"), "fail")
                value = c.let(f"zext i1 {yes} to i8")
            case Number(ty):
                self._exactly(obj, f"pb_np_{ty.value}")
                value = c.load(memory_type(ty), obj, SCALAR_VALUE)
        c.store(memory_type(shape.ty), value, slot)

    def _integer(self, obj: str) -> str:
        c = self.code
        self._exactly(obj, "pb_int")
        over = c.slot("i32")
        n = c.call("i64", "PyLong_AsLongLongAndOverflow", f"ptr {obj}", f"ptr {over}")
        c.need(c.same(c.load("i32", over), "0", "i32"), "fail")
        return n

    def _view(self, shape: Strided, obj: str) -> str:
        """The address of the words of an array."""
        c, rank = self.code, shape.rank
        view = c.slot("i64", 1 + 2 * rank)
        c.need(c.call("i1", "pb_view", f"ptr {obj}", f"ptr @pb_descr_{shape.ty.value}",
                      f"i64 {rank}", f"i64 {SHIFT[shape.ty]}", f"ptr {view}"), "fail")  # fmt: skip
        c.need(c.call("i1", "pb.own", "ptr %block", f"ptr {view}", f"i64 {rank}",
                      f"i64 {SHIFT[shape.ty]}"), "fail")  # fmt: skip
        return view

    def _array(self, shape: Strided, obj: str, slots: list[str], near: list[str],
               where: Where) -> None:  # fmt: skip
        c, rank = self.code, shape.rank
        view = self._view(shape, obj)
        values = [c.load("i64", view, 8 * k) for k in range(1 + 2 * rank)]
        for value, slot in zip(values, slots, strict=True):
            c.store("i64", value, slot)
        if near and self.layout.space is Space.DUAL:
            self._tangent_array(shape, where.tangent, values[1 : 1 + rank], near)
        elif near and self.layout.space is Space.IDS:
            self._ids(near, values[1 : 1 + rank], where.in_node)
        elif near:
            self._handle(near, values[1 : 1 + rank])

    def _new_ids(self, size: str) -> str:
        """The first of so many ids, which are the numbers of cells, from 1 on."""
        c = self.code
        first = c.load("i64", "%block", at.CELLS)
        c.store("i64", c.add(first, size), "%block", at.CELLS)
        return c.add(first, 1)

    def _ids(self, slots: list[str], extents: list[str], in_node: bool) -> None:
        """New ids for an array of this shape, in C order: the first, or in nodes an array."""
        c = self.code
        size, strides = "1", []
        for n in reversed(extents):
            strides.append(size)
            size = c.mul(n, size)
        if not in_node:
            c.store("i64", self._new_ids(size), slots[0])
            return
        data = c.call("ptr", "pb.data", "ptr %block", f"i64 {c.add(c.mul(size, 8), 8)}")
        c.need(c.let(f"icmp ne ptr {data}, null"), "fail")
        first = self._new_ids(size)
        with c.counting(size) as i:
            c.store("i64", c.add(first, i), c.at(data, c.mul(i, 8)))
        c.store("ptr", data, slots[0])
        for value, slot in zip([*extents, *reversed(strides)], slots[1:], strict=True):
            c.store("i64", value, slot)

    def _handle(self, slots: list[str], extents: list[str]) -> None:
        """Number the cells of an accumulator of this shape, in C order."""
        c = self.code
        size, strides = "1", []
        for n in reversed(extents):
            strides.append(size)
            size = c.mul(n, size)
        first = c.load("i64", "%block", at.CELLS)
        c.store("i64", c.add(first, size), "%block", at.CELLS)
        for value, slot in zip([first, *extents, *reversed(strides)], slots, strict=True):
            c.store("i64", value, slot)

    def _many(self, shape: Many, obj: str, slots: Slots, where: Where) -> None:
        c = self.code
        n, items = self._sequence(obj, where)
        (slot,), _ = next(slots)
        c.store("i64", n, slot)
        by_first = self.layout.space is Space.IDS and not where.in_node
        columns: list[tuple[list[tuple[str, Ty]], list[tuple[str, Ty]]]] = []
        for t in leaf_types(shape.item):
            plain, near = next(slots)
            data = self._columns(words(t), plain, n)
            more: list[tuple[str, Ty]] = []
            if near and isinstance(t, Real) and self.layout.space is Space.FORWARD:
                self._handle(near, [n])
            elif near and isinstance(t, Real) and by_first:
                c.store("i64", self._new_ids(n), near[0])
            elif near:
                more = self._columns(words(beside_in(self.layout, t, where.in_node)), near, n)
            columns.append((data, more))
        if shape.item == Number(Ty.F64, True) and not where.in_node and not columns[0][1]:
            ((to, _),) = columns[0][0]
            read = c.call("i1", "pb_reals", f"ptr {items}", f"i64 {n}", f"ptr {to}")
            c.need(read, "fail")
            return
        inside = self._inside(shape, obj, where, in_list=True)
        tangents = items_of(c, where.tangent, n)
        with c.counting(n) as i:
            item = c.load("ptr", items, c.mul(i, 8))
            places = ((_row(c, data, i), _row(c, more, i)) for data, more in columns)
            part = replace(inside, tangent=item_of(c, tangents, i))
            self.encode(shape.item, item, places, part)

    def _sequence(self, obj: str, where: Where) -> tuple[str, str]:
        """The length and the items of a list; in a node also of a tuple."""
        c = self.code
        n = c.load("i64", obj, TUPLE_SIZE)
        if not where.in_node:
            self._exactly(obj, "pb_list")
            if not where.in_list:  # an empty list is of another type
                c.need(c.let(f"icmp ne i64 {n}, 0"), "fail")
            return n, c.load("ptr", obj, LIST_ITEMS)
        is_list = c.same(c.load("ptr", obj, OB_TYPE), "@pb_list")

        def of_tuple() -> str:
            self._exactly(obj, "pb_tuple_type")
            return c.at(obj, TUPLE_ITEMS)

        return n, c.choose(is_list, lambda: c.load("ptr", obj, LIST_ITEMS), of_tuple, "ptr")

    def _columns(self, types: tuple[Ty, ...], slots: list[str], n: str) -> list[tuple[str, Ty]]:
        """Memory for n values of each type; its address, the extent and the stride are stored."""
        c, out = self.code, []
        *pointers, extent, stride = slots
        for ty, slot in zip(types, pointers, strict=True):
            column = c.call("ptr", "pb.data", "ptr %block", f"i64 {c.mul(n, SIZE[ty])}")
            c.need(c.let(f"icmp ne ptr {column}, null"), "fail")
            c.store("ptr", column, slot)
            out.append((column, ty))
        c.store("i64", n, extent)
        c.store("i64", "1", stride)
        return out


def _row(c: Code, columns: list[tuple[str, Ty]], i: str) -> list[str]:
    return [c.at(column, c.mul(i, SIZE[ty])) for column, ty in columns]
