"""Run the chunks of a loop on a few threads, which live as long as the process: LLVM text of the
runtime.

There is one job at a time. Who finds the pool busy (another thread of Python, or a chunk itself)
runs its chunks one after the other: nested forks are flat. The threads take chunks by an atomic
counter, so each chunk runs once, in the context of whoever took it, and the caller takes chunks
like the others. At the end the caller closes the job and waits for the chunks that still run; a
thread that wakes up too late finds the job closed. A chunk that fails ends the job: chunks with
smaller numbers have been taken before, and the error of the first one stays. A signal, which only
the caller sees, stops those that run.

The threads know nothing of Python: they never hold the GIL and block all signals. In the child of a
fork there are none, which the identity of the process tells; they are made again when a loop wants
them.
"""

from __future__ import annotations

import sys

from pullback.native.layout import CONTEXT_BYTES, ERROR_WORDS, INTERRUPTED, Field
from pullback.native.runtime_fields import load, store

_BLOCK = 2 if sys.platform == "linux" else 3  # SIG_SETMASK
_WORDS = CONTEXT_BYTES - 8 * ERROR_WORDS
_NONE = (1 << 63) - 1

_NAMED = sys.platform == "linux"
_NAME = """
declare i32 @pthread_setname_np(i64, ptr)
@pb_name = internal constant [9 x i8] c"pullback\\00"
""" if _NAMED else ""
_SET_NAME = """
  %self = call i64 @pthread_self()
  %named = call i32 @pthread_setname_np(i64 %self, ptr @pb_name)""" if _NAMED else ""

_STATE = _NAME + f"""
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_signal(ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(i64)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @getpid()
@pb_wanted_threads = external global i64
@pb_process = internal global i64 0
@pb_busy = internal global i64 0
@pb_workers = internal global i64 0
@pb_mutex = internal global [128 x i8] zeroinitializer, align 64
@pb_work = internal global [128 x i8] zeroinitializer, align 64
@pb_done = internal global [128 x i8] zeroinitializer, align 64
@pb_all_signals = internal global [128 x i8] [{", ".join(["i8 -1"] * 128)}], align 8
@pb_job_function = internal global ptr null
@pb_job_args = internal global ptr null
@pb_job_chunks = internal global i64 0
@pb_job_limit = internal global i64 0
@pb_job_open = internal global i64 0
@pb_job_number = internal global i64 0
@pb_job_active = internal global i64 0
@pb_job_failed = internal global i64 0
@pb_job_error = internal global i64 0
@pb_job_words = internal global [{_WORDS} x i8] zeroinitializer, align 8
@pb_job_stop = internal global i64 0
@pb_job_next = internal global i64 0, align 64
"""

_CHUNKS = f"""
; The chunk %k failed in the context %ctx: keep the error of the first one, and take no more chunks.
define internal void @pb_failed(ptr %ctx, i64 %k) {{
  %l = call i32 @pthread_mutex_lock(ptr @pb_mutex)
  %chunks = load i64, ptr @pb_job_chunks
  store atomic i64 %chunks, ptr @pb_job_next monotonic, align 8
  {load("%error", Field.ERROR)}
  %signal = icmp eq i64 %error, {INTERRUPTED}
  %place = select i1 %signal, i64 -1, i64 %k
  %stop = zext i1 %signal to i64
  %was = load volatile i64, ptr @pb_job_stop
  %now = or i64 %was, %stop
  store volatile i64 %now, ptr @pb_job_stop
  %old = load i64, ptr @pb_job_failed
  %first = icmp slt i64 %place, %old
  br i1 %first, label %keep, label %done
keep:
  store i64 %place, ptr @pb_job_failed
  store i64 %error, ptr @pb_job_error
  %words = getelementptr i8, ptr %ctx, i64 {8 * ERROR_WORDS}
  call void @llvm.memcpy.p0.p0.i64(ptr @pb_job_words, ptr %words, i64 {_WORDS}, i1 false)
  br label %done
done:
  %u = call i32 @pthread_mutex_unlock(ptr @pb_mutex)
  ret void
}}

; Run chunks as long as there are any.
define internal void @pb_chunks(ptr %ctx) {{
entry:
  %function = load ptr, ptr @pb_job_function
  %args = load ptr, ptr @pb_job_args
  %chunks = load i64, ptr @pb_job_chunks
  br label %take
take:
  %k = atomicrmw add ptr @pb_job_next, i64 1 monotonic
  %some = icmp slt i64 %k, %chunks
  br i1 %some, label %run, label %done
run:
  %flag = call i32 %function(ptr %ctx, ptr %args, i64 %k)
  %fine = icmp eq i32 %flag, 0
  br i1 %fine, label %look, label %failed
look:
  %raised = call i32 @pb_poll(ptr %ctx)
  %none = icmp eq i32 %raised, 0
  br i1 %none, label %take, label %failed
failed:
  call void @pb_failed(ptr %ctx, i64 %k)
  br label %done
done:
  ret void
}}
"""

