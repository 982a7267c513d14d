"""The functions that every conversion begins with: room in the block, the stack, copies."""

from __future__ import annotations

from pullback.native import blocks as at
from pullback.native.pyabi import FLOAT_VALUE, OB_TYPE, SCALAR_VALUE


def _bump(cur: int, end: int) -> str:
    return f"""
  %cur.at = getelementptr i8, ptr %block, i64 {cur}
  %end.at = getelementptr i8, ptr %block, i64 {end}
  %cur = load i64, ptr %cur.at
  %end = load i64, ptr %end.at
  %new = add i64 %cur, %bytes
  %fits = icmp ule i64 %new, %end
  br i1 %fits, label %ok, label %more
more:
  %got = call i1 @pb_block_more(ptr %block, i64 {cur}, i64 %bytes)
  %again = load i64, ptr %cur.at
  br i1 %got, label %ok, label %none
none:
  ret ptr null
ok:
  %from = phi i64 [ %cur, %start ], [ %again, %more ]
  %to = add i64 %from, %bytes
  store i64 %to, ptr %cur.at"""


PUSH = f"""
define internal i1 @pb.push(ptr %block, ptr %obj, ptr %node) alwaysinline {{
  %top.at = getelementptr i8, ptr %block, i64 {at.TOP}
  %end.at = getelementptr i8, ptr %block, i64 {at.STACK_END}
  %top = load i64, ptr %top.at
  %end = load i64, ptr %end.at
  %full = icmp eq i64 %top, %end
  br i1 %full, label %more, label %ok
more:
  %got = call i1 @pb_block_deeper(ptr %block)
  br i1 %got, label %ok, label %none
none:
  ret i1 false
ok:
  %to = load ptr, ptr %top.at
  store ptr %obj, ptr %to
  %second = getelementptr i8, ptr %to, i64 8
  store ptr %node, ptr %second
  %next = getelementptr i8, ptr %to, i64 16
  store ptr %next, ptr %top.at
  ret i1 true
}}

"""


TANGENT = f"""
; The tangent of a number: None is zero.
define internal i1 @pb.tangent(ptr %obj, ptr %to) {{
  %none = icmp eq ptr %obj, @pb_none
  br i1 %none, label %zero, label %some
zero:
  store double 0.0, ptr %to
  ret i1 true
some:
  %type.at = getelementptr i8, ptr %obj, i64 {OB_TYPE}
  %type = load ptr, ptr %type.at
  %float = icmp eq ptr %type, @pb_float
  %numpy = icmp eq ptr %type, @pb_np_f64
  %double = or i1 %float, %numpy
  br i1 %double, label %read, label %other
read:
  %value.at = getelementptr i8, ptr %obj, i64 {FLOAT_VALUE}
  %value = load double, ptr %value.at
  store double %value, ptr %to
  ret i1 true
other:
  %single = icmp eq ptr %type, @pb_np_f32
  br i1 %single, label %widen, label %int
widen:
  %single.at = getelementptr i8, ptr %obj, i64 {SCALAR_VALUE}
  %short = load float, ptr %single.at
  %wide = fpext float %short to double
  store double %wide, ptr %to
  ret i1 true
int:
  %whole = icmp eq ptr %type, @pb_int
  br i1 %whole, label %convert, label %no
convert:
  %over = alloca i32
  %n = call i64 @PyLong_AsLongLongAndOverflow(ptr %obj, ptr %over)
  %o = load i32, ptr %over
  %fits = icmp eq i32 %o, 0
  %x = sitofp i64 %n to double
  store double %x, ptr %to
  ret i1 %fits
no:
  ret i1 false
}}

"""


HELPERS = f"""
{TANGENT}
define internal ptr @pb.data(ptr %block, i64 %size) {{
start:
  %up = add i64 %size, 8  ; never nothing: the address is not null
  %bytes = and i64 %up, -8
{_bump(at.DATA_CUR, at.DATA_END)}
  %p = inttoptr i64 %from to ptr
  ret ptr %p
}}

define internal ptr @pb.node(ptr %block, i64 %bytes, i64 %alternative) alwaysinline {{
start:
{_bump(at.NODE_CUR, at.NODE_END)}
  %p = inttoptr i64 %from to ptr
  store i64 %alternative, ptr %p
  %scratch = getelementptr i8, ptr %p, i64 8
  store ptr null, ptr %scratch
  %node = getelementptr i8, ptr %p, i64 {at.HEADER}
  ret ptr %node
}}

{PUSH}
; Replace the view of an array by a copy in the block, if its argument is to be copied.
; Otherwise keep the array alive: another thread may take it out of what holds it.
define internal i1 @pb.own(ptr %block, ptr %obj, ptr %view, i64 %rank, i64 %shift) {{
  %copy.at = getelementptr i8, ptr %block, i64 {at.KIND}
  %copy = load i64, ptr %copy.at
  %shared = icmp eq i64 %copy, 0
  br i1 %shared, label %hold, label %own
hold:
  %link = call ptr @pb.data(ptr %block, i64 16)
  %nothing = icmp eq ptr %link, null
  br i1 %nothing, label %no, label %link.in
link.in:
  %held.at = getelementptr i8, ptr %block, i64 {at.HELD}
  %before = load ptr, ptr %held.at
  store ptr %obj, ptr %link
  %next.at = getelementptr i8, ptr %link, i64 8
  store ptr %before, ptr %next.at
  store ptr %link, ptr %held.at
  call void @Py_IncRef(ptr %obj)
  br label %yes
own:
  %ext = getelementptr i64, ptr %view, i64 1
  %str = getelementptr i64, ptr %ext, i64 %rank
  %n = call i64 @pb_size(i64 %rank, ptr %ext)
  %bytes = shl i64 %n, %shift
  %to = call ptr @pb.data(ptr %block, i64 %bytes)
  %null = icmp eq ptr %to, null
  br i1 %null, label %no, label %fill
fill:
  %from = load ptr, ptr %view
  call void @pb_copy(ptr %to, ptr %from, i64 %rank, i64 %shift, ptr %ext, ptr %str)
  store ptr %to, ptr %view
  call void @pb_dense(i64 %rank, ptr %ext, ptr %str)
  br label %yes
yes:
  ret i1 true
no:
  ret i1 false
}}
"""
