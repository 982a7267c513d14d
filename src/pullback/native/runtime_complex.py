"""The part of the runtime for complex arrays: it takes them apart into two dense arrays of reals,
and makes one of two such arrays.

In compiled code a complex array is two arrays. Read where they lie, their items would be two places
apart, which no loop reads at full speed; so they are moved once, a few vectors at a time.
"""

from __future__ import annotations

from pullback.native.layout import Field
from pullback.native.pyabi import ARRAY_DATA
from pullback.native.runtime_fields import load, store

LANES = 8

COMPLEX_FUNCTIONS = {
    "pb_parts": ("i1", "ptr, ptr, i64, i64, i1, ptr"),
    "pb_box_complex": ("ptr", "ptr, ptr, i64, i64, i1, ptr"),
}
"""The result and parameter types of the functions that entry points call."""


def _lanes(start: int, step: int, count: int) -> str:
    chosen = ", ".join(f"i32 {start + step * k}" for k in range(count))
    return f"<{count} x i32> <{chosen}>"


def _row(name: str, params: str, bits: int, dense: str, vectors: str, items: str) -> str:
    """Return a function that goes through a row of ``%n`` items: if ``dense`` names a condition
    that holds, first ``LANES`` items at a time. ``vectors`` and ``items`` are the bodies of the
    loops at ``%i`` and ``%j``; the bit in ``%flip`` is the sign, or 0."""
    some = f"<{LANES} x i{bits}>"
    return f"""
define internal void @{name}{bits}({params}, i64 %n, i1 %negative) {{
entry:
  %sign = zext i1 %negative to i{bits}
  %flip = shl i{bits} %sign, {bits - 1}
  %flip.one = insertelement {some} poison, i{bits} %flip, i32 0
  %flips = shufflevector {some} %flip.one, {some} poison, {_lanes(0, 0, LANES)}
{dense}
  %whole = and i64 %n, {-LANES}
  %main = select i1 %dense, i64 %whole, i64 0
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i1, %body ]
  %more = icmp slt i64 %i, %main
  br i1 %more, label %body, label %rest
body:
{vectors}
  %i1 = add i64 %i, {LANES}
  br label %head
rest:
  %j = phi i64 [ %main, %head ], [ %j1, %item ]
  %left = icmp slt i64 %j, %n
  br i1 %left, label %item, label %done
item:
{items}
  %j1 = add i64 %j, 1
  br label %rest
done:
  ret void
}}
"""


def _apart_row(bits: int) -> str:
    """Return the function that moves the parts of a row. ``%stride`` counts complex numbers."""
    one, some, pairs = f"i{bits}", f"<{LANES} x i{bits}>", f"<{2 * LANES} x i{bits}>"
    size = bits // 8
    vectors = f"""  %from = getelementptr [2 x {one}], ptr %src, i64 %i
  %x = load {pairs}, ptr %from, align {size}
  %real = shufflevector {pairs} %x, {pairs} poison, {_lanes(0, 2, LANES)}
  %imag0 = shufflevector {pairs} %x, {pairs} poison, {_lanes(1, 2, LANES)}
  %imag = xor {some} %imag0, %flips
  %re.to = getelementptr {one}, ptr %re, i64 %i
  %im.to = getelementptr {one}, ptr %im, i64 %i
  store {some} %real, ptr %re.to, align {size}
  store {some} %imag, ptr %im.to, align {size}"""
    items = f"""  %k = mul i64 %j, %stride
  %re.from = getelementptr [2 x {one}], ptr %src, i64 %k
  %im.from = getelementptr {one}, ptr %re.from, i64 1
  %a = load {one}, ptr %re.from
  %b0 = load {one}, ptr %im.from
  %b = xor {one} %b0, %flip
  %a.to = getelementptr {one}, ptr %re, i64 %j
  %b.to = getelementptr {one}, ptr %im, i64 %j
  store {one} %a, ptr %a.to
  store {one} %b, ptr %b.to"""
    params = "ptr %re, ptr %im, ptr %src, i64 %stride"
    return _row("pb_apart_row", params, bits, "  %dense = icmp eq i64 %stride, 1", vectors, items)