_WORKER = f"""
; What a thread of the pool does; %number: its number.
define internal ptr @pb_worker(ptr %number) {{
entry:
  %me = ptrtoint ptr %number to i64
  %ctx = call ptr @calloc(i64 1, i64 {CONTEXT_BYTES})
  %null = icmp eq ptr %ctx, null
  br i1 %null, label %end, label %map
map:
  %t = call i1 @pb_map_temp(ptr %ctx, i64 ARENA_BYTES)
  %r = call i1 @pb_map_resid(ptr %ctx, i64 ARENA_BYTES)
  %s = call i1 @pb_map_store(ptr %ctx, i64 ARENA_BYTES)
  %tr = and i1 %t, %r
  %trs = and i1 %tr, %s
  br i1 %trs, label %begin, label %end
begin:{_SET_NAME}
  {store(Field.WORKER, "1")}
  %l = call i32 @pthread_mutex_lock(ptr @pb_mutex)
  br label %look
look:
  %seen = phi i64 [ 0, %begin ], [ %seen, %sleep ], [ %job, %ended ]
  %open = load i64, ptr @pb_job_open
  %job = load i64, ptr @pb_job_number
  %limit = load i64, ptr @pb_job_limit
  %is.open = icmp ne i64 %open, 0
  %new = icmp ne i64 %job, %seen
  %mine = icmp slt i64 %me, %limit
  %a = and i1 %is.open, %new
  %b = and i1 %a, %mine
  br i1 %b, label %join, label %sleep
sleep:
  %w = call i32 @pthread_cond_wait(ptr @pb_work, ptr @pb_mutex)
  br label %look
join:
  %active = load i64, ptr @pb_job_active
  %more = add i64 %active, 1
  store i64 %more, ptr @pb_job_active
  %u = call i32 @pthread_mutex_unlock(ptr @pb_mutex)
  call void @pb_chunks(ptr %ctx)
  call void @pb_empty(ptr %ctx)
  %l2 = call i32 @pthread_mutex_lock(ptr @pb_mutex)
  %still = load i64, ptr @pb_job_active
  %less = sub i64 %still, 1
  store i64 %less, ptr @pb_job_active
  %last = icmp eq i64 %less, 0
  br i1 %last, label %tell, label %ended
tell:
  %d = call i32 @pthread_cond_signal(ptr @pb_done)
  br label %ended
ended:
  br label %look
end:
  ret ptr null
}}

; Have the threads that are wanted, or as many as the system gives.
define internal void @pb_hire(i64 %wanted) {{
entry:
  %thread = alloca i64
  %signals = alloca [128 x i8]
  %pid32 = call i32 @getpid()
  %pid = zext i32 %pid32 to i64
  %old = load i64, ptr @pb_process
  %same = icmp eq i64 %pid, %old
  br i1 %same, label %next, label %reset
reset:
  store i64 0, ptr @pb_workers
  store i64 0, ptr @pb_job_open
  store i64 0, ptr @pb_job_active
  %m = call i32 @pthread_mutex_init(ptr @pb_mutex, ptr null)
  %c = call i32 @pthread_cond_init(ptr @pb_work, ptr null)
  %d = call i32 @pthread_cond_init(ptr @pb_done, ptr null)
  store i64 %pid, ptr @pb_process
  br label %next
next:
  %k = load i64, ptr @pb_workers
  %number = add i64 %k, 1
  %enough = icmp sge i64 %number, %wanted
  br i1 %enough, label %done, label %make
make:
  %arg = inttoptr i64 %number to ptr
  %b = call i32 @pthread_sigmask(i32 {_BLOCK}, ptr @pb_all_signals, ptr %signals)
  %bad = call i32 @pthread_create(ptr %thread, ptr null, ptr @pb_worker, ptr %arg)
  %o = call i32 @pthread_sigmask(i32 {_BLOCK}, ptr %signals, ptr null)
  %made = icmp eq i32 %bad, 0
  br i1 %made, label %count, label %done
count:
  store i64 %number, ptr @pb_workers
  %id = load i64, ptr %thread
  %ignored = call i32 @pthread_detach(i64 %id)
  br label %next
done:
  ret void
}}
"""

