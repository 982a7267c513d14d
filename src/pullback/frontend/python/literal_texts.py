"""The texts that an expression can be, where a function writes them all: ``side`` after ``side =
"left" if k < node.key else "right"``."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pullback.frontend.python.syntax import (
    gathering,
    local_names,
    own_nodes,
    parameters,
    rebound_inside,
)
from pullback.frontend.python.texts import FunctionNode

Found = frozenset[str] | None


def texts_of(function: FunctionNode, e: ast.expr) -> Found:
    """Return the texts that an expression of a function can be; None if it may be others."""
    return _texts(function, e, frozenset())


def _texts(function: FunctionNode, e: ast.expr, asked: frozenset[str]) -> Found:
    match e:
        case ast.Constant(str(text)):
            return frozenset({text})
        case ast.IfExp(_, one, other):
            return _of_all(function, (one, other), asked)
        case ast.BoolOp(_, values):
            return _of_all(function, values, asked)
        case ast.Subscript(ast.Tuple(values) | ast.List(values)):
            return _of_all(function, values, asked)
        case ast.Subscript(ast.Dict(keys, values)) if all(keys):
            return _of_all(function, values, asked)
        case ast.Name(name) if name in asked:
            return frozenset()
        case ast.Name(name):
            given = _given(function, name)
            return None if given is None else _of_all(function, given, asked | {name})
        case _:
            return None


def _of_all(function: FunctionNode, parts: Iterable[ast.expr], asked: frozenset[str]) -> Found:
    found: frozenset[str] = frozenset()
    for part in parts:
        texts = _texts(function, part, asked)
        if texts is None:
            return None
        found |= texts
    return found


def _given(function: FunctionNode, name: str) -> list[ast.expr] | None:
    """Return all that a variable is bound to; None if that is not known."""
    if name not in local_names(function) or name in rebound_inside(function):
        return None
    if name in (*parameters(function), *gathering(function)):
        return None
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    nodes = [n for s in body for n in own_nodes(s)]
    found: list[ast.expr] = []
    understood: set[ast.AST] = set()
    for n in nodes:
        match n:
            case ast.Assign([ast.Name(bound) as target], value) | ast.NamedExpr(
                ast.Name(bound) as target, value
            ) if bound == name:
                found.append(value)
                understood.add(target)
            case ast.For(ast.Name(bound) as target, ast.Tuple(items) | ast.List(items)) if (
                bound == name
            ):  # fmt: skip
                found += items
                understood.add(target)
    for n in nodes:
        match n:
            case ast.Name(bound, ast.Store()) if bound == name and n not in understood:
                return None
            case ast.ExceptHandler(name=given) | ast.MatchAs(name=given) if given == name:
                return None
            case ast.MatchStar(given) | ast.MatchMapping(rest=given) if given == name:
                return None
    return found


__all__ = ["texts_of"]
