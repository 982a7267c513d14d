"""What Python, the entry points and the loop code agree on in memory: the context struct.

A run of compiled code has one context: 8-byte fields, in the order of ``Field``.

    temp       arena of temporaries: bump allocated, Mark/Release, emptied after the call
    resid      arena of residuals: the same; a pullback object keeps it (and temp) alive
    store      accumulator cells (f64), counted in cells from ``STORE_BASE``; cells at and above
               ``STORE_DIRTY`` have never been written and are still the zeros of the system
    tape       rows of the dual numbers: bump allocated without gaps, never released; a pullback
               object keeps it too
    ids        their ids, as addresses from ``ID_BASE`` on that nobody touches, at most ``ID_BYTES``
               of them: an id has half a word on the tape
    stack      a stack of its own for recursive code: it grows down from ``STACK_TOP``

Every region is reserved address space that the system fills on first touch. Its ``END`` (of the
stack: ``LIMIT``) is at first a soft limit, which moves on by steps when a call passes it; ``HARD``
is the real one. ``BIG`` marks a context of which a call has passed a soft limit: memory above it
goes back to the system after a call, but for what calls need again and again (``KEPT``, with
``LAST`` the size of the last large call; see ``native/runtime_memory.py``).

``POLL`` counts down in loops and recursion; below zero, ``pb_poll`` looks for signals (Ctrl-C)
if the time ``POLLED`` of the last look is long ago. ``THREAD`` is what gets the GIL back, null
while it is held; ``HOME`` the stack pointer of the thread's own stack while code runs on the other
one, else 0: Python is called on the thread's own stack only. ``WORKER`` is 1 in the context of a
thread of the pool (``native/runtime_threads.py``), which looks for no signals itself. ``RESULTS``
counts the blocks of results that have memory of their own (``native/runtime_results.py``).
"""

from __future__ import annotations

from enum import IntEnum

from pullback.core.messages import MOST_WORDS


class Field(IntEnum):
    """Index of a field of the context."""

    TEMP_CUR = 0
    TEMP_END = 1
    TEMP_BASE = 2
    TEMP_HARD = 3
    RESID_CUR = 4
    RESID_END = 5
    RESID_BASE = 6
    RESID_HARD = 7
    STORE_TOP = 8
    STORE_END = 9
    STORE_BASE = 10
    STORE_HARD = 11
    STORE_DIRTY = 12
    STACK_LIMIT = 13
    STACK_TOP = 14
    STACK_HARD = 15
    ERROR = 16
    NEXT = 19
    BIG = 20
    POLL = 21
    POLLED = 22
    THREAD = 23
    TAPE_CUR = 24
    TAPE_END = 25
    TAPE_BASE = 26
    TAPE_HARD = 27
    IDS_CUR = 28
    IDS_END = 29
    IDS_BASE = 30
    IDS_HARD = 31
    TEMP_KEPT = 32
    TEMP_LAST = 33
    RESID_KEPT = 34
    RESID_LAST = 35
    STORE_KEPT = 36
    STORE_LAST = 37
    TAPE_KEPT = 38
    TAPE_LAST = 39
    STACK_KEPT = 40
    STACK_LAST = 41
    HOME = 42
    WORKER = 43
    RESULTS = 44
    RESULT_0 = 45
    RESULT_1 = 46
    RESULT_2 = 47
    RESULT_3 = 48


ERROR_WORDS = max(Field) + 1
"""The first of the words behind the fields that hold the values of an error's message."""
CONTEXT_BYTES = 8 * (ERROR_WORDS + MOST_WORDS)

OUT_OF_MEMORY = -1
TOO_DEEP = -2
INTERRUPTED = -3
LONG = -4
"""Values of ``ERROR`` that are not an index into the module's table of sites."""

POLL_NANOSECONDS = 50_000_000

LONG_CALLS = 64
"""After a call with a loop too long to run as a whole, the number of calls that go at once to the
code with less patience."""

ID_BASE = 1 << 12
ID_BYTES = 8 << 31
STACK_BYTES = 1 << 30
STACK_SLACK = 256 << 10
"""The number of bytes that are left below the limit for library functions, which do not look at
it."""

HOME_SLACK = 256
"""The number of bytes that are left free below the stack pointer of the function that switches to
another stack (a function may use some bytes there without moving the stack pointer)."""


def field_address(field: Field, name: str, context: str = "%ctx") -> str:
    """Return the line of LLVM text that names the address of a field."""
    return f"{name} = getelementptr i8, ptr {context}, i64 {8 * field}"


def load_field(field: Field, name: str, ty: str) -> list[str]:
    """Return the lines that load a field into ``name``."""
    return [
        field_address(field, f"{name}.at"),
        f"{name} = load {ty}, ptr {name}.at, align 8, !tbaa !3",
    ]


def store_field(
    field: Field, scratch: str, ty: str, value: str, context: str = "%ctx"
) -> list[str]:
    """Return the lines that store ``value`` into a field; ``scratch`` is a fresh register name."""
    return [
        field_address(field, scratch, context),
        f"store {ty} {value}, ptr {scratch}, align 8, !tbaa !3",
    ]


METADATA = """
!0 = !{!"pullback"}
!1 = !{!"context", !0, i64 0}
!2 = !{!"data", !0, i64 0}
!3 = !{!1, !1, i64 0}
!4 = !{!2, !2, i64 0}
!5 = !{!"branch_weights", i32 1, i32 1000000}
"""
"""Type-based aliasing tells the context (!3) from data (!4), and data only: arena memory is used
again for other types. !5: a branch whose first target is an error."""
