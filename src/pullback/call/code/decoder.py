"""From words to Python objects: the gradient of a converted argument, or its value again, and the
results of an entry with their tangents.

All nodes of a block get their objects first, without fields (no ``__init__`` is run, nothing
recurses); then the fields are filled in. A node's scratch word holds its object; the lowest bit
says that its one reference is already given to somebody. The nodes of a result are reached from
the root (``results``). Objects that cannot come into a cycle (no
list is reached from them) are untracked: they are freed by their counts, and a look of the garbage
collector at a million of them takes as long as making them. Running out of memory leaves some of
the objects behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pullback.call.block_layout import Layout
from pullback.call.code.reading import Making, Reading, Source, Sources, by_value
from pullback.call.code.writing import Names
from pullback.call.shapes.record import Record
from pullback.call.space import Space
from pullback.core.types import Real, Type
from pullback.frontend.python.unions import Union
from pullback.native import blocks as at
from pullback.native.builder import Code
from pullback.native.pyabi import ARRAY_DATA, TUPLE_ITEMS


class Decoder(Making):
    """Prints the functions of one layout."""

    def __init__(self, layout: Layout, names: Names, reading: Reading) -> None:
        super().__init__(layout.space, layout.unions, names, reading, layout.acyclic())
        self.layout = layout

    # --- nodes ---

    def node(self, union: Union, node: str) -> str:
        return self.code.call("ptr", "pb.object", f"ptr {node}")

    def _node_sources(self, shape: Record) -> Sources:
        c, r, own = self.code, 0, ""
        last = self.layout.node_words(shape)
        forward = self.space is Space.FORWARD
        if self.gradient and forward and shape.reals:
            own = self.cell(c.at("%node", 8 * (last - 2)))
        for t, (k, n), (m, more) in self.layout.node_places(shape):
            mine = [c.at("%node", 8 * (k + i)) for i in range(n)]
            near = [c.at("%node", 8 * (m + i)) for i in range(more)]
            real = ""
            if self.gradient and not forward and isinstance(t, Real):
                real = self.cell(near[0])
            if isinstance(t, Real) and own:
                real = c.at(own, 8 * r)
                r += 1
            yield Source(mine, near, real=real)

    def _node_functions(self, number: int, shape: Record | None) -> Iterator[str]:
        self.code = c = Code()
        if shape is None:
            made = c.let("ptrtoint ptr @pb_none to i64")
            c.store("i64", c.let(f"or i64 {made}, 1"), "%node", at.SCRATCH)
        else:
            c.store("ptr", shape.bare(self), "%node", at.SCRATCH)
        yield self._ends(f"@pb.make.{number}(ptr %node)")
        self.code = c = Code()
        if shape is not None:
            word = c.load("i64", "%node", at.SCRATCH)
            obj = c.let(f"inttoptr i64 {c.let(f'and i64 {word}, -2')} to ptr")
            shape.decode_fields(self, obj, self._node_sources(shape))
        yield self._ends(f"@pb.set.{number}(ptr %node, ptr %cells)")

    def _ends(self, head: str) -> str:
        c = self.code
        c.line("ret i1 true")
        c.block("fail")
        c.line("ret i1 false")
        return c.function(f"define internal i1 {head}")

    def _walk(self, verb: str, more: str, params: str) -> str:
        """The function that does something with every node of a block."""
        self.code = c = Code()
        chunk = c.var("ptr", c.load("ptr", "%block", at.NODE_CHUNK))
        end = c.var("ptr", c.load("ptr", "%block", at.NODE_CUR))
        p = c.slot("ptr")
        with c.loop(lambda: c.let(f"icmp ne ptr {c.load('ptr', chunk)}, null")):
            this, stop = c.load("ptr", chunk), c.load("ptr", end)
            c.store("ptr", c.at(this, at.CHUNK_DATA), p)
            with c.loop(lambda: c.let(f"icmp ult ptr {c.load('ptr', p)}, {stop}")):
                node = c.at(c.load("ptr", p), at.HEADER)
                which = c.load("i64", node, at.ALTERNATIVE)
                size = c.slot("i64")
                for number, _, a in self.layout.alternatives():
                    slots = self.layout.slots(a)
                    with c.when(c.same(which, str(number), "i64")):
                        c.need(c.call("i1", f"pb.{verb}.{number}", f"ptr {node}", *more.split()
                                      and [more]), "fail")  # fmt: skip
                        c.store("i64", str(at.HEADER + 8 * slots), size)
                c.store("ptr", c.at(c.load("ptr", p), c.load("i64", size)), p)
            before = c.load("ptr", this, at.CHUNK_BEFORE)
            with c.when(c.let(f"icmp ne ptr {before}, null")):
                c.store("ptr", c.load("ptr", before, at.CHUNK_USED), end)
            c.store("ptr", before, chunk)
        return self._ends(f"@pb.{verb}.all(ptr %block{params})")

    # --- the whole ---

    def text(self) -> str:
        """All functions; ``decode(capsule, cells, cotangents)`` is called by Python."""
        return "\n".join([*self._functions(), self._main()])

    def _functions(self) -> Iterator[str]:
        if self.layout.unions:
            yield _OBJECT
        for number, _, a in self.layout.alternatives():
            yield from self._node_functions(number, a.shape)
        if self.layout.unions:
            yield self._walk("make", "", "")
            yield self._walk("set", "ptr %cells", ", ptr %cells")

    def _main(self) -> str:
        self.code = c = Code()
        capsule, array = c.load("ptr", "%args"), c.load("ptr", "%args", 8)
        c.line(f"%block = call ptr @PyCapsule_GetPointer(ptr {capsule}, ptr @{at.CAPSULE_NAME})")
        has = c.let(f"icmp ne ptr {array}, @pb_none")
        cells = c.var("ptr", "null")
        with c.when(has):
            c.store("ptr", c.load("ptr", array, ARRAY_DATA), cells)
        c.line(f"%cells = load ptr, ptr {cells}")
        leaves = c.at(c.load("ptr", "%args", 16), TUPLE_ITEMS)
        self._body(leaves)
        return c.function("define ptr @decode(ptr %self, ptr %args, i64 %nargs)")

    def _body(self, leaves: str) -> None:
        """Print what makes the object of ``%block`` and ``%cells`` and returns it."""
        c = self.code
        gc = c.call("i32", "PyGC_Disable")
        result = c.var("ptr", "null")
        if self.layout.unions:
            c.need(c.call("i1", "pb.make.all", "ptr %block"), "fail")
            c.need(c.call("i1", "pb.set.all", "ptr %block", "ptr %cells"), "fail")
        c.store("ptr", self.layout.root.decode(self, self._root_sources(leaves)), result)
        c.jump("fail")
        c.block("fail")
        with c.when(c.let(f"icmp ne i32 {gc}, 0")):
            c.call("i32", "PyGC_Enable")
        c.line(f"ret ptr {c.load('ptr', result)}")

    def _root_sources(self, leaves: str) -> Sources:
        given = 0
        for t, (k, n), (m, more) in self.layout.argument_places():
            source = Source(
                [self.code.at("%block", at.WORDS + 8 * (k + i)) for i in range(n)],
                [self.code.at("%block", at.WORDS + 8 * (m + i)) for i in range(more)],
                numbered=more > 0 and self.space is Space.IDS,
            )
            if self.gradient and by_value(t):
                source, count = self._with_cotangent(source, t, leaves, given)
                given += count
            yield source

    def _with_cotangent(
        self, source: Source, t: Type, leaves: str, given: int
    ) -> tuple[Source, int]:
        """The source of an argument's own leaf, with its cotangent, ``leaves[given]``."""
        return replace(source, object=self.code.load("ptr", leaves, 8 * given)), 1


_OBJECT = f"""
define internal ptr @pb.object(ptr %node) {{
  %at = getelementptr i8, ptr %node, i64 {at.SCRATCH}
  %word = load i64, ptr %at
  %low = and i64 %word, 1
  %taken = icmp ne i64 %low, 0
  %clear = and i64 %word, -2
  %obj = inttoptr i64 %clear to ptr
  br i1 %taken, label %again, label %first
again:
  call void @Py_IncRef(ptr %obj)
  ret ptr %obj
first:
  %mark = or i64 %word, 1
  store i64 %mark, ptr %at
  ret ptr %obj
}}
"""
