"""The runtime as LLVM text: contexts and arenas are here, the rest in the files ``runtime_*``.

It is compiled once per process and never unloaded. All of it is called with the GIL held, except
for the functions that loops call.
"""

from __future__ import annotations

import re
import sys

from pullback.core.thresholds import LIMITS
from pullback.native.layout import (
    CONTEXT_BYTES,
    ID_BASE,
    ID_BYTES,
    METADATA,
    STACK_BYTES,
    STACK_SLACK,
    Field,
)
from pullback.native.pyabi import DICT_VERSION
from pullback.native.runtime_arrays import ARRAYS
from pullback.native.runtime_complex import COMPLEX_ARRAYS, COMPLEX_FUNCTIONS
from pullback.native.runtime_fields import load, store
from pullback.native.runtime_forks import FORK, FORKS
from pullback.native.runtime_lists import LIST_FUNCTIONS, lists_text
from pullback.native.runtime_memory import trim_text
from pullback.native.runtime_objects import OBJECTS, residuals_text
from pullback.native.runtime_polls import POLL_FUNCTIONS, POLLS
from pullback.native.runtime_results import RESULT_FUNCTIONS, RESULTS
from pullback.native.runtime_threads import threads_text

RUNTIME_FUNCTIONS = {
    "pb_take": ("ptr", "i64"),
    "pb_give": ("void", "ptr"),
    "pb_error": ("i1", "ptr, ptr"),
    "pb_other": ("ptr", "ptr, ptr, i64"),
    "pb_again": ("ptr", "ptr, ptr, i64, i64"),
    "pb_tuple": ("ptr", "ptr, i64"),
    "pb_view": ("i1", "ptr, ptr, i64, i64, ptr"),
    "pb_box_array": ("ptr", "ptr, ptr, i64, i64, ptr, ptr"),
    "pb_hold": ("ptr", "ptr, i64, i64, ptr"),
    "pb_resume": ("ptr", "ptr, i64"),
    "pb_keep": ("i1", "ptr, ptr, i64, i64"),
    "pb_size": ("i64", "i64, ptr"),
    "pb_copy": ("void", "ptr, ptr, i64, i64, ptr, ptr"),
    "pb_dense": ("void", "i64, ptr, ptr"),
    **COMPLEX_FUNCTIONS,
    **RESULT_FUNCTIONS,
    **LIST_FUNCTIONS,
}
"""Name -> result and parameter types of what entry points call (loop code: ``CALLED_BY_LOOPS``).
"""

CALLED_BY_LOOPS = ("pb_grow", "pb_names", "pb_result", *POLL_FUNCTIONS, *FORKS)

_MAP_FLAGS = 0x4022 if sys.platform == "linux" else 0x1042  # private, anonymous, no reserve
_HUGEPAGE = 14 if sys.platform == "linux" else 0  # 0: no advice to the system
_SMALL_PAGES = 4 << 20
_LEAST = 1 << 20  # bytes: a region cannot be smaller


