"""The functions that make objects, as syntax.

``Class(...)`` is a call of the ``__init__`` of the class with a new object that has no attributes
yet. What the class gives is this object as it is at the end, so a form of ``__init__`` is run that
returns it:

    return                      return self
    return f(...)               f(...); return self
    (the end)                   return self

An object of a frozen class is a value. Its ``__post_init__`` may still give it fields, where nobody
else can know the object yet (``interpret/frozen_objects.py``). Each of these statements binds the
name of the object to a new value:

    object.__setattr__(self, "b", v)      self = with_field(object.__setattr__, self, "b", v)
    super().__setattr__("b", v)           self = with_field(super(), self, "b", v)
    super().__post_init__(v)              self = initialised(super().__post_init__, v)
    Base.__post_init__(self, v)           self = initialised(Base.__post_init__, self, v)
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from pullback.frontend.python.source import Definition
from pullback.frontend.python.syntax import parameters

_FORMS: WeakKeyDictionary[Definition, Definition] = WeakKeyDictionary()
_FROZEN: WeakKeyDictionary[Definition, Definition] = WeakKeyDictionary()
_MADE: WeakSet[Definition] = WeakSet()


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
        _MADE.add(_FORMS[definition])
    return _FORMS[definition]


def made_by(definition: Definition | None) -> str:
    """Return the parameter that is the new object, if this is such a form; else ""."""
    if definition is None or definition not in _MADE:
        return ""
    return parameters(definition.node)[0]


def frozen_form(definition: Definition) -> Definition | None:
    """The ``__post_init__`` of a frozen class that returns its object with the fields that it gives
    it; the definition itself if it gives none, and None if it returns something else, or gives the
    name of the object to something else."""
    if definition not in _FROZEN:
        node = copy.deepcopy(definition.node)
        parameters = [*node.args.posonlyargs, *node.args.args]
        if isinstance(node, ast.Lambda) or not parameters:
            return definition
        form = _FrozenForm(parameters[0].arg)
        node.body = [*form.block(node.body), form.returned(node.body[-1])]
        if not form.gives:
            return definition
        if form.unusual:
            return None
        _FROZEN[definition] = replace(definition, node=node)
    return _FROZEN[definition]


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
                done = self.visit(ast.copy_location(ast.Expr(s.value), s))
                return [done, self.returned(s)]
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


class _FrozenForm(_Form):
    """The writing of one form for a frozen class."""

    gives = False

    def visit_Expr(self, s: ast.Expr) -> ast.stmt:
        self.generic_visit(s)
        name = self.name
        match s.value:
            case ast.Call(
                ast.Attribute(ast.Name("object"), "__setattr__") as how,
                [ast.Name(given), field, value], [],
            ) if given == name:  # fmt: skip
                return self._bound(s, with_field, [how, _name(name), field, value])
            case ast.Call(
                ast.Attribute(ast.Call(ast.Name("super"), [], []) as how, "__setattr__"),
                [field, value], [],
            ):  # fmt: skip
                return self._bound(s, with_field, [how, _name(name), field, value])
            case ast.Call(
                ast.Attribute(ast.Call(ast.Name("super"), [], []), "__post_init__") as f, args, []
            ):
                return self._bound(s, initialised, [f, *args])
            case ast.Call(
                ast.Attribute(ast.Name(), "__post_init__") as f, [ast.Name(given), *args], []
            ) if given == name:
                return self._bound(s, initialised, [f, _name(name), *args])
            case _:
                return s

    def _bound(self, s: ast.Expr, by: Callable[..., object], args: list[ast.expr]) -> ast.stmt:
        self.gives = True
        function: Any = by
        made = ast.copy_location(ast.Call(ast.Constant(function), args, []), s.value)
        assigned = ast.Assign([ast.Name(self.name, ast.Store())], made)
        return ast.fix_missing_locations(ast.copy_location(assigned, s))


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def with_field(how: Any, obj: object, name: str, value: object) -> object:
    """The object after ``object.__setattr__``, or that of ``super()``, has assigned a field."""
    assign = partial(how, obj) if how is object.__setattr__ else how.__setattr__
    assign(name, value)
    return obj


def initialised(method: Any, *args: object) -> object:
    """The object after the ``__post_init__`` of a base class: a bound one, or called with it."""
    method(*args)
    return getattr(method, "__self__", args[0] if args else None)


__all__ = ["constructor_form", "frozen_form", "initialised", "made_by", "with_field"]
