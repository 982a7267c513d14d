"""Arguments of library functions that only read them, and that hold functions: constraints, events.

A list that is written as such an argument (``Constraints``) is evaluated as a tuple, whose items
keep their kinds. Of functions that are events (``Events``) the attributes are asked for where they
are named: the text gets each function with its ``terminal`` and its ``direction``.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from pullback.frontend.functions.scopes import Scope
from pullback.frontend.interpret import own_attributes
from pullback.frontend.kinds.values import (
    WRITTEN,
    FunctionV,
    ListV,
    RecordV,
    RefV,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.memory import references
from pullback.frontend.python.python_values import is_library

if TYPE_CHECKING:
    from pullback.frontend.run import Run

_tuples: WeakKeyDictionary[ast.AST, ast.Tuple] = WeakKeyDictionary()
"""A list is one tuple however often it is evaluated."""

_NAMED = "name the function in the call: events=[f, g]"


def evaluated(run: Run, function: Value | None, keyword: ast.keyword) -> Value:
    """Return the value of a keyword in a call of a function (None: of a method)."""
    domain = _domain(function, keyword.arg)
    if domain not in ("Constraints", "Events"):
        return run.evaluate(keyword.value)
    shown = _as_tuple(keyword.value)
    given = run.evaluate(shown)
    if domain == "Constraints" or _is(given, None):
        return given
    if isinstance(given, ListV):
        run.refuse(shown, "a list of events that is made before is not supported", _NAMED)
    if not isinstance(given, TupleV):
        return TupleV((_event(run, given, shown),))
    named = shown.elts if isinstance(shown, ast.Tuple) else [shown] * len(given.items)
    return TupleV(tuple(_event(run, f, e) for f, e in zip(given.items, named, strict=True)))


def _domain(function: Value | None, keyword: str | None) -> str:
    """Return the annotation of a parameter of a text."""
    match function:
        case FunctionV(definition) if is_library(definition.globals):
            parameters = (a for a in ast.walk(definition.node.args) if isinstance(a, ast.arg))
            found = next((a.annotation for a in parameters if a.arg == keyword), None)
            return found.id if isinstance(found, ast.Name) else ""
        case Static(Hashable() as text) if keyword is not None and text in WRITTEN:
            return str(WRITTEN[text].__annotations__.get(keyword, ""))
        case _:
            return ""


def _as_tuple(shown: ast.expr) -> ast.expr:
    if not isinstance(shown, ast.List) or any(isinstance(e, ast.Starred) for e in shown.elts):
        return shown
    if shown not in _tuples:
        _tuples[shown] = ast.copy_location(ast.Tuple(shown.elts, ast.Load()), shown)
    return _tuples[shown]


def _event(run: Run, f: Value, e: ast.expr) -> TupleV:
    """Return an event: the function, after how many times it ends the search (0: never), and the
    direction in which it counts."""
    terminal, direction = (_attribute(run, f, e, name) for name in ("terminal", "direction"))
    called = run.attribute(f, "__call__", e) if isinstance(f, (RecordV, RefV)) else f
    return TupleV((called, Static(0.0) if _is(terminal, None) else terminal, direction))


def _is(value: Value | None, known: object) -> bool:
    return isinstance(value, Static) and value.value is known


def _attribute(run: Run, f: Value, e: ast.expr, name: str) -> Value:
    """Return an attribute of an event; 0 if it has none."""
    if isinstance(f, FunctionV):
        call = ast.copy_location(ast.Call(ast.Name("getattr", ast.Load()), [e], []), e)
        there = own_attributes.has(run, f, name, call)
        inside = isinstance(references.without_object(f).scope, Scope) and not f.bound
        if _is(there, False) or (there is None and inside):
            return Static(0.0)
        if not _is(there, True):
            reason = f"whether this function has an attribute {name!r} is not known here"
            run.refuse(e, reason, _NAMED)
        place = ast.copy_location(ast.Attribute(e, name, ast.Load()), e)
        return own_attributes.value_of(run, f, name, place) or Static(0.0)
    if not isinstance(f, (RecordV, RefV)):  # of partial
        return Static(0.0)
    return run.call(Static(getattr), (f, Static(name), Static(0.0)), e)


__all__ = ["evaluated"]