LIBC = """
declare ptr @mmap(ptr, i64, i32, i32, i32, i64)
declare i32 @munmap(ptr, i64)
declare i32 @madvise(ptr, i64, i32)
declare ptr @calloc(i64, i64)
declare void @free(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""

_EXTERNALS = LIBC + """
declare ptr @malloc(i64)
declare ptr @PyErr_NoMemory()
declare void @PyErr_SetObject(ptr, ptr)
declare void @Py_DecRef(ptr)
declare i32 @PyDict_Contains(ptr, ptr)
declare i32 @PyErr_CheckSignals()
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare i32 @clock_gettime(i32, ptr)
declare i64 @pthread_self()
declare void @Py_IncRef(ptr)
declare ptr @PyLong_FromVoidPtr(ptr)
declare ptr @PyObject_CallFunctionObjArgs(ptr, ...)
declare ptr @PyTuple_New(i64)
declare ptr @PyCapsule_New(ptr, ptr, ptr)
declare ptr @PyCapsule_GetPointer(ptr, ptr)
declare ptr @PyArray_Empty(i32, ptr, ptr, i32)
@pb_make_error = external global i8
@pb_main_thread = external global i64
@pb_too_long = external global i8
@pb_unusual = external global i8
@pb_call_again = external global i8
@pb_call_python = external global i8
@pb_ndarray = external global i8
@pb_value_error = external global i8
@pb_contexts = internal global ptr null
@pb_wholes = internal global i64 0
@pb_residual_name = internal constant [18 x i8] c"pullback.residual\\00"
"""


# Reserving and giving back address space. Where the system's limit does not leave what is asked
# for, a region is a quarter of what can be had: the others, and Python's own objects, need room.
_REGIONS = f"""
define internal ptr @pb_map(i64 %bytes, ptr %got) {{
entry:
  br label %try
try:
  %size = phi i64 [ %bytes, %entry ], [ %half, %less ], [ %left, %leave ]
  %share = phi i64 [ 0, %entry ], [ %share, %less ], [ %left, %leave ]
  %p = call ptr @mmap(ptr null, i64 %size, i32 3, i32 {_MAP_FLAGS}, i32 -1, i64 0)
  %bad = icmp eq ptr %p, inttoptr (i64 -1 to ptr)
  br i1 %bad, label %less, label %had
less:
  %half = lshr i64 %size, 1
  %none = icmp ult i64 %half, {_LEAST}
  br i1 %none, label %fail, label %try
had:
  %whole = icmp eq i64 %size, %bytes
  %last = icmp eq i64 %size, %share
  %enough = or i1 %whole, %last
  br i1 %enough, label %mapped, label %leave
leave:
  %quarter = lshr i64 %size, 2
  %left = call i64 @llvm.umax.i64(i64 %quarter, i64 {_LEAST})
  %given.back = call i32 @munmap(ptr %p, i64 %size)
  br label %try
mapped:
  store i64 %size, ptr %got
  %large = icmp ugt i64 %size, {LIMITS.arena - 1 if _HUGEPAGE else -1}
  br i1 %large, label %advise, label %done
advise:
  %rest = getelementptr i8, ptr %p, i64 {_SMALL_PAGES}
  %length = sub i64 %size, {_SMALL_PAGES}
  %ignored = call i32 @madvise(ptr %rest, i64 %length, i32 {_HUGEPAGE})
  br label %done
done:
  ret ptr %p
fail:
  ret ptr null
}}

define internal void @pb_unmap(ptr %base, i64 %bytes) {{
  %none = icmp eq i64 %bytes, 0
  br i1 %none, label %done, label %unmap
unmap:
  %ignored = call i32 @munmap(ptr %base, i64 %bytes)
  br label %done
done:
  ret void
}}
"""


def _ensure(name: str, base: Field, kept: Field, cells: bool) -> str:
    """Return the function that maps one arena (or the store, counted in cells) of a context."""
    if cells:
        cur, end, hard = Field.STORE_TOP, Field.STORE_END, Field.STORE_HARD
        values = ("0", "%soft.cells", "%size.cells")
    else:
        cur, end, hard = Field(base - 2), Field(base - 1), Field(base + 1)
        values = ("%p.int", "%soft.end", "%hard.end")
    return f"""
define internal i1 @{name}(ptr %ctx, i64 %bytes) {{
  %got = alloca i64
  {load("%base", base)}
  %have = icmp ne i64 %base, 0
  br i1 %have, label %yes, label %map
map:
  %p = call ptr @pb_map(i64 %bytes, ptr %got)
  %null = icmp eq ptr %p, null
  br i1 %null, label %no, label %mapped
mapped:
  %size = load i64, ptr %got
  %p.int = ptrtoint ptr %p to i64
  %soft = call i64 @llvm.umin.i64(i64 %size, i64 {LIMITS.arena})
  %soft.end = add i64 %p.int, %soft
  %hard.end = add i64 %p.int, %size
  %soft.cells = lshr i64 %soft, 3
  %size.cells = lshr i64 %size, 3
  {store(base, "%p.int")}
  {store(cur, values[0])}
  {store(end, values[1])}
  {store(hard, values[2])}
  {store(kept, "%soft")}
  {store(Field(kept + 1), "%soft")}
  br label %yes
yes:
  ret i1 true
no:
  ret i1 false
}}
"""


# Taking a context from the pool (or making one) and giving it back.
CONTEXTS = f"""
define internal i1 @pb_stack(ptr %ctx) {{
  %got = alloca i64
  {load("%old", Field.STACK_TOP)}
  %have = icmp ne i64 %old, 0
  br i1 %have, label %yes, label %map
map:
  %p = call ptr @pb_map(i64 {STACK_BYTES}, ptr %got)
  %null = icmp eq ptr %p, null
  br i1 %null, label %no, label %mapped
mapped:
  %size = load i64, ptr %got
  %p.int = ptrtoint ptr %p to i64
  %top = add i64 %p.int, %size
  %hard = add i64 %p.int, {STACK_SLACK}
  %soft0 = sub i64 %top, {LIMITS.stack}
  %soft = call i64 @llvm.umax.i64(i64 %soft0, i64 %hard)
  {store(Field.STACK_TOP, "%top")}
  {store(Field.STACK_HARD, "%hard")}
  {store(Field.STACK_LIMIT, "%soft")}
  {store(Field.STACK_KEPT, str(LIMITS.stack))}
  {store(Field.STACK_LAST, str(LIMITS.stack))}
  br label %yes
yes:
  ret i1 true
no:
  ret i1 false
}}

