"""The part of the runtime for ndarrays: it reads them in place, copies them and makes them."""

from __future__ import annotations

from pullback.native.layout import Field
from pullback.native.pyabi import (
    ARRAY_DATA,
    ARRAY_DESCR,
    ARRAY_DIMS,
    ARRAY_FLAGS,
    ARRAY_NDIM,
    ARRAY_STRIDES,
    NPY_ALIGNED,
    OB_TYPE,
)
from pullback.native.runtime_fields import load, store


def _row_loop(size: int, ty: str) -> str:
    return f"""head{size}:
  %i{size} = phi i64 [ 0, %entry ], [ %j{size}, %body{size} ]
  %more{size} = icmp slt i64 %i{size}, %n
  br i1 %more{size}, label %body{size}, label %done
body{size}:
  %k{size} = mul i64 %i{size}, %stride
  %from{size} = getelementptr {ty}, ptr %src, i64 %k{size}
  %x{size} = load {ty}, ptr %from{size}
  %to{size} = getelementptr {ty}, ptr %dst, i64 %i{size}
  store {ty} %x{size}, ptr %to{size}
  %j{size} = add i64 %i{size}, 1
  br label %head{size}
"""


COPIES = f"""
define i64 @pb_size(i64 %rank, ptr %ext) {{
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i1, %body ]
  %n = phi i64 [ 1, %entry ], [ %n1, %body ]
  %more = icmp slt i64 %i, %rank
  br i1 %more, label %body, label %end
body:
  %at = getelementptr i64, ptr %ext, i64 %i
  %e = load i64, ptr %at
  %n1 = mul i64 %n, %e
  %i1 = add i64 %i, 1
  br label %head
end:
  ret i64 %n
}}

define internal i1 @pb_contiguous(i64 %rank, ptr %ext, ptr %str) {{
entry:
  br label %head
head:
  %i = phi i64 [ %rank, %entry ], [ %d, %next ]
  %n = phi i64 [ 1, %entry ], [ %n1, %next ]
  %more = icmp sgt i64 %i, 0
  br i1 %more, label %body, label %yes
body:
  %d = sub i64 %i, 1
  %ext.at = getelementptr i64, ptr %ext, i64 %d
  %e = load i64, ptr %ext.at
  %str.at = getelementptr i64, ptr %str, i64 %d
  %s = load i64, ptr %str.at
  %unit = icmp eq i64 %s, %n
  %single = icmp eq i64 %e, 1
  %ok = or i1 %unit, %single
  br i1 %ok, label %next, label %no
next:
  %n1 = mul i64 %n, %e
  br label %head
yes:
  ret i1 true
no:
  ret i1 false
}}

define internal void @pb_copy_row(ptr %dst, ptr %src, i64 %n, i64 %shift, i64 %stride) {{
entry:
  switch i64 %shift, label %head8 [ i64 2, label %head4  i64 0, label %head1 ]
{_row_loop(8, "i64")}{_row_loop(4, "i32")}{_row_loop(1, "i8")}
done:
  ret void
}}

define void @pb_copy(ptr %dst, ptr %src, i64 %rank, i64 %shift, ptr %ext, ptr %str) {{
entry:
  %n = call i64 @pb_size(i64 %rank, ptr %ext)
  %empty = icmp eq i64 %n, 0
  br i1 %empty, label %done, label %some
some:
  %dense = call i1 @pb_contiguous(i64 %rank, ptr %ext, ptr %str)
  br i1 %dense, label %block, label %strided
block:
  %bytes = shl i64 %n, %shift
  call void @llvm.memcpy.p0.p0.i64(ptr %dst, ptr %src, i64 %bytes, i1 false)
  br label %done
strided:
  %outer = load i64, ptr %ext
  %stride = load i64, ptr %str
  %last = icmp eq i64 %rank, 1
  br i1 %last, label %row, label %rows
row:
  call void @pb_copy_row(ptr %dst, ptr %src, i64 %outer, i64 %shift, i64 %stride)
  br label %done
rows:
  %rank1 = sub i64 %rank, 1
  %ext1 = getelementptr i64, ptr %ext, i64 1
  %str1 = getelementptr i64, ptr %str, i64 1
  %inner = call i64 @pb_size(i64 %rank1, ptr %ext1)
  %inner.bytes = shl i64 %inner, %shift
  %stride.bytes = shl i64 %stride, %shift
  br label %head
head:
  %i = phi i64 [ 0, %rows ], [ %i1, %body ]
  %more = icmp slt i64 %i, %outer
  br i1 %more, label %body, label %done
body:
  %to = mul i64 %i, %inner.bytes
  %from = mul i64 %i, %stride.bytes
  %dst.i = getelementptr i8, ptr %dst, i64 %to
  %src.i = getelementptr i8, ptr %src, i64 %from
  call void @pb_copy(ptr %dst.i, ptr %src.i, i64 %rank1, i64 %shift, ptr %ext1, ptr %str1)
  %i1 = add i64 %i, 1
  br label %head
done:
  ret void
}}

; The strides of C order.
define void @pb_dense(i64 %rank, ptr %ext, ptr %str) {{
entry:
  br label %head
head:
  %i = phi i64 [ %rank, %entry ], [ %d, %body ]
  %step = phi i64 [ 1, %entry ], [ %step1, %body ]
  %more = icmp sgt i64 %i, 0
  br i1 %more, label %body, label %done
body:
  %d = sub i64 %i, 1
  %str.at = getelementptr i64, ptr %str, i64 %d
  store i64 %step, ptr %str.at
  %ext.at = getelementptr i64, ptr %ext, i64 %d
  %e = load i64, ptr %ext.at
  %step1 = mul i64 %step, %e
  br label %head
done:
  ret void
}}
"""
"""What knows extents and strides only: sizes, the order in memory, copies into C order."""


