"""Samples of where a thread is, taken by a timer while compiled code runs.

A handler of SIGALRM, itself compiled, writes the interrupted address into a buffer. It touches
nothing of Python, so compiled code may be interrupted anywhere. The timer is that of the process,
whose signals go to the main thread, and on a busy machine now and then to one that waits: the
handler passes over these."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache

from pullback.native.compile import keep_forever, link_alone

MOST, WORDS = 1 << 13, 256
"""So many samples fit into the buffer, each with so many words of the stack: among these is where
a library, such as libm, returns to."""

_HEAD = 3
"""The words before the samples: how many there are, the pipe (below), and the thread to look at."""

_FUNCTIONS = ("pb_write", "write"), ("pb_errno", "__errno_location"), ("pb_thread", "pthread_self")
"""What the handler calls of the C library, each safe in a signal handler."""

_COUNTER_AT, _STACK_AT = {"x86_64": (168, 160), "aarch64": (440, 432)}.get(
    platform.machine(), (0, 0))
"""Where the program counter and the stack pointer stand in ``ucontext_t`` on Linux."""

_PAGE = 1 << 12
"""A stack may end with its page: recursions run on stacks of their own, and behind the end of one
there may be nothing. So the page of the word under the stack pointer is read to its end, and the
next one (it may begin at the stack pointer itself) only if the kernel can read it: ``write`` of a
byte of it into a pipe, which never fills, fails if it cannot."""

_SIGINFO, _ON_STACK, _RESTART = 4, 0x08000000, 0x10000000
_ROOM = 1 << 16
"""Bytes of the stack of the handler: those of a recursion may have no room for it."""

_TEXT = f"""
@pb_samples = external global i8
declare i64 @pb_write(i32, ptr, i64) nounwind
declare ptr @pb_errno() nounwind
declare i64 @pb_thread() nounwind
define void @pb_sample(i32 %signal, ptr %info, ptr %context) nounwind {{
  %thread.at = getelementptr i64, ptr @pb_samples, i64 2
  %wanted.thread = load i64, ptr %thread.at
  %thread = call i64 @pb_thread()
  %own = icmp eq i64 %thread, %wanted.thread
  br i1 %own, label %count, label %done
count:
  %counter.at = getelementptr i8, ptr %context, i64 {_COUNTER_AT}
  %counter = load i64, ptr %counter.at
  %stack.at = getelementptr i8, ptr %context, i64 {_STACK_AT}
  %stack = load ptr, ptr %stack.at
  %n = atomicrmw add ptr @pb_samples, i64 1 monotonic
  %fits = icmp ult i64 %n, {MOST}
  br i1 %fits, label %write, label %done
write:
  %pipe.at = getelementptr i64, ptr @pb_samples, i64 1
  %pipe = load i32, ptr %pipe.at
  %first = mul i64 %n, {WORDS + 1}
  %k = add i64 %first, {_HEAD}
  %to = getelementptr i64, ptr @pb_samples, i64 %k
  store i64 %counter, ptr %to
  %bottom = ptrtoint ptr %stack to i64
  %wanted = add i64 %bottom, {8 * WORDS}
  %under = sub i64 %bottom, 1
  %over = or i64 %under, {_PAGE - 1}
  %page = add i64 %over, 1
  %within = icmp ule i64 %wanted, %page
  br i1 %within, label %copy, label %probe
probe:
  %errno = call ptr @pb_errno()
  %was = load i32, ptr %errno
  %next.page = inttoptr i64 %page to ptr
  %written = call i64 @pb_write(i32 %pipe, ptr %next.page, i64 1)
  store i32 %was, ptr %errno
  %readable = icmp eq i64 %written, 1
  %reached = select i1 %readable, i64 %wanted, i64 %page
  br label %copy
copy:
  %end = phi i64 [ %wanted, %write ], [ %reached, %probe ], [ %end, %word ]
  %i = phi i64 [ 0, %write ], [ 0, %probe ], [ %next, %word ]
  %from = getelementptr i64, ptr %stack, i64 %i
  %from.at = ptrtoint ptr %from to i64
  %more = icmp ult i64 %from.at, %end
  br i1 %more, label %word, label %done
word:
  %value = load volatile i64, ptr %from
  %next = add i64 %i, 1
  %there = getelementptr i64, ptr %to, i64 %next
  store i64 %value, ptr %there
  br label %copy
done:
  ret void
}}
"""


class _Action(ctypes.Structure):
    """``struct sigaction`` of glibc and musl."""

    _fields_ = (
        ("handler", ctypes.c_void_p), ("mask", ctypes.c_byte * 128), ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


class _Stack(ctypes.Structure):
    """``stack_t`` of Linux."""

    _fields_ = (("at", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t))


def can_sample() -> bool:
    """Return whether this machine's signals are known."""
    return sys.platform == "linux" and bool(_COUNTER_AT)


@cache
def _handler() -> tuple[int, ctypes.Array[ctypes.c_uint64]]:
    """Return the address of the handler, and the buffer: ``_HEAD`` words, and the samples."""
    buffer = (ctypes.c_uint64 * (_HEAD + MOST * (WORDS + 1)))()
    symbols = {"pb_samples": ctypes.addressof(buffer)}
    for name, function in _FUNCTIONS:
        symbols[name] = ctypes.cast(ctypes.CDLL(None)[function], ctypes.c_void_p).value or 0
    linked = link_alone(_TEXT, ("pb_sample",), symbols, False)
    keep_forever(linked)
    return linked.address("pb_sample"), buffer


@contextmanager
def sampling(interval: float) -> Iterator[list[Sequence[int]]]:
    """Take a sample every so many seconds. Afterwards the list has them: where the code was, and
    the words at the end of the stack. Call it in the main thread only: signals go there."""
    address, buffer = _handler()
    ctypes.memset(buffer, 0, ctypes.sizeof(buffer))
    pipe = os.pipe()
    os.set_blocking(pipe[1], False)
    buffer[1], buffer[2] = pipe[1], threading.get_ident()
    out: list[Sequence[int]] = []
    libc = ctypes.CDLL(None, use_errno=True)
    new, old = _Action(handler=address, flags=_SIGINFO | _ON_STACK | _RESTART), _Action()
    room = ctypes.create_string_buffer(_ROOM)
    own, before = _Stack(ctypes.addressof(room), 0, _ROOM), _Stack()
    libc.sigaltstack(ctypes.byref(own), ctypes.byref(before))
    libc.sigaction(int(signal.SIGALRM), ctypes.byref(new), ctypes.byref(old))
    left = signal.setitimer(signal.ITIMER_REAL, interval, interval)
    try:
        yield out
    finally:
        signal.setitimer(signal.ITIMER_REAL, *left)
        libc.sigaction(int(signal.SIGALRM), ctypes.byref(old), None)
        libc.sigaltstack(ctypes.byref(before), None)
        for end in pipe:
            os.close(end)
        for k in range(min(buffer[0], MOST)):
            at = _HEAD + k * (WORDS + 1)
            out.append(buffer[at : at + WORDS + 1])


__all__ = ["can_sample", "sampling"]
