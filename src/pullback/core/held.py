"""Exceptions that a program has caught, and may show or raise again: Python's objects, by number.

Compiled code knows of a caught exception which clause catches it. If that clause asks for the
object, Python makes it where it is raised (``hold``), and the program has its number."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from functools import lru_cache
from inspect import CO_OPTIMIZED
from types import CodeType, TracebackType
from typing import TypeVar

from pullback.core.messages import PLACE
from pullback.core.terms import Site

E = TypeVar("E", bound=BaseException)

_MOST = 16384
"""How many are kept. Python has not so many handlers that are at work at once."""

_numbers = itertools.count(1)
_known: dict[int, Exception] = {}


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


@lru_cache(maxsize=256)
def _code(site: Site) -> CodeType:
    """Return code that raises an exception at a place in the user's source."""
    start = max(site.line, 1), max(site.col, 0)
    end = max(start, (site.end_line, site.end_col))
    tree = ast.parse("raise exception")
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr):
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


__all__ = ["PLACE", "held", "hold", "is_of_program", "is_place", "with_site"]
