"""Lower a call of a Python function: its two vectors go over as they lie in memory, and what it
returns is written into new memory. It is never called from lanes."""

from __future__ import annotations

from pullback.core.called_python import PREFIX, RAISED, SOLVES
from pullback.core.terms import Prim, Site
from pullback.core.types import F64, Array
from pullback.lower.copies import copy_view, fresh
from pullback.lower.forms import pointers
from pullback.lower.loopcode import Foreign, RaiseIf, Reg, Ty, Value
from pullback.lower.state import Lowering
from pullback.lower.values import ZERO, NotInLanes, View


def callback(lo: Lowering, op: Prim, site: Site | None) -> View:
    """Return the vector of the reals of the result."""
    if lo.lane is not None:
        raise NotInLanes("it calls a Python function")
    reals, words = (lo.view(a) for a in op.args[:2])
    count = lo.extent(op.args[2])
    out = fresh(lo, Array(F64, 1), (count,), 1, "temp")
    info = Reg("info", Ty.I64)
    number = op.static[0]
    if op.name == "sparse_solve":
        number = SOLVES[1] if number == 1 else SOLVES[0]
    lo.emit(Foreign(info, f"{PREFIX}{number}", (
        _dense(lo, reals), _dense(lo, words), reals.extents[0], words.extents[0],
        out.ptrs[0], count,
    )))  # fmt: skip
    lo.emit(RaiseIf(lo.test("ne", info, ZERO), "RuntimeError", RAISED, site))
    return out


def _dense(lo: Lowering, v: View) -> Value:
    """Return the address of the elements in a row: of a copy if there are gaps."""
    return pointers(lo, v if v.dense and v.uniform else copy_view(lo, v))[0]


__all__ = ["callback"]
