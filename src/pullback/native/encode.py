"""From Python objects to words: the text of a conversion, written for one layout.

Nothing recurses: a node that is met gets its place at once and is filled later, from a stack. An
object that only one reference leads to needs no look at the table of objects. Whatever does not
look as the layout says makes the conversion give up (``NotImplemented``): the general way then
converts it, or says what is wrong. Nodes are entered depth first, those that may be met again with
a mark where they are left, so that an object that contains itself is found out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from pullback.core.types import Real
from pullback.lower.loopcode import Ty
from pullback.native import blocks as at
from pullback.native.builder import Code
from pullback.native.classes import VALUES_BEFORE, Access, Offset
from pullback.native.encode_helpers import HELPERS
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
    Number,
    Shape,
    Strided,
    accumulator,
    leaf_types,
    node_words,
    parts_of,
    reals,
    root_accumulator,
    root_words,
    words,
)
from pullback.native.text import SHIFT, SIZE, memory_type

QUEUED, OPEN, ONCE = 1 << 62, 1 << 61, 1 << 60
"""Marks in a node's tag while it waits, while what it reaches is filled, and of a node that is met
only once."""

Slots = Iterator[tuple[list[str], list[str]]]
"""For every leaf, the addresses of its words and of those of its accumulator."""


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
    """What is known of the place of an object: whether it is inside a node, or a list; and an
    ``i1``: that this is the only way to it, as far as the containers around it tell."""

    in_node: bool
    in_list: bool
    sole: str


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


class Encoder:
    """Prints the functions of one layout."""

    def __init__(self, layout: Layout, names: Names) -> None:
        self.layout = layout
        self.names = names
        self.code = Code()

    # --- values ---

    def encode(self, shape: Shape, obj: str, slots: Slots, where: Where) -> None:
        """Write the words of an object; to the block "fail" if it is not of this shape."""
        c = self.code
        match shape:
            case Number():
                (slot,), _ = next(slots)
                self._number(shape, obj, slot, where)
            case Strided():
                self._array(shape, obj, *next(slots))
            case Many():
                self._many(shape, obj, slots, where)
            case Fixed(items, is_list):
                self._exactly(obj, "pb_list" if is_list else "pb_tuple_type")
                n = c.load("i64", obj, TUPLE_SIZE)
                c.need(c.same(n, str(len(items)), "i64"), "fail")
                start = c.load("ptr", obj, LIST_ITEMS) if is_list else c.at(obj, TUPLE_ITEMS)
                inside = self._inside(shape, obj, where)
                for k, item in enumerate(items):
                    self.encode(item, c.load("ptr", start, 8 * k), slots, inside)
            case Instance(cls):
                self._exactly(obj, self.names.symbol(cls))
                self._fields(shape, obj, slots, self._inside(shape, obj, where))
            case Constant(key, value):
                c.need(c.same(obj, "@" + self.names.symbol(value, key)), "fail")
            case Boxed(union):
                (slot,), _ = next(slots)
                node = c.call("ptr", f"pb.find.{union}", "ptr %block", f"ptr {obj}",
                              f"i1 {where.sole}")  # fmt: skip
                c.need(c.let(f"icmp ne ptr {node}, null"), "fail")
                c.store("ptr", node, slot)
            case _:
                assert_never(shape)

    def _fields(self, shape: Instance, obj: str, slots: Slots, inside: Where) -> None:
        for a, item in zip(shape.access, shape.items, strict=True):
            part = read_field(self.code, self.names, obj, a, "fail")
            self.encode(item, part, slots, inside)

    def _exactly(self, obj: str, cls: str) -> None:
        ty = self.code.load("ptr", obj, OB_TYPE)
        self.code.need(self.code.same(ty, f"@{cls}"), "fail")

    def _inside(self, shape: Shape, obj: str, where: Where, in_list: bool = False) -> Where:
        """What is known of the parts of a container."""
        sole = "false"
        if holds_nodes(shape) and where.sole != "false":
            one = self.code.same(self.code.load("i64", obj), "1", "i64")
            sole = self.code.let(f"and i1 {one}, {where.sole}")
        return Where(where.in_node, where.in_list or in_list, sole)

    def _number(self, shape: Number, obj: str, slot: str, where: Where) -> None:
        c = self.code
        match shape:
            case Number(Ty.F64, True) if where.in_node:
                ty = c.load("ptr", obj, OB_TYPE)
                value = c.choose(
                    c.same(ty, "@pb_float"),
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

    def _array(self, shape: Strided, obj: str, slots: list[str], handle: list[str]) -> None:
        c, rank = self.code, shape.rank
        view = c.slot("i64", 1 + 2 * rank)
        c.need(c.call("i1", "pb_view", f"ptr {obj}", f"ptr @pb_descr_{shape.ty.value}",
                      f"i64 {rank}", f"i64 {SHIFT[shape.ty]}", f"ptr {view}"), "fail")  # fmt: skip
        c.need(c.call("i1", "pb.own", "ptr %block", f"ptr {view}", f"i64 {rank}",
                      f"i64 {SHIFT[shape.ty]}"), "fail")  # fmt: skip
        values = [c.load("i64", view, 8 * k) for k in range(1 + 2 * rank)]
        for value, slot in zip(values, slots, strict=True):
            c.store("i64", value, slot)
        if handle:
            self._handle(handle, values[1 : 1 + rank])

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
        columns: list[tuple[list[tuple[str, Ty]], list[tuple[str, Ty]]]] = []
        for t in leaf_types(shape.item):
            plain, handle = next(slots)
            data = self._columns(words(t), plain, n)
            beside: list[tuple[str, Ty]] = []
            if handle and isinstance(t, Real):
                self._handle(handle, [n])
            elif handle:
                beside = self._columns(words(accumulator(t)), handle, n)
            columns.append((data, beside))
        inside = self._inside(shape, obj, where, in_list=True)
        with c.counting(n) as i:
            item = c.load("ptr", items, c.mul(i, 8))
            places = ((_row(c, data, i), _row(c, beside, i)) for data, beside in columns)
            self.encode(shape.item, item, places, inside)

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

    # --- nodes ---

    def _fill(self, number: int, shape: Instance) -> str:
        """The function that writes the fields of a node."""
        self.code = c = Code()
        last = node_words(self.layout, shape)

        def places() -> Slots:
            w = 1
            for t in leaf_types(shape):
                out = []
                for part in (t, accumulator(t) if self.layout.forward else None):
                    out.append([c.at("%node", 8 * (w + k)) for k in range(len(words(part)))])
                    w += len(out[-1])
                yield out[0], out[1]

        self._fields(shape, "%obj", places(), Where(True, False, "true"))
        if self.layout.forward and reals(shape):
            handle = [c.at("%node", 8 * (last - 2 + k)) for k in range(3)]
            self._handle(handle, [str(reals(shape))])
        c.line("ret i1 true")
        return self._failing(c, "ret i1 false").function(
            f"define internal i1 @pb.fill.{number}(ptr %block, ptr %obj, ptr %node)"
        )

    def _failing(self, c: Code, end: str) -> Code:
        c.block("fail")
        c.line(end)
        return c

    def _find(self, union: int) -> str:
        """The function that gives the node of an object, made now if it was not met before."""
        c = Code()
        known = c.var("ptr", "null")
        ty = c.load("ptr", "%obj", OB_TYPE)
        one = c.same(c.load("i64", "%obj"), "1", "i64")
        once = c.let(f"and i1 {one}, %sole")
        entry = c.var("ptr", "null")
        with c.when(c.let(f"xor i1 {once}, true")):
            key = c.at("%obj", union)  # objects are at multiples of 16
            c.store("ptr", c.call("ptr", "pb_block_find", "ptr %block", f"ptr {key}"), entry)
            c.need(c.let(f"icmp ne ptr {c.load('ptr', entry)}, null"), "fail")
            c.store("ptr", c.load("ptr", c.load("ptr", entry), 8), known)
        old = c.load("ptr", known)
        c.branch(c.same(old, "null"), "new", "old")
        c.block("old")
        tag = c.load("i64", old)
        c.need(c.same(c.let(f"and i64 {tag}, {OPEN}"), "0", "i64"), "fail")  # contains itself
        with c.when(c.let(f"icmp ne i64 {c.let(f'and i64 {tag}, {QUEUED}')}, 0")):
            c.need(c.call("i1", "pb.push", "ptr %block", "ptr %obj", f"ptr {old}"), "fail")
        c.line(f"ret ptr {old}")
        c.block("new")
        mark = c.let(f"select i1 {once}, i64 {ONCE}, i64 {QUEUED}")
        for number, u, a in alternatives(self.layout):
            if u == union:
                self._new_node(c, number, a, ty, mark, entry)
        c.jump("fail")
        return self._failing(c, "ret ptr null").function(
            f"define internal ptr @pb.find.{union}(ptr %block, ptr %obj, i1 %sole)"
        )

    def _new_node(
        self, c: Code, number: int, a: Alternative, ty: str, mark: str, entry: str
    ) -> None:
        cls = type(None) if a.shape is None else a.shape.cls
        with c.when(c.same(ty, "@" + self.names.symbol(cls))):
            slots = 1 + (0 if a.shape is None else node_words(self.layout, a.shape))
            node = c.call("ptr", "pb.node", "ptr %block", f"i64 {at.HEADER + 8 * slots}",
                          f"i64 {number}")  # fmt: skip
            c.need(c.let(f"icmp ne ptr {node}, null"), "fail")
            place = c.load("ptr", entry)
            with c.when(c.let(f"icmp ne ptr {place}, null")):
                c.store("ptr", node, place, 8)
            if a.shape is None:
                c.store("i64", str(a.tag), node)
            else:
                c.store("i64", c.let(f"or i64 {mark}, {a.tag}"), node)
                c.need(c.call("i1", "pb.push", "ptr %block", "ptr %obj", f"ptr {node}"), "fail")
            c.line(f"ret ptr {node}")
            c.block(c.fresh("never"))

    def _drain(self) -> str:
        """The function that fills all nodes on the stack, and those that they lead to."""
        c = Code()
        none = "@pb_none"

        def some() -> str:
            top, base = c.load("i64", "%block", at.TOP), c.load("i64", "%block", at.STACK)
            return c.let(f"icmp ne i64 {top}, {base}")

        with c.loop(some):
            top = c.at(c.load("ptr", "%block", at.TOP), -16)
            c.store("ptr", top, "%block", at.TOP)
            obj, node = c.load("ptr", top), c.load("ptr", top, 8)
            tag = c.load("i64", node)
            plain = c.let(f"and i64 {tag}, {ONCE - 1}")
            left = c.same(obj, none)
            with c.when(left):
                c.store("i64", plain, node)
            waiting = c.let(f"icmp uge i64 {c.let(f'and i64 {tag}, {QUEUED | ONCE}')}, 1")
            with c.when(waiting):
                again = c.let(f"icmp ne i64 {c.let(f'and i64 {tag}, {QUEUED}')}, 0")
                mark = c.let(f"select i1 {again}, i64 {OPEN}, i64 0")
                c.store("i64", c.let(f"or i64 {plain}, {mark}"), node)
                with c.when(again):
                    c.need(c.call("i1", "pb.push", "ptr %block", f"ptr {none}", f"ptr {node}"),
                           "fail")  # fmt: skip
                which = c.load("i64", node, at.ALTERNATIVE)
                for number, _, a in alternatives(self.layout):
                    if a.shape is not None:
                        with c.when(c.same(which, str(number), "i64")):
                            c.need(c.call("i1", f"pb.fill.{number}", "ptr %block",
                                          f"ptr {obj}", f"ptr {node}"), "fail")  # fmt: skip
        c.line("ret i1 true")
        return self._failing(c, "ret i1 false").function(
            "define internal i1 @pb.drain(ptr %block)"
        )

    # --- the builtin ---

    def text(self) -> str:
        """All functions; ``encode(value, first cell, copy)`` is called by Python."""
        parts = [HELPERS]
        for number, _, a in alternatives(self.layout):
            if a.shape is not None:
                parts.append(self._fill(number, a.shape))
        parts += [self._find(u) for u in range(len(self.layout.unions))]
        if self.layout.unions:
            parts.append(self._drain())
        return "\n".join([*parts, self._main()])

    def _main(self) -> str:
        self.code = c = Code()
        obj, over = c.load("ptr", "%args"), c.slot("i32")
        first = c.call("i64", "PyLong_AsLongLongAndOverflow", f"ptr {c.load('ptr', '%args', 8)}",
                       f"ptr {over}")  # fmt: skip
        count = len(root_words(self.layout))
        c.line(f"%block = call ptr @pb_block_new(i64 {count})")
        c.need(c.let("icmp ne ptr %block, null"), "other")
        c.store("i64", first, "%block", at.CELLS)
        copy = c.same(c.load("ptr", "%args", 16), "@pb_true")
        c.store("i64", c.let(f"zext i1 {copy} to i64"), "%block", at.KIND)
        sole = "false" if any(map(parts_of, self._inside_nodes())) else "true"
        root = Where(False, False, sole)
        self.encode(self.layout.root, obj, self._root_places(), root)
        if self.layout.unions:
            c.need(c.call("i1", "pb.drain", "ptr %block"), "fail")
        c.call("void", "pb_block_close", "ptr %block")
        out = c.slot("ptr", 3)
        address = c.let(f"ptrtoint ptr {c.at('%block', at.WORDS)} to i64")
        cells = c.load("i64", "%block", at.CELLS)
        capsule = c.call("ptr", "PyCapsule_New", "ptr %block", f"ptr @{at.CAPSULE_NAME}",
                         "ptr @pb_block_dies")  # fmt: skip
        for k, value in enumerate([
            capsule, c.call("ptr", "PyLong_FromLongLong", f"i64 {address}"),
            c.call("ptr", "PyLong_FromLongLong", f"i64 {cells}"),
        ]):  # fmt: skip
            c.store("ptr", value, out, 8 * k)
        c.line(f"ret ptr {c.call('ptr', 'pb_tuple', f'ptr {out}', 'i64 3')}")
        c.block("fail")
        c.call("void", "PyErr_Clear")
        c.call("void", "pb_block_free", "ptr %block")
        c.jump("other")
        c.block("other")
        c.call("void", "Py_IncRef", "ptr @pb_not_implemented")
        c.line("ret ptr @pb_not_implemented")
        return c.function("define ptr @encode(ptr %self, ptr %args, i64 %nargs)")

    def _inside_nodes(self) -> Iterator[Shape]:
        for _, _, a in alternatives(self.layout):
            if a.shape is not None:
                yield from a.shape.items

    def _root_places(self) -> Slots:
        c, w = self.code, 0
        for t in leaf_types(self.layout.root):
            out: list[list[str]] = []
            for part in (t, root_accumulator(self.layout, t)):
                start = at.WORDS + 8 * w
                out.append([c.at("%block", start + 8 * k) for k in range(len(words(part)))])
                w += len(out[-1])
            yield out[0], out[1]


def _row(c: Code, columns: list[tuple[str, Ty]], i: str) -> list[str]:
    return [c.at(column, c.mul(i, SIZE[ty])) for column, ty in columns]
