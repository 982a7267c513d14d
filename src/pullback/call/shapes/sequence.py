"""Lists of any length: their length, then one array for each leaf of an item."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from pullback.call import given as tangent_of
from pullback.call.code.reading import Making, Reading, Source, Sources
from pullback.call.code.tangent_items import item_of
from pullback.call.code.tangent_items import items_of as given_items
from pullback.call.code.writing import Slots, Where, Writing
from pullback.call.given import What
from pullback.call.shape import Leaves, Made, NodeOf, Part, Shape, shape_of
from pullback.call.shapes.number import Number
from pullback.call.shapes.product import items_of
from pullback.call.space import Space, first_ids, of_reals, words
from pullback.call.trees import TY_OF_DTYPE, Form, Writer
from pullback.core.types import I64, Array, Real, Type
from pullback.core.values import Node, dtype_of, make_array
from pullback.frontend.kinds.kinds import ListK
from pullback.frontend.python.annotations import inside as annotation_inside
from pullback.frontend.python.unions import Union
from pullback.lower.loopcode import Ty
from pullback.native import ListOf, Tree
from pullback.native.builder import Code
from pullback.native.pyabi import ARRAY_DATA, LIST_ITEMS, OB_TYPE, TUPLE_ITEMS, TUPLE_SIZE
from pullback.native.text import SIZE

Column = Callable[[str], Source]
"""What is at an index of a column."""


class Items(Shape):
    """Items of one kind, whose number only the run knows."""

    grows = True

    def __init__(self, kind: ListK, declared: object) -> None:
        super().__init__(kind)
        self.item = shape_of(kind.elem, annotation_inside(declared, 0))
        self.cls: type = kind.cls
        self.is_tuple = kind.cls is tuple

    def leaf_types(self) -> Iterator[Type]:
        yield I64
        for t in self.item.types:
            yield Array(t, 1)

    def parts(self) -> tuple[Shape, ...]:
        return (self.item,)

    # --- values and leaves ---

    def items(self, value: object) -> Sequence[object]:
        """The items of a value; an error if it is none."""
        if not isinstance(value, self.cls):
            raise self.mismatch(value)
        return items_of(self, value)

    def inside(self, value: object) -> Sequence[Part]:
        items = tuple(self.items(value))  # another thread may change the list
        return [Part(self.item, x, i) for i, x in enumerate(items)]

    def made(self, parts: Sequence[object], like: object = None) -> object:
        is_tuple = self.is_tuple if like is None else isinstance(like, tuple)
        return tuple(parts) if is_tuple else list(parts)

    def flatten(self, value: object, node: NodeOf, out: list[object]) -> None:
        rows: list[list[object]] = []
        for part in self.inside(value):
            rows.append([])
            self.item.flatten(part.value, node, rows[-1])
        out.append(len(rows))
        for j, t in enumerate(self.item.types):
            out.append(make_array(t, [row[j] for row in rows], (len(rows),)))

    def rows(self, leaves: Leaves) -> list[tuple[object, ...]]:
        """The leaves of every item."""
        length = next(leaves)
        assert isinstance(length, int)
        return rows_of(self.item.types, length, leaves)

    def value(self, leaves: Leaves, made: Made, gradient: bool) -> object:
        return self.made([self.item.value(iter(r), made, gradient) for r in self.rows(leaves)])

    def nodes_in(self, leaves: Leaves) -> Iterator[tuple[Union, Node]]:
        if not self.holds_nodes:
            self.skip(leaves)
            return
        for row in self.rows(leaves):
            yield from self.item.nodes_in(iter(row))

    # --- tangents ---

    def given(self, given: object, count: int, what: What) -> Iterator[object]:
        return iter(tangent_of.items(given, count, self.kind, what))

    def made_given(self, parts: Sequence[object]) -> object:
        return list(parts)

    def tangents(self, leaves: Leaves, given: object, what: What, out: list[object]) -> None:
        rows = self.rows(leaves)
        out.append(None)
        found: list[list[object]] = []
        for row, part in zip(rows, self.given(given, len(rows), what), strict=True):
            found.append([])
            self.item.tangents(iter(row), part, what, found[-1])
        for j, t in enumerate(self.item.types):
            real = of_reals(t)
            out.append(make_array(t, [x[j] for x in found], (len(rows),)) if real else None)

    # --- from objects to words ---

    def encode(self, w: Writing, obj: str, slots: Slots, where: Where) -> None:
        c, item = w.code, self.item
        n, items = self.read(w, obj, where)
        (slot,), _ = next(slots)
        c.store("i64", n, slot)
        columns = [room(w, t, *next(slots), n, where) for t in item.types]
        if item.is_float and not where.in_node and not columns[0][1]:
            ((to, _),) = columns[0][0]
            c.need(c.call("i1", "pb_reals", f"ptr {items}", f"i64 {n}", f"ptr {to}"), "fail")
            return
        inside = w.inside(self.holds_nodes, obj, where, in_list=True)
        tangents = given_items(c, where.tangent, n)
        with c.counting(n) as i:
            value = c.load("ptr", items, c.mul(i, 8))
            places = ((places_at(c, data, i), places_at(c, more, i)) for data, more in columns)
            part = replace(inside, tangent=item_of(c, tangents, i))
            item.encode(w, value, places, part)

    def read(self, w: Writing, obj: str, where: Where) -> tuple[str, str]:
        """The length and the items of a list; in a node also of a tuple."""
        c = w.code
        n = c.load("i64", obj, TUPLE_SIZE)
        if not where.in_node:
            w.exactly(obj, "pb_list")
            if not where.in_list:  # an empty list is of another type
                c.need(c.let(f"icmp ne i64 {n}, 0"), "fail")
            return n, c.load("ptr", obj, LIST_ITEMS)
        def of_tuple() -> str:
            w.exactly(obj, "pb_tuple_type")
            return c.at(obj, TUPLE_ITEMS)

        if self.is_tuple:
            return n, of_tuple()
        is_list = c.same(c.load("ptr", obj, OB_TYPE), "@pb_list")
        if self.cls is list:
            c.need(is_list, "fail")
            return n, c.load("ptr", obj, LIST_ITEMS)
        return n, c.choose(is_list, lambda: c.load("ptr", obj, LIST_ITEMS), of_tuple, "ptr")

    # --- from words to objects ---

    def decode(self, m: Making, sources: Sources) -> str:
        c = m.code
        n = c.load("i64", next(sources).words[0])
        out, items = self.new(m, n)
        self._fill(m, n, items, sources)
        return self.finished(m, out)

    def new(self, m: Making, n: str) -> tuple[str, str]:
        """A list or tuple of this length, and the place of its items."""
        c = m.code
        name = "PyTuple_New" if self.is_tuple else "PyList_New"
        out = m.checked(c.call("ptr", name, f"i64 {n}"))
        return out, c.at(out, TUPLE_ITEMS) if self.is_tuple else c.load("ptr", out, LIST_ITEMS)

    def finished(self, m: Making, made: str) -> str:
        """The value of a list or tuple that was filled; it takes over the reference."""
        return made

    def _fill(self, m: Making, n: str, items: str, sources: Sources) -> None:
        c, item = m.code, self.item
        taken = [next(sources) for _ in item.types]
        if item.is_float and not m.named_by_ids(taken[0]):
            data, stride = _floats(m, taken[0])
            done = c.call("i1", "pb_floats", f"ptr {items}", f"ptr {data}", f"i64 {n}",
                          f"i64 {stride}")  # fmt: skip
            c.need(done, "fail")
            return
        columns = [column_of(m, t, source) for t, source in zip(item.types, taken, strict=True)]
        with c.counting(n) as i:
            rows = [column(i) for column in columns]
            c.store("ptr", item.decode(m, iter(rows)), items, c.mul(i, 8))

    def seed(self, m: Making, given: str, sources: Sources) -> None:
        c, item = m.code, self.item
        n = c.load("i64", next(sources).words[0])
        items = given_items(c, given, n)
        columns = columns_of(m, item.types, sources)
        some = c.let(f"icmp ne ptr {items}, null")
        count = c.let(f"select i1 {some}, i64 {n}, i64 0")
        with c.counting(count) as i:
            item.seed(m, item_of(c, items, i), iter([column(i) for column in columns]))


class List(Items, of=ListK):
    """A list or tuple of any length; where a node may hold either, a result has a list."""

    @property
    def direct(self) -> bool:
        return isinstance(self.item, Number) and self.item.one_leaf

    def _tree(self, counted: bool) -> ListOf | None:
        if isinstance(self.item, Number) and self.item.one_leaf:
            return ListOf(TY_OF_DTYPE[dtype_of(self.item.type).name], counted)
        return None

    def argument(self, w: Writer, at: str) -> tuple[Tree, str] | None:
        tree = self._tree(True)
        return super().argument(w, at) if tree is None else (tree, at)

    def result_form(self) -> Form | None:
        tree = None if self.is_tuple else self._tree(True)
        return None if tree is None else Form(tree)

    def gradient_form(self) -> Form | None:
        tree = None if self.is_tuple or not self.item.real else self._tree(False)
        return None if tree is None else Form(tree)

    def tangent_argument(
        self, w: Writer, at: str, sizes: Iterator[str]
    ) -> tuple[Tree, str] | None:
        if not self.item.real:
            return None
        tree = self._tree(False)
        if tree is None:
            return super().tangent_argument(w, at, sizes)
        w.check(f"type({at}) is list and len({at}) == {next(sizes)}")
        return tree, at

    def sizes(self, at: str, w: Writer | None) -> Iterator[str]:
        yield f"len({at})"

    def blank(self, sizes: Iterator[tuple[int, ...] | int]) -> Iterator[object]:
        n = next(sizes)
        assert isinstance(n, int) and isinstance(self.item, Number)
        yield n
        yield np.zeros(n, dtype_of(self.item.type))


def room(
    w: Writing, t: Type, plain: list[str], near: list[str], n: str, where: Where
) -> tuple[list[tuple[str, Ty]], list[tuple[str, Ty]]]:
    """The columns of a leaf of the items, and those of what is beside it."""
    data = w.columns(words(t), plain, n)
    if near and isinstance(t, Real) and w.space is Space.FORWARD:
        w.handle(near, [n])
    elif near and isinstance(t, Real) and w.space is Space.IDS and not where.in_node:
        w.code.store("i64", w.new_ids(n), near[0])
    elif near:
        return data, w.columns(words(w.space.inside(t, where.in_node)), near, n)
    return data, []


def rows_of(types: Sequence[Type], length: int, leaves: Leaves) -> list[tuple[object, ...]]:
    """The leaves of every item, of leaves that are columns."""
    columns: list[list[object]] = []
    for _ in types:
        column = next(leaves)
        assert isinstance(column, np.ndarray)
        columns.append(column.tolist())
    return list(zip(*columns, strict=True)) if columns else [()] * length


def columns_of(m: Making, types: Sequence[Type], sources: Sources) -> list[Column]:
    """What is at each index of some columns; of one that has no cotangent nothing."""
    out: list[Column] = []
    for t in types:
        source = next(sources)
        none = m.gradient and isinstance(t, Real) and not source.beside
        out.append((lambda _: Source()) if none else column_of(m, t, source))
    return out


def places_at(c: Code, columns: list[tuple[str, Ty]], i: str) -> list[str]:
    return [c.at(column, c.mul(i, SIZE[ty])) for column, ty in columns]


def _floats(m: Making, source: Source) -> tuple[str, str]:
    """The address of a column of Python floats, and its stride."""
    if m.reading is not Reading.GRADIENT:
        near = source.beside if m.reading is Reading.TANGENT else source.words
        return m.code.load("ptr", near[0]), m.code.load("i64", near[2])
    if source.object or source.numbered:
        return _reals(m, source), "1"
    stride = source.given[2] if source.given else source.beside[2]
    return _reals(m, source), m.code.load("i64", stride)


def _reals(m: Making, source: Source) -> str:
    """The address of the cotangents of a column of reals."""
    if source.given:
        return m.code.load("ptr", source.given[0])
    if source.object:
        return m.code.load("ptr", source.object, ARRAY_DATA)
    return m.cell(source.beside[0])


def column_of(m: Making, t: Type, source: Source) -> Column:
    """What is at each index of a column: of an array for every word."""
    c = m.code
    near = first_ids(t) if source.numbered else m.space.beside(t)
    by_id = m.named_by_ids(source)
    if m.gradient and isinstance(t, Real) and not by_id:
        ty = Ty.F32 if source.own and t == Real(32) else Ty.F64
        start, stride = _floats(m, source)
        step = c.mul(stride, SIZE[ty])
        return lambda i: Source(real=c.at(start, c.mul(i, step)), ty=ty)
    data = _steps(c, words(t), source.words)
    more = _steps(c, words(near), source.beside) if source.beside else lambda i: []
    if by_id and isinstance(t, Real):

        def by_its_id(i: str) -> Source:
            plain, ids = data(i), more(i)
            return Source(plain, ids, real=m.cell(ids[0]))

        return by_its_id
    return lambda i: Source(data(i), more(i), numbered=source.numbered)


def _steps(c: Code, types: tuple[Ty, ...], slots: list[str]) -> Callable[[str], list[str]]:
    starts = [c.load("ptr", slot) for slot in slots[: len(types)]]
    stride = c.load("i64", slots[-1])

    def at_index(i: str) -> list[str]:
        k = c.mul(i, stride)
        return [c.at(p, c.mul(k, SIZE[ty])) for p, ty in zip(starts, types, strict=True)]

    return at_index
