"""Arrays of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pullback.call import given as tangent_of
from pullback.call.code.reading import Making, Reading, Sources
from pullback.call.code.tangent_items import NONE
from pullback.call.code.writing import Slots, Where, Writing, c_order
from pullback.call.given import Normal, What, placed
from pullback.call.shape import Leaves, Made, NodeOf, Part, Shape
from pullback.call.space import Space
from pullback.call.trees import Form, Writer, array_leaf
from pullback.core import types
from pullback.core.types import Real, Type
from pullback.core.values import dtype_of
from pullback.frontend.kinds.kinds import ArrayK
from pullback.frontend.python.exact import require_exact
from pullback.lower.loopcode import Ty
from pullback.lower.values import machine
from pullback.native import Nothing, Tree
from pullback.native.builder import Code, increment
from pullback.native.pyabi import ARRAY_DATA
from pullback.native.text import SHIFT, SIZE


class Array(Shape, of=ArrayK):
    """An ndarray of rank >= 1."""

    leaf = atomic = True

    def __init__(self, kind: ArrayK, declared: object) -> None:
        super().__init__(kind)
        self.elem, self.rank = kind.elem, kind.rank
        self.ty = machine(kind.elem)
        self.real = isinstance(kind.elem, Real)
        self.descr = f"pb_descr_{self.ty.value}"

    def leaf_types(self) -> Iterator[Type]:
        yield types.Array(self.elem, self.rank)

    # --- values and leaves ---

    def array(self, value: object) -> np.ndarray:
        """The value, which is an array of this rank."""
        require_exact(value)
        if not isinstance(value, np.ndarray) or value.ndim != self.rank:
            raise self.mismatch(value)
        return value

    def inside(self, value: object) -> Sequence[Part]:
        self.array(value)
        return ()

    def made(self, parts: Sequence[object], like: object = None) -> object:
        return like

    def flatten(self, value: object, node: NodeOf, out: list[object]) -> None:
        out.append(tangent_of.readable(self.elem, self.array(value)))

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        leaf = next(leaves)
        return None if gradient and not self.real else leaf

    # --- tangents ---

    def tangents(self, leaves: Leaves, given: object, what: What, out: list[object]) -> None:
        leaf = next(leaves)
        out.append(tangent_of.array(self.elem, leaf, given, what) if self.real else None)

    def normal(self, value: object, given: object, made: Normal, where: str) -> object:
        if given is None or not self.real:
            return None
        with placed(where):
            return tangent_of.array(self.elem, value, given, made.what)

    # --- entry points ---

    @property
    def direct(self) -> bool:
        return True

    def argument(self, w: Writer, at: str) -> tuple[Tree, str] | None:
        return array_leaf(self.elem, self.rank), at

    def result_form(self) -> Form | None:
        return Form(array_leaf(self.elem, self.rank))

    def gradient_form(self) -> Form | None:
        return Form(array_leaf(self.elem, self.rank) if self.real else Nothing())

    def tangent_argument(
        self, w: Writer, at: str, sizes: Iterator[str]
    ) -> tuple[Tree, str] | None:
        if self.real:
            w.check(f"{at}.shape == {next(sizes)}")
            return array_leaf(self.elem, self.rank), at
        w.check(f"{at} is None")
        return None

    def sizes(self, at: str, w: Writer | None) -> Iterator[str]:
        if self.real:
            yield f"{at}.shape"

    def blank(self, sizes: Iterator[tuple[int, ...] | int]) -> Iterator[object]:
        shape = next(sizes) if self.real else (0,) * self.rank
        assert isinstance(shape, tuple)
        yield np.broadcast_to(np.zeros((), dtype_of(self.elem)), shape)

    # --- from objects to words ---

    def encode(self, w: Writing, obj: str, slots: Slots, where: Where) -> None:
        own, near = next(slots)
        c, rank = w.code, self.rank
        view = self._view(w, obj)
        values = [c.load("i64", view, 8 * k) for k in range(1 + 2 * rank)]
        for value, slot in zip(values, own, strict=True):
            c.store("i64", value, slot)
        extents = values[1 : 1 + rank]
        if not near:
            return
        match w.space:
            case Space.DUAL:
                self._tangent(w, where.tangent, extents, near)
            case Space.IDS:
                _number_ids(w, near, extents, where.in_node)
            case _:
                w.handle(near, extents)

    def _view(self, w: Writing, obj: str) -> str:
        """The address of the words of an array."""
        c, rank, shift = w.code, self.rank, SHIFT[self.ty]
        view = self._looked_at(c, obj)
        c.need(c.call("i1", "pb.own", "ptr %block", f"ptr {obj}", f"ptr {view}", f"i64 {rank}",
                      f"i64 {shift}"), "fail")  # fmt: skip
        return view

    def _looked_at(self, c: Code, obj: str) -> str:
        """The address of the words of an array in the object's own memory."""
        view = c.slot("i64", 1 + 2 * self.rank)
        c.need(c.call("i1", "pb_view", f"ptr {obj}", f"ptr @{self.descr}",
                      f"i64 {self.rank}", f"i64 {SHIFT[self.ty]}", f"ptr {view}"),
               "fail")  # fmt: skip
        return view

    def _tangent(self, w: Writing, tangent: str, extents: list[str], slots: list[str]) -> None:
        c = w.code

        def zeros() -> str:
            size = str(SIZE[self.ty])
            for n in extents:
                size = c.mul(n, size)
            data = w.room(size)
            c.call("void", "llvm.memset.p0.i64", f"ptr {data}", "i8 0", f"i64 {size}", "i1 false")
            view = c.slot("i64", 1 + 2 * self.rank)
            c.store("ptr", data, view)
            for k, n in enumerate(extents):
                c.store("i64", n, view, 8 * (1 + k))
            c.call("void", "pb_dense", f"i64 {self.rank}", f"ptr {c.at(view, 8)}",
                   f"ptr {c.at(view, 8 * (1 + self.rank))}")  # fmt: skip
            return view

        def given() -> str:
            view = self._view(w, tangent)
            for k, n in enumerate(extents):
                c.need(c.same(c.load("i64", view, 8 * (1 + k)), n, "i64"), "fail")
            return view

        view = c.choose(c.same(tangent, NONE), zeros, given, "ptr")
        for k, slot in enumerate(slots):
            c.store("i64", c.load("i64", view, 8 * k), slot)

    # --- from words to objects ---

    def decode(self, m: Making, sources: Sources) -> str:
        source, c = next(sources), m.code
        if m.reading is Reading.VALUE:
            return self._copied(m, source.words)
        if not self.real:
            return increment(c, "@pb_none")
        if m.reading is Reading.TANGENT:
            return self._copied(m, source.beside)
        if source.given:
            return self._copied(m, source.given)
        if source.object:
            return increment(c, source.object)
        slots = source.beside  # the cells are in C order
        frame = self._frame(c, source.words if source.numbered else slots)
        data = m.cell(c.load("ptr", slots[0]) if m.named_by_ids(source) else slots[0])
        if source.numbered:
            c.call("void", "pb_dense", f"i64 {self.rank}", f"ptr {frame}",
                   f"ptr {c.at(frame, 8 * self.rank)}")  # fmt: skip
        if self.ty is Ty.F64:
            return self._box(m, data, frame)
        return self._shortened(m, data, frame)

    def _shortened(self, m: Making, data: str, frame: str) -> str:
        """Make an array of float32 of cells, which are doubles."""
        c = m.code
        empty = m.checked(c.call("ptr", "PyArray_Empty", f"i32 {self.rank}", f"ptr {frame}",
            f"ptr {increment(c, f'@pb_descr_{self.ty.value}')}", "i32 0"))  # fmt: skip
        to = c.load("ptr", empty, ARRAY_DATA)
        with c.counting(c.call("i64", "pb_size", f"i64 {self.rank}", f"ptr {frame}")) as i:
            cell = c.load("double", data, c.mul(i, 8))
            c.store("float", c.let(f"fptrunc double {cell} to float"), to, c.mul(i, 4))
        return empty

    def _copied(self, m: Making, slots: list[str]) -> str:
        return self._box(m, m.code.load("ptr", slots[0]), self._frame(m.code, slots))

    def _frame(self, c: Code, slots: list[str]) -> str:
        """Extents and strides, one after another."""
        frame = c.slot("i64", 2 * self.rank)
        for k, slot in enumerate(slots[1:]):
            c.store("i64", c.load("i64", slot), frame, 8 * k)
        return frame

    def _box(self, m: Making, data: str, frame: str) -> str:
        return m.checked(m.code.call(
            "ptr", "pb_box_array", f"ptr {data}", f"ptr @{self.descr}",
            f"i64 {self.rank}", f"i64 {SHIFT[self.ty]}", f"ptr {frame}",
            f"ptr {m.code.at(frame, 8 * self.rank)}",
        ))  # fmt: skip

    # --- cotangents ---

    def seed(self, m: Making, given: str, sources: Sources) -> None:
        handle, c, rank = next(sources).beside, m.code, self.rank
        if not (self.real and handle):
            return
        with c.when(c.let(f"icmp ne ptr {given}, {NONE}")):
            view = self._looked_at(c, given)
            strides = c.slot("i64", rank)
            for k in range(rank):
                n = c.load("i64", handle[1 + k])
                c.need(c.same(c.load("i64", view, 8 * (1 + k)), n, "i64"), "fail")
                c.store("i64", c.load("i64", handle[1 + rank + k]), strides, 8 * k)
            single = "true" if self.ty is Ty.F32 else "false"
            to = c.load("ptr", handle[0]) if m.space is Space.IDS else m.cell(handle[0])
            c.call("void", "pb.spread", "ptr %cells", f"ptr {to}", f"ptr {strides}",
                   f"ptr {c.load('ptr', view)}", f"ptr {c.at(view, 8 * (1 + rank))}",
                   f"ptr {c.at(view, 8)}", f"i64 {rank}", f"i1 {single}")  # fmt: skip


def _number_ids(w: Writing, slots: list[str], extents: list[str], in_node: bool) -> None:
    """New ids for an array of this shape, in C order: the first, or in nodes an array."""
    c = w.code
    size, strides = c_order(c, extents)
    if not in_node:
        c.store("i64", w.new_ids(size), slots[0])
        return
    data = w.room(c.add(c.mul(size, 8), 8))
    first = w.new_ids(size)
    with c.counting(size) as i:
        c.store("i64", c.add(first, i), c.at(data, c.mul(i, 8)))
    c.store("ptr", data, slots[0])
    for value, slot in zip([*extents, *strides], slots[1:], strict=True):
        c.store("i64", value, slot)
