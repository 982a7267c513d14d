"""The functions that make objects, as syntax.

``Class(...)`` is a call of the ``__init__`` of the class with a new object that has no attributes
yet. What the class gives is this object as it is at the end, so a form of ``__init__`` is run that
returns it:

    return                      return self
    return f(...)               f(...); return self
    (the end)                   return self
"""

from __future__ import annotations

import ast
import copy
from dataclasses import replace
from weakref import WeakKeyDictionary

from pullback.frontend.python.source import Definition

_FORMS: WeakKeyDictionary[Definition, Definition] = WeakKeyDictionary()


def constructor_form(definition: Definition) -> Definition | None:
    """The ``__init__`` (or ``__post_init__``) that returns its object; None if it returns something
    else, or gives the name of the object to something else."""
    if definition not in _FORMS:
        node = copy.deepcopy(definition.node)
        parameters = [*node.args.posonlyargs, *node.args.args]
        if isinstance(node, ast.Lambda) or not parameters:
            return None
        form = _Form(parameters[0].arg)
        node.body = [*form.block(node.body), form.returned(node.body[-1])]
        if form.unusual:
            return None
        _FORMS[definition] = replace(definition, node=node)
    return _FORMS[definition]


class _Form(ast.NodeTransformer):
    """The writing of one form; nested functions stay."""

    def __init__(self, name: str) -> None:
        self.name, self.unusual = name, False

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for s in statements:
            new = self.visit(s)
            made += new if isinstance(new, list) else [new]
        return made

    def returned(self, place: ast.stmt) -> ast.stmt:
        done = ast.Return(ast.Name(self.name, ast.Load()))
        return ast.fix_missing_locations(ast.copy_location(done, place))

    def visit_Return(self, s: ast.Return) -> list[ast.stmt]:
        match s.value:
            case None | ast.Constant(None):
                return [self.returned(s)]
            case ast.Call():
                return [ast.copy_location(ast.Expr(s.value), s), self.returned(s)]
            case _:
                self.unusual = True
                return [s]

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id == self.name and not isinstance(node.ctx, ast.Load):
            self.unusual = True
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node


__all__ = ["constructor_form"]
