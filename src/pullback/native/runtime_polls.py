"""How loops look for signals, as LLVM text of the runtime: what is counted, and what they call."""

from __future__ import annotations

import platform

from pullback.core.thresholds import LIMITS
from pullback.native.layout import (
    INTERRUPTED,
    LONG,
    POLL_NANOSECONDS,
    Field,
)
from pullback.native.runtime_fields import load, store
from pullback.native.support import call_on_stack, own_stack

POLL_FUNCTIONS = (
    "pb_poll", "pb_more", "pb_due", "pb_some", "pb_long", "pb_zero", "pb_move", "pb_show",
)  # fmt: skip

FLUSH_TO_ZERO = 0x8000
"""The bit FTZ of the control register (``flush``)."""

DECLARATIONS = """\
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
"""


def during_callback() -> tuple[str, str]:
    """Lines before and after a call of Python from a loop: it sees the register without the bit."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return "", ""
    before = f"""
  %flush.old = alloca i32
  %flush.off = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %flush.old)
  %flush.was = load i32, ptr %flush.old
  %flush.now = and i32 %flush.was, {~FLUSH_TO_ZERO}
  store i32 %flush.now, ptr %flush.off
  call void @llvm.x86.sse.ldmxcsr(ptr %flush.off)"""
    return before, "call void @llvm.x86.sse.ldmxcsr(ptr %flush.old)"


_BEFORE_PYTHON, _AFTER_PYTHON = during_callback()
_CONTROL = DECLARATIONS if _BEFORE_PYTHON else ""

# Machines without a stack for recursive code never have a HOME.
_ON_STACK = (
    "\n  ".join(call_on_stack("@pb_look", "%frame", "%home")) if own_stack() else "unreachable"
)


def _factor(name: str, k: int) -> str:
    """Store an extent as a double, 0 if it is negative."""
    return f"""%positive{k} = call i64 @llvm.smax.i64(i64 {name}, i64 0)
  %real{k} = sitofp i64 %positive{k} to double
  %to{k} = getelementptr double, ptr %factors, i64 {k}
  store double %real{k}, ptr %to{k}"""


def _times(k: int) -> str:
    """Multiply a monomial by its factor of this number."""
    return f"""%place{k}.at = getelementptr i64, ptr %each.at, i64 {k}
  %place{k} = load i64, ptr %place{k}.at
  %factor{k}.at = getelementptr double, ptr %factors, i64 %place{k}
  %factor{k} = load double, ptr %factor{k}.at
  %term{k} = fmul double %term{k - 1}, %factor{k}"""


def _in_pieces(head: str, before: str, piece: str) -> str:
    """A function that does something to ``%n`` bytes, and looks for signals now and then; true: a
    signal stops it. ``piece`` does it to ``%part`` bytes, behind ``%past`` and before ``%rest``."""
    return f"""
define i1 @{head}, i64 %n) cold {{
entry:
{before}  br label %head
head:
  %past = phi i64 [ 0, %entry ], [ %next, %body ]
  %left = sub i64 %n, %past
  %more = icmp ne i64 %left, 0
  br i1 %more, label %body, label %done
body:
  %part = call i64 @llvm.umin.i64(i64 %left, i64 {LIMITS.huge})
  %rest = sub i64 %left, %part
{piece}  %next = add i64 %past, %part
  %raised = call i32 @pb_poll(ptr %ctx)
  %stop = icmp ne i32 %raised, 0
  br i1 %stop, label %done, label %head
done:
  %stopped = phi i1 [ false, %head ], [ true, %body ]
  ret i1 %stopped
}}
"""


_ZERO = _in_pieces(
    "pb_zero(ptr %ctx, ptr %to", "",
    """  %at = getelementptr i8, ptr %to, i64 %past
  call void @llvm.memset.p0.i64(ptr %at, i8 0, i64 %part, i1 false)
""",
)  # fmt: skip

# What overlaps is moved from the end that the other end does not overwrite.
_MOVE = _in_pieces(
    "pb_move(ptr %ctx, ptr %to, ptr %from",
    "  %up = icmp ult ptr %to, %from\n",
    """  %begin = select i1 %up, i64 %past, i64 %rest
  %to.at = getelementptr i8, ptr %to, i64 %begin
  %from.at = getelementptr i8, ptr %from, i64 %begin
  call void @llvm.memmove.p0.p0.i64(ptr %to.at, ptr %from.at, i64 %part, i1 false)
""",
)

_NOW = """%ignored = call i32 @clock_gettime(i32 6, ptr %clock)
  %seconds = load i64, ptr %clock
  %rest.at = getelementptr i64, ptr %clock, i64 1
  %rest = load i64, ptr %rest.at
  %most = mul i64 %seconds, 1000000000
  %now = add i64 %most, %rest"""

_SIGNALS = f"""
; Whether this thread has run for as long as it may (core/interrupts.py:within); then that is
; raised, unless a handler of signals has raised something.
define internal i32 @pb_late(i32 %signal) {{
  %clock = alloca [2 x i64]
  %limited.at = getelementptr i64, ptr @pb_main_thread, i64 1
  %limited = load volatile i64, ptr %limited.at
  %this = call i64 @pthread_self()
  %mine = icmp eq i64 %this, %limited
  %none = icmp eq i32 %signal, 0
  %may = and i1 %mine, %none
  br i1 %may, label %look, label %go
look:
  {_NOW}
  %end.at = getelementptr i64, ptr @pb_main_thread, i64 2
  %end = load volatile i64, ptr %end.at
  %over = icmp ugt i64 %now, %end
  br i1 %over, label %stop, label %go
stop:
  call void @PyErr_SetObject(ptr @pb_too_long, ptr null)
  ret i32 -1
go:
  ret i32 0
}}

