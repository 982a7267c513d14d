"""``global`` written as ``nonlocal``: to compiled code a module is one more function around it."""

from __future__ import annotations

import ast
import copy

from pullback.frontend.python.syntax import local_names
from pullback.frontend.python.texts import FunctionNode


def without_global(node: FunctionNode) -> FunctionNode:
    """Return the function with ``nonlocal`` in the place of ``global``, unless a function around
    the statement has a variable of that name: itself if it has none."""
    if not any(isinstance(n, ast.Global) for n in ast.walk(node)):
        return node
    made = copy.deepcopy(node)
    _rewrite(made, made, frozenset())
    return made


def _rewrite(at: ast.AST, function: FunctionNode, around: frozenset[str]) -> None:
    for name, value in ast.iter_fields(at):
        if isinstance(value, list):
            new = [_nonlocal(n, around) if isinstance(n, ast.Global) else n for n in value]
            setattr(at, name, new)
    for n in ast.iter_child_nodes(at):
        if isinstance(n, (ast.FunctionDef, ast.Lambda)):
            _rewrite(n, n, around | local_names(function))
        else:
            _rewrite(n, function, around)


def _nonlocal(s: ast.Global, around: frozenset[str]) -> ast.stmt:
    if around.intersection(s.names):
        return s
    return ast.copy_location(ast.Nonlocal(s.names), s)


__all__ = ["without_global"]
