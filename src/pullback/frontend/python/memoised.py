"""Functions that keep their results, as functions that do so by a dict.

    @cache                      d$memo = {}
    def d(i, j):                def d$run(i, j):
        ...                         ...
                                def d(i, j):
                                    if (i, j) in d$memo:
                                        return d$memo[i, j]
                                    d$value = d$run(i, j)
                                    d$memo[i, j] = d$value
                                    return d$value

The dict is a variable of the function around, so it lives as long as one call of that.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import replace

from pullback.frontend.python.memo import by_node
from pullback.frontend.python.texts import FunctionNode

_CACHES = functools.cache, functools.lru_cache


def expanded(node: FunctionNode, names: dict[str, object]) -> FunctionNode:
    """Return the function with the cached functions inside of it written out; ``names`` are the
    globals."""
    if not any(isinstance(n, ast.FunctionDef) and _is_cached(n, names) for n in _inside(node)):
        return node
    made = _Expansion(names).visit_children(node)
    assert isinstance(made, (ast.FunctionDef, ast.Lambda))
    return made


def _inside(node: FunctionNode) -> list[ast.AST]:
    return [n for child in ast.iter_child_nodes(node) for n in ast.walk(child)]


class _Expansion:
    """A copy of a syntax tree in which cached functions are written out."""

    def __init__(self, names: dict[str, object]) -> None:
        self.names = names

    def visit_children(self, node: ast.AST) -> ast.AST:
        fields = {name: self.visited(value) for name, value in ast.iter_fields(node)}
        made = type(node)(**fields)
        return ast.copy_location(made, node)

    def visited(self, value: object) -> object:
        match value:
            case list():
                return [made for item in value for made in self.statements(item)]
            case ast.AST():
                return self.visit_children(value)
            case _:
                return value

    def statements(self, item: object) -> list[object]:
        if isinstance(item, ast.FunctionDef) and _is_cached(item, self.names):
            inner = self.visit_children(item)
            assert isinstance(inner, ast.FunctionDef)
            return [*_parts(inner)]
        return [self.visited(item)]


def _is_cached(node: ast.FunctionDef, names: dict[str, object]) -> bool:
    """Whether a function is decorated by ``cache`` or ``lru_cache``, and by nothing else."""
    match node.decorator_list:
        case [decorator] if not (node.args.vararg or node.args.kwarg):
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            return _object(called, names) in _CACHES
        case _:
            return False


def _object(node: ast.expr, names: dict[str, object]) -> object:
    """Return what a dotted name is in these globals, if it is a function."""
    match node:
        case ast.Name(name):
            found = names.get(name)
        case ast.Attribute(ast.Name(module), name) if names.get(module) is functools:
            found = getattr(functools, name, None)
        case _:
            return None
    return found if callable(found) else None


@by_node
def parts(node: ast.FunctionDef) -> tuple[ast.Assign, ast.FunctionDef, ast.FunctionDef]:
    """Return the dict, the function without it, and the function with it."""
    return _parts(node)


def _parts(node: ast.FunctionDef) -> tuple[ast.Assign, ast.FunctionDef, ast.FunctionDef]:
    memo, run, value = memo_name(node.name), run_name(node.name), f"{node.name}$value"
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    params = [ast.arg(a.arg) for a in every]
    plain = ast.arguments([], params, None, [], [], None, [])
    given = ", ".join(a.arg for a in every)
    key = given if len(every) == 1 else f"({given})"
    text = (
        f"if {key} in memo:\n    return memo[{key}]\n"
        f"value = run({given})\nmemo[{key}] = value\nreturn value\n"
    )
    body = ast.parse(text).body
    for n in (inside for s in body for inside in ast.walk(s)):
        if isinstance(n, ast.Name):
            n.id = {"memo": memo, "run": run, "value": value}.get(n.id, n.id)
        if hasattr(n, "lineno"):
            ast.copy_location(n, node)
    start = ast.Assign([ast.Name(memo, ast.Store())], ast.Dict([], []))
    inner = ast.FunctionDef(run, plain, node.body, [], None, None)
    outer = ast.FunctionDef(node.name, node.args, body, [], None, None)
    for n in (start, *ast.walk(start), inner, outer, *params):
        ast.copy_location(n, node)
    return start, inner, outer


def memo_name(name: str) -> str:
    """Return the name of the dict of a cached function."""
    return f"{name}$memo"


def run_name(name: str) -> str:
    """Return the name of a cached function without its dict."""
    return f"{name}$run"


__all__ = ["expanded", "memo_name", "parts", "replace", "run_name"]
