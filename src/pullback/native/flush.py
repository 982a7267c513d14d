"""Set the bit FTZ in the control register of SSE while a function runs: subnormal results are zero.

Operands are left alone (no DAZ), so subnormal values of the program stay as they are. The register
belongs to the thread. It is restored on every way out of the function, and while Python handles
signals (``pb_poll``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pullback.lower.loopcode import Arith, Imm, Ty, Value
from pullback.native.control import unless
from pullback.native.runtime_polls import DECLARATIONS, FLUSH_TO_ZERO
from pullback.native.text import LLVM, SIZE, constant, llvm_type

if TYPE_CHECKING:
    from pullback.native.emit import FunctionText

SHORT_ROUND = 32
"""In a round in lanes of fewer instructions, other instructions wait for a ``select`` no longer
than for a branch; in a longer one a branch only stands in the way of the compiler."""


def begin(f: FunctionText) -> str:
    """Print the code that sets the bit. Return the place that holds the register's old content."""
    saved, mine = f.let("alloca i32"), f.let("alloca i32")
    f.line(f"call void @llvm.x86.sse.stmxcsr(ptr {saved})")
    old = f.let(f"load i32, ptr {saved}")
    f.line(f"store i32 {f.let(f'or i32 {old}, {FLUSH_TO_ZERO}')}, ptr {mine}")
    f.line(f"call void @llvm.x86.sse.ldmxcsr(ptr {mine})")
    return saved


def restore(place: str) -> list[str]:
    """Return the line that sets the register to the content of a place (none: the register was not
    changed)."""
    return [f"  call void @llvm.x86.sse.ldmxcsr(ptr {place})"] if place else []


def small(f: FunctionText, x: Value) -> str:
    """Print the question whether a number is zero or subnormal: whether the bits of its exponent
    are zero. (On integers, because it needs no constants in registers.)"""
    real, whole = LLVM[x.ty], f"i{8 * SIZE[x.ty]}"
    bits = f.let(f"bitcast {real} {f.value(x)} to {whole}")
    size = f.let(f"shl {whole} {bits}, 1")
    return f.let(f"icmp ult {whole} {size}, {1 << (53 if x.ty is Ty.F64 else 24)}")


def rarely(f: FunctionText, instr: Arith) -> None:
    """Print a ``flush`` as a branch. In lanes one branch serves all lanes, and zeros do not take
    it."""
    dst, (x,) = instr.dst, instr.args
    ty, lanes, name = llvm_type(dst.ty, dst.lanes), dst.lanes, f.value(x, dst.lanes)
    if lanes == 1:
        unless(f, dst, small(f, x), name, lambda: "zeroinitializer")
        return
    size = f.let(f"call {ty} @llvm.fabs.v{lanes}f{8 * SIZE[dst.ty]}({ty} {name})")
    tiny = constant(Imm(2.0 ** (-1022 if dst.ty is Ty.F64 else -126), dst.ty), lanes)
    low = f.let(f"fcmp olt {ty} {size}, {tiny}")
    some = f.let(f"fcmp one {ty} {name}, zeroinitializer")
    both = f.let(f"and <{lanes} x i1> {low}, {some}")
    seldom = f.let(f"call i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1> {both})")
    zeros = f"select <{lanes} x i1> {low}, {ty} zeroinitializer, {ty} {name}"
    unless(f, dst, seldom, name, lambda: f.let(zeros))


__all__ = ["DECLARATIONS", "begin", "rarely", "restore", "small"]
