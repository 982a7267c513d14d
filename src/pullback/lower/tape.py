"""The tape: an arena of elements of two words, the parent (or, at the end of a row, how many there
are) and the partial. An id is the number of an element.

Rows are in the order in which they were pushed, so nothing here runs in lanes."""

from __future__ import annotations

from pullback.core.terms import TapePush, TapeRoom, TapeSum, Var
from pullback.core.types import F64, I64, Array
from pullback.lower.forms import zero
from pullback.lower.lanes import Parallel
from pullback.lower.loopcode import Imm, Store, Ty, Value
from pullback.lower.state import Lowering, NotInLanes
from pullback.lower.values import ONE, ZERO, Scalar, Val, View, machine

TWO = Imm(2, Ty.I64)


def _elements(lo: Lowering, count: Value) -> Value:
    """The address of so many fresh elements."""
    if lo.lane is not None:
        raise NotInLanes
    return lo.alloc(lo.mul(count, TWO), Ty.I64, "tape")


def _id(lo: Lowering, ptr: Value) -> Value:
    """The number of the element at an address."""
    offset = lo.sub(lo.address(ptr), lo.address(lo.tape()))
    return lo.arith("shr", Ty.I64, offset, Imm(4, Ty.I64))


def _fill(lo: Lowering, at: Value, entries: list[tuple[Value, Value]]) -> None:
    for k, (parent, partial) in enumerate(entries):
        lo.emit(Store(at, Imm(2 * k, Ty.I64), parent))
        lo.emit(Store(at, Imm(2 * k + 1, Ty.I64), partial))


def room(lo: Lowering, op: TapeRoom) -> Scalar:
    """Elements without rows; their memory is not touched."""
    return Scalar(I64, _id(lo, _elements(lo, lo.extent(op.count))), natural=True)


def push(lo: Lowering, op: TapePush) -> Scalar:
    """A row."""
    count = len(op.parents)
    at = _elements(lo, Imm(count + 1, Ty.I64))
    parents = [lo.value(lo.scalar(a)) for a in op.parents]
    partials = [lo.value(lo.scalar(a)) for a in op.partials]
    _fill(lo, at, list(zip(parents, partials, strict=True)))
    lo.emit(Store(at, Imm(2 * count, Ty.I64), Imm(count, Ty.I64)))
    return Scalar(I64, lo.add(_id(lo, at), Imm(count, Ty.I64)), natural=True)


def sum_(lo: Lowering, op: TapeSum, bound: tuple[Var, ...]) -> list[Val]:
    """A sum and its row, to which every iteration adds."""
    if lo.lane is not None:
        raise NotInLanes
    extents = tuple(lo.extent(n) for n in op.extents)
    start = _elements(lo, ZERO)

    def finish(indices: list[Scalar], results: list[Val], carried: list[Value]) -> list[Value]:
        values = [lo.value(x) for x in results if isinstance(x, Scalar)]
        entries = list(zip(values[1::2], values[2::2], strict=True))
        if entries:
            _fill(lo, _elements(lo, Imm(len(entries), Ty.I64)), entries)
        return [lo.arith("add", values[0].ty, carried[0], values[0])]

    loop = Parallel(lo, extents, op.indices, op.body, [], finish)
    (total,) = loop.scalar([zero(machine(bound[0].type))])
    end = _elements(lo, ONE)
    row = _id(lo, end)
    lo.emit(Store(end, ZERO, lo.sub(row, _id(lo, start))))
    return [Scalar(bound[0].type, total), Scalar(I64, row, natural=True)]


def read(lo: Lowering) -> list[Val]:
    """Two views of the tape so far."""
    if lo.lane is not None:
        raise NotInLanes
    count = _id(lo, lo.mark("tape"))
    return [
        View(Array(t, 1), (lo.offset(lo.tape(), first, Ty.I64),), ZERO, (count,), (TWO,))
        for t, first in ((I64, ZERO), (F64, ONE))
    ]