_FORK = f"""
; Run %function(a context, %args, k) for all k below %chunks; 1 if one fails.
define internal i32 @pb_run(ptr %ctx, ptr %function, ptr %args, i64 %chunks) {{
entry:
  %wanted = load i64, ptr @pb_wanted_threads
  %many = icmp sgt i64 %wanted, 1
  %several = icmp sgt i64 %chunks, 1
  %worth = and i1 %many, %several
  br i1 %worth, label %claim, label %alone
claim:
  %pid32 = call i32 @getpid()
  %pid = zext i32 %pid32 to i64
  %pair = cmpxchg ptr @pb_busy, i64 0, i64 %pid acquire monotonic
  %free = extractvalue {{ i64, i1 }} %pair, 1
  %owner = extractvalue {{ i64, i1 }} %pair, 0
  br i1 %free, label %ours, label %taken
taken:                                            ; by a process of which this one is a child
  %here = icmp eq i64 %owner, %pid
  br i1 %here, label %alone, label %inherit
inherit:
  %pair2 = cmpxchg ptr @pb_busy, i64 %owner, i64 %pid acquire monotonic
  %free2 = extractvalue {{ i64, i1 }} %pair2, 1
  br i1 %free2, label %ours, label %alone
ours:
  call void @pb_hire(i64 %wanted)
  store ptr %function, ptr @pb_job_function
  store ptr %args, ptr @pb_job_args
  store i64 %chunks, ptr @pb_job_chunks
  store i64 {_NONE}, ptr @pb_job_failed
  store volatile i64 0, ptr @pb_job_stop
  store atomic i64 0, ptr @pb_job_next monotonic, align 8
  %l = call i32 @pthread_mutex_lock(ptr @pb_mutex)
  %number = load i64, ptr @pb_job_number
  %following = add i64 %number, 1
  store i64 %following, ptr @pb_job_number
  store i64 %wanted, ptr @pb_job_limit
  store i64 1, ptr @pb_job_open
  %b = call i32 @pthread_cond_broadcast(ptr @pb_work)
  %u = call i32 @pthread_mutex_unlock(ptr @pb_mutex)
  call void @pb_chunks(ptr %ctx)
  %l2 = call i32 @pthread_mutex_lock(ptr @pb_mutex)
  store i64 0, ptr @pb_job_open
  br label %wait
wait:
  %active = load i64, ptr @pb_job_active
  %nobody = icmp eq i64 %active, 0
  br i1 %nobody, label %ended, label %sleep
sleep:
  %w = call i32 @pthread_cond_wait(ptr @pb_done, ptr @pb_mutex)
  br label %wait
ended:
  %u2 = call i32 @pthread_mutex_unlock(ptr @pb_mutex)
  %failed = load i64, ptr @pb_job_failed
  %fine = icmp eq i64 %failed, {_NONE}
  br i1 %fine, label %close, label %error
error:
  %code = load i64, ptr @pb_job_error
  {store(Field.ERROR, "%code")}
  %words = getelementptr i8, ptr %ctx, i64 {8 * ERROR_WORDS}
  call void @llvm.memcpy.p0.p0.i64(ptr %words, ptr @pb_job_words, i64 {_WORDS}, i1 false)
  br label %close
close:
  %flag = phi i32 [ 0, %ended ], [ 1, %error ]
  store atomic i64 0, ptr @pb_busy release, align 8
  ret i32 %flag
alone:
  br label %round
round:
  %k = phi i64 [ 0, %alone ], [ %next, %look ]
  %more = icmp slt i64 %k, %chunks
  br i1 %more, label %run, label %good
run:
  %stop = call i32 %function(ptr %ctx, ptr %args, i64 %k)
  %ok = icmp eq i32 %stop, 0
  br i1 %ok, label %look, label %bad
look:
  %next = add i64 %k, 1
  %raised = call i32 @pb_poll(ptr %ctx)
  %quiet = icmp eq i32 %raised, 0
  br i1 %quiet, label %round, label %bad
good:
  ret i32 0
bad:
  ret i32 1
}}
"""


def threads_text(arena_bytes: int) -> str:
    """Return ``pb_run``; a worker's arenas have so many bytes."""
    text = "".join([_STATE, _CHUNKS, _WORKER, _FORK])
    return text.replace("ARENA_BYTES", str(arena_bytes))