define ptr @pb_take(i64 %stack) {{
entry:
  %head = call ptr @pb_pooled()
  %empty = icmp eq ptr %head, null
  br i1 %empty, label %make, label %have
make:
  %made = call ptr @calloc(i64 1, i64 {CONTEXT_BYTES})
  %null = icmp eq ptr %made, null
  br i1 %null, label %fail, label %fresh
fresh:
  {store(Field.IDS_CUR, str(ID_BASE), context="%made")}
  {store(Field.IDS_BASE, str(ID_BASE), context="%made")}
  {store(Field.IDS_END, str(ID_BASE + ID_BYTES), context="%made")}
  {store(Field.IDS_HARD, str(ID_BASE + ID_BYTES), context="%made")}
  br label %have
have:
  %ctx = phi ptr [ %made, %fresh ], [ %head, %entry ]
  %t = call i1 @pb_map_temp(ptr %ctx, i64 ARENA_BYTES)
  %r = call i1 @pb_map_resid(ptr %ctx, i64 ARENA_BYTES)
  %s = call i1 @pb_map_store(ptr %ctx, i64 ARENA_BYTES)
  %p = call i1 @pb_map_tape(ptr %ctx, i64 TAPE_BYTES)
  %tp = and i1 %t, %p
  %tr = and i1 %tp, %r
  %trs = and i1 %tr, %s
  br i1 %trs, label %arenas, label %back
arenas:
  %deep = icmp ne i64 %stack, 0
  br i1 %deep, label %stacks, label %done
stacks:
  %ok = call i1 @pb_stack(ptr %ctx)
  br i1 %ok, label %done, label %back
done:
  ret ptr %ctx
back:
  call void @pb_give(ptr %ctx)
  br label %fail
fail:
  call void @pb_no_memory()
  ret ptr null
}}

define internal void @pb_empty(ptr %ctx) {{
  {load("%temp", Field.TEMP_BASE)}
  {store(Field.TEMP_CUR, "%temp")}
  {load("%resid", Field.RESID_BASE)}
  {store(Field.RESID_CUR, "%resid")}
  {load("%tape", Field.TAPE_BASE)}
  {store(Field.TAPE_CUR, "%tape")}
  {store(Field.IDS_CUR, str(ID_BASE))}
  {store(Field.STORE_TOP, "0")}
  {load("%results", Field.RESULTS)}
  {load("%big", Field.BIG)}
  %any = or i64 %results, %big
  %was = icmp ne i64 %any, 0
  br i1 %was, label %trim, label %done
trim:
  call void @pb_free_results(ptr %ctx)
  call void @pb_trim(ptr %ctx)
  br label %done
done:
  ret void
}}

define void @pb_give(ptr %ctx) {{
  call void @pb_empty(ptr %ctx)
  call void @pb_pool(ptr %ctx)
  ret void
}}

