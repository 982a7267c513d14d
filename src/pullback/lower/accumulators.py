"""Lower accumulators: the cells into which cotangents are added.

In lanes, an accumulator that is allocated inside the loop is interleaved: each lane has its own
cells. An addition to an accumulator from outside, at a place that is the same for all lanes, goes
to lane-private cells (a *shadow*), which are summed after the loop, if there are enough additions
to pay for them; otherwise the lanes are summed first.
"""

from __future__ import annotations

from pullback.core.terms import AccAdd, AccNew, AccRead, AccTake, Atom
from pullback.core.types import F64, Handle, Real
from pullback.lower.copies import nest
from pullback.lower.forms import c_strides
from pullback.lower.loopcode import LANES, AccAlloc, Arith, AtAdd, Imm, Reg, Store, Ty, Value
from pullback.lower.state import Lowering, Shadow
from pullback.lower.values import NULL, ONE, ZERO, NotInLanes, Scalar, View, lanes_of
from pullback.lower.views import locate, place_of, root_of

EIGHT = Imm(LANES, Ty.I64)


def new(lo: Lowering, op: AccNew) -> View:
    """Emit a fresh accumulator."""
    extents = tuple(lo.extent(a) for a in op.extents)
    lanes = LANES if lo.lane else 1
    cell = Reg("cell", Ty.I64)
    lo.emit(AccAlloc(cell, lo.room((*extents, Imm(lanes, Ty.I64)))))
    t, strides = Handle(len(extents)), c_strides(lo, extents)
    if lanes == 1:
        return View(t, (), cell, extents, strides, dense=True)
    ptr = lo.offset(lo.accumulators(), cell, Ty.F64)
    return View(t, (ptr,), ZERO, extents, strides, dense=True, lanes=lanes)


def _pointer(lo: Lowering, h: View) -> Value:
    return h.ptrs[0] if h.ptrs else lo.accumulators()


def add(lo: Lowering, op: AccAdd) -> None:
    """Add into one cell."""
    h = lo.view(op.handle)
    p = place_of(lo, h, [lo.scalar(i) for i in op.indices])
    value = lo.value(lo.scalar(op.value))
    if value.ty is Ty.F32:
        value = lo.arith("to_real", Ty.F64, value)
    if lo.lane is None:
        lo.emit(AtAdd(_pointer(lo, h), p.scalar, value))
        return
    counts = _counting(lo, h)
    if counts is not None:
        value = lo.select(counts, value, Imm(0.0, Ty.F64))
    value = lo.vector(value)
    root = root_of(lo, h)
    if root is not None and op.handle not in lo.lane.own and _key(root) in lo.lane.read:
        raise NotInLanes("it adds to cells that it has read")
    index, lanes = locate(lo, p, h.lanes, lo.mask())
    if lanes == LANES:
        lo.emit(AtAdd(_pointer(lo, h), index, value))
    elif root is None:
        lo.emit(AtAdd(_pointer(lo, h), index, lo.lane_sum(value)))
    else:
        _add_private(lo, _shadow(lo, root), index, value)


def _counting(lo: Lowering, h: View) -> Value | None:
    """Return the mask of the lanes that may change the cells, if not all may."""
    mask = lo.mask()
    counts = mask.lanes if mask else None
    # other lanes see the cells
    if lo.lane is not None and h.lanes == 1 and isinstance(lo.lane.alive, Reg):
        counts = lo.test("and", lo.lane.alive, counts) if counts else lo.lane.alive
    return counts


def _key(root: View) -> tuple[Value, ...]:
    return (root.start, *root.extents, *root.strides)


def _shadow(lo: Lowering, root: View) -> Shadow:
    """Return the shadow of an accumulator from outside, and count one more place in the code that
    adds to it."""
    assert lo.lane is not None
    regs = Reg("worth", Ty.I1), Reg("cells", Ty.PTR), Reg("low", Ty.I64)
    shadow = lo.lane.shadows.setdefault(_key(root), Shadow(root, *regs, additions=[]))
    shadow.additions.append([n for n in lo.lane.trips if lo.lane.older(n)])
    return shadow


def _add_private(lo: Lowering, shadow: Shadow, index: Value, value: Value) -> None:
    def private() -> list[Value]:
        cell = lo.sub(index, shadow.low)
        lo.emit(AtAdd(shadow.cells, lo.mul(cell, EIGHT), value))
        return []

    def summed() -> list[Value]:
        lo.emit(AtAdd(lo.accumulators(), index, lo.lane_sum(value)))
        return []

    lo.choose(shadow.worth, private, summed)


