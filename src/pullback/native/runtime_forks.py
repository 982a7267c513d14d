"""Forks, as LLVM text of the runtime: cut a loop into chunks, run them (``runtime_threads.py``),
and add up what they give, in their order."""

from __future__ import annotations

from pullback.lower.loopcode import CHUNKS
from pullback.native.layout import Field
from pullback.native.runtime_fields import load, store

FORK = f"""
; Return the sum of %many numbers that are %stride words apart, as 8 bytes; %type: as in ``SUMS``.
define internal i64 @pb_sum(ptr %at, i64 %stride, i64 %many, i64 %type) {{
entry:
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %next, %add ]
  %d = phi double [ 0.0, %entry ], [ %d.sum, %add ]
  %n = phi i64 [ 0, %entry ], [ %n.sum, %add ]
  %more = icmp slt i64 %k, %many
  br i1 %more, label %add, label %done
add:
  %word = mul i64 %k, %stride
  %p = getelementptr i64, ptr %at, i64 %word
  %x = load double, ptr %p
  %z = load i64, ptr %p
  %z32 = load i32, ptr %p
  %short = sext i32 %z32 to i64
  %is.short = icmp eq i64 %type, 2
  %whole = select i1 %is.short, i64 %short, i64 %z
  %d.sum = fadd double %d, %x
  %n.sum = add i64 %n, %whole
  %next = add i64 %k, 1
  br label %head
done:
  %d.bits = bitcast double %d to i64
  %double = icmp eq i64 %type, 0
  %bits = select i1 %double, i64 %d.bits, i64 %n
  ret i64 %bits
}}

; Add %size reals to others.
define internal void @pb_add(ptr noalias %to, ptr noalias %from, i64 %size) {{
entry:
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %k, %size
  br i1 %more, label %body, label %done
body:
  %p = getelementptr double, ptr %to, i64 %k
  %q = getelementptr double, ptr %from, i64 %k
  %x = load double, ptr %p
  %y = load double, ptr %q
  %z = fadd double %x, %y
  store double %z, ptr %p
  %next = add i64 %k, 1
  br label %head
done:
  ret void
}}

; Room for %words in the arena of temporaries; null if there is none.
define internal ptr @pb_room(ptr %ctx, i64 %words) {{
  {load("%cur", Field.TEMP_CUR)}
  {load("%end", Field.TEMP_END)}
  %up = add i64 %cur, 63
  %from = and i64 %up, -64
  %sane = icmp ult i64 %words, {1 << 52}
  %bytes = shl i64 %words, 3
  %sum = add i64 %from, %bytes
  %to = select i1 %sane, i64 %sum, i64 -1
  %fits = icmp ule i64 %to, %end
  br i1 %fits, label %yes, label %grow
grow:
  %failed = call i32 @pb_grow(ptr %ctx, i64 {8 * Field.TEMP_END}, i64 %to)
  %bad = icmp ne i32 %failed, 0
  br i1 %bad, label %no, label %yes
yes:
  {store(Field.TEMP_CUR, "%to")}
  %p = inttoptr i64 %from to ptr
  ret ptr %p
no:
  ret ptr null
}}

; Run a loop of %n rounds in chunks, each a multiple of %unit. The frame has the length, %slabs
; slabs, arguments, in word %end the address of results, the pairs of the slabs, and %sums sums.
define i32 @pb_fork(ptr %ctx, ptr %function, ptr %frame, i64 %n, i64 %unit, i64 %slabs, i64 %end,
                    i64 %sums, i64 %types) {{
entry:
  {load("%before", Field.TEMP_CUR)}
  %n.up = add i64 %n, {CHUNKS - 1}
  %part = sdiv i64 %n.up, {CHUNKS}
  %some = call i64 @llvm.smax.i64(i64 %part, i64 1)
  %unit.less = sub i64 %unit, 1
  %some.up = add i64 %some, %unit.less
  %units = sdiv i64 %some.up, %unit
  %length = mul i64 %units, %unit
  store i64 %length, ptr %frame
  %n.length = add i64 %n, %length
  %last = sub i64 %n.length, 1
  %chunks = sdiv i64 %last, %length
  %results.at = getelementptr i64, ptr %frame, i64 %end
  %where = load ptr, ptr %results.at
  %all = mul i64 %chunks, %sums
  %results = call ptr @pb_room(ptr %ctx, i64 %all)
  %none = icmp eq ptr %results, null
  br i1 %none, label %full, label %have
have:
  store ptr %results, ptr %results.at
  %pairs = getelementptr i64, ptr %results.at, i64 1
  br label %slab
slab:
  %s = phi i64 [ 0, %have ], [ %s.next, %made ]
  %more = icmp slt i64 %s, %slabs
  br i1 %more, label %make, label %run
make:
  %s2 = mul i64 %s, 2
  %s21 = add i64 %s2, 1
  %size.at = getelementptr i64, ptr %pairs, i64 %s21
  %size = load i64, ptr %size.at
  %words = mul i64 %size, %chunks
  %made.at = call ptr @pb_room(ptr %ctx, i64 %words)
  %null = icmp eq ptr %made.at, null
  br i1 %null, label %full, label %made
made:
  %s.next = add i64 %s, 1
  %slab.at = getelementptr ptr, ptr %frame, i64 %s.next
  store ptr %made.at, ptr %slab.at
  br label %slab
run:
  %flag = call i32 @pb_run(ptr %ctx, ptr %function, ptr %frame, i64 %chunks)
  %fine = icmp eq i32 %flag, 0
  br i1 %fine, label %sum, label %failed
sum:
  %j = phi i64 [ 0, %run ], [ %j.next, %one ]
  %j.more = icmp slt i64 %j, %sums
  br i1 %j.more, label %one, label %cells
one:
  %shift = mul i64 %j, 2
  %code = lshr i64 %types, %shift
  %type = and i64 %code, 3
  %first = getelementptr i64, ptr %results, i64 %j
  %total = call i64 @pb_sum(ptr %first, i64 %sums, i64 %chunks, i64 %type)
  %sum.at = getelementptr i64, ptr %where, i64 %j
  store i64 %total, ptr %sum.at
  %j.next = add i64 %j, 1
  br label %sum
cells:
  {load("%base", Field.STORE_BASE, "ptr")}
  br label %cell
cell:
  %c = phi i64 [ 0, %cells ], [ %c.next, %added ]
  %c.more = icmp slt i64 %c, %slabs
  br i1 %c.more, label %add, label %done
add:
  %c2 = mul i64 %c, 2
  %low.at = getelementptr i64, ptr %pairs, i64 %c2
  %low = load i64, ptr %low.at
  %c.size.at = getelementptr i64, ptr %low.at, i64 1
  %c.size = load i64, ptr %c.size.at
  %to = getelementptr double, ptr %base, i64 %low
  %c.next = add i64 %c, 1
  %from.at = getelementptr ptr, ptr %frame, i64 %c.next
  %from = load ptr, ptr %from.at
  br label %parts
parts:
  %k = phi i64 [ 0, %add ], [ %k.next, %another ]
  %k.more = icmp slt i64 %k, %chunks
  br i1 %k.more, label %another, label %added
another:
  %off = mul i64 %k, %c.size
  %slab.k = getelementptr double, ptr %from, i64 %off
  call void @pb_add(ptr %to, ptr %slab.k, i64 %c.size)
  %k.next = add i64 %k, 1
  br label %parts
added:
  br label %cell
done:
  {store(Field.TEMP_CUR, "%before")}
  ret i32 0
full:
  ret i32 1
failed:
  ret i32 1
}}
"""

FORKS = ("pb_fork",)
"""What loop code calls."""
