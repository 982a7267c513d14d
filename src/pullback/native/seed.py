"""The cotangent of a result that has nodes: checked against the nodes, and added into their cells.

The walk is that of ``decode_results``, with the cotangent beside it. A node that is met twice must
have the same cotangent object both times: it is one variable. Numbers outside of lists and nodes
have their cotangents by value, and are not looked at here. In the space of ids the cell of a real
is named by its id.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import assert_never

from pullback.core.types import Real
from pullback.lower.loopcode import Ty
from pullback.native import blocks as at
from pullback.native.builder import Code, increment
from pullback.native.decode_results import ResultDecoder
from pullback.native.decode_sources import Source, Sources
from pullback.native.encode_helpers import TANGENT
from pullback.native.encode_values import instance_or_none, read_field
from pullback.native.pyabi import ARRAY_DATA
from pullback.native.shapes import (
    Boxed,
    Constant,
    Fixed,
    Instance,
    Many,
    Maybe,
    Number,
    Shape,
    Space,
    Strided,
    Symbol,
    leaf_types,
)
from pullback.native.tangent_items import NONE, item_of, items_of
from pullback.native.text import SHIFT


class Seeder(ResultDecoder):
    """Prints the functions of one layout; the reading is a gradient."""

    def seed(self, shape: Shape, given: str, sources: Sources) -> None:
        """Add a cotangent; to the block "fail" if it does not have the form of the value."""
        c = self.code
        match shape:
            case Number(ty):
                source = next(sources)
                if ty in (Ty.F64, Ty.F32) and source.real:
                    self._number_seed(given, source.real)
            case Strided():
                source = next(sources)
                if shape.ty in (Ty.F64, Ty.F32) and source.beside:
                    self._array_seed(shape, given, source.beside)
            case Many():
                self._many_seed(shape, given, sources)
            case Fixed(items):
                parts = items_of(c, given, str(len(items)))
                for k, item in enumerate(items):
                    self.seed(item, item_of(c, parts, str(k)), sources)
            case Instance():
                self._instance_seed(shape, given, sources)
            case Constant():
                return
            case Boxed(union):
                node = c.load("ptr", next(sources).words[0])
                done = c.call("i1", f"pb.seed.{union}", "ptr %table", f"ptr {node}",
                              f"ptr {given}")  # fmt: skip
                c.need(done, "fail")
            case Symbol():
                next(sources)
            case Maybe(item):
                flag = c.load("i8", next(sources).words[0])
                inner = [next(sources) for _ in leaf_types(item)]
                with c.when(c.let(f"icmp ne i8 {flag}, 0")):
                    self.seed(item, given, iter(inner))
            case _:
                assert_never(shape)

    def _number_seed(self, given: str, cell: str) -> None:
        c = self.code
        value = c.slot("double")
        c.need(c.call("i1", "pb.tangent", f"ptr {given}", f"ptr {value}"), "fail")
        total = c.let(f"fadd double {c.load('double', cell)}, {c.load('double', value)}")
        c.store("double", total, cell)

    def _array_seed(self, shape: Strided, given: str, handle: list[str]) -> None:
        c, rank = self.code, shape.rank
        with c.when(c.let(f"icmp ne ptr {given}, {NONE}")):
            view = c.slot("i64", 1 + 2 * rank)
            fits = c.call("i1", "pb_view", f"ptr {given}", f"ptr @pb_descr_{shape.ty.value}",
                          f"i64 {rank}", f"i64 {SHIFT[shape.ty]}", f"ptr {view}")  # fmt: skip
            c.need(fits, "fail")
            strides = c.slot("i64", rank)
            for k in range(rank):
                n = c.load("i64", handle[1 + k])
                c.need(c.same(c.load("i64", view, 8 * (1 + k)), n, "i64"), "fail")
                c.store("i64", c.load("i64", handle[1 + rank + k]), strides, 8 * k)
            single = "true" if shape.ty is Ty.F32 else "false"
            by_id = self.layout.space is Space.IDS
            to = c.load("ptr", handle[0]) if by_id else self._cell(handle[0])
            c.call("void", "pb.spread", "ptr %cells", f"ptr {to}", f"ptr {strides}",
                   f"ptr {c.load('ptr', view)}", f"ptr {c.at(view, 8 * (1 + rank))}",
                   f"ptr {c.at(view, 8)}", f"i64 {rank}", f"i1 {single}")  # fmt: skip

    def _many_seed(self, shape: Many, given: str, sources: Sources) -> None:
        c = self.code
        n = c.load("i64", next(sources).words[0])
        items = items_of(c, given, n)
        columns = []
        for t in leaf_types(shape.item):
            source = next(sources)
            known = source.beside or not isinstance(t, Real)
            columns.append(self._column(t, source) if known else None)
        some = c.let(f"icmp ne ptr {items}, null")
        count = c.let(f"select i1 {some}, i64 {n}, i64 0")
        with c.counting(count) as i:
            rows = [Source() if column is None else column(i) for column in columns]
            self.seed(shape.item, item_of(c, items, i), iter(rows))

    def _instance_seed(
        self, shape: Instance, given: str, sources: Sources
    ) -> None:
        c = self.code
        none = instance_or_none(c, self.names, given, shape)
        for access, item in zip(shape.access, shape.items, strict=True):
            read = partial(read_field, c, self.names, given, access, "fail")
            part = c.choose(none, lambda: NONE, read, "ptr")
            self.seed(item, part, sources)

    # --- nodes ---

    def _object(self, union: int) -> str:
        """The function that queues a node with its cotangent, if that is not done."""
        self.code = c = Code()
        with c.when(c.same("%given", NONE)):
            c.line("ret i1 true")
            c.block(c.label("never"))
        entry = c.call("ptr", "pb_block_find", "ptr %table", "ptr %node")
        c.need(c.let(f"icmp ne ptr {entry}, null"), "fail")
        known = c.load("ptr", entry, 8)
        with c.when(c.let(f"icmp ne ptr {known}, null")):
            c.line(f"ret i1 {c.same(known, '%given')}")
            c.block(c.label("never"))
        c.store("ptr", "%given", entry, 8)
        marked = c.at("%given", union)
        c.line(f"%pushed = call i1 @pb.push(ptr %table, ptr {marked}, ptr %node)")
        c.line("ret i1 %pushed")
        c.block("fail")
        c.line("ret i1 false")
        head = f"define internal i1 @pb.seed.{union}(ptr %table, ptr %node, ptr %given)"
        return c.function(head)

    def _fill(self, number: int, shape: Instance) -> str:
        self.code = Code()
        cells = self.code.load("ptr", "%table", at.CELLS)
        self.code.line(f"%cells = getelementptr i8, ptr {cells}, i64 0")
        self._instance_seed(shape, "%obj", self._node_sources(shape))
        return self._ends(f"@pb.fill.{number}(ptr %table, ptr %obj, ptr %node)")

    def _parts(self) -> Iterator[str]:
        yield TANGENT
        yield _SPREAD.replace("CELL", _BY_ID if self.layout.space is Space.IDS else _ITSELF)
        yield from super()._parts()

    def _made(self, sources: Sources) -> str:
        c = self.code
        c.store("ptr", "%cells", "%table", at.CELLS)
        self.seed(self.layout.root, "%given", sources)
        return increment(c, NONE)

    def _cotangent(self) -> tuple[str, str]:
        c = self.code
        return c.load("ptr", "%args", 24), c.load("ptr", c.load("ptr", "%args", 32), ARRAY_DATA)

    def _return(self, result: str) -> None:
        c = self.code
        with c.when(c.same(result, "null")):
            c.call("void", "PyErr_Clear")
            c.line(f"ret ptr {increment(c, '@pb_not_implemented')}")
            c.block(c.label("never"))
        super()._return(result)


_ITSELF = "%cell = getelementptr i8, ptr %to, i64 0"
_BY_ID = """%id = load i64, ptr %to
  %number = sub i64 %id, 1
  %cell = getelementptr double, ptr %cells, i64 %number"""

_SPREAD = """
; Add an array into cells, both strided.
define internal void @pb.spread(ptr %cells, ptr %to, ptr %steps, ptr %from, ptr %strides,
                                ptr %extents, i64 %rank, i1 %single) {
entry:
  %scalar = icmp eq i64 %rank, 0
  br i1 %scalar, label %add, label %loop
add:
  br i1 %single, label %short, label %long
short:
  %f = load float, ptr %from
  %wide = fpext float %f to double
  br label %sum
long:
  %d = load double, ptr %from
  br label %sum
sum:
  %x = phi double [ %wide, %short ], [ %d, %long ]
  CELL
  %old = load double, ptr %cell
  %new = fadd double %old, %x
  store double %new, ptr %cell
  ret void
loop:
  %n = load i64, ptr %extents
  %step = load i64, ptr %steps
  %stride = load i64, ptr %strides
  %steps1 = getelementptr i8, ptr %steps, i64 8
  %strides1 = getelementptr i8, ptr %strides, i64 8
  %extents1 = getelementptr i8, ptr %extents, i64 8
  %rank1 = sub i64 %rank, 1
  %size = select i1 %single, i64 4, i64 8
  br label %head
head:
  %i = phi i64 [ 0, %loop ], [ %i1, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %a = mul i64 %i, %step
  %a8 = mul i64 %a, 8
  %to.i = getelementptr i8, ptr %to, i64 %a8
  %b = mul i64 %i, %stride
  %bs = mul i64 %b, %size
  %from.i = getelementptr i8, ptr %from, i64 %bs
  call void @pb.spread(ptr %cells, ptr %to.i, ptr %steps1, ptr %from.i, ptr %strides1,
                       ptr %extents1, i64 %rank1, i1 %single)
  %i1 = add i64 %i, 1
  br label %head
done:
  ret void
}
"""