def span(lo: Lowering, root: View) -> tuple[Value, Value]:
    """Return the first cell that a view covers, and the number of cells from there to the last one.
    """
    low, count = root.start, lo.product(root.extents)
    size: Value = ONE
    for n, stride in zip(root.extents, root.strides, strict=True):
        reach = lo.mul(lo.sub(n, ONE), stride)
        below = ZERO if root.dense else lo.arith("min", Ty.I64, reach, ZERO)
        low = lo.add(low, below)
        size = lo.add(size, lo.sub(reach, lo.mul(below, Imm(2, Ty.I64))))
    if root.dense:
        return low, count
    return low, lo.select(lo.test("gt", count, ZERO), size, ZERO)


def open_shadow(lo: Lowering, shadow: Shadow) -> None:
    """Emit, before the loop, the private cells, cleared; to be called when all additions are
    counted."""
    low, size = span(lo, shadow.root)
    total: Value = ZERO
    for trips in shadow.additions:
        total = lo.add(total, lo.room(trips))
    need = lo.mul(size, EIGHT)
    worth = lo.test("le", need, total)
    lo.emit(Arith(shadow.worth, "move", (worth,)))
    lo.emit(Arith(shadow.low, "move", (low,)))

    def clear() -> list[Value]:
        cells = lo.alloc(need, Ty.F64)
        zeros = lo.vector(Imm(0.0, Ty.F64))

        def body(i: Reg, _: list[Value]) -> list[Value]:
            lo.emit(Store(cells, i, zeros))
            return []

        lo.loop(ZERO, need, LANES, [], body)
        return [cells]

    (cells,) = lo.choose(shadow.worth, clear, lambda: [NULL])
    lo.emit(Arith(shadow.cells, "move", (cells,)))


def close_shadow(lo: Lowering, shadow: Shadow) -> None:
    """Emit, after the loop, the additions of the private cells to the accumulator."""
    _, size = span(lo, shadow.root)

    def collect() -> list[Value]:
        def step(indices: list[Scalar], _: list[Value]) -> list[Value]:
            cell = lo.uniform(indices[0])
            lanes = lo.load(Ty.F64, shadow.cells, lo.mul(cell, EIGHT), LANES)
            at = lo.add(shadow.low, cell)
            lo.emit(AtAdd(lo.accumulators(), at, lo.lane_sum(lanes)))
            return []

        return nest(lo, [size], [], step)

    lo.choose(shadow.worth, collect, lambda: [])


def read(lo: Lowering, op: AccRead) -> Scalar:
    """Emit the value of a cell."""
    h = lo.view(op.handle)
    p = place_of(lo, h, [lo.scalar(i) for i in op.indices])
    _reading(lo, op.handle, h)
    index, lanes = locate(lo, p, h.lanes, lo.mask())
    return _real(lo, op, lo.load(Ty.F64, _pointer(lo, h), index, lanes))


def take(lo: Lowering, op: AccTake) -> Scalar:
    """Emit the value of a cell, which becomes zero."""
    h = lo.view(op.handle)
    p = place_of(lo, h, [lo.scalar(i) for i in op.indices])
    _reading(lo, op.handle, h)
    index, lanes = locate(lo, p, h.lanes, lo.mask())
    if lo.lane and h.lanes == 1 and (lanes_of(index) > 1 or lanes == 1):
        raise NotInLanes("two rounds could take one cell")  # the first may have it
    value = lo.load(Ty.F64, _pointer(lo, h), index, lanes)
    left: Value = Imm(0.0, Ty.F64)
    if lanes == LANES:
        left = lo.vector(left)
    counts = _counting(lo, h)
    if counts is not None:
        left = lo.select(counts, left, value)
    lo.emit(Store(_pointer(lo, h), index, left))
    return _real(lo, op, value)


def _reading(lo: Lowering, handle: Atom, h: View) -> None:
    if lo.lane is None or h.lanes == LANES or handle in lo.lane.own:
        return
    root = root_of(lo, h)
    if root is None:
        return
    if _key(root) in lo.lane.shadows:
        raise NotInLanes("it reads cells to which it adds")
    lo.lane.read.add(_key(root))


def _real(lo: Lowering, op: AccRead | AccTake, value: Value) -> Scalar:
    """Emit the content of a cell as a real; zero for a subnormal number where code runs many times,
    unless it only goes on to other cells (``flushing``)."""
    if lo.again and not lo.flushing and op not in lo.unit.passed_on:
        value = lo.arith("flush", Ty.F64, value)
    if op.bits == 64:
        return Scalar(F64, value)
    return Scalar(Real(op.bits), lo.arith("to_real", Ty.F32, value))
