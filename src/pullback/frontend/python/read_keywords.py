"""Functions that only read the dict of their ``**keywords``: then nobody else can have it."""

from __future__ import annotations

import ast

from pullback.frontend.python.memo import by_node

_READS = frozenset({"get", "items", "keys", "values"})
_ASKS = frozenset({"len", "bool", "dict", "sorted", "list", "tuple", "set"})


@by_node
def keywords_are_read(node: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether a function, with those inside of it, does nothing with its ``**keywords`` but spread
    them in calls and dicts, look keys up, ask which there are, and go through them."""
    if node.args.kwarg is None:
        return False
    name = node.args.kwarg.arg
    read = {id(use) for n in ast.walk(node) for use in _read_by(n)}
    return not any(_is_use(n, name) and id(n) not in read for n in ast.walk(node))


def _is_use(n: ast.AST, name: str) -> bool:
    match n:
        case ast.Name(found) | ast.MatchAs(_, found) | ast.MatchStar(found):
            return found == name
        case ast.ExceptHandler(_, found) | ast.MatchMapping(rest=found):
            return found == name
        case ast.FunctionDef(found) | ast.ClassDef(found):
            return found == name
        case ast.Nonlocal(names) | ast.Global(names):
            return name in names
        case ast.Call(ast.Name("locals" | "vars" | "eval" | "exec")):
            return True
        case _:
            return False


def _read_by(n: ast.AST) -> list[ast.expr]:
    """Return the expressions of whose value a node does nothing but read."""
    match n:
        case ast.keyword(None, value):
            return [value]
        case ast.Dict(keys, values):
            return [v for k, v in zip(keys, values, strict=True) if k is None]
        case ast.Subscript(value, _, ast.Load()):
            return [value]
        case ast.Compare(_, ops, [*others]):
            asked = zip(ops, others, strict=True)
            return [e for op, e in asked if isinstance(op, (ast.In, ast.NotIn))]
        case ast.Call(ast.Attribute(value, method), _, _) if method in _READS:
            return [value]
        case ast.Call(ast.Name(function), [value], []) if function in _ASKS:
            return [value]
        case ast.For(_, value) | ast.comprehension(_, value):
            return [value]
        case ast.If(value) | ast.IfExp(value) | ast.While(value) | ast.UnaryOp(ast.Not(), value):
            return [value]
        case _:
            return []


__all__ = ["keywords_are_read"]
