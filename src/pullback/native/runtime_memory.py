"""Decide what a context does with its memory after a large call.

When memory was given back to the system, the next call pays a page fault and a page of zeros for
each page: a large part of the time of a gradient that keeps hundreds of megabytes. So the memory of
one large call is given back at once, and what the second of two used is kept for the third. What is
kept beyond the soft limit decays with every call that needs less, by ``DECAY`` of itself. Between
calls it is marked as free to be taken: the system takes it when memory is short, and otherwise the
next call finds it as it was. A call that came to the end of a region (a recursion that does not
end) is not remembered, nor is one that is repeated because a loop is too long.
"""

from __future__ import annotations

import sys

from pullback.core.thresholds import LIMITS
from pullback.native.layout import LONG, STACK_SLACK, Field
from pullback.native.runtime_fields import load, store

DECAY = 5
"""The speed of the decay, as a shift: every call that needs less lets go of a 32nd of what is
kept."""

_DONTNEED = 4
_FREE = 8 if sys.platform == "linux" else 5
_LARGE_PAGE = 2 << 20

_SETTLE = f"""
; Advise about bytes %from to %to of a region, counted from %base on, or down from there.
define internal void @pb_advise(i64 %base, i64 %from, i64 %to, i1 %down, i32 %advice) {{
  %some = icmp ult i64 %from, %to
  br i1 %some, label %advise, label %done
advise:
  %up.at = add i64 %base, %from
  %down.at = sub i64 %base, %to
  %at = select i1 %down, i64 %down.at, i64 %up.at
  %p = inttoptr i64 %at to ptr
  %length = sub i64 %to, %from
  %ignored = call i32 @madvise(ptr %p, i64 %length, i32 %advice)
  br label %done
done:
  ret void
}}

; %history: bytes kept, and of the last large call; %forget: this call is not remembered. True while
; there is more to give back later.
define internal i1 @pb_settle(ptr %history, i64 %base, i64 %used, i64 %size, i64 %soft, i1 %down,
                             i1 %forget) {{
  %last.at = getelementptr i64, ptr %history, i64 1
  %kept = load i64, ptr %history
  %last = load i64, ptr %last.at
  %full = sub i64 %size, {STACK_SLACK}
  %filled = icmp uge i64 %used, %full
  %ended = or i1 %filled, %forget
  %needed = select i1 %ended, i64 %soft, i64 %used
  %both = call i64 @llvm.umin.i64(i64 %needed, i64 %last)
  %part = lshr i64 %kept, {DECAY}
  %less = sub i64 %kept, %part
  %wish = call i64 @llvm.umax.i64(i64 %both, i64 %less)
  %up = add i64 %wish, {_LARGE_PAGE - 1}
  %whole = and i64 %up, {-_LARGE_PAGE}
  %least = call i64 @llvm.umax.i64(i64 %whole, i64 %soft)
  %keep = call i64 @llvm.umin.i64(i64 %least, i64 %size)
  store i64 %keep, ptr %history
  %forgotten = lshr i64 %last, {DECAY}
  %remembered = sub i64 %last, %forgotten
  %next = call i64 @llvm.umax.i64(i64 %needed, i64 %remembered)
  store i64 %next, ptr %last.at
  %touched = call i64 @llvm.umax.i64(i64 %used, i64 %kept)
  call void @pb_advise(i64 %base, i64 %keep, i64 %touched, i1 %down, i32 {_DONTNEED})
  %again = call i64 @llvm.umin.i64(i64 %used, i64 %keep)
  call void @pb_advise(i64 %base, i64 %soft, i64 %again, i1 %down, i32 {_FREE})
  %highest = call i64 @llvm.umax.i64(i64 %keep, i64 %next)
  %more = icmp ugt i64 %highest, %soft
  ret i1 %more
}}
"""


