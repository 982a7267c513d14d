"""The cotangent of a result that has nodes: checked against the nodes, and added into their cells.

The walk is that of ``results``, with the cotangent beside it. A node that is met twice must
have the same cotangent object both times: it is one variable. Numbers outside of lists and nodes
have their cotangents by value, and are not looked at here. In the space of ids the cell of a real
is named by its id.
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.call.code.helpers import TANGENT
from pullback.call.code.reading import Sources
from pullback.call.code.results import ResultDecoder
from pullback.call.code.tangent_items import NONE
from pullback.call.shapes.record import Record
from pullback.call.space import Space
from pullback.native import blocks as at
from pullback.native.builder import Code, increment
from pullback.native.pyabi import ARRAY_DATA


class Seeder(ResultDecoder):
    """Prints the functions of one layout; the reading is a gradient."""

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
        marked = c.at("%given", at.union_mark(union))
        c.line(f"%pushed = call i1 @pb.push(ptr %table, ptr {marked}, ptr %node)")
        c.line("ret i1 %pushed")
        c.block("fail")
        c.line("ret i1 false")
        head = f"define internal i1 @pb.seed.{union}(ptr %table, ptr %node, ptr %given)"
        return c.function(head)

    def _fill(self, number: int, shape: Record) -> str:
        self.code = Code()
        cells = self.code.load("ptr", "%table", at.CELLS)
        self.code.line(f"%cells = getelementptr i8, ptr {cells}, i64 0")
        shape.seed(self, "%obj", self._node_sources(shape))
        return self._ends(f"@pb.fill.{number}(ptr %table, ptr %obj, ptr %node)")

    def _parts(self) -> Iterator[str]:
        yield TANGENT
        yield _SPREAD.replace("CELL", _BY_ID if self.space is Space.IDS else _ITSELF)
        yield from super()._parts()

    def _made(self, sources: Sources) -> str:
        c = self.code
        c.store("ptr", "%cells", "%table", at.CELLS)
        self.layout.root.seed(self, "%given", sources)
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
