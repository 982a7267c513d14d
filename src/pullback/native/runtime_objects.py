"""The part of the runtime for Python objects: residual objects, errors, tuples."""

from __future__ import annotations

from pullback.native.layout import INTERRUPTED, LONG, Field
from pullback.native.pyabi import OB_TYPE, TUPLE_ITEMS
from pullback.native.runtime_fields import load, store

RECORD_CELLS, RECORD_SLOTS = 8, 72
"""A residual object's record: kind, store cells, temp base and bytes, resid base and bytes, the
context or null, tape base and bytes; from this byte on, the residuals in 8-byte slots."""

WHOLE_CONTEXTS = 8
"""So many residual objects just keep their whole context, and give it back when they die (the usual
case, and fast). If there are more, they keep only the used part of their arenas."""


def _detach(arena: str, cur: Field, base: Field, hard: Field, at: int) -> str:
    """Write the code that moves the used part of an arena from the context into a record, and
    unmaps the rest."""
    return f"""
  {load(f"%{arena}", base)}
  {load(f"%{arena}.cur", cur)}
  {load(f"%{arena}.hard", hard)}
  %{arena}.up = add i64 %{arena}.cur, PAGE_MASK
  %{arena}.end = and i64 %{arena}.up, PAGE_TOP
  %{arena}.tail = inttoptr i64 %{arena}.end to ptr
  %{arena}.rest = sub i64 %{arena}.hard, %{arena}.end
  call void @pb_unmap(ptr %{arena}.tail, i64 %{arena}.rest)
  %{arena}.used = sub i64 %{arena}.end, %{arena}
  %{arena}.base.to = getelementptr i8, ptr %record, i64 {at}
  store i64 %{arena}, ptr %{arena}.base.to
  %{arena}.bytes.to = getelementptr i8, ptr %record, i64 {at + 8}
  store i64 %{arena}.used, ptr %{arena}.bytes.to
  {store(base, "0")}
  {store(hard, "0")}"""


# Residual objects: capsules that own what the arenas of a forward run contain.
_RESIDUALS = f"""
define internal void @pb_record_free(ptr %record) {{
  %ctx.at = getelementptr i8, ptr %record, i64 48
  %ctx = load ptr, ptr %ctx.at
  %parts = icmp eq ptr %ctx, null
  br i1 %parts, label %unmap, label %give
give:
  %wholes = load i64, ptr @pb_wholes
  %fewer = sub i64 %wholes, 1
  store i64 %fewer, ptr @pb_wholes
  call void @pb_give(ptr %ctx)
  br label %done
unmap:
  %temp.at = getelementptr i8, ptr %record, i64 16
  %temp = load ptr, ptr %temp.at
  %temp.bytes.at = getelementptr i8, ptr %record, i64 24
  %temp.bytes = load i64, ptr %temp.bytes.at
  call void @pb_unmap(ptr %temp, i64 %temp.bytes)
  %resid.at = getelementptr i8, ptr %record, i64 32
  %resid = load ptr, ptr %resid.at
  %resid.bytes.at = getelementptr i8, ptr %record, i64 40
  %resid.bytes = load i64, ptr %resid.bytes.at
  call void @pb_unmap(ptr %resid, i64 %resid.bytes)
  %tape.at = getelementptr i8, ptr %record, i64 56
  %tape = load ptr, ptr %tape.at
  %tape.bytes.at = getelementptr i8, ptr %record, i64 64
  %tape.bytes = load i64, ptr %tape.bytes.at
  call void @pb_unmap(ptr %tape, i64 %tape.bytes)
  br label %done
done:
  call void @free(ptr %record)
  ret void
}}

define internal void @pb_residual_free(ptr %capsule) {{
  %record = call ptr @PyCapsule_GetPointer(ptr %capsule, ptr @pb_residual_name)
  call void @pb_record_free(ptr %record)
  ret void
}}

; Takes the context over: it need not (and must not) be given back.
define ptr @pb_hold(ptr %ctx, i64 %kind, i64 %n, ptr %slots) {{
entry:
  %slot.bytes = shl i64 %n, 3
  %all = add i64 %slot.bytes, {RECORD_SLOTS}
  %record = call ptr @malloc(i64 %all)
  %null = icmp eq ptr %record, null
  br i1 %null, label %fail, label %fill
fill:
  store i64 %kind, ptr %record
  %cells.at = getelementptr i8, ptr %record, i64 8
  {load("%top", Field.STORE_TOP)}
  store i64 %top, ptr %cells.at
  %ctx.at = getelementptr i8, ptr %record, i64 48
  %wholes = load i64, ptr @pb_wholes
  %few = icmp ult i64 %wholes, {WHOLE_CONTEXTS}
  br i1 %few, label %whole, label %parts
whole:
  %more = add i64 %wholes, 1
  store i64 %more, ptr @pb_wholes
  store ptr %ctx, ptr %ctx.at
  br label %slots.copy
parts:
  store ptr null, ptr %ctx.at
  {_detach("temp", Field.TEMP_CUR, Field.TEMP_BASE, Field.TEMP_HARD, 16)}
  {_detach("resid", Field.RESID_CUR, Field.RESID_BASE, Field.RESID_HARD, 32)}
  {_detach("tape", Field.TAPE_CUR, Field.TAPE_BASE, Field.TAPE_HARD, 56)}
  call void @pb_give(ptr %ctx)
  br label %slots.copy
slots.copy:
  %to = getelementptr i8, ptr %record, i64 {RECORD_SLOTS}
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %slots, i64 %slot.bytes, i1 false)
  %c = call ptr @PyCapsule_New(ptr %record, ptr @pb_residual_name, ptr @pb_residual_free)
  %failed = icmp eq ptr %c, null
  br i1 %failed, label %undo, label %done
undo:
  call void @pb_record_free(ptr %record)
  br label %done
done:
  ret ptr %c
fail:
  call void @pb_give(ptr %ctx)
  %ignored = call ptr @PyErr_NoMemory()
  ret ptr null
}}

define ptr @pb_resume(ptr %capsule, i64 %kind) {{
  %record = call ptr @PyCapsule_GetPointer(ptr %capsule, ptr @pb_residual_name)
  %null = icmp eq ptr %record, null
  br i1 %null, label %no, label %check
check:
  %has = load i64, ptr %record
  %same = icmp eq i64 %has, %kind
  br i1 %same, label %yes, label %wrong
yes:
  ret ptr %record
wrong:
  call void @PyErr_SetObject(ptr @pb_value_error, ptr %capsule)
  br label %no
no:
  ret ptr null
}}
"""