# ndarray arguments and results. ``ext`` and ``str`` are extents and element strides.
ARRAYS = COPIES + f"""
define i1 @pb_view(ptr %obj, ptr %descr, i64 %rank, i64 %shift, ptr %out) {{
entry:
  %type.at = getelementptr i8, ptr %obj, i64 {OB_TYPE}
  %type = load ptr, ptr %type.at
  %is.array = icmp eq ptr %type, @pb_ndarray
  br i1 %is.array, label %array, label %no
array:
  %descr.at = getelementptr i8, ptr %obj, i64 {ARRAY_DESCR}
  %has = load ptr, ptr %descr.at
  %same = icmp eq ptr %has, %descr
  %nd.at = getelementptr i8, ptr %obj, i64 {ARRAY_NDIM}
  %nd = load i32, ptr %nd.at
  %rank32 = trunc i64 %rank to i32
  %ranked = icmp eq i32 %nd, %rank32
  %flags.at = getelementptr i8, ptr %obj, i64 {ARRAY_FLAGS}
  %flags = load i32, ptr %flags.at
  %bit = and i32 %flags, {NPY_ALIGNED}
  %aligned = icmp ne i32 %bit, 0
  %ok1 = and i1 %same, %ranked
  %ok2 = and i1 %ok1, %aligned
  br i1 %ok2, label %fits, label %no
fits:
  %data.at = getelementptr i8, ptr %obj, i64 {ARRAY_DATA}
  %data = load ptr, ptr %data.at
  store ptr %data, ptr %out
  %dims.at = getelementptr i8, ptr %obj, i64 {ARRAY_DIMS}
  %dims = load ptr, ptr %dims.at
  %strides.at = getelementptr i8, ptr %obj, i64 {ARRAY_STRIDES}
  %strides = load ptr, ptr %strides.at
  %ext = getelementptr i64, ptr %out, i64 1
  %str = getelementptr i64, ptr %ext, i64 %rank
  %one = shl i64 1, %shift
  %mask = sub i64 %one, 1
  br label %head
head:
  %i = phi i64 [ 0, %fits ], [ %i1, %body ]
  %odd = phi i64 [ 0, %fits ], [ %odd1, %body ]
  %more = icmp slt i64 %i, %rank
  br i1 %more, label %body, label %end
body:
  %dim.at = getelementptr i64, ptr %dims, i64 %i
  %dim = load i64, ptr %dim.at
  %ext.at = getelementptr i64, ptr %ext, i64 %i
  store i64 %dim, ptr %ext.at
  %stride.at = getelementptr i64, ptr %strides, i64 %i
  %stride = load i64, ptr %stride.at
  %elements = ashr i64 %stride, %shift
  %str.at = getelementptr i64, ptr %str, i64 %i
  store i64 %elements, ptr %str.at
  %low = and i64 %stride, %mask
  %odd1 = or i64 %odd, %low
  %i1 = add i64 %i, 1
  br label %head
end:
  %even = icmp eq i64 %odd, 0
  ret i1 %even
no:
  ret i1 false
}}

define ptr @pb_box_array(ptr %data, ptr %descr, i64 %rank, i64 %shift, ptr %ext, ptr %str) {{
  call void @Py_IncRef(ptr %descr)
  %rank32 = trunc i64 %rank to i32
  %a = call ptr @PyArray_Empty(i32 %rank32, ptr %ext, ptr %descr, i32 0)
  %null = icmp eq ptr %a, null
  br i1 %null, label %done, label %fill
fill:
  %to.at = getelementptr i8, ptr %a, i64 {ARRAY_DATA}
  %to = load ptr, ptr %to.at
  call void @pb_copy(ptr %to, ptr %data, i64 %rank, i64 %shift, ptr %ext, ptr %str)
  br label %done
done:
  ret ptr %a
}}

; Replace the view by a copy in the residual arena.
define i1 @pb_keep(ptr %ctx, ptr %view, i64 %rank, i64 %shift) {{
  %ext = getelementptr i64, ptr %view, i64 1
  %str = getelementptr i64, ptr %ext, i64 %rank
  %n = call i64 @pb_size(i64 %rank, ptr %ext)
  %bytes = shl i64 %n, %shift
  {load("%cur", Field.RESID_CUR)}
  %up = add i64 %cur, 63
  %from = and i64 %up, -64
  %to = add i64 %from, %bytes
  {load("%end", Field.RESID_END)}
  %fits = icmp ule i64 %to, %end
  br i1 %fits, label %copy, label %grow
grow:
  %failed = call i32 @pb_grow(ptr %ctx, i64 {8 * Field.RESID_END}, i64 %to)
  %bad = icmp ne i32 %failed, 0
  br i1 %bad, label %no, label %copy
copy:
  {store(Field.RESID_CUR, "%to")}
  %p = inttoptr i64 %from to ptr
  %src = load ptr, ptr %view
  call void @pb_copy(ptr %p, ptr %src, i64 %rank, i64 %shift, ptr %ext, ptr %str)
  store ptr %p, ptr %view
  call void @pb_dense(i64 %rank, ptr %ext, ptr %str)
  ret i1 true
no:
  ret i1 false
}}
"""
