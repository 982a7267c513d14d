"""The texts that an expression can be, where a function writes them all: ``side`` after ``side =
"left" if k < node.key else "right"``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from pullback.frontend.python.memo import by_node
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
    found: list[ast.expr] = []
    for n in _own(function):
        match n:
            case ast.Assign([ast.Name(bound)], value) | ast.NamedExpr(ast.Name(bound), value) if (
                bound == name
            ):  # fmt: skip
                found.append(value)
            case ast.For(ast.Name(bound), ast.Tuple(items) | ast.List(items)) if bound == name:
                found += items
            case ast.Name(bound, ast.Store()) if bound == name and not _is_plain(function, n):
                return None
            case ast.ExceptHandler(name=bound) | ast.MatchAs(name=bound) if bound == name:
                return None
            case ast.MatchStar(bound) | ast.MatchMapping(rest=bound) if bound == name:
                return None
    return found


def _own(function: FunctionNode) -> Iterator[ast.AST]:
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    return (n for s in body for n in own_nodes(s))


def _is_plain(function: FunctionNode, target: ast.AST) -> bool:
    """Whether a name is the whole target of a binding that ``_given`` knows."""
    return target in _plain_targets(function)


@by_node
def _plain_targets(function: FunctionNode) -> frozenset[ast.AST]:
    found: list[ast.AST] = []
    for n in _own(function):
        match n:
            case ast.Assign([ast.Name() as target]) | ast.NamedExpr(ast.Name() as target):
                found.append(target)
            case ast.For(ast.Name() as target, ast.Tuple() | ast.List()):
                found.append(target)
    return frozenset(found)


__all__ = ["texts_of"]