def _joined_row(bits: int) -> str:
    """Return the function that writes a row of complex numbers of its parts."""
    one, some, pairs = f"i{bits}", f"<{LANES} x i{bits}>", f"<{2 * LANES} x i{bits}>"
    size = bits // 8
    both = ", ".join(f"i32 {k}, i32 {LANES + k}" for k in range(LANES))
    dense = """  %re.unit = icmp eq i64 %re.stride, 1
  %im.unit = icmp eq i64 %im.stride, 1
  %dense = and i1 %re.unit, %im.unit"""
    vectors = f"""  %re.from = getelementptr {one}, ptr %re, i64 %i
  %im.from = getelementptr {one}, ptr %im, i64 %i
  %real = load {some}, ptr %re.from, align {size}
  %imag0 = load {some}, ptr %im.from, align {size}
  %imag = xor {some} %imag0, %flips
  %x = shufflevector {some} %real, {some} %imag, <{2 * LANES} x i32> <{both}>
  %to = getelementptr [2 x {one}], ptr %dst, i64 %i
  store {pairs} %x, ptr %to, align {size}"""
    items = f"""  %re.at = mul i64 %j, %re.stride
  %im.at = mul i64 %j, %im.stride
  %a.from = getelementptr {one}, ptr %re, i64 %re.at
  %b.from = getelementptr {one}, ptr %im, i64 %im.at
  %a = load {one}, ptr %a.from
  %b0 = load {one}, ptr %b.from
  %b = xor {one} %b0, %flip
  %a.to = getelementptr [2 x {one}], ptr %dst, i64 %j
  %b.to = getelementptr {one}, ptr %a.to, i64 1
  store {one} %a, ptr %a.to
  store {one} %b, ptr %b.to"""
    params = "ptr %dst, ptr %re, i64 %re.stride, ptr %im, i64 %im.stride"
    return _row("pb_joined_row", params, bits, dense, vectors, items)


_APART = """
; Move the parts of a complex array, of these extents and strides in complex numbers, to dense ones.
define internal void @pb_apart(ptr %re, ptr %im, ptr %src, i64 %rank, i64 %shift, ptr %ext,
                               ptr %str, i1 %negative) {
entry:
  %n = call i64 @pb_size(i64 %rank, ptr %ext)
  %empty = icmp eq i64 %n, 0
  br i1 %empty, label %done, label %some
some:
  %dense = call i1 @pb_contiguous(i64 %rank, ptr %ext, ptr %str)
  %last = icmp eq i64 %rank, 1
  %one = or i1 %dense, %last
  %outer = load i64, ptr %ext
  %stride = load i64, ptr %str
  br i1 %one, label %row, label %rows
row:
  %step = select i1 %dense, i64 1, i64 %stride
  %double = icmp eq i64 %shift, 3
  br i1 %double, label %row8, label %row4
row8:
  call void @pb_apart_row64(ptr %re, ptr %im, ptr %src, i64 %step, i64 %n, i1 %negative)
  br label %done
row4:
  call void @pb_apart_row32(ptr %re, ptr %im, ptr %src, i64 %step, i64 %n, i1 %negative)
  br label %done
rows:
  %rank1 = sub i64 %rank, 1
  %ext1 = getelementptr i64, ptr %ext, i64 1
  %str1 = getelementptr i64, ptr %str, i64 1
  %inner = call i64 @pb_size(i64 %rank1, ptr %ext1)
  %inner.bytes = shl i64 %inner, %shift
  %shift1 = add i64 %shift, 1
  %stride.bytes = shl i64 %stride, %shift1
  br label %head
head:
  %i = phi i64 [ 0, %rows ], [ %i1, %body ]
  %more = icmp slt i64 %i, %outer
  br i1 %more, label %body, label %done
body:
  %to = mul i64 %i, %inner.bytes
  %from = mul i64 %i, %stride.bytes
  %re.i = getelementptr i8, ptr %re, i64 %to
  %im.i = getelementptr i8, ptr %im, i64 %to
  %src.i = getelementptr i8, ptr %src, i64 %from
  call void @pb_apart(ptr %re.i, ptr %im.i, ptr %src.i, i64 %rank1, i64 %shift, ptr %ext1,
                      ptr %str1, i1 %negative)
  %i1 = add i64 %i, 1
  br label %head
done:
  ret void
}
"""

