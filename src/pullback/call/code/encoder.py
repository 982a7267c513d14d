"""From Python objects to words: the text of a conversion, written for one layout.

Nothing recurses: a node that is met gets its place at once and is filled later, from a stack. An
object that only one reference leads to needs no look at the table of objects. Whatever does not
look as the layout says makes the conversion give up (``NotImplemented``): ``normalise`` then
builds it again in the usual form, or says what is wrong. Nodes are entered depth first, those that
may be met again with a mark where they are left, so that an object that contains itself is found
out.
"""

from __future__ import annotations

from pullback.call.block_layout import Layout
from pullback.call.code.helpers import HELPERS
from pullback.call.code.tangent_items import NONE
from pullback.call.code.writing import Names, Slots, Where, Writing
from pullback.call.shapes.node import Alternative, class_of
from pullback.call.shapes.record import Record
from pullback.call.space import Space
from pullback.native import blocks as at
from pullback.native.builder import Code
from pullback.native.pyabi import OB_TYPE

QUEUED, OPEN, ONCE = 1 << 62, 1 << 61, 1 << 60
"""Marks in a node's tag while it waits, while what it reaches is filled, and of a node that is met
only once."""


class Encoder(Writing):
    """Prints the functions of one layout."""

    def __init__(self, layout: Layout, names: Names) -> None:
        super().__init__(layout.space, layout.unions, names)
        self.layout = layout

    # --- nodes ---

    def _fill(self, number: int, shape: Record) -> str:
        """The function that writes the fields of a node."""
        self.code = c = Code()
        last = self.layout.node_words(shape)

        def places() -> Slots:
            for _, (k, n), (m, more) in self.layout.node_places(shape):
                yield ([c.at("%node", 8 * (k + i)) for i in range(n)],
                       [c.at("%node", 8 * (m + i)) for i in range(more)])  # fmt: skip

        tangent = c.load("ptr", "%node", at.SCRATCH) if self.dual else ""
        shape.encode_fields(self, "%obj", places(), Where(True, False, "true", tangent))
        if self.space is Space.FORWARD and shape.reals:
            handle = [c.at("%node", 8 * (last - 2 + k)) for k in range(3)]
            self.handle(handle, [str(shape.reals)])
        c.line("ret i1 true")
        return self._failing(c, "ret i1 false").function(
            f"define internal i1 @pb.fill.{number}(ptr %block, ptr %obj, ptr %node)"
        )

    def _failing(self, c: Code, end: str) -> Code:
        c.block("fail")
        c.line(end)
        return c

    def _apart(self) -> bool:
        """Whether no class is in two unions: an object that is in one place is met once then."""
        classes = [a.shape.cls for _, _, a in self.layout.alternatives() if a.shape is not None]
        return len(set(classes)) == len(classes)

    def _in_several(self, shape: Record) -> bool:
        """Whether its objects are in one union each, of several (``frontend.homes``)."""
        classes = [a.shape.cls for _, _, a in self.layout.alternatives() if a.shape is not None]
        return self.layout.one_home and bool(shape.items) and classes.count(shape.cls) > 1

    def _find(self, union: int) -> str:
        """The function that gives the node of an object, made now if it was not met before."""
        c = Code()
        known = c.var("ptr", "null")
        ty = c.load("ptr", "%obj", OB_TYPE)
        one = c.same(c.load("i64", "%obj"), "1", "i64")
        once = c.let(f"and i1 {one}, {'%sole' if self._apart() else 'false'}")
        entry = c.var("ptr", "null")
        with c.when(c.let(f"xor i1 {once}, true")):
            key = c.at("%obj", at.union_mark(union))
            c.store("ptr", c.call("ptr", "pb_block_find", "ptr %block", f"ptr {key}"), entry)
            c.need(c.let(f"icmp ne ptr {c.load('ptr', entry)}, null"), "fail")
            c.store("ptr", c.load("ptr", c.load("ptr", entry), 8), known)
        old = c.load("ptr", known)
        c.branch(c.same(old, "null"), "new", "old")
        c.block("old")
        tag = c.load("i64", old)
        c.need(c.same(c.let(f"and i64 {tag}, {OPEN}"), "0", "i64"), "fail")  # contains itself
        if self.dual:  # one object has one tangent
            c.need(c.same(c.load("ptr", old, at.SCRATCH), "%tangent"), "fail")
        with c.when(c.let(f"icmp ne i64 {c.let(f'and i64 {tag}, {QUEUED}')}, 0")):
            c.need(c.call("i1", "pb.push", "ptr %block", "ptr %obj", f"ptr {old}"), "fail")
        c.line(f"ret ptr {old}")
        c.block("new")
        mark = c.let(f"select i1 {once}, i64 {ONCE}, i64 {QUEUED}")
        for number, u, a in self.layout.alternatives():
            if u == union:
                self._new_node(c, union, number, a, ty, mark, entry)
        c.jump("fail")
        return self._failing(c, "ret ptr null").function(
            f"define internal ptr @pb.find.{union}(ptr %block, ptr %obj, i1 %sole, ptr %tangent)"
        )

    def _new_node(
        self, c: Code, union: int, number: int, a: Alternative, ty: str, mark: str, entry: str
    ) -> None:
        with c.when(c.same(ty, "@" + self.names.symbol(class_of(a)))):
            if a.shape is not None and self._in_several(a.shape):
                home = c.call("ptr", "pb_block_find", "ptr %block", f"ptr {c.at('%obj', -1)}")
                c.need(c.let(f"icmp ne ptr {home}, null"), "fail")
                before = c.load("i64", home, 8)
                with c.when(c.let(f"icmp ne i64 {before}, 0")):
                    c.need(c.same(before, str(union + 1), "i64"), "fail")
                c.store("i64", str(union + 1), home, 8)
            size = at.HEADER + 8 * self.layout.slots(a)
            node = c.call("ptr", "pb.node", "ptr %block", f"i64 {size}", f"i64 {number}")
            c.need(c.let(f"icmp ne ptr {node}, null"), "fail")
            place = c.load("ptr", entry)
            with c.when(c.let(f"icmp ne ptr {place}, null")):
                c.store("ptr", node, place, 8)
            if self.dual:
                c.store("ptr", "%tangent", node, at.SCRATCH)
            if a.shape is None:
                if self.dual:
                    c.need(c.same("%tangent", NONE), "fail")
                c.store("i64", str(a.tag), node)
            else:
                c.store("i64", c.let(f"or i64 {mark}, {a.tag}"), node)
                c.need(c.call("i1", "pb.push", "ptr %block", "ptr %obj", f"ptr {node}"), "fail")
            c.line(f"ret ptr {node}")
            c.block(c.label("never"))

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
                for number, _, a in self.layout.alternatives():
                    if a.shape is not None:
                        with c.when(c.same(which, str(number), "i64")):
                            c.need(c.call("i1", f"pb.fill.{number}", "ptr %block",
                                          f"ptr {obj}", f"ptr {node}"), "fail")  # fmt: skip
        c.line("ret i1 true")
        return self._failing(c, "ret i1 false").function(
            "define internal i1 @pb.drain(ptr %block)"
        )

    # --- the whole ---

    def text(self) -> str:
        """All functions. ``encode_raw(block, value, first cell, copy, tangent)`` makes the block in
        memory for it (false: the value is not of this layout), ``encode`` is that for Python."""
        parts = [HELPERS]
        for number, _, a in self.layout.alternatives():
            if a.shape is not None:
                parts.append(self._fill(number, a.shape))
        parts += [self._find(u) for u in range(len(self.layout.unions))]
        if self.layout.unions:
            parts.append(self._drain())
        return "\n".join([*parts, self._main(), self._builtin()])

    def _main(self) -> str:
        self.code = c = Code()
        size = at.WORDS + 8 * self.layout.block_words()
        c.call("void", "llvm.memset.p0.i64", "ptr %block", "i8 0", f"i64 {size}", "i1 false")
        c.store("i64", "%first", "%block", at.CELLS)
        c.store("i64", "%copy", "%block", at.KIND)
        sole = "false" if self._containers() else "true"
        root = Where(False, False, sole, "%tangent" if self.dual else "")
        self.layout.root.encode(self, "%obj", self._root_places(), root)
        if self.layout.unions:
            c.need(c.call("i1", "pb.drain", "ptr %block"), "fail")
            c.call("void", "pb_block_close", "ptr %block")
        c.line("ret i1 true")
        c.block("fail")
        c.call("void", "PyErr_Clear")
        c.call("void", "pb_block_clear", "ptr %block")
        c.line("ret i1 false")
        return c.function(
            "define i1 @encode_raw(ptr %block, ptr %obj, i64 %first, i64 %copy, ptr %tangent)"
        )

    def _builtin(self) -> str:
        c = Code()
        over = c.slot("i32")
        first = c.call("i64", "PyLong_AsLongLongAndOverflow", f"ptr {c.load('ptr', '%args', 8)}",
                       f"ptr {over}")  # fmt: skip
        copy = c.same(c.load("ptr", "%args", 16), "@pb_true")
        tangent = c.load("ptr", "%args", 24) if self.dual else "null"
        block = c.call("ptr", "pb_block_new", f"i64 {self.layout.block_words()}")
        c.need(c.let(f"icmp ne ptr {block}, null"), "other")
        made = c.call("i1", "encode_raw", f"ptr {block}", f"ptr {c.load('ptr', '%args')}",
                      f"i64 {first}", f"i64 {c.let(f'zext i1 {copy} to i64')}",
                      f"ptr {tangent}")  # fmt: skip
        c.need(made, "drop")
        out = c.slot("ptr", 3)
        address = c.let(f"ptrtoint ptr {c.at(block, at.WORDS)} to i64")
        cells = c.load("i64", block, at.CELLS)
        capsule = c.call("ptr", "PyCapsule_New", f"ptr {block}", f"ptr @{at.CAPSULE_NAME}",
                         "ptr @pb_block_dies")  # fmt: skip
        for k, value in enumerate([
            capsule, c.call("ptr", "PyLong_FromLongLong", f"i64 {address}"),
            c.call("ptr", "PyLong_FromLongLong", f"i64 {cells}"),
        ]):  # fmt: skip
            c.store("ptr", value, out, 8 * k)
        c.line(f"ret ptr {c.call('ptr', 'pb_tuple', f'ptr {out}', 'i64 3')}")
        c.block("drop")
        c.call("void", "pb_block_free", f"ptr {block}")
        c.jump("other")
        c.block("other")
        c.call("void", "Py_IncRef", "ptr @pb_not_implemented")
        c.line("ret ptr @pb_not_implemented")
        return c.function("define ptr @encode(ptr %self, ptr %args, i64 %nargs)")

    def _containers(self) -> bool:
        """Whether the fields of nodes have parts that are no nodes."""
        shapes = (a.shape for _, _, a in self.layout.alternatives() if a.shape is not None)
        return any(item.parts() for shape in shapes for item in shape.items)

    def _root_places(self) -> Slots:
        c = self.code
        for _, (k, n), (m, more) in self.layout.argument_places():
            yield (
                [c.at("%block", at.WORDS + 8 * (k + i)) for i in range(n)],
                [c.at("%block", at.WORDS + 8 * (m + i)) for i in range(more)],
            )
