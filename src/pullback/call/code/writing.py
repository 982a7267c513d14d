"""From Python objects to words: what the code of every shape uses (``Shape.encode``)."""

from __future__ import annotations

from collections.abc import Iterator

from pullback.call.code.fields import VALUES_BEFORE, Access, Key, Offset
from pullback.call.space import Space
from pullback.core.frozen import dataclass
from pullback.frontend.python.unions import Union
from pullback.lower.loopcode import Ty
from pullback.native import blocks as at
from pullback.native.builder import Code
from pullback.native.pyabi import OB_TYPE
from pullback.native.text import SIZE

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
    """The place of an object. ``in_node``, ``in_list``: whether it is inside of one; ``sole``: an
    ``i1``, whether the containers around it have no other reference; ``tangent``: in dual space the
    object of its tangent, or None."""

    in_node: bool
    in_list: bool
    sole: str
    tangent: str = ""


class Writing:
    """The function that is being printed, and the objects that it mentions. An object that is not
    of its shape makes the code go on at the block "fail"."""

    def __init__(self, space: Space, unions: tuple[Union, ...], names: Names) -> None:
        self.space = space
        self.unions = unions
        self.names = names
        self.code = Code()
        self.dual = space is Space.DUAL

    def exactly(self, obj: str, cls: str) -> None:
        """Look whether an object is of this class, which is a symbol."""
        ty = self.code.load("ptr", obj, OB_TYPE)
        self.code.need(self.code.same(ty, f"@{cls}"), "fail")

    def inside(self, holds_nodes: bool, obj: str, where: Where, in_list: bool = False) -> Where:
        """The place of the parts of a container that is in this place."""
        sole = "false"
        if holds_nodes and where.sole != "false":
            one = self.code.same(self.code.load("i64", obj), "1", "i64")
            sole = self.code.let(f"and i1 {one}, {where.sole}")
        return Where(where.in_node, where.in_list or in_list, sole, where.tangent)

    def new_ids(self, size: str) -> str:
        """The first of so many ids, which are the numbers of cells, from 1 on."""
        return self.code.add(self._new_cells(size), 1)

    def handle(self, slots: list[str], extents: list[str]) -> None:
        """Number the cells of an accumulator of this shape, in C order."""
        size, strides = c_order(self.code, extents)
        first = self._new_cells(size)
        for value, slot in zip([first, *extents, *strides], slots, strict=True):
            self.code.store("i64", value, slot)

    def _new_cells(self, size: str) -> str:
        c = self.code
        first = c.load("i64", "%block", at.CELLS)
        c.store("i64", c.add(first, size), "%block", at.CELLS)
        return first

    def columns(self, types: tuple[Ty, ...], slots: list[str], n: str) -> list[tuple[str, Ty]]:
        """Memory for n values of each type; its address, the extent and the stride are stored."""
        c, out = self.code, []
        *pointers, extent, stride = slots
        for ty, slot in zip(types, pointers, strict=True):
            column = self.room(c.mul(n, SIZE[ty]))
            c.store("ptr", column, slot)
            out.append((column, ty))
        c.store("i64", n, extent)
        c.store("i64", "1", stride)
        return out

    def room(self, size: str) -> str:
        """The address of so many bytes of the block."""
        data = self.code.call("ptr", "pb.data", "ptr %block", f"i64 {size}")
        self.code.need(self.code.let(f"icmp ne ptr {data}, null"), "fail")
        return data


def c_order(c: Code, extents: list[str]) -> tuple[str, list[str]]:
    """How many elements an array of this shape has, and their strides."""
    size, strides = "1", []
    for n in reversed(extents):
        strides.append(size)
        size = c.mul(n, size)
    return size, strides[::-1]


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