_BESIDE = """
; Whether the parts lie as those of a dense complex array, side by side.
define internal i1 @pb_beside(ptr %re, ptr %im, i64 %rank, i64 %shift, ptr %ext, ptr %re.str,
                              ptr %im.str) {
entry:
  %size = shl i64 1, %shift
  %second = getelementptr i8, ptr %re, i64 %size
  %next = icmp eq ptr %second, %im
  br i1 %next, label %head, label %no
head:
  %i = phi i64 [ %rank, %entry ], [ %d, %same ]
  %n = phi i64 [ 2, %entry ], [ %n1, %same ]
  %more = icmp sgt i64 %i, 0
  br i1 %more, label %body, label %yes
body:
  %d = sub i64 %i, 1
  %ext.at = getelementptr i64, ptr %ext, i64 %d
  %e = load i64, ptr %ext.at
  %re.at = getelementptr i64, ptr %re.str, i64 %d
  %re.stride = load i64, ptr %re.at
  %im.at = getelementptr i64, ptr %im.str, i64 %d
  %im.stride = load i64, ptr %im.at
  %re.ok = icmp eq i64 %re.stride, %n
  %im.ok = icmp eq i64 %im.stride, %n
  %both = and i1 %re.ok, %im.ok
  %single = icmp eq i64 %e, 1
  %ok = or i1 %both, %single
  br i1 %ok, label %same, label %no
same:
  %n1 = mul i64 %n, %e
  br label %head
yes:
  ret i1 true
no:
  ret i1 false
}
"""

_JOINED = """
; Write a dense complex array of two parts, of these extents and strides.
define internal void @pb_joined(ptr %dst, ptr %re, ptr %im, i64 %rank, i64 %shift, ptr %ext,
                                ptr %re.str, ptr %im.str, i1 %negative) {
entry:
  %n = call i64 @pb_size(i64 %rank, ptr %ext)
  %empty = icmp eq i64 %n, 0
  br i1 %empty, label %done, label %some
some:
  %re.dense = call i1 @pb_contiguous(i64 %rank, ptr %ext, ptr %re.str)
  %im.dense = call i1 @pb_contiguous(i64 %rank, ptr %ext, ptr %im.str)
  %dense = and i1 %re.dense, %im.dense
  %last = icmp eq i64 %rank, 1
  %one = or i1 %dense, %last
  %outer = load i64, ptr %ext
  %re.stride = load i64, ptr %re.str
  %im.stride = load i64, ptr %im.str
  br i1 %one, label %row, label %rows
row:
  %re.step = select i1 %dense, i64 1, i64 %re.stride
  %im.step = select i1 %dense, i64 1, i64 %im.stride
  %double = icmp eq i64 %shift, 3
  br i1 %double, label %row8, label %row4
row8:
  call void @pb_joined_row64(ptr %dst, ptr %re, i64 %re.step, ptr %im, i64 %im.step, i64 %n,
                             i1 %negative)
  br label %done
row4:
  call void @pb_joined_row32(ptr %dst, ptr %re, i64 %re.step, ptr %im, i64 %im.step, i64 %n,
                             i1 %negative)
  br label %done
rows:
  %rank1 = sub i64 %rank, 1
  %ext1 = getelementptr i64, ptr %ext, i64 1
  %re.str1 = getelementptr i64, ptr %re.str, i64 1
  %im.str1 = getelementptr i64, ptr %im.str, i64 1
  %inner = call i64 @pb_size(i64 %rank1, ptr %ext1)
  %shift1 = add i64 %shift, 1
  %inner.bytes = shl i64 %inner, %shift1
  %re.bytes = shl i64 %re.stride, %shift
  %im.bytes = shl i64 %im.stride, %shift
  br label %head
head:
  %i = phi i64 [ 0, %rows ], [ %i1, %body ]
  %more = icmp slt i64 %i, %outer
  br i1 %more, label %body, label %done
body:
  %to = mul i64 %i, %inner.bytes
  %re.from = mul i64 %i, %re.bytes
  %im.from = mul i64 %i, %im.bytes
  %dst.i = getelementptr i8, ptr %dst, i64 %to
  %re.i = getelementptr i8, ptr %re, i64 %re.from
  %im.i = getelementptr i8, ptr %im, i64 %im.from
  call void @pb_joined(ptr %dst.i, ptr %re.i, ptr %im.i, i64 %rank1, i64 %shift, ptr %ext1,
                       ptr %re.str1, ptr %im.str1, i1 %negative)
  %i1 = add i64 %i, 1
  br label %head
done:
  ret void
}
"""

