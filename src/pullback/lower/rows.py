"""Rows: in lanes, ``x[i, j]`` with i the index of the lanes reads 8 rows of x, a gather each time.
Where loops inside read the rows again and again, an interleaved copy is made once per block of 8
iterations (when running: if it is no larger than the reads are many) and read in their place."""

from __future__ import annotations

from dataclasses import replace

from pullback.core.types import Array
from pullback.lower.copies import fill
from pullback.lower.forms import c_strides
from pullback.lower.loopcode import LANES, Alloc, Arith, Imm, Reg, Ty, Value
from pullback.lower.state import Lowering
from pullback.lower.values import (
    NULL,
    ONE,
    ZERO,
    Row,
    Scalar,
    Val,
    View,
    has_pointers,
    leaves,
    mentions_handle,
    unique,
)
from pullback.lower.views import moved, place_of, read

DEPTH = 3
"""Rows are worth copying only within so many loops: the lanes and two inside them."""


def row_of(lo: Lowering, v: View, axis: int, i: Scalar) -> Row | None:
    """The rows v[.., i, ..] of an array from outside the lanes, if i is the lanes' index."""
    lane = lo.lane
    if lane is None or lane.index is None or i.base is None or i.base != lane.index.base:
        return None
    if i.step != ONE or i.bound != v.extents[axis] or v.type.rank < 2 or not v.uniform:
        return None
    if not isinstance(v.type, Array) or lo.is_likely_one(v.strides[axis]):
        return None
    if not all(map(lane.older, (*v.ptrs, v.start, *v.extents, *v.strides))):
        return None
    elem = v.type.elem
    if has_pointers(elem) or mentions_handle(elem, lo.unit.program.decls):
        return None
    key = (*v.ptrs, v.start, *v.extents, *v.strides, Imm(axis, Ty.I64))
    if key not in lane.rows:
        extents = v.extents[:axis] + v.extents[axis + 1 :]
        regs = tuple(Reg("rows", Ty.PTR) for _ in leaves(elem))
        strides = c_strides(lo, extents)
        t = Array(elem, v.type.rank - 1)
        copy = View(t, regs, ZERO, extents, strides, dense=True, lanes=LANES)
        lane.rows[key] = Row(v, axis, copy, Reg("worth", Ty.I1))
    return lane.rows[key]


def index(lo: Lowering, v: View, indices: list[Scalar]) -> Val:
    """An element of an array."""
    row, rest = v.row, indices
    if row is None:
        for axis, i in enumerate(indices):
            row = row_of(lo, v, axis, i)
            if row is not None:
                rest = indices[:axis] + indices[axis + 1 :]
                break
    lane = lo.lane
    if row is None or lane is None or len(lane.trips) < DEPTH:
        return read(lo, v, place_of(lo, v, indices))
    if any(i.value is None or not unique(i.value) for i in rest) or len(row.copy.ptrs) != 1:
        return read(lo, v, place_of(lo, v, indices))
    row.reads.append([n for n in lane.trips[1:] if lane.older(n)])

    def load(x: View, at: list[Scalar]) -> list[Value]:
        found = read(lo, x, place_of(lo, x, at))
        assert isinstance(found, Scalar)
        return [lo.value(found)]

    assert isinstance(v.type, Array)
    copy = row.copy
    (value,) = lo.choose(row.worth, lambda: load(copy, rest), lambda: load(v, indices))
    return Scalar(v.type.elem, value)


def open_rows(lo: Lowering, rows: list[Row]) -> None:
    """Copy the rows of a block; its code is known already."""
    assert lo.lane is not None and lo.lane.index is not None
    for row in rows:
        if not row.reads:
            continue
        total: Value = ZERO
        for trips in row.reads:
            total = lo.add(total, lo.product(trips))
        size = lo.product(row.copy.extents)
        lo.emit(Arith(row.worth, "move", (lo.test("le", size, total),)))
        source = replace(
            moved(lo, row.source, lo.lane.index, row.axis),
            type=row.copy.type,
            extents=row.copy.extents,
            strides=row.source.strides[: row.axis] + row.source.strides[row.axis + 1 :],
        )
        _copy(lo, row, source, lo.mul(size, Imm(LANES, Ty.I64)))


def _copy(lo: Lowering, row: Row, source: View, count: Value) -> None:
    (reg,) = row.copy.ptrs
    assert isinstance(reg, Reg) and isinstance(source.type, Array)
    (ty,) = leaves(source.type.elem)

    def copied() -> list[Value]:
        fresh = Reg("rows", Ty.PTR)
        lo.emit(Alloc(fresh, count, ty, "temp"))
        fill(lo, replace(row.copy, ptrs=(fresh,)), source)
        return [fresh]

    (ptr,) = lo.choose(row.worth, copied, lambda: [NULL])
    lo.emit(Arith(reg, "move", (ptr,)))
