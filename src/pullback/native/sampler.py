"""Samples of where a thread is, taken by a timer while compiled code runs.

A handler of SIGALRM, itself compiled, writes the interrupted address into a buffer. It touches
nothing of Python, so compiled code may be interrupted anywhere. The timer is that of the process,
so the samples are those of the main thread."""

from __future__ import annotations

import ctypes
import platform
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache

from pullback.native.compile import keep_forever, link_alone

MOST, WORDS = 1 << 13, 256
"""So many samples fit into the buffer, each with so many words of the stack: among these is where
a library, such as libm, returns to."""

_COUNTER_AT, _STACK_AT = {"x86_64": (168, 160), "aarch64": (440, 432)}.get(
    platform.machine(), (0, 0))
"""Where the program counter and the stack pointer stand in ``ucontext_t`` on Linux."""

_PAGE = 1 << 12
"""No word beyond the page of the stack pointer is read: recursions run on stacks of their own, and
behind the end of one there may be nothing."""

_SIGINFO, _ON_STACK, _RESTART = 4, 0x08000000, 0x10000000
_ROOM = 1 << 16
"""Bytes of the stack of the handler: those of a recursion may have no room for it."""

_TEXT = f"""
@pb_samples = external global i8
define void @pb_sample(i32 %signal, ptr %info, ptr %context) nounwind {{
  %counter.at = getelementptr i8, ptr %context, i64 {_COUNTER_AT}
  %counter = load i64, ptr %counter.at
  %stack.at = getelementptr i8, ptr %context, i64 {_STACK_AT}
  %stack = load ptr, ptr %stack.at
  %n = atomicrmw add ptr @pb_samples, i64 1 monotonic
  %fits = icmp ult i64 %n, {MOST}
  br i1 %fits, label %write, label %done
write:
  %first = mul i64 %n, {WORDS + 1}
  %k = add i64 %first, 1
  %to = getelementptr i64, ptr @pb_samples, i64 %k
  store i64 %counter, ptr %to
  %bottom = ptrtoint ptr %stack to i64
  %under = sub i64 %bottom, 1
  %page = or i64 %under, {_PAGE - 1}
  %any = icmp ult i64 %bottom, %page
  br i1 %any, label %copy, label %done
copy:
  %i = phi i64 [ 0, %write ], [ %next, %copy ]
  %from = getelementptr i64, ptr %stack, i64 %i
  %word = load volatile i64, ptr %from
  %next = add i64 %i, 1
  %there = getelementptr i64, ptr %to, i64 %next
  store i64 %word, ptr %there
  %more = icmp ult i64 %next, {WORDS}
  %after = getelementptr i64, ptr %stack, i64 %next
  %after.at = ptrtoint ptr %after to i64
  %mapped = icmp ult i64 %after.at, %page
  %again = and i1 %more, %mapped
  br i1 %again, label %copy, label %done
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
    """Return the address of the handler, and the buffer: how many samples, and these."""
    buffer = (ctypes.c_uint64 * (1 + MOST * (WORDS + 1)))()
    linked = link_alone(_TEXT, ("pb_sample",), {"pb_samples": ctypes.addressof(buffer)}, False)
    keep_forever(linked)
    return linked.address("pb_sample"), buffer


@contextmanager
def sampling(interval: float) -> Iterator[list[Sequence[int]]]:
    """Take a sample every so many seconds. Afterwards the list has them: where the code was, and
    the words at the end of the stack. Call it in the main thread only: signals go there."""
    address, buffer = _handler()
    ctypes.memset(buffer, 0, ctypes.sizeof(buffer))
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
        for k in range(min(buffer[0], MOST)):
            out.append(buffer[1 + k * (WORDS + 1) : 1 + (k + 1) * (WORDS + 1)])


__all__ = ["can_sample", "sampling"]