; Move the soft limit at field %end beyond %want, if that is below the hard one two fields on.
define i32 @pb_grow(ptr %ctx, i64 %end, i64 %want) cold {{
  %end.at = getelementptr i8, ptr %ctx, i64 %end
  %hard.at = getelementptr i8, ptr %end.at, i64 16
  %hard = load i64, ptr %hard.at
  %fits = icmp ule i64 %want, %hard
  br i1 %fits, label %yes, label %no
yes:
  %cells = icmp eq i64 %end, {8 * Field.STORE_END}
  %step = select i1 %cells, i64 {LIMITS.arena // 8}, i64 {LIMITS.arena}
  %beyond = add i64 %want, %step
  %limit = call i64 @llvm.umin.i64(i64 %beyond, i64 %hard)
  store i64 %limit, ptr %end.at
  {store(Field.BIG, "1")}
  ret i32 0
no:
  {store(Field.ERROR, "-1")}
  ret i32 1
}}
"""


# The pool of contexts while the GIL is held: a list.
_POOL = f"""
define internal ptr @pb_pooled() alwaysinline {{
  %head = load ptr, ptr @pb_contexts
  %empty = icmp eq ptr %head, null
  br i1 %empty, label %done, label %pop
pop:
  %next.at = getelementptr i8, ptr %head, i64 {8 * Field.NEXT}
  %next = load ptr, ptr %next.at
  store ptr %next, ptr @pb_contexts
  br label %done
done:
  ret ptr %head
}}

define internal void @pb_pool(ptr %ctx) alwaysinline {{
  %next.at = getelementptr i8, ptr %ctx, i64 {8 * Field.NEXT}
  %head = load ptr, ptr @pb_contexts
  store ptr %head, ptr %next.at
  store ptr %ctx, ptr @pb_contexts
  ret void
}}

define internal void @pb_no_memory() {{
  %ignored = call ptr @PyErr_NoMemory()
  ret void
}}

; None of the %count names at %keys is in the dict %dict, whose version goes to %seen.
define i1 @pb_names(ptr %dict, i64 %count, ptr %keys, ptr %seen) cold {{
entry:
  %version.at = getelementptr i8, ptr %dict, i64 {DICT_VERSION}
  %now = load i64, ptr %version.at
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %next, %no ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %look, label %none
look:
  %key.at = getelementptr ptr, ptr %keys, i64 %k
  %key = load ptr, ptr %key.at
  %found = call i32 @PyDict_Contains(ptr %dict, ptr %key)
  %absent = icmp eq i32 %found, 0
  br i1 %absent, label %no, label %there
no:
  %next = add i64 %k, 1
  br label %head
none:
  store i64 %now, ptr %seen
  ret i1 true
there:
  call void @PyErr_Clear()
  ret i1 false
}}
"""


_SELDOM = (
    "map", "map_temp", "map_resid", "map_tape", "map_store", "unmap", "advise", "trim",
    "trim_temp", "trim_resid", "trim_tape", "trim_store", "trim_stack", "names", "error", "given",
    "other", "again", "failed", "chunks", "worker", "hire", "run", "room", "sum", "fork",
)  # fmt: skip
_SELDOM_CALLED = re.compile(
    rf"^(define [^@\n]*@pb_(?:{'|'.join(_SELDOM)})\([^{{]*) {{", re.MULTILINE
)
"""The functions that are not optimised, because LLVM takes longer for them than they will ever
run."""


def memory_text(arena_bytes: int) -> str:
    """Return what contexts and their arenas need, of ``arena_bytes`` each, but for the pool."""
    return "\n".join(
        [
            _REGIONS,
            _ensure("pb_map_temp", Field.TEMP_BASE, Field.TEMP_KEPT, cells=False),
            _ensure("pb_map_resid", Field.RESID_BASE, Field.RESID_KEPT, cells=False),
            _ensure("pb_map_tape", Field.TAPE_BASE, Field.TAPE_KEPT, cells=False),
            _ensure("pb_map_store", Field.STORE_BASE, Field.STORE_KEPT, cells=True),
            trim_text(),
            CONTEXTS.replace("ARENA_BYTES", str(arena_bytes)).replace(
                "TAPE_BYTES", str(arena_bytes // 2)  # its cotangents take half its size again
            ),
        ]
    )


def runtime_text(arena_bytes: int, page: int) -> str:
    """Return the whole module of the runtime."""
    text = "\n".join(
        [
            _EXTERNALS,
            memory_text(arena_bytes),
            _POOL,
            POLLS,
            threads_text(arena_bytes),
            FORK,
            ARRAYS,
            COMPLEX_ARRAYS,
            RESULTS,
            lists_text(),
            residuals_text(page),
            OBJECTS,
            METADATA,
        ]
    )
    return optimised_seldom(text)


def optimised_seldom(text: str) -> str:
    """Return the text of a runtime with a mark at the functions that are not worth LLVM's time."""
    return _SELDOM_CALLED.sub(r"\1 noinline optnone {", text)
