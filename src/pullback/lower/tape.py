"""Lower the tape: an arena of words of 8 bytes, one row after the other; and the arena of ids,
which is never written, and in which an id is the number of a word.

Rows are in the order in which they were pushed, so no row is pushed in lanes; but the iterations of
a loop that has one row write into the room of that row, each at places of its own.
"""

from __future__ import annotations

from pullback.core.terms import Atom, TapePush, TapeRoom, TapeWrite
from pullback.core.types import F64, I64, Array
from pullback.lower.loopcode import Imm, Store, Ty, Value
from pullback.lower.state import Lowering
from pullback.lower.values import ONE, ZERO, NotInLanes, Scalar, Val, View
from pullback.lower.views import place_of
from pullback.lower.views import write as write_element

MOST = Imm(2**56, Ty.I64)
"""More words than there can be, so few that sums do not overflow."""


def _ids(lo: Lowering, count: Value) -> Scalar:
    """Emit the first of ``count`` new ids."""
    if lo.lane is not None:
        raise NotInLanes("it writes the tape of dual numbers")
    return Scalar(I64, _number(lo, lo.alloc(count, Ty.I64, "ids"), "ids"), natural=True)


def _number(lo: Lowering, ptr: Value, arena: str) -> Value:
    """The number of the word at an address."""
    offset = lo.sub(lo.address(ptr), lo.address(lo.bottom(arena)))
    return lo.arith("shr", Ty.I64, offset, Imm(3, Ty.I64))


def room(lo: Lowering, op: TapeRoom) -> Scalar:
    """Emit ids without rows."""
    return _ids(lo, lo.extent(op.count))


def _total(lo: Lowering, parts: tuple[tuple[Atom, ...], ...]) -> Value:
    """The sum of the products."""
    out: Value = ZERO
    for sizes in parts:
        most = lo.arith("min", Ty.I64, lo.room([lo.extent(n) for n in sizes]), MOST)
        out = lo.add(out, most)
    return out


def push(lo: Lowering, op: TapePush) -> list[Val]:
    """Emit a row."""
    if lo.lane is not None:
        raise NotInLanes("it writes the tape of dual numbers")
    words = [lo.value(lo.scalar(a)) for a in op.words]
    before = _total(lo, op.room)
    at = lo.alloc(lo.add(before, Imm(len(words), Ty.I64)), Ty.I64, "tape")
    for k, word in enumerate(words):
        lo.emit(Store(at, lo.add(before, Imm(k, Ty.I64)), word))
    ids = _ids(lo, _total(lo, op.count))
    first = ZERO if before == ZERO else _number(lo, at, "tape")
    return [ids, Scalar(I64, first, natural=True)]


def write(lo: Lowering, op: TapeWrite) -> None:
    """Emit a word in the room of a row. Nobody else uses its place, so lanes that do not run this
    code write too."""
    word = lo.scalar(op.word)
    tape = View(Array(word.type, 1), (lo.bottom("tape"),), ZERO, (ZERO,), (ONE,))
    with lo.masked(None):
        write_element(lo, tape, place_of(lo, tape, [lo.scalar(op.at)]), word)


def read(lo: Lowering) -> list[Val]:
    """Two views of the tape so far, and the number of ids."""
    if lo.lane is not None:
        raise NotInLanes("it writes the tape of dual numbers")
    count, base = _number(lo, lo.mark("tape"), "tape"), lo.bottom("tape")
    views = [View(Array(t, 1), (base,), ZERO, (count,), (ONE,)) for t in (I64, F64)]
    return [*views, Scalar(I64, _number(lo, lo.mark("ids"), "ids"), natural=True)]
