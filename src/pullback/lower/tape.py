"""The tape: an arena of words of 8 bytes, one row after the other; and the arena of ids, never
touched, in which an id is the number of a word.

Rows are in the order in which they were pushed, so nothing here runs in lanes."""

from __future__ import annotations

from pullback.core.terms import TapeLoop, TapePush, TapeRoom, Var
from pullback.core.types import F64, I64, Array
from pullback.lower.arenas import Scope
from pullback.lower.copies import nest
from pullback.lower.loopcode import Imm, Store, Ty, Value
from pullback.lower.state import Lowering, NotInLanes
from pullback.lower.values import ONE, ZERO, Scalar, Val, View


def _words(lo: Lowering, count: Value) -> Value:
    """The address of so many fresh words."""
    if lo.lane is not None:
        raise NotInLanes
    return lo.alloc(count, Ty.I64, "tape")


def _ids(lo: Lowering, count: Value) -> Scalar:
    """The first of so many new ids."""
    if lo.lane is not None:
        raise NotInLanes
    return Scalar(I64, _number(lo, lo.alloc(count, Ty.I64, "ids"), "ids"), natural=True)


def _number(lo: Lowering, ptr: Value, arena: str) -> Value:
    """The number of the word at an address."""
    offset = lo.sub(lo.address(ptr), lo.address(lo.bottom(arena)))
    return lo.arith("shr", Ty.I64, offset, Imm(3, Ty.I64))


def _fill(lo: Lowering, at: Value, first: Value, words: list[Value]) -> None:
    for k, word in enumerate(words):
        lo.emit(Store(at, lo.add(first, Imm(k, Ty.I64)), word))


def room(lo: Lowering, op: TapeRoom) -> Scalar:
    """Ids without rows."""
    return _ids(lo, lo.extent(op.count))


def push(lo: Lowering, op: TapePush) -> Scalar:
    """A row."""
    words = [lo.value(lo.scalar(a)) for a in op.words]
    _fill(lo, _words(lo, Imm(len(words), Ty.I64)), ZERO, words)
    return _ids(lo, Imm(op.count, Ty.I64))


def loop(lo: Lowering, op: TapeLoop, bound: tuple[Var, ...]) -> list[Val]:
    """A loop and its row, which has room for the words of all iterations from the start."""
    if lo.lane is not None:
        raise NotInLanes
    extents = tuple(lo.extent(n) for n in op.extents)
    words = [lo.value(lo.scalar(a)) for a in op.words]
    each = Imm(len(op.body.results) - len(op.carried), Ty.I64)
    record = lo.room((*extents, each))
    at = _words(lo, lo.add(record, Imm(len(words), Ty.I64)))
    scope = Scope(lo, {"temp", "residual", "store"})

    def step(indices: list[Scalar], state: list[Value]) -> list[Value]:
        def run() -> list[Value]:
            lo.env.update(zip(op.indices, indices))
            lo.env.update({v: Scalar(v.type, x) for v, x in zip(op.carried, state)})
            results = [lo.value(x) for x in lo.block(op.body) if isinstance(x, Scalar)]
            n = len(op.carried)
            _fill(lo, at, state[n], results[n:])
            return [*results[:n], lo.add(state[n], each)]

        code, out = lo.record(run)
        lo.code.extend(code)
        scope.release(code)
        return out

    inits = [*(lo.value(lo.scalar(a)) for a in op.inits), ZERO]
    code, (*out, _) = lo.record(lambda: nest(lo, extents, inits, step))
    scope.open()
    lo.code.extend(code)
    _fill(lo, at, record, words)
    ids = _ids(lo, Imm(op.count, Ty.I64))
    return [*(Scalar(v.type, x) for v, x in zip(bound, out)), ids]


def read(lo: Lowering) -> list[Val]:
    """Two views of the tape so far, and the number of ids."""
    if lo.lane is not None:
        raise NotInLanes
    count, base = _number(lo, lo.mark("tape"), "tape"), lo.bottom("tape")
    views = [View(Array(t, 1), (base,), ZERO, (count,), (ONE,)) for t in (I64, F64)]
    return [*views, Scalar(I64, _number(lo, lo.mark("ids"), "ids"), natural=True)]
