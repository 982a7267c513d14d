"""The results of an entry as Python objects: their words are in a residual object.

The nodes are those of the run, arguments among them, so nothing is written to them: a table leads
from nodes to objects, and a stack holds the objects whose fields are still to be filled. The mark
of an object's union is in its address there (``blocks.union_mark``).
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.call.code.decoder import Decoder
from pullback.call.code.helpers import PUSH
from pullback.call.code.reading import Source, Sources
from pullback.call.shapes.record import Record
from pullback.frontend.python.unions import Union
from pullback.native import blocks as at
from pullback.native.builder import Code, increment
from pullback.native.runtime_objects import RECORD_SLOTS

_NAME = """
@pb_kept = internal constant [18 x i8] c"pullback.residual\\00"
"""


class ResultDecoder(Decoder):
    """Prints the functions of one layout; the reading is a value or a tangent."""

    def node(self, union: Union, node: str) -> str:
        number = self.unions.index(union)
        return self.code.call("ptr", f"pb.object.{number}", "ptr %table", f"ptr {node}")

    def _object(self, union: int) -> str:
        """The function that gives a new reference to the object of a node."""
        self.code = c = Code()
        tag = c.load("i64", "%node")
        mine = [(a.tag, a.shape) for _, u, a in self.layout.alternatives() if u == union]
        for number, shape in mine:
            if shape is None:
                with c.when(c.same(tag, str(number), "i64")):
                    c.line(f"ret ptr {increment(c, '@pb_none')}")
                    c.block(c.label("never"))
        entry = c.call("ptr", "pb_block_find", "ptr %table", "ptr %node")
        c.need(c.let(f"icmp ne ptr {entry}, null"), "fail")
        known = c.load("ptr", entry, 8)
        with c.when(c.let(f"icmp ne ptr {known}, null")):
            c.line(f"ret ptr {increment(c, known)}")
            c.block(c.label("never"))
        for number, shape in mine:
            if shape is not None:
                with c.when(c.same(tag, str(number), "i64")):
                    made = shape.bare(self)
                    c.store("ptr", made, entry, 8)
                    marked = c.at(made, at.union_mark(union))
                    c.need(c.call("i1", "pb.push", "ptr %table", f"ptr {marked}", "ptr %node"),
                           "fail")  # fmt: skip
                    c.line(f"ret ptr {made}")
                    c.block(c.label("never"))
        c.jump("fail")
        c.block("fail")
        c.line("ret ptr null")
        return c.function(f"define internal ptr @pb.object.{union}(ptr %table, ptr %node)")

    def _fill(self, number: int, shape: Record) -> str:
        self.code = Code()
        shape.decode_fields(self, "%obj", self._node_sources(shape))
        return self._ends(f"@pb.fill.{number}(ptr %table, ptr %obj, ptr %node)")

    def _drain(self) -> str:
        self.code = c = Code()

        def some() -> str:
            top, base = c.load("i64", "%table", at.TOP), c.load("i64", "%table", at.STACK)
            return c.let(f"icmp ne i64 {top}, {base}")

        with c.loop(some):
            top = c.at(c.load("ptr", "%table", at.TOP), -16)
            c.store("ptr", top, "%table", at.TOP)
            marked, node = c.load("i64", top), c.load("ptr", top, 8)
            union, tag = c.let(f"and i64 {marked}, {at.UNION_BITS}"), c.load("i64", node)
            obj = c.let(f"inttoptr i64 {c.let(f'and i64 {marked}, {~at.UNION_BITS}')} to ptr")
            for number, u, a in self.layout.alternatives():
                if a.shape is not None:
                    here = c.let(f"and i1 {c.same(union, str(at.union_mark(u)), 'i64')}, "
                                 f"{c.same(tag, str(a.tag), 'i64')}")  # fmt: skip
                    with c.when(here):
                        c.need(c.call("i1", f"pb.fill.{number}", "ptr %table", f"ptr {obj}",
                                      f"ptr {node}"), "fail")  # fmt: skip
        return self._ends("@pb.drain(ptr %table)")

    def _parts(self) -> Iterator[str]:
        yield _NAME
        if self.layout.unions:
            yield PUSH
        for number, _, a in self.layout.alternatives():
            if a.shape is not None:
                yield self._fill(number, a.shape)
        for union in range(len(self.layout.unions)):
            yield self._object(union)
        if self.layout.unions:
            yield self._drain()

    def text(self) -> str:
        """All functions. ``decode_raw(slots, slots of what is beside the leaves, cotangent,
        cells)`` is for compiled code; ``decode(residual, first slot, first slot of what is beside
        the leaves, cotangent, cells)`` for Python."""
        return "\n".join([*self._parts(), self._raw(), self._main()])

    def _raw(self) -> str:
        self.code = c = Code()
        result = c.var("ptr", "null")
        c.line("%table = call ptr @pb_block_new(i64 0)")
        c.need(c.let("icmp ne ptr %table, null"), "raised")
        gc = c.call("i32", "PyGC_Disable")
        made = self._made(self._sources("%slots", "%near"))
        c.need(c.let(f"icmp ne ptr {made}, null"), "fail")
        if self.layout.unions:
            c.need(c.call("i1", "pb.drain", "ptr %table"), "fail")
        c.store("ptr", made, result)
        c.jump("fail")
        c.block("fail")
        c.call("void", "pb_block_free", "ptr %table")
        with c.when(c.let(f"icmp ne i32 {gc}, 0")):
            c.call("i32", "PyGC_Enable")
        self._return(c.load("ptr", result))
        c.block("raised")
        c.line("ret ptr null")
        return c.function(
            "define ptr @decode_raw(ptr %slots, ptr %near, ptr %given, ptr %cells)"
        )

    def _main(self) -> str:
        self.code = c = Code()
        record = c.call("ptr", "PyCapsule_GetPointer", f"ptr {c.load('ptr', '%args')}",
                        "ptr @pb_kept")  # fmt: skip
        c.need(c.let(f"icmp ne ptr {record}, null"), "raised")
        slots, near = self._slots(record, 1), self._slots(record, 2)
        given, cells = self._cotangent()
        made = c.call("ptr", "decode_raw", f"ptr {slots}", f"ptr {near}", f"ptr {given}",
                      f"ptr {cells}")  # fmt: skip
        c.line(f"ret ptr {made}")
        c.block("raised")
        c.line("ret ptr null")
        return c.function("define ptr @decode(ptr %self, ptr %args, i64 %nargs)")

    def _cotangent(self) -> tuple[str, str]:
        """The cotangent and the cells that Python gave."""
        return "null", "null"

    def _slots(self, record: str, argument: int) -> str:
        """The address of the slot whose number is this argument."""
        c = self.code
        over = c.slot("i32")
        number = c.load("ptr", "%args", 8 * argument)
        n = c.call("i64", "PyLong_AsLongLongAndOverflow", f"ptr {number}", f"ptr {over}")
        return c.at(c.at(record, RECORD_SLOTS), c.mul(n, 8))

    def _sources(self, slots: str, near: str) -> Sources:
        c = self.code
        for _, (k, n), (m, more) in self.layout.result_places():
            yield Source(
                [c.at(slots, 8 * (k + i)) for i in range(n)],
                [c.at(near, 8 * (m + i)) for i in range(more)],
            )

    def _made(self, sources: Sources) -> str:
        """Print what makes the object; it is returned once its nodes have their fields."""
        return self.layout.root.decode(self, sources)

    def _return(self, result: str) -> None:
        """Print the return; null: something failed."""
        self.code.line(f"ret ptr {result}")