def _arena(name: str, end: Field, kept: Field, cells: bool = False) -> str:
    """Return the function that does this for one arena (or the store, counted in cells) of a
    context."""
    shift = 3 if cells else 0
    base, hard = Field(end + 1), Field(end + 2)
    origin = "0" if cells else "%base"
    clean = f"""
  {load("%dirty", Field.STORE_DIRTY)}
  %kept = load i64, ptr %history
  %zeros = lshr i64 %kept, 3
  %clean = call i64 @llvm.umin.i64(i64 %dirty, i64 %zeros)
  {store(Field.STORE_DIRTY, "%clean")}"""
    return f"""
define internal i1 @{name}(ptr %ctx, i1 %forget) {{
  {load("%base", base)}
  %none = icmp eq i64 %base, 0
  br i1 %none, label %no, label %yes
no:
  ret i1 false
yes:
  {load("%end", end)}
  {load("%hard", hard)}
  %used.units = sub i64 %end, {origin}
  %used = shl i64 %used.units, {shift}
  %size.units = sub i64 %hard, {origin}
  %size = shl i64 %size.units, {shift}
  %soft = call i64 @llvm.umin.i64(i64 %size, i64 {LIMITS.arena})
  %history = getelementptr i8, ptr %ctx, i64 {8 * kept}
  %more = call i1 @pb_settle(ptr %history, i64 %base, i64 %used, i64 %size, i64 %soft, i1 false,
                           i1 %forget)
  %soft.units = lshr i64 %soft, {shift}
  %limit = add i64 {origin}, %soft.units
  {store(end, "%limit")}{clean if cells else ""}
  ret i1 %more
}}
"""


_TRIM = f"""
define internal i1 @pb_trim_stack(ptr %ctx, i1 %forget) {{
  {load("%top", Field.STACK_TOP)}
  %none = icmp eq i64 %top, 0
  br i1 %none, label %no, label %yes
no:
  ret i1 false
yes:
  {load("%hard", Field.STACK_HARD)}
  {load("%limit", Field.STACK_LIMIT)}
  %bottom = sub i64 %hard, {STACK_SLACK}
  %size = sub i64 %top, %bottom
  %room = sub i64 %top, %hard
  %soft = call i64 @llvm.umin.i64(i64 %room, i64 {LIMITS.stack})
  %used = sub i64 %top, %limit
  %history = getelementptr i8, ptr %ctx, i64 {8 * Field.STACK_KEPT}
  %more = call i1 @pb_settle(ptr %history, i64 %top, i64 %used, i64 %size, i64 %soft, i1 true,
                           i1 %forget)
  %first = sub i64 %top, %soft
  {store(Field.STACK_LIMIT, "%first")}
  ret i1 %more
}}

define internal void @pb_trim(ptr %ctx) {{
  {load("%error", Field.ERROR)}
  %forget = icmp eq i64 %error, {LONG}
  {store(Field.ERROR, "-1")}
  %temp = call i1 @pb_trim_temp(ptr %ctx, i1 %forget)
  %resid = call i1 @pb_trim_resid(ptr %ctx, i1 %forget)
  %tape = call i1 @pb_trim_tape(ptr %ctx, i1 %forget)
  %store = call i1 @pb_trim_store(ptr %ctx, i1 %forget)
  %stack = call i1 @pb_trim_stack(ptr %ctx, i1 %forget)
  %a = or i1 %temp, %resid
  %b = or i1 %tape, %store
  %c = or i1 %a, %b
  %d = or i1 %c, %stack
  %big = zext i1 %d to i64
  {store(Field.BIG, "%big")}
  ret void
}}
"""


def trim_text() -> str:
    """Return ``pb_trim``, which is called after a call whose context is marked ``BIG``."""
    return "".join(
        [
            _SETTLE,
            _arena("pb_trim_temp", Field.TEMP_END, Field.TEMP_KEPT),
            _arena("pb_trim_resid", Field.RESID_END, Field.RESID_KEPT),
            _arena("pb_trim_tape", Field.TAPE_END, Field.TAPE_KEPT),
            _arena("pb_trim_store", Field.STORE_END, Field.STORE_KEPT, cells=True),
            _TRIM,
        ]
    )
