"""Small functions that are printed into every module that uses them, so that LLVM inlines them:
allocation, the store of accumulators, error records, the stack guard."""

from __future__ import annotations

import platform

from pullback.core.thresholds import LIMITS
from pullback.native.layout import (
    OUT_OF_MEMORY,
    TOO_DEEP,
    Field,
    load_field,
    store_field,
)
from pullback.native.runtime_results import LEAST

_STACK_REGISTER = {"x86_64": "rsp", "AMD64": "rsp", "aarch64": "sp", "arm64": "sp"}


def _load(name: str, field: Field, ty: str = "i64") -> str:
    return "\n  ".join(load_field(field, name, ty))


def _store(scratch: str, field: Field, value: str, ty: str = "i64") -> str:
    return "\n  ".join(store_field(field, scratch, ty, value))


def _alloc(name: str, cur: Field, end: Field, gaps: bool = True) -> str:
    aligned = "63" if gaps else "7"
    return f"""
define internal fastcc ptr @{name}(ptr %ctx, i64 %count, i64 %size) nounwind {{
  {_load("%cur", cur)}
  {_load("%end", end)}
  %exact = mul i64 %count, %size
  %bytes0 = add i64 %exact, 7
  %bytes = and i64 %bytes0, -8
  %large = icmp uge i64 %exact, 512
  %mask = select i1 %large, i64 {aligned}, i64 7
  %up = add i64 %cur, %mask
  %not = xor i64 %mask, -1
  %from = and i64 %up, %not
  %to0 = add i64 %from, %bytes
  %sane = icmp ult i64 %count, {1 << 52}
  %to = select i1 %sane, i64 %to0, i64 -1
  %fits = icmp ule i64 %to, %end
  br i1 %fits, label %ok, label %slow, !prof !6
slow:
  %failed = call i32 @pb_grow(ptr %ctx, i64 {8 * end}, i64 %to)
  %bad = icmp ne i32 %failed, 0
  br i1 %bad, label %none, label %ok
ok:
  {_store("%at", cur, "%to")}
  %p = inttoptr i64 %from to ptr
  ret ptr %p
none:
  ret ptr null
}}
"""


# The cells from TOP to DIRTY may hold old values; those above DIRTY are still zero.
_ACC_ALLOC = f"""
define internal fastcc i64 @pb.cells(ptr %ctx, i64 %count) nounwind {{
  {_load("%top", Field.STORE_TOP)}
  {_load("%end", Field.STORE_END)}
  {_load("%dirty", Field.STORE_DIRTY)}
  %sane = icmp ult i64 %count, {1 << 52}
  %new0 = add i64 %top, %count
  %new = select i1 %sane, i64 %new0, i64 -1
  %fits = icmp ule i64 %new, %end
  br i1 %fits, label %ok, label %slow, !prof !6
slow:
  %failed = call i32 @pb_grow(ptr %ctx, i64 {8 * Field.STORE_END}, i64 %new)
  %bad = icmp ne i32 %failed, 0
  br i1 %bad, label %none, label %ok
ok:
  {_store("%top.to", Field.STORE_TOP, "%new")}
  %old = icmp ult i64 %top, %dirty
  br i1 %old, label %clear, label %fresh
clear:
  %stop = call i64 @llvm.umin.i64(i64 %new, i64 %dirty)
  %cells = sub i64 %stop, %top
  %bytes = shl i64 %cells, 3
  {_load("%base", Field.STORE_BASE, "ptr")}
  %from = getelementptr double, ptr %base, i64 %top
  %huge = icmp ugt i64 %bytes, {LIMITS.huge}
  br i1 %huge, label %pieces, label %whole, !prof !5
pieces:
  %stopped = call i1 @pb_zero(ptr %ctx, ptr %from, i64 %bytes)
  br i1 %stopped, label %none, label %fresh
whole:
  call void @llvm.memset.p0.i64(ptr align 8 %from, i8 0, i64 %bytes, i1 false)
  br label %fresh
fresh:
  %most = call i64 @llvm.umax.i64(i64 %new, i64 %dirty)
  {_store("%dirty.to", Field.STORE_DIRTY, "%most")}
  ret i64 %top
none:
  ret i64 -1
}}
"""

_FAIL = f"""
define internal fastcc void @pb.fail(ptr %ctx, i64 %site) nounwind cold noinline {{
  {_store("%site.to", Field.ERROR, "%site")}
  ret void
}}
"""

_DEEP = f"""
define internal fastcc i1 @pb.deep(ptr %ctx, i64 %sp) nounwind cold noinline {{
  {_load("%hard", Field.STACK_HARD)}
  %room = icmp uge i64 %sp, %hard
  br i1 %room, label %yes, label %no
yes:
  %next = sub i64 %sp, {LIMITS.stack}
  %limit = call i64 @llvm.umax.i64(i64 %next, i64 %hard)
  {_store("%limit.to", Field.STACK_LIMIT, "%limit")}
  {_store("%big.to", Field.BIG, "1")}
  ret i1 false
no:
  {_store("%error.to", Field.ERROR, str(TOO_DEEP))}
  ret i1 true
}}
"""

