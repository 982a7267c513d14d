"""Exceptions that are results of the program: Python's objects, with all that Python has in them.

An exception that only clauses see may lack what nobody looks at: its context, and arguments that
its text does not show. A program that returns one is compiled once more (``ContextsWanted``), and
what its exceptions are made of must then be recorded whole.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NoReturn

from pullback.core.messages import MOST_WORDS, Part
from pullback.core.terms import Atom
from pullback.core.types import Array
from pullback.frontend.interpret.messages import has_source
from pullback.frontend.kinds.kinds import TYPE, CaughtK, Kind, parts
from pullback.frontend.kinds.values import CaughtV
from pullback.frontend.memory.holding import may_hold
from pullback.frontend.python import handled
from pullback.frontend.signals import ContextsWanted

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_WHOLE = (TYPE, "__cause__", "__context__", "__suppress_context__", "__notes__")


def require_recorded(run: Run, part: Part, node: ast.expr) -> None:
    """Refuse an argument of an exception that may be a result, if it is not recorded."""
    if handled.RETURNED.get() and has_source(part):
        _refuse(run, node)


def require_whole(
    run: Run, leaves: Sequence[Atom], args: Sequence[ast.expr], node: ast.AST
) -> None:
    """Refuse an exception that may be a result, if Python's would have something else in it."""
    if not handled.RETURNED.get():
        return
    if sum(1 + 2 * a.type.rank if isinstance(a.type, Array) else 1 for a in leaves) > MOST_WORDS:
        _refuse(run, node)
    for arg in (kept for a in args for kept in _kept(a)):
        value = run.evaluate(arg)
        if not isinstance(value, CaughtV) and may_hold(value):
            what = run.describe(value)
            run.refuse(
                node, f"an exception that may be a result holds {what} which somebody else has",
                "give it a copy, or a tuple of what is in there now",
            )  # fmt: skip


def _refuse(run: Run, node: ast.AST) -> NoReturn:
    run.refuse(
        node, "an exception that may be a result, made of what compiled code cannot record",
        "make it of numbers, strings, arrays, and tuples of them",
    )  # fmt: skip


def _kept(arg: ast.expr) -> Iterator[ast.expr]:
    """Iterate over the parts of an argument that have an object which there was before."""
    match arg:
        case ast.Name() | ast.Attribute() | ast.Subscript():
            yield arg
        case ast.Tuple(items) | ast.List(items):
            for item in items:
                yield from _kept(item)
        case ast.IfExp(_, then, orelse):
            yield from (*_kept(then), *_kept(orelse))
        case _:
            pass


def wanted(run: Run, kind: Kind, node: ast.AST) -> None:
    """Look at the exceptions in a result: they need what nobody else looks at."""
    found = list(_exceptions(kind))
    for caught in found:
        if not set(caught.steps) <= set(_WHOLE):
            run.refuse(
                node, "what is in a caught exception, and may be something else than numbers, as a "
                "result", "return numbers that the program has computed: return float(e.args[0])",
            )  # fmt: skip
    if found and not handled.RETURNED.get():
        raise ContextsWanted(returned=True)


def _exceptions(kind: Kind) -> Iterator[CaughtK]:
    if isinstance(kind, CaughtK):
        yield kind
    for part in parts(kind):
        yield from _exceptions(part)


__all__ = ["require_recorded", "require_whole", "wanted"]