; Let Python handle signals; the GIL is taken for it. %frame: the context, then the result.
define internal void @pb_look(ptr %frame) {{
  %ctx = load ptr, ptr %frame
  {load("%thread", Field.THREAD, "ptr")}
  %held = icmp eq ptr %thread, null
  br i1 %held, label %check, label %take
take:
  call void @PyEval_RestoreThread(ptr %thread)
  br label %check
check:
  {_BEFORE_PYTHON}
  %signal = call i32 @PyErr_CheckSignals()
  %late = call i32 @pb_late(i32 %signal)
  {_AFTER_PYTHON}
  %raised = or i32 %signal, %late
  br i1 %held, label %done, label %give
give:
  %same = call ptr @PyEval_SaveThread()
  br label %done
done:
  %raised.at = getelementptr i64, ptr %frame, i64 1
  store i32 %raised, ptr %raised.at
  ret void
}}

; Look for signals, as Python does between bytecodes: in the main thread, and on its own stack.
define i32 @pb_poll(ptr %ctx) cold {{
  %frame = alloca [2 x i64]
  %clock = alloca [2 x i64]
  {store(Field.POLL, str(LIMITS.poll))}
  %this = call i64 @pthread_self()
  %main = load i64, ptr @pb_main_thread
  %first = icmp eq i64 %this, %main
  %limited.at = getelementptr i64, ptr @pb_main_thread, i64 1
  %limited = load volatile i64, ptr %limited.at
  %other = icmp eq i64 %this, %limited
  %mine = or i1 %first, %other
  br i1 %mine, label %time, label %worker
worker:
  {load("%pool", Field.WORKER)}
  %stopped = load volatile i64, ptr @pb_job_stop
  %one = and i64 %pool, %stopped
  %end = icmp ne i64 %one, 0
  br i1 %end, label %stop, label %fine
time:
  {_NOW}
  {load("%last", Field.POLLED)}
  %since = sub i64 %now, %last
  %soon = icmp ult i64 %since, {POLL_NANOSECONDS}
  br i1 %soon, label %fine, label %look
look:
  {store(Field.POLLED, "%now")}
  store ptr %ctx, ptr %frame
  {load("%home", Field.HOME)}
  %here = icmp eq i64 %home, 0
  br i1 %here, label %directly, label %there
directly:
  call void @pb_look(ptr %frame)
  br label %looked
there:
  {_ON_STACK}
  br label %looked
looked:
  %raised.at = getelementptr i64, ptr %frame, i64 1
  %raised = load i32, ptr %raised.at
  %none = icmp eq i32 %raised, 0
  br i1 %none, label %fine, label %stop
fine:
  ret i32 0
stop:
  {store(Field.ERROR, str(INTERRUPTED))}
  ret i32 1
}}

; Enough has been counted: what is left to count now; -1 if a signal stops the code.
define i64 @pb_due(i64 %context) cold {{
  %ctx = inttoptr i64 %context to ptr
  %raised = call i32 @pb_poll(ptr %ctx)
  %stop = icmp ne i32 %raised, 0
  %left = select i1 %stop, i64 -1, i64 {LIMITS.poll}
  ret i64 %left
}}

; Some rounds of a loop took %cycles: whether a signal stops it.
define i1 @pb_some(i64 %context, i64 %cycles) cold {{
  %ctx = inttoptr i64 %context to ptr
  {load("%poll", Field.POLL)}
  %left = sub i64 %poll, %cycles
  {store(Field.POLL, "%left")}
  %due = icmp slt i64 %left, 0
  br i1 %due, label %look, label %fine
look:
  %raised = call i32 @pb_poll(ptr %ctx)
  %stop = icmp ne i32 %raised, 0
  ret i1 %stop
fine:
  ret i1 false
}}

; A loop up to %hi has come to the end %i of a piece that counts %weight: where the next piece ends;
; %i if a signal stops the loop.
define i64 @pb_more(i64 %context, i64 %i, i64 %hi, i64 %length, i64 %weight) cold {{
  %ctx = inttoptr i64 %context to ptr
  {load("%poll", Field.POLL)}
  %left = sub i64 %poll, %weight
  {store(Field.POLL, "%left")}
  %due = icmp slt i64 %left, 0
  br i1 %due, label %look, label %on
look:
  %raised = call i32 @pb_poll(ptr %ctx)
  %stop = icmp ne i32 %raised, 0
  br i1 %stop, label %stopped, label %on
on:
  %beyond = call i64 @llvm.sadd.sat.i64(i64 %i, i64 %length)
  %next = call i64 @llvm.smin.i64(i64 %hi, i64 %beyond)
  ret i64 %next
stopped:
  ret i64 %i
}}