def residuals_text(page: int) -> str:
    """Return the functions of residual objects, for pages of so many bytes."""
    return _RESIDUALS.replace("PAGE_MASK", str(page - 1)).replace("PAGE_TOP", str(-page))


# Errors and tuples.
OBJECTS = f"""
; What a call failed of becomes an exception; true: it is to be made again, with less patience.
define i1 @pb_error(ptr %self, ptr %ctx) cold {{
entry:
  {load("%code", Field.ERROR)}
  switch i64 %code, label %make [ i64 {INTERRUPTED}, label %done i64 {LONG}, label %again ]
again:
  ret i1 true
make:
  %address = call ptr @PyLong_FromVoidPtr(ptr %ctx)
  %exc = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr @pb_make_error, ptr %self,
                                                          ptr %address, ptr null)
  call void @Py_DecRef(ptr %address)
  %null = icmp eq ptr %exc, null
  br i1 %null, label %done, label %set
set:
  %type.at = getelementptr i8, ptr %exc, i64 {OB_TYPE}
  %type = load ptr, ptr %type.at
  call void @PyErr_SetObject(ptr %type, ptr %exc)
  call void @Py_DecRef(ptr %exc)
  br label %done
done:
  ret i1 false
}}

; A tuple of the %n objects, which are borrowed; null: an exception is set.
define internal ptr @pb_given(ptr %args, i64 %n) {{
entry:
  br label %look
look:
  %i = phi i64 [ 0, %entry ], [ %i1, %seen ]
  %looking = icmp slt i64 %i, %n
  br i1 %looking, label %seen, label %make
seen:
  %at = getelementptr ptr, ptr %args, i64 %i
  %o = load ptr, ptr %at
  call void @Py_IncRef(ptr %o)
  %i1 = add i64 %i, 1
  br label %look
make:
  %given = call ptr @pb_tuple(ptr %args, i64 %n)
  ret ptr %given
}}

; What becomes of arguments that are not of an entry's layouts.
define ptr @pb_other(ptr %self, ptr %args, i64 %n) cold {{
entry:
  %given = call ptr @pb_given(ptr %args, i64 %n)
  %null = icmp eq ptr %given, null
  br i1 %null, label %done, label %ask
ask:
  %found = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr @pb_unusual, ptr %self,
                                                            ptr %given, ptr null)
  call void @Py_DecRef(ptr %given)
  br label %done
done:
  %out = phi ptr [ null, %entry ], [ %found, %ask ]
  ret ptr %out
}}

; The call of an entry once more, by code with less patience.
define ptr @pb_again(ptr %self, ptr %args, i64 %n, i64 %entry) cold {{
start:
  %given = call ptr @pb_given(ptr %args, i64 %n)
  %null = icmp eq ptr %given, null
  br i1 %null, label %done, label %ask
ask:
  %number = call ptr @PyLong_FromLongLong(i64 %entry)
  %found = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr @pb_call_again, ptr %self,
                                                            ptr %number, ptr %given, ptr null)
  call void @Py_DecRef(ptr %number)
  call void @Py_DecRef(ptr %given)
  br label %done
done:
  %out = phi ptr [ null, %start ], [ %found, %ask ]
  ret ptr %out
}}

; A tuple of the %n objects, which are given away; null if one of them is (an exception is set).
define ptr @pb_tuple(ptr %objs, i64 %n) {{
entry:
  br label %look
look:
  %i = phi i64 [ 0, %entry ], [ %i1, %seen ]
  %looking = icmp slt i64 %i, %n
  br i1 %looking, label %seen, label %make
seen:
  %at = getelementptr ptr, ptr %objs, i64 %i
  %o = load ptr, ptr %at
  %null = icmp eq ptr %o, null
  %i1 = add i64 %i, 1
  br i1 %null, label %drop, label %look
make:
  %t = call ptr @PyTuple_New(i64 %n)
  %failed = icmp eq ptr %t, null
  br i1 %failed, label %drop, label %fill
fill:
  %items = getelementptr i8, ptr %t, i64 {TUPLE_ITEMS}
  %bytes = shl i64 %n, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %items, ptr %objs, i64 %bytes, i1 false)
  ret ptr %t
drop:
  br label %head
head:
  %j = phi i64 [ 0, %drop ], [ %j1, %next ]
  %more = icmp slt i64 %j, %n
  br i1 %more, label %body, label %fail
body:
  %p.at = getelementptr ptr, ptr %objs, i64 %j
  %p = load ptr, ptr %p.at
  %j1 = add i64 %j, 1
  %none = icmp eq ptr %p, null
  br i1 %none, label %next, label %release
release:
  call void @Py_DecRef(ptr %p)
  br label %next
next:
  br label %head
fail:
  ret ptr null
}}
"""
