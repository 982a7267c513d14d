"""The runtime's part of results in memory of their own (``lower/own_memory.py``): a block for each,
noted in the context, which an array of NumPy takes over or which is freed when the context is given
back.

A block has its size in front of it. The array gets a handler (``PyDataMem_Handler`` of NumPy's C
API) that frees its memory by ``pb_unblock``: a few blocks are kept for the results of later calls,
since the system takes longer to fill new pages with zeros than a call to compute what stands there.
Results are made without the GIL, so the slots of kept blocks are changed by atomic exchanges."""

from __future__ import annotations

from pullback.lower.own_memory import MOST
from pullback.native.layout import Field, load_field, store_field
from pullback.native.pyabi import ARRAY_FLAGS, ARRAY_HANDLER, NPY_CARRAY, NPY_OWNDATA

LEAST = 1 << 15
"""The number of bytes from which on a result has memory of its own."""

KEPT = 4
KEPT_BYTES = 32 << 20
"""So many blocks of at most so many bytes are kept."""

_HEADER = 64
_NAME = "pullback".ljust(127, "\0").replace("\0", "\\00")

RESULT_FUNCTIONS = {"pb_box_result": ("ptr", "ptr, ptr, ptr, i64, i64, ptr, ptr")}


def _load(name: str, field: Field) -> str:
    return "\n  ".join(load_field(field, name, "i64"))


def _store(scratch: str, field: Field, value: str) -> str:
    return "\n  ".join(store_field(field, scratch, "i64", value))