_ENTRY = f"""
; %view: that of a complex array. %out gets those of its parts, which are moved to the arena of
; residuals; %shift: the size of a part.
define i1 @pb_parts(ptr %ctx, ptr %view, i64 %rank, i64 %shift, i1 %negative, ptr %out) {{
  %ext = getelementptr i64, ptr %view, i64 1
  %str = getelementptr i64, ptr %ext, i64 %rank
  %n = call i64 @pb_size(i64 %rank, ptr %ext)
  %bytes.exact = shl i64 %n, %shift
  %bytes.up = add i64 %bytes.exact, 63
  %bytes = and i64 %bytes.up, -64
  {load("%cur", Field.RESID_CUR)}
  %up = add i64 %cur, 63
  %first = and i64 %up, -64
  %second = add i64 %first, %bytes
  %to = add i64 %second, %bytes
  {load("%end", Field.RESID_END)}
  %fits = icmp ule i64 %to, %end
  br i1 %fits, label %move, label %grow
grow:
  %failed = call i32 @pb_grow(ptr %ctx, i64 {8 * Field.RESID_END}, i64 %to)
  %bad = icmp ne i32 %failed, 0
  br i1 %bad, label %no, label %move
move:
  {store(Field.RESID_CUR, "%to")}
  %re = inttoptr i64 %first to ptr
  %im = inttoptr i64 %second to ptr
  %src = load ptr, ptr %view
  call void @pb_apart(ptr %re, ptr %im, ptr %src, i64 %rank, i64 %shift, ptr %ext, ptr %str,
                      i1 %negative)
  %twice = shl i64 %rank, 1
  %words = add i64 %twice, 1
  %beside = getelementptr i64, ptr %out, i64 %words
  store ptr %re, ptr %out
  store ptr %im, ptr %beside
  %re.ext = getelementptr i64, ptr %out, i64 1
  %im.ext = getelementptr i64, ptr %beside, i64 1
  %ext.bytes = shl i64 %rank, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %re.ext, ptr %ext, i64 %ext.bytes, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %im.ext, ptr %ext, i64 %ext.bytes, i1 false)
  %re.str = getelementptr i64, ptr %re.ext, i64 %rank
  %im.str = getelementptr i64, ptr %im.ext, i64 %rank
  call void @pb_dense(i64 %rank, ptr %ext, ptr %re.str)
  call void @pb_dense(i64 %rank, ptr %ext, ptr %im.str)
  ret i1 true
no:
  ret i1 false
}}

; %re, %im: views of the two parts, of one shape.
define ptr @pb_box_complex(ptr %re, ptr %descr, i64 %rank, i64 %shift, i1 %negative, ptr %im) {{
  call void @Py_IncRef(ptr %descr)
  %rank32 = trunc i64 %rank to i32
  %ext = getelementptr i64, ptr %re, i64 1
  %a = call ptr @PyArray_Empty(i32 %rank32, ptr %ext, ptr %descr, i32 0)
  %null = icmp eq ptr %a, null
  br i1 %null, label %done, label %fill
fill:
  %to.at = getelementptr i8, ptr %a, i64 {ARRAY_DATA}
  %to = load ptr, ptr %to.at
  %re.str = getelementptr i64, ptr %ext, i64 %rank
  %im.ext = getelementptr i64, ptr %im, i64 1
  %im.str = getelementptr i64, ptr %im.ext, i64 %rank
  %re.data = load ptr, ptr %re
  %im.data = load ptr, ptr %im
  %beside = call i1 @pb_beside(ptr %re.data, ptr %im.data, i64 %rank, i64 %shift, ptr %ext,
                               ptr %re.str, ptr %im.str)
  %other = xor i1 %negative, true
  %whole = and i1 %beside, %other
  br i1 %whole, label %block, label %parts
block:
  %n = call i64 @pb_size(i64 %rank, ptr %ext)
  %shift1 = add i64 %shift, 1
  %bytes = shl i64 %n, %shift1
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %re.data, i64 %bytes, i1 false)
  br label %done
parts:
  call void @pb_joined(ptr %to, ptr %re.data, ptr %im.data, i64 %rank, i64 %shift, ptr %ext,
                       ptr %re.str, ptr %im.str, i1 %negative)
  br label %done
done:
  ret ptr %a
}}
"""

COMPLEX_ARRAYS = "".join(
    [
        *(row(bits) for bits in (64, 32) for row in (_apart_row, _joined_row)),
        _APART, _BESIDE, _JOINED, _ENTRY,
    ]
)  # fmt: skip
