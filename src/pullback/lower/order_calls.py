"""Lower sorts of vectors to calls of NumPy's functions (``core/numpy_sorts.py``)."""

from __future__ import annotations

from pullback.core.numpy_sorts import PREFIX
from pullback.core.terms import Prim
from pullback.core.types import I64, Array
from pullback.lower.copies import copy_view, fresh, nest
from pullback.lower.forms import pointers
from pullback.lower.loopcode import Foreign, Value
from pullback.lower.state import Lowering
from pullback.lower.values import ONE, NotInLanes, Scalar, View
from pullback.lower.views import place_of, write


def order_prim(lo: Lowering, op: Prim) -> View:
    """The result of a row of ``core/prims_order.py``: the sorted copy, or the sorted places."""
    if lo.lane is not None:
        raise NotInLanes("it sorts")
    x = lo.view(op.args[0])
    assert isinstance(x.type, Array)
    name = f"{op.name}_{'i64' if x.type.elem == I64 else 'f64'}"
    (n,) = x.extents
    if op.name == "ascending":
        out = copy_view(lo, x)
        _call(lo, name, n, pointers(lo, out)[0])
        return out
    source = x if x.dense and x.uniform else copy_view(lo, x)
    out = fresh(lo, Array(I64, 1), (n,), 1, "temp")

    def own(indices: list[Scalar], _: list[Value]) -> list[Value]:
        write(lo, out, place_of(lo, out, indices), indices[0])
        return []

    nest(lo, (n,), [], own)
    _call(lo, name, n, pointers(lo, source)[0], pointers(lo, out)[0])
    return out


def _call(lo: Lowering, name: str, n: Value, *arrays: Value) -> None:
    def call() -> list[Value]:
        lo.emit(Foreign(None, f"{PREFIX}{name}", (*arrays, n)))
        return []

    lo.choose(lo.test("gt", n, ONE), call, lambda: [])


__all__ = ["order_prim"]