RESULTS = f"""
declare ptr @aligned_alloc(i64, i64)
declare ptr @PyArray_NewFromDescr(ptr, ptr, i32, ptr, ptr, ptr, i32, ptr)
@pb_kept_blocks = internal global [{KEPT} x ptr] zeroinitializer
@pb_handler = internal constant {{ [127 x i8], i8, ptr, ptr, ptr, ptr, ptr }} {{
  [127 x i8] c"{_NAME}", i8 1, ptr null, ptr @pb_handler_malloc, ptr @pb_handler_calloc,
  ptr @pb_handler_realloc, ptr @pb_handler_free }}
@pb_handler_name = internal constant [12 x i8] c"mem_handler\\00"
@pb_handler_capsule = internal global ptr null

; Memory of so many bytes, or null: a kept block that is not much larger, or a new one.
define internal ptr @pb_block(i64 %bytes) {{
entry:
  %most = shl i64 %bytes, 1
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  %more = icmp ult i64 %i, {KEPT}
  br i1 %more, label %look, label %new
look:
  %slot = getelementptr ptr, ptr @pb_kept_blocks, i64 %i
  %q = atomicrmw xchg ptr %slot, ptr null acq_rel
  %null = icmp eq ptr %q, null
  br i1 %null, label %next, label %kept
kept:
  %size = load i64, ptr %q
  %enough = icmp uge i64 %size, %bytes
  %less = icmp ule i64 %size, %most
  %fits = and i1 %enough, %less
  br i1 %fits, label %have, label %back
have:
  %data = getelementptr i8, ptr %q, i64 {_HEADER}
  ret ptr %data
back:
  %other = atomicrmw xchg ptr %slot, ptr %q acq_rel
  call void @free(ptr %other)
  br label %next
next:
  %i1 = add i64 %i, 1
  br label %head
new:
  %up = add i64 %bytes, {_HEADER + 63}
  %whole = and i64 %up, -64
  %p = call ptr @aligned_alloc(i64 64, i64 %whole)
  %none = icmp eq ptr %p, null
  br i1 %none, label %fail, label %made
made:
  store i64 %bytes, ptr %p
  %fresh = getelementptr i8, ptr %p, i64 {_HEADER}
  ret ptr %fresh
fail:
  ret ptr null
}}

; Keep a block, or free it, or the one that is kept in the first slot.
define internal void @pb_unblock(ptr %data) {{
entry:
  %null = icmp eq ptr %data, null
  br i1 %null, label %done, label %some
some:
  %p = getelementptr i8, ptr %data, i64 -{_HEADER}
  %size = load i64, ptr %p
  %huge = icmp ugt i64 %size, {KEPT_BYTES}
  br i1 %huge, label %free, label %head
head:
  %i = phi i64 [ 0, %some ], [ %i1, %try ]
  %more = icmp ult i64 %i, {KEPT}
  br i1 %more, label %try, label %full
try:
  %slot = getelementptr ptr, ptr @pb_kept_blocks, i64 %i
  %pair = cmpxchg ptr %slot, ptr null, ptr %p acq_rel monotonic
  %kept = extractvalue {{ ptr, i1 }} %pair, 1
  %i1 = add i64 %i, 1
  br i1 %kept, label %done, label %head
full:
  %other = atomicrmw xchg ptr @pb_kept_blocks, ptr %p acq_rel
  call void @free(ptr %other)
  br label %done
free:
  call void @free(ptr %p)
  br label %done
done:
  ret void
}}

define internal ptr @pb_handler_malloc(ptr %own, i64 %bytes) {{
  %p = call ptr @pb_block(i64 %bytes)
  ret ptr %p
}}

define internal ptr @pb_handler_calloc(ptr %own, i64 %count, i64 %size) {{
  %bytes = mul i64 %count, %size
  %p = call ptr @pb_block(i64 %bytes)
  %null = icmp eq ptr %p, null
  br i1 %null, label %done, label %clear
clear:
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %bytes, i1 false)
  br label %done
done:
  ret ptr %p
}}

define internal ptr @pb_handler_realloc(ptr %own, ptr %old, i64 %bytes) {{
  %p = call ptr @pb_block(i64 %bytes)
  %null = icmp eq ptr %p, null
  %none = icmp eq ptr %old, null
  %stop = or i1 %null, %none
  br i1 %stop, label %done, label %copy
copy:
  %size.at = getelementptr i8, ptr %old, i64 -{_HEADER}
  %size = load i64, ptr %size.at
  %least = call i64 @llvm.umin.i64(i64 %size, i64 %bytes)
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %old, i64 %least, i1 false)
  call void @pb_unblock(ptr %old)
  br label %done
done:
  ret ptr %p
}}

define internal void @pb_handler_free(ptr %own, ptr %data, i64 %bytes) {{
  call void @pb_unblock(ptr %data)
  ret void
}}

; A block for a result, or null.
define ptr @pb_result(ptr %ctx, i64 %bytes) {{
  {_load("%used", Field.RESULTS)}
  %full = icmp uge i64 %used, {MOST}
  br i1 %full, label %none, label %room
room:
  %p = call ptr @pb_block(i64 %bytes)
  %null = icmp eq ptr %p, null
  br i1 %null, label %none, label %note
note:
  %first = getelementptr i8, ptr %ctx, i64 {8 * Field.RESULT_0}
  %slot = getelementptr ptr, ptr %first, i64 %used
  store ptr %p, ptr %slot
  %more = add i64 %used, 1
  {_store("%used.to", Field.RESULTS, "%more")}
  ret ptr %p
none:
  ret ptr null
}}

define internal void @pb_free_results(ptr %ctx) cold {{
entry:
  {_load("%used", Field.RESULTS)}
  {_store("%used.to", Field.RESULTS, "0")}
  %first = getelementptr i8, ptr %ctx, i64 {8 * Field.RESULT_0}
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i1, %body ]
  %more = icmp ult i64 %i, %used
  br i1 %more, label %body, label %done
body:
  %slot = getelementptr ptr, ptr %first, i64 %i
  %p = load ptr, ptr %slot
  call void @pb_unblock(ptr %p)
  %i1 = add i64 %i, 1
  br label %head
done:
  ret void
}}

; The capsule of the handler, made once; null: it could not be made.
define internal ptr @pb_data_handler() {{
  %known = load ptr, ptr @pb_handler_capsule
  %null = icmp eq ptr %known, null
  br i1 %null, label %make, label %done
make:
  %made = call ptr @PyCapsule_New(ptr @pb_handler, ptr @pb_handler_name, ptr null)
  store ptr %made, ptr @pb_handler_capsule
  ret ptr %made
done:
  ret ptr %known
}}

; An array for a result: it takes over a block that it fills as a whole, or gets a copy.
define ptr @pb_box_result(ptr %ctx, ptr %data, ptr %descr, i64 %rank, i64 %shift, ptr %ext,
  ptr %str) {{
entry:
  {_load("%used", Field.RESULTS)}
  %first = getelementptr i8, ptr %ctx, i64 {8 * Field.RESULT_0}
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  %more = icmp ult i64 %i, %used
  br i1 %more, label %look, label %copy
look:
  %slot = getelementptr ptr, ptr %first, i64 %i
  %p = load ptr, ptr %slot
  %mine = icmp eq ptr %p, %data
  br i1 %mine, label %axes, label %next
next:
  %i1 = add i64 %i, 1
  br label %head
axes:
  %k = phi i64 [ %rank, %look ], [ %k1, %axis ]
  %want = phi i64 [ 1, %look ], [ %want1, %axis ]
  %left = icmp sgt i64 %k, 0
  br i1 %left, label %axis, label %take
axis:
  %k1 = sub i64 %k, 1
  %e.at = getelementptr i64, ptr %ext, i64 %k1
  %e = load i64, ptr %e.at
  %s.at = getelementptr i64, ptr %str, i64 %k1
  %s = load i64, ptr %s.at
  %want1 = mul i64 %want, %e
  %even = icmp eq i64 %s, %want
  %one = icmp eq i64 %e, 1
  %dense = or i1 %even, %one
  br i1 %dense, label %axes, label %copy
take:
  %handler = call ptr @pb_data_handler()
  %no.handler = icmp eq ptr %handler, null
  br i1 %no.handler, label %lost, label %wrap
lost:
  ret ptr null
wrap:
  call void @Py_IncRef(ptr %descr)
  %rank32 = trunc i64 %rank to i32
  %a = call ptr @PyArray_NewFromDescr(ptr @pb_ndarray, ptr %descr, i32 %rank32, ptr %ext,
    ptr null, ptr %data, i32 {NPY_CARRAY}, ptr null)
  %failed = icmp eq ptr %a, null
  br i1 %failed, label %done, label %give
give:
  store ptr null, ptr %slot
  %flags.at = getelementptr i8, ptr %a, i64 {ARRAY_FLAGS}
  %flags = load i32, ptr %flags.at
  %own = or i32 %flags, {NPY_OWNDATA}
  store i32 %own, ptr %flags.at
  call void @Py_IncRef(ptr %handler)
  %handler.at = getelementptr i8, ptr %a, i64 {ARRAY_HANDLER}
  store ptr %handler, ptr %handler.at
  br label %done
copy:
  %b = call ptr @pb_box_array(ptr %data, ptr %descr, i64 %rank, i64 %shift, ptr %ext, ptr %str)
  ret ptr %b
done:
  ret ptr %a
}}
"""

__all__ = ["LEAST", "RESULTS", "RESULT_FUNCTIONS"]