def _settled(name: str, ty: str, same: str) -> str:
    """Sort the places of equal elements, which are beside each other (``lower/order_calls.py``)."""
    return f"""
define internal fastcc void @{name}(ptr %x, ptr %places, i64 %n, ptr %sort) nounwind {{
entry:
  br label %run
run:
  %i = phi i64 [ 0, %entry ], [ %j, %next ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %first, label %done
first:
  %i.at = getelementptr i64, ptr %places, i64 %i
  %p = load i64, ptr %i.at
  %v.at = getelementptr {ty}, ptr %x, i64 %p
  %v = load {ty}, ptr %v.at
  br label %scan
scan:
  %k = phi i64 [ %i, %first ], [ %j, %test ]
  %j = add i64 %k, 1
  %inside = icmp slt i64 %j, %n
  br i1 %inside, label %test, label %end
test:
  %j.at = getelementptr i64, ptr %places, i64 %j
  %q = load i64, ptr %j.at
  %w.at = getelementptr {ty}, ptr %x, i64 %q
  %w = load {ty}, ptr %w.at
  {same}
  br i1 %same, label %scan, label %end
end:
  %several = icmp ne i64 %k, %i
  br i1 %several, label %settle, label %next
settle:
  %count = sub i64 %j, %i
  %length = inttoptr i64 %count to ptr
  call void %sort(ptr %i.at, ptr %length, ptr null)
  br label %next
next:
  br label %run
done:
  ret void
}}
"""


_SAME_REALS = """%equal = fcmp oeq double %v, %w
  %nan = fcmp uno double %v, %v
  %same = or i1 %equal, %nan"""

# From the system, if it is large and there is a block left (``lower/own_memory.py``).
_RESULT = f"""
declare ptr @pb_result(ptr, i64)

define internal fastcc ptr @pb.result(ptr %ctx, i64 %count, i64 %size) nounwind {{
  %bytes = mul i64 %count, %size
  %sane = icmp ult i64 %count, {1 << 52}
  %large = icmp uge i64 %bytes, {LEAST}
  %own = and i1 %sane, %large
  br i1 %own, label %block, label %arena
block:
  %p = call ptr @pb_result(ptr %ctx, i64 %bytes)
  %null = icmp eq ptr %p, null
  br i1 %null, label %arena, label %done
arena:
  %q = call fastcc ptr @pb.temp(ptr %ctx, i64 %count, i64 %size)
  ret ptr %q
done:
  ret ptr %p
}}
"""

SUPPORT: dict[str, str] = {
    "pb.temp": _alloc("pb.temp", Field.TEMP_CUR, Field.TEMP_END),
    "pb.residual": _alloc("pb.residual", Field.RESID_CUR, Field.RESID_END),
    "pb.tape": _alloc("pb.tape", Field.TAPE_CUR, Field.TAPE_END, gaps=False),
    "pb.ids": _alloc("pb.ids", Field.IDS_CUR, Field.IDS_END, gaps=False),
    "pb.cells": _ACC_ALLOC,
    "pb.fail": _FAIL,
    "pb.deep": _DEEP,
    "pb.result": _RESULT,
    "pb.settled_f64": _settled("pb.settled_f64", "double", _SAME_REALS),
    "pb.settled_i64": _settled("pb.settled_i64", "i64", "%same = icmp eq i64 %v, %w"),
}
"""Name -> text of the function. Without memory ``pb.temp`` and ``pb.residual`` record the error and
return null, and ``pb.cells`` does so and returns -1."""

assert OUT_OF_MEMORY == -1  # written by pb_grow


def stack_pointer(name: str) -> list[str]:
    """Return the lines that name the stack pointer, as an i64."""
    if platform.machine() in _STACK_REGISTER:
        return [f"{name} = call i64 @llvm.read_register.i64(metadata !7)"]
    return [f"{name}.slot = alloca i8", f"{name} = ptrtoint ptr {name}.slot to i64"]


STACK_METADATA = f"""
!6 = !{{!"branch_weights", i32 1000000, i32 1}}
!7 = !{{!"{_STACK_REGISTER.get(platform.machine(), "sp")}"}}
"""

_SWITCH = {
    # The callee may change every caller-saved register; rbx (x20) survives it and keeps our stack.
    "x86_64": (
        "movq %rsp, %rbx\\0Amovq $0, %rsp\\0Amovq $2, %rdi\\0Acallq *$1\\0Amovq %rbx, %rsp",
        "r,r,r,~{rbx},~{rax},~{rcx},~{rdx},~{rsi},~{rdi},~{r8},~{r9},~{r10},~{r11},"
        + ",".join(f"~{{xmm{i}}}" for i in range(32))
        + ","
        + ",".join(f"~{{k{i}}}" for i in range(8))
        + ",~{memory},~{cc},~{dirflag},~{fpsr},~{flags}",
    ),
    "aarch64": (
        "mov x20, sp\\0Amov sp, $0\\0Amov x0, $2\\0Ablr $1\\0Amov sp, x20",
        "r,r,r,~{x20},~{x30},"
        + ",".join(f"~{{x{i}}}" for i in range(18))
        + ","
        + ",".join(f"~{{v{i}}}" for i in [*range(8), *range(16, 32)])
        + ",~{memory},~{cc}",
    ),
}
_SWITCH["AMD64"] = _SWITCH["x86_64"]
_SWITCH["arm64"] = _SWITCH["aarch64"]


def own_stack() -> bool:
    """Whether recursive code runs on a stack of its own here; if not, it runs on the thread's."""
    return platform.machine() in _SWITCH


def call_on_stack(function: str, argument: str, top: str) -> list[str]:
    """Return the lines that call ``void function(ptr argument)`` with the stack pointer at ``top``
    (i64)."""
    text, constraints = _SWITCH[platform.machine()]
    return [
        f'call void asm sideeffect "{text}", "{constraints}"'
        f"(i64 {top}, ptr {function}, ptr {argument})"
    ]
