"""Write the sum of the lanes of a register."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pullback.lower.loopcode import LANES, Ty, Value
from pullback.native.text import LLVM

if TYPE_CHECKING:
    from pullback.native.emit import FunctionText


def lane_sum(f: FunctionText, v: Value) -> str:
    """Print the sum; the halves are added until one lane is left."""
    real = v.ty in (Ty.F64, Ty.F32)
    one, name, n = LLVM[v.ty], f.value(v, LANES), LANES
    while n > 1:
        n //= 2
        wide, half = f"<{2 * n} x {one}>", f"<{n} x {one}>"
        low, high = (
            f.let(f"shufflevector {wide} {name}, {wide} poison, <{n} x i32> "
                  f"<{', '.join(f'i32 {k}' for k in range(start, start + n))}>")
            for start in (0, n)
        )  # fmt: skip
        name = f.let(f"{'fadd' if real else 'add'} {half} {low}, {high}")
    return f.let(f"extractelement <1 x {one}> {name}, i64 0")
