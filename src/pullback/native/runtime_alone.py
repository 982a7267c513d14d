"""The runtime of code that runs without Python, as LLVM text: it is a part of the module itself.

It is the same code for memory, copies and forks, with three differences. Contexts are pooled in a
few places that threads exchange atomically, since nobody holds a lock. Loops look for no signals.
The chunks of a long loop run one after the other in the calling thread; what they add up is the
same as with many threads (``runtime_forks``), so the bits of a result are, too.
"""

from __future__ import annotations

import re

from pullback.core.thresholds import LIMITS
from pullback.native.layout import STACK_SLACK, Field
from pullback.native.runtime_arrays import COPIES
from pullback.native.runtime_fields import load
from pullback.native.runtime_forks import FORK
from pullback.native.runtime_ir import LIBC, memory_text, optimised_seldom

PLACES = 64
"""How many contexts are kept for the next calls: with more threads than that, some map memory in
each call."""

_REGIONS = (
    (Field.TEMP_BASE, Field.TEMP_HARD), (Field.RESID_BASE, Field.RESID_HARD),
    (Field.TAPE_BASE, Field.TAPE_HARD),
)  # fmt: skip


def _unmapped() -> str:
    """The code that gives all regions of a context back to the system."""
    lines = []
    for base, hard in _REGIONS:
        a, b = f"%base{base}", f"%hard{base}"
        lines += [load(a, base), load(b, hard), f"%size{base} = sub i64 {b}, {a}",
                  f"%p{base} = inttoptr i64 {a} to ptr",
                  f"call void @pb_unmap(ptr %p{base}, i64 %size{base})"]  # fmt: skip
    return "\n  ".join(lines)


_POOL = f"""
@pb_contexts = internal global [{PLACES} x ptr] zeroinitializer, align 64

; A context of an earlier call; null if there is none.
define internal ptr @pb_pooled() {{
entry:
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %next, %another ]
  %more = icmp slt i64 %k, {PLACES}
  br i1 %more, label %look, label %none
look:
  %at = getelementptr ptr, ptr @pb_contexts, i64 %k
  %found = atomicrmw xchg ptr %at, ptr null acquire
  %empty = icmp eq ptr %found, null
  br i1 %empty, label %another, label %done
another:
  %next = add i64 %k, 1
  br label %head
done:
  ret ptr %found
none:
  ret ptr null
}}

; Keep a context for a later call, or give its memory back.
define internal void @pb_pool(ptr %ctx) {{
entry:
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %next, %another ]
  %more = icmp slt i64 %k, {PLACES}
  br i1 %more, label %look, label %full
look:
  %at = getelementptr ptr, ptr @pb_contexts, i64 %k
  %pair = cmpxchg ptr %at, ptr null, ptr %ctx release monotonic
  %put = extractvalue {{ ptr, i1 }} %pair, 1
  br i1 %put, label %done, label %another
another:
  %next = add i64 %k, 1
  br label %head
full:
  call void @pb_drop(ptr %ctx)
  br label %done
done:
  ret void
}}

define internal void @pb_drop(ptr %ctx) noinline {{
  {_unmapped()}
  {load("%store", Field.STORE_BASE)}
  {load("%cells", Field.STORE_HARD)}
  %bytes = shl i64 %cells, 3
  %p = inttoptr i64 %store to ptr
  call void @pb_unmap(ptr %p, i64 %bytes)
  {load("%top", Field.STACK_TOP)}
  {load("%limit", Field.STACK_HARD)}
  %room = sub i64 %top, %limit
  %all = add i64 %room, {STACK_SLACK}
  %unused = icmp eq i64 %top, 0
  %stack = select i1 %unused, i64 0, i64 %all
  %bottom = sub i64 %top, %stack
  %q = inttoptr i64 %bottom to ptr
  call void @pb_unmap(ptr %q, i64 %stack)
  call void @free(ptr %ctx)
  ret void
}}

define internal void @pb_no_memory() {{
  ret void
}}
"""

_LOOPS = f"""
; Results go where the caller says.
define internal void @pb_free_results(ptr %ctx) {{
  ret void
}}

define internal i32 @pb_poll(ptr %ctx) {{
  ret i32 0
}}

define internal i64 @pb_due(i64 %context) {{
  ret i64 {LIMITS.poll}
}}

define internal i1 @pb_some(i64 %context, i64 %cycles) {{
  ret i1 false
}}

define internal i64 @pb_more(i64 %context, i64 %i, i64 %hi, i64 %length, i64 %weight) {{
  ret i64 %hi
}}

define internal i1 @pb_long(i64 %context, i64 %x, i64 %y, i64 %z, i64 %work) {{
  ret i1 false
}}

define internal i1 @pb_zero(ptr %ctx, ptr %to, i64 %n) {{
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %n, i1 false)
  ret i1 false
}}

define internal i1 @pb_move(ptr %ctx, ptr %to, ptr %from, i64 %n) {{
  call void @llvm.memmove.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  ret i1 false
}}

; Run all chunks of a loop; 1 if one of them fails.
define internal i32 @pb_run(ptr %ctx, ptr %function, ptr %args, i64 %chunks) {{
entry:
  br label %round
round:
  %k = phi i64 [ 0, %entry ], [ %next, %on ]
  %more = icmp slt i64 %k, %chunks
  br i1 %more, label %run, label %good
run:
  %stop = call i32 %function(ptr %ctx, ptr %args, i64 %k)
  %ok = icmp eq i32 %stop, 0
  br i1 %ok, label %on, label %bad
on:
  %next = add i64 %k, 1
  br label %round
good:
  ret i32 0
bad:
  ret i32 1
}}
"""

_DEFINED = re.compile(r"^define (?!internal)", re.MULTILINE)


def alone_text(arena_bytes: int) -> str:
    """Return the runtime as a part of a module; an arena has so many bytes of address space."""
    text = "\n".join([LIBC, _POOL, memory_text(arena_bytes), _LOOPS, FORK, COPIES])
    return optimised_seldom(_DEFINED.sub("define internal ", text))


__all__ = ["alone_text"]