; Loops through the extents %x, %y and %z have much work, whose rows are at %work: whether a signal
; stops them, or it is too much.
define i1 @pb_long(i64 %context, i64 %x, i64 %y, i64 %z, i64 %work) cold {{
entry:
  %ctx = inttoptr i64 %context to ptr
  %rows = inttoptr i64 %work to ptr
  %factors = alloca [4 x double]
  store double 1.0, ptr %factors
  {_factor("%x", 1)}
  {_factor("%y", 2)}
  {_factor("%z", 3)}
  %terms.at = getelementptr i64, ptr %rows, i64 1
  %terms = load i64, ptr %terms.at
  br label %row
row:
  %k = phi i64 [ 0, %entry ], [ %next, %term ]
  %cycles = phi double [ 0.0, %entry ], [ %more, %term ]
  %again.row = icmp slt i64 %k, %terms
  br i1 %again.row, label %term, label %compare
term:
  %next = add i64 %k, 1
  %each.at = getelementptr [4 x i64], ptr %rows, i64 %next
  %each = load i64, ptr %each.at
  %term0 = sitofp i64 %each to double
  {_times(1)}
  {_times(2)}
  {_times(3)}
  %more = fadd double %cycles, %term3
  br label %row
compare:
  %most = load i64, ptr %rows
  %limit = sitofp i64 %most to double
  %short = fcmp ole double %cycles, %limit
  br i1 %short, label %count.it, label %again
count.it:
  %all = fptosi double %cycles to i64
  {load("%poll", Field.POLL)}
  %left = sub i64 %poll, %all
  {store(Field.POLL, "%left")}
  %large = icmp ugt i64 %all, {LIMITS.poll // 8}
  %none = icmp slt i64 %left, 0
  %due = or i1 %large, %none
  br i1 %due, label %look, label %fine
look:
  %raised = call i32 @pb_poll(ptr %ctx)
  %stop = icmp ne i32 %raised, 0
  ret i1 %stop
fine:
  ret i1 false
again:
  {store(Field.ERROR, str(LONG))}
  ret i1 true
}}
"""

_SHOW_ON_STACK = _ON_STACK.replace("@pb_look", "@pb_shown")

_SHOW = f"""
; Call Python with the GIL. %frame: the context, the result, the table and the number of the call.
define internal void @pb_shown(ptr %frame) {{
  %ctx = load ptr, ptr %frame
  %table.at = getelementptr i64, ptr %frame, i64 2
  %table = load ptr, ptr %table.at
  %number.at = getelementptr i64, ptr %frame, i64 3
  %number = load i64, ptr %number.at
  {load("%thread", Field.THREAD, "ptr")}
  %held = icmp eq ptr %thread, null
  br i1 %held, label %call, label %take
take:
  call void @PyEval_RestoreThread(ptr %thread)
  br label %call
call:
  {_BEFORE_PYTHON}
  %address = call ptr @PyLong_FromVoidPtr(ptr %ctx)
  %which = call ptr @PyLong_FromLongLong(i64 %number)
  %none = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr @pb_call_python, ptr %table,
                                                           ptr %address, ptr %which, ptr null)
  call void @Py_DecRef(ptr %address)
  call void @Py_DecRef(ptr %which)
  %null = icmp eq ptr %none, null
  br i1 %null, label %done, label %drop
drop:
  call void @Py_DecRef(ptr %none)
  br label %done
done:
  {_AFTER_PYTHON}
  %raised = zext i1 %null to i64
  %raised.at = getelementptr i64, ptr %frame, i64 1
  store i64 %raised, ptr %raised.at
  br i1 %held, label %end, label %give
give:
  %same = call ptr @PyEval_SaveThread()
  br label %end
end:
  ret void
}}

; What Python is called for, on the thread's own stack; 1 if it raises.
define i32 @pb_show(ptr %ctx, ptr %table, i64 %number) cold {{
  %frame = alloca [4 x i64]
  store ptr %ctx, ptr %frame
  %table.at = getelementptr i64, ptr %frame, i64 2
  store ptr %table, ptr %table.at
  %number.at = getelementptr i64, ptr %frame, i64 3
  store i64 %number, ptr %number.at
  {load("%home", Field.HOME)}
  %here = icmp eq i64 %home, 0
  br i1 %here, label %directly, label %there
directly:
  call void @pb_shown(ptr %frame)
  br label %done
there:
  {_SHOW_ON_STACK}
  br label %done
done:
  %raised.at = getelementptr i64, ptr %frame, i64 1
  %raised = load i64, ptr %raised.at
  %none = icmp eq i64 %raised, 0
  br i1 %none, label %fine, label %stop
fine:
  ret i32 0
stop:
  {store(Field.ERROR, str(INTERRUPTED))}
  ret i32 1
}}
"""

POLLS = "\n".join([_CONTROL, _SIGNALS, _SHOW, _ZERO, _MOVE])
