"""Exceptions that a program has caught, and may show or raise again: Python's objects, by number.

Compiled code knows of a caught exception which clause catches it. If that clause asks for the
object, Python makes it where it is raised (``hold``), and the program has its number.

Programs that say it (``frontend.python.handled``) also have a stack of the exceptions that are
being handled, as Python has: the last one is the context of what is raised."""

from __future__ import annotations

import ast
import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from inspect import CO_OPTIMIZED
from types import CodeType, TracebackType
from typing import TypeVar

from pullback.core.frozen import dataclass, field
from pullback.core.messages import PLACE
from pullback.core.terms import Site

E = TypeVar("E", bound=BaseException)

_MOST = 16384
"""How many are kept. Python has not so many handlers that are at work at once."""

_numbers = itertools.count(1)
_known: dict[int, Exception] = {}
_rows: dict[int, tuple[BaseException, int]] = {}
"""For an exception, by its ``id``, where the program that raised it keeps what it is made of."""


def hold(make: Callable[..., Exception], site: Site | None, *leaves: object) -> int:
    """Return the number of the exception that is made of the leaves, raised at this place."""
    number = next(_numbers)
    _known[number] = with_site(make(leaves), site)
    _known.pop(number - _MOST, None)
    return number


def held(number: int) -> Exception:
    """Return the exception of a number."""
    found = _known.get(number)
    return RecursionError("too many exceptions are being handled") if found is None else found


def given(number: int) -> Exception:
    """Return the exception of a number, which leaves the program as a result."""
    found = _known.get(number)
    if found is None:
        raise MemoryError(f"programs have kept more than {_MOST} exceptions since this one")
    _forget_rows(found)
    return found


def with_row(exception: E, row: int) -> E:
    """Return an exception that a program has made, of which it keeps this row."""
    _rows.pop(id(exception), None)
    _rows[id(exception)] = exception, row
    if len(_rows) > _MOST:
        _rows.pop(next(iter(_rows)), None)
    return exception


def row_of(exception: object) -> int:
    """Return the row that the program keeps of an exception; -1 if it has none. Raise what
    ``held`` gives for an exception that has been forgotten."""
    found, row = _rows.get(id(exception), (None, -1))
    if found is not exception and isinstance(exception, RecursionError):
        raise exception
    return row


@dataclass(eq=False, slots=True)
class Handling:
    """The exceptions that a run is handling, from the outermost one on; and, where it is
    ``wanted``, the one that has left it, with its context: on its way out it gets that of whoever
    called."""

    wanted: bool = False
    stack: list[Exception] = field(default_factory=list)
    left: BaseException | None = None
    context: BaseException | None = None


class _Runs(threading.local):
    def __init__(self) -> None:
        self.last = Handling()


_runs = _Runs()


@contextmanager
def handling() -> Iterator[Handling]:
    """Run a program of which it is wanted to know what it handles."""
    around = _runs.last
    _runs.last = mine = Handling(True)
    try:
        yield mine
    finally:
        _runs.last = around


def depth() -> int:
    """Return how many exceptions are being handled."""
    return len(_runs.last.stack)


def enter(depth: int, number: int) -> int:
    """Begin to handle an exception, with so many around it."""
    leave(depth)
    _runs.last.stack.append(held(number))
    return 0


def leave(depth: int) -> int:
    """Go on with so many exceptions that are being handled."""
    del _runs.last.stack[depth:]
    return 0


def within_handled(exception: E) -> E:
    """Return an exception that is raised now: its context is the exception that is being handled,
    as ``_PyErr_SetObject`` in CPython's Python/errors.c sets it."""
    around: BaseException | None = next(reversed(_runs.last.stack), None)
    if around is None or around is exception:
        return exception
    for last in chain_of(around):
        if last.__context__ is exception:
            last.__context__ = None
    exception.__context__ = around
    return exception


def raised_within(number: int) -> int:
    """The exception of this number is raised now, by ``raise e``."""
    within_handled(held(number))
    return 0


def note_left(exception: BaseException) -> None:
    """Remember the context of an exception that leaves compiled code: nothing is handled now."""
    run = _runs.last
    if run.wanted:
        run.left, run.context = exception, exception.__context__
    run.stack.clear()
    _forget_rows(exception)


def _forget_rows(exception: BaseException) -> None:
    """The rows of an exception that leaves the program, and of those behind it, mean nothing more.
    """
    left: list[BaseException | None] = [exception]
    while left:
        last = left.pop()
        if last is not None and _rows.pop(id(last), None) is not None:
            left += last.__context__, last.__cause__


def chain_of(exception: BaseException) -> Iterator[BaseException]:
    """Iterate over an exception, its context, the context of that, and so on."""
    seen = set[int]()
    last: BaseException | None = exception
    while last is not None and id(last) not in seen:
        seen.add(id(last))
        yield last
        last = last.__context__


@lru_cache(maxsize=256)
def _code(site: Site) -> CodeType:
    """Return code that raises an exception at a place in the user's source."""
    start = max(site.line, 1), max(site.col, 0)
    end = max(start, (site.end_line, site.end_col))
    tree = ast.parse("raise exception")
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.expr)):
            (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset) = start, end
    code = compile(tree, site.file, "exec")
    return code.replace(co_name=site.function, co_qualname=site.function)


def is_place(code: CodeType) -> bool:
    """Whether a code was made to show a place in the user's source (``with_site``)."""
    return code.co_names == ("exception",) and not code.co_flags & CO_OPTIMIZED


def is_of_program(exception: BaseException) -> bool:
    """Whether an exception is one that a compiled or evaluated program raised."""
    entry = exception.__traceback__
    while entry is not None:
        if is_place(entry.tb_frame.f_code):
            return True
        entry = entry.tb_next
    return PLACE in vars(exception)


def with_site(exception: E, site: Site | None) -> E:
    """Return the exception with one more entry of the traceback: the place in the user's source."""
    if site is None:
        return exception
    context = exception.__context__
    try:
        exec(_code(site), {"exception": exception})
    except BaseException:
        exception.__context__ = context or exception.__context__
        inner: TracebackType | None = exception.__traceback__
        return exception.with_traceback(inner.tb_next if inner else None)
    return exception


__all__ = [
    "PLACE", "Handling", "chain_of", "depth", "enter", "given", "handling", "held", "hold",
    "is_of_program", "is_place", "leave", "note_left", "raised_within", "row_of",
    "with_row", "with_site", "within_handled",
]  # fmt: skip
