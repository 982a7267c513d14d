"""Lists that are written as arguments of library functions which only read them, and may have items
of any kinds: constraints, events. They are evaluated as tuples, whose items keep their kinds."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from weakref import WeakKeyDictionary

from pullback.frontend.kinds.values import WRITTEN, Static, Value

_tuples: WeakKeyDictionary[ast.AST, ast.Tuple] = WeakKeyDictionary()
"""A list is one tuple however often it is evaluated."""


def argument(function: Value, keyword: ast.keyword) -> ast.expr:
    """Return the expression that is evaluated for a keyword: a tuple for a list, where the text of
    the function says ``Items``."""
    shown = keyword.value
    if not isinstance(shown, ast.List) or any(isinstance(e, ast.Starred) for e in shown.elts):
        return shown
    if not isinstance(function, Static) or not isinstance(function.value, Hashable):
        return shown
    if keyword.arg is None or function.value not in WRITTEN:
        return shown
    if WRITTEN[function.value].__annotations__.get(keyword.arg) != "Items":
        return shown
    if shown not in _tuples:
        _tuples[shown] = ast.copy_location(ast.Tuple(shown.elts, ast.Load()), shown)
    return _tuples[shown]


__all__ = ["argument"]
