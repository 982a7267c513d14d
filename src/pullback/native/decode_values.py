"""From words to Python objects: the code for values, wherever the words are (see ``decode``)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import assert_never

from pullback.core.types import Real, Type
from pullback.lower.loopcode import Ty
from pullback.native.builder import Code, increment
from pullback.native.choices import symbol_object
from pullback.native.classes import VALUES_BEFORE, Access, Key, Offset, known_slots
from pullback.native.decode_sources import Reading, Source, Sources, stays_acyclic
from pullback.native.dicts import set_item
from pullback.native.encode_values import Names
from pullback.native.pyabi import ARRAY_DATA, FLOAT_VALUE, LIST_ITEMS, TUPLE_ITEMS
from pullback.native.shapes import (
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
    anywhere,
    beside,
    first_ids,
    leaf_types,
    parts_of,
    words,
)
from pullback.native.text import SHIFT, SIZE, memory_type


class ValueDecoder(ABC):
    """Prints the code that makes the objects of a layout's values."""

    def __init__(self, layout: Layout, names: Names, reading: Reading) -> None:
        self.layout = layout
        self.names = names
        self.reading = reading
        self.gradient = reading is Reading.GRADIENT
        self.code = Code()
        inside = (*anywhere(layout), layout.root, *parts_of(layout.root))
        self.acyclic = not any(isinstance(s, Many) for s in inside)

    def decode(self, shape: Shape, sources: Sources) -> str:
        """A new reference to the object of this shape; null only of small objects."""
        c = self.code
        match shape:
            case Number():
                return self._number(shape, next(sources))
            case Strided():
                return self._array(shape, next(sources))
            case Many():
                return self._many(shape, sources)
            case Fixed(items, is_list):
                name = "PyList_New" if is_list else "PyTuple_New"
                out = self._checked(c.call("ptr", name, f"i64 {len(items)}"))
                start = c.load("ptr", out, LIST_ITEMS) if is_list else c.at(out, TUPLE_ITEMS)
                for k, item in enumerate(items):
                    c.store("ptr", self.decode(item, sources), start, 8 * k)
                return out
            case Instance():
                out = self._bare(shape)
                self._fields(shape, out, sources)
                return out
            case Constant(key, value):
                plain = self.reading is Reading.VALUE
                obj = self.names.symbol(value, key) if plain else "pb_none"
                return increment(c, f"@{obj}")
            case Boxed():
                return self._node(shape, c.load("ptr", next(sources).words[0]))
            case Symbol():
                number = c.load("i64", next(sources).words[0])
                if self.reading is not Reading.VALUE:
                    return increment(c, "@pb_none")
                return symbol_object(c, self.names.symbol, shape, number)
            case Maybe(item):
                flag = c.load("i8", next(sources).words[0])
                inner = [next(sources) for _ in leaf_types(item)]
                return c.choose(
                    c.let(f"icmp ne i8 {flag}, 0"),
                    lambda: self.decode(item, iter(inner)),
                    lambda: increment(c, "@pb_none"),
                    "ptr",
                )
            case _:
                assert_never(shape)

    def _checked(self, obj: str) -> str:
        self.code.need(self.code.let(f"icmp ne ptr {obj}, null"), "fail")
        return obj

    @abstractmethod
    def _node(self, shape: Boxed, node: str) -> str:
        """A new reference to the object of a node; null: out of memory."""

    def _number(self, shape: Number, source: Source) -> str:
        c, ty = self.code, shape.ty
        if self.reading is Reading.VALUE:
            return self._boxed(shape, source.words[0])
        if ty not in (Ty.F64, Ty.F32):
            return increment(c, "@pb_none")
        if self.reading is Reading.TANGENT:
            return self._boxed(shape, source.beside[0])
        if source.given:
            return self._boxed(shape, source.given[0])
        if not source.object:
            return self._boxed(shape, self._real(ty, source))
        if shape.py or ty is Ty.F32:
            return increment(c, source.object)
        return self._boxed(shape, c.at(source.object, FLOAT_VALUE))

    def _real(self, ty: Ty, source: Source) -> str:
        """The address of a cotangent of this type."""
        c = self.code
        if source.ty is ty:
            return source.real
        short = c.slot("float")
        c.store("float", c.let(f"fptrunc double {c.load('double', source.real)} to float"), short)
        return short

    def _boxed(self, shape: Number, address: str) -> str:
        c, ty = self.code, shape.ty
        if not shape.py:
            descr = f"ptr @pb_descr_{ty.value}"
            return self._checked(c.call("ptr", "PyArray_Scalar", f"ptr {address}", descr,
                                        "ptr null"))  # fmt: skip
        value = c.load(memory_type(ty), address)
        match ty:
            case Ty.F64:
                return self._checked(c.call("ptr", "PyFloat_FromDouble", f"double {value}"))
            case Ty.I64:
                return self._checked(c.call("ptr", "PyLong_FromLongLong", f"i64 {value}"))
            case _:
                yes = c.let(f"icmp ne i8 {value}, 0")
                return increment(c, c.let(f"select i1 {yes}, ptr @pb_true, ptr @pb_false"))

    def _array(self, shape: Strided, source: Source) -> str:
        c, ty, slots = self.code, shape.ty, source.words
        if self.reading is Reading.VALUE:
            return self._copied(shape, slots)
        if ty not in (Ty.F64, Ty.F32):
            return increment(c, "@pb_none")
        if self.reading is Reading.TANGENT:
            return self._copied(shape, source.beside)
        if source.given:
            return self._copied(shape, source.given)
        if source.object:
            return increment(c, source.object)
        slots = source.beside  # the cells are in C order
        frame = self._frame(shape, source.words if source.numbered else slots)
        by_id = self.layout.space is Space.IDS and not source.numbered
        data = self._cell(c.load("ptr", slots[0]) if by_id else slots[0])
        if source.numbered:
            c.call("void", "pb_dense", f"i64 {shape.rank}", f"ptr {frame}",
                   f"ptr {c.at(frame, 8 * shape.rank)}")  # fmt: skip
        if ty is Ty.F64:
            return self._box(shape, data, frame)
        empty = self._checked(c.call("ptr", "PyArray_Empty", f"i32 {shape.rank}", f"ptr {frame}",
            f"ptr {increment(c, f'@pb_descr_{ty.value}')}", "i32 0"))  # fmt: skip
        to = c.load("ptr", empty, ARRAY_DATA)
        with c.counting(c.call("i64", "pb_size", f"i64 {shape.rank}", f"ptr {frame}")) as i:
            cell = c.load("double", data, c.mul(i, 8))
            c.store("float", c.let(f"fptrunc double {cell} to float"), to, c.mul(i, 4))
        return empty

    def _copied(self, shape: Strided, slots: list[str]) -> str:
        return self._box(shape, self.code.load("ptr", slots[0]), self._frame(shape, slots))

    def _frame(self, shape: Strided, slots: list[str]) -> str:
        """Extents and strides, one after another."""
        c = self.code
        frame = c.slot("i64", 2 * shape.rank)
        for k, slot in enumerate(slots[1:]):
            c.store("i64", c.load("i64", slot), frame, 8 * k)
        return frame

    def _box(self, shape: Strided, data: str, frame: str) -> str:
        c, ty = self.code, shape.ty
        return self._checked(c.call(
            "ptr", "pb_box_array", f"ptr {data}", f"ptr @pb_descr_{ty.value}", f"i64 {shape.rank}",
            f"i64 {SHIFT[ty]}", f"ptr {frame}", f"ptr {c.at(frame, 8 * shape.rank)}",
        ))  # fmt: skip

    def _cell(self, offset: str) -> str:
        """The address of a cell whose number (or id, from 1 on) is there."""
        c = self.code
        place = c.mul(c.load("i64", offset), 8)
        return c.at("%cells", c.add(place, -8) if self.layout.space is Space.IDS else place)

    def _many(self, shape: Many, sources: Sources) -> str:
        c = self.code
        n = c.load("i64", next(sources).words[0])
        name = "PyTuple_New" if shape.is_tuple else "PyList_New"
        out = self._checked(c.call("ptr", name, f"i64 {n}"))
        items = c.at(out, TUPLE_ITEMS) if shape.is_tuple else c.load("ptr", out, LIST_ITEMS)
        types = list(leaf_types(shape.item))
        taken = [next(sources) for _ in types]
        if shape.item == Number(Ty.F64, True) and not self._named_by_ids(taken[0]):
            data, stride = self._floats(taken[0])
            done = c.call("i1", "pb_floats", f"ptr {items}", f"ptr {data}", f"i64 {n}",
                          f"i64 {stride}")  # fmt: skip
            c.need(done, "fail")
            return out
        columns = [self._column(t, source) for t, source in zip(types, taken)]
        with c.counting(n) as i:
            rows = [column(i) for column in columns]
            c.store("ptr", self.decode(shape.item, iter(rows)), items, c.mul(i, 8))
        return out

    def _floats(self, source: Source) -> tuple[str, str]:
        """The address of a column of Python floats, and its stride."""
        if self.reading is not Reading.GRADIENT:
            near = source.beside if self.reading is Reading.TANGENT else source.words
            return self.code.load("ptr", near[0]), self.code.load("i64", near[2])
        if source.object or source.numbered:
            return self._reals(source), "1"
        stride = source.given[2] if source.given else source.beside[2]
        return self._reals(source), self.code.load("i64", stride)

    def _column(self, t: Type, source: Source) -> Callable[[str], Source]:
        """What is at each index of a column: of an array for every word."""
        c = self.code
        near = first_ids(t) if source.numbered else beside(self.layout, t)
        by_id = self._named_by_ids(source)
        if self.gradient and isinstance(t, Real) and not by_id:
            own = bool(source.object or source.given)
            ty = Ty.F32 if own and t == Real(32) else Ty.F64
            start, stride = self._floats(source)
            step = c.mul(stride, SIZE[ty])
            return lambda i: Source(real=c.at(start, c.mul(i, step)), ty=ty)
        data = self._steps(words(t), source.words)
        more = self._steps(words(near), source.beside) if source.beside else lambda i: []
        if by_id and isinstance(t, Real):
            return lambda i: self._by_id(data(i), more(i))
        return lambda i: Source(data(i), more(i), numbered=source.numbered)

    def _named_by_ids(self, source: Source) -> bool:
        """Whether the cotangents are in cells that ids name."""
        own = source.object or source.given or source.numbered
        return self.gradient and self.layout.space is Space.IDS and not own

    def _by_id(self, plain: list[str], near: list[str]) -> Source:
        """A leaf that is a real, whose cell is named by an id."""
        return Source(plain, near, real=self._cell(near[0]))

    def _steps(self, types: tuple[Ty, ...], slots: list[str]) -> Callable[[str], list[str]]:
        c = self.code
        starts = [c.load("ptr", slot) for slot in slots[: len(types)]]
        stride = c.load("i64", slots[-1])

        def at_index(i: str) -> list[str]:
            k = c.mul(i, stride)
            return [c.at(p, c.mul(k, SIZE[ty])) for p, ty in zip(starts, types, strict=True)]

        return at_index

    def _reals(self, source: Source) -> str:
        """The address of the cotangents of a column of reals."""
        if source.given:
            return self.code.load("ptr", source.given[0])
        if source.object:
            return self.code.load("ptr", source.object, ARRAY_DATA)
        return self._cell(source.beside[0])

    # --- instances ---

    def _bare(self, shape: Instance) -> str:
        """An instance without fields; the collector is told to forget it if it may."""
        made = self._new(shape)
        if shape.cls is dict:
            return made  # dicts see to that themselves
        numbers = all(isinstance(item, Number | Strided) for item in shape.items)
        if (numbers or self.acyclic) and stays_acyclic(shape.cls):
            self.code.call("void", "PyObject_GC_UnTrack", f"ptr {made}")
        return made

    def _new(self, shape: Instance) -> str:
        if shape.cls is dict:
            return self._checked(self.code.call("ptr", "PyDict_New"))
        c, cls = self.code, f"ptr @{self.names.symbol(shape.cls)}"
        if issubclass(shape.cls, tuple):
            count = len(shape.items)
            return self._checked(c.call("ptr", "PyType_GenericAlloc", cls, f"i64 {count}"))
        if known_slots(shape.cls, shape.access):
            return self._checked(c.call("ptr", "PyType_GenericAlloc", cls, "i64 0"))
        empty = self.names.symbol((), "no arguments")
        return self._checked(c.call("ptr", "pb_object_new", cls, f"ptr @{empty}", "ptr null"))

    def _fields(self, shape: Instance, obj: str, sources: Sources) -> None:
        for access, item in zip(shape.access, shape.items, strict=True):
            self._set(obj, access, self.decode(item, sources))

    def _set(self, obj: str, access: Access, value: str) -> None:
        """Give a fresh instance a field."""
        c = self.code
        if isinstance(access, Offset):
            c.store("ptr", value, obj, access.bytes)
            return
        if isinstance(access, Key):
            set_item(c, obj, "@" + self.names.symbol(access.key, access.key), value)
            return
        name = self.names.symbol(access.name, access.name)

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
