"""Pieces of syntax, at the place of other syntax."""

from __future__ import annotations

import ast
from typing import Any


def known(value: Any, at: ast.AST) -> ast.expr:
    """An expression that is this value, of any class."""
    return ast.copy_location(ast.Constant(value), at)


def name_(name: str, at: ast.AST) -> ast.expr:
    return ast.copy_location(ast.Name(name, ast.Load()), at)


def assign(name: str, value: ast.expr, at: ast.AST) -> ast.stmt:
    target = ast.copy_location(ast.Name(name, ast.Store()), at)
    return ast.fix_missing_locations(ast.copy_location(ast.Assign([target], value), at))


def delete(name: str, at: ast.AST) -> ast.stmt:
    made = ast.Delete([ast.Name(name, ast.Del())])
    return ast.fix_missing_locations(ast.copy_location(made, at))


def break_(at: ast.AST) -> ast.stmt:
    return ast.copy_location(ast.Break(), at)


def if_(
    name: str, op: ast.cmpop, number: int, body: list[ast.stmt], orelse: list[ast.stmt], at: ast.AST
) -> ast.stmt:
    test = ast.Compare(ast.Name(name, ast.Load()), [op], [ast.Constant(number)])
    made = ast.If(test, body or [ast.Pass()], orelse)
    return ast.fix_missing_locations(ast.copy_location(made, at))
