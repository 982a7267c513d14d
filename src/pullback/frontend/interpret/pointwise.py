"""Generators whose items can be asked for by position: side by side, they need no state.

    def squares(xs, c):                 source(xs, c) = xs
        for x in xs:                    item(xs, c, x) = c * x * x
            y = x * x
            yield c * y

Such a generator is a loop that yields once in each round, carries no variable from one round to the
next, changes nothing and cannot raise. (If an item could raise, it would matter that ``zip`` asks a
generator for an item even where another one has none left.)
"""

from __future__ import annotations

import ast
import copy
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from pullback.core.frozen import dataclass
from pullback.core.terms import Var
from pullback.core.types import I64
from pullback.errors import PullbackError
from pullback.frontend.functions.captured_variables import FUNCTION, may_change, variables
from pullback.frontend.functions.stepped_form import set_first
from pullback.frontend.interpret.iteration import indexed
from pullback.frontend.interpret.late_items import may_raise
from pullback.frontend.kinds.values import Driven, FunctionV, GeneratorV, Indexed, Value
from pullback.frontend.python.source import Definition
from pullback.frontend.python.syntax import (
    bound_anew,
    declared_outside,
    gathering,
    jumps,
    own_nodes,
    parameters,
    updated,
)
from pullback.frontend.signals import Unreachable

if TYPE_CHECKING:
    from pullback.frontend.run import Run

ITEM = ".v"


@dataclass(frozen=True)
class Form:
    """The two functions that a generator is."""

    source: Definition
    item: Definition


_FORMS: WeakKeyDictionary[Definition, Form | None] = WeakKeyDictionary()


def by_position(run: Run, value: Value, node: ast.AST) -> Value:
    """Return a generator with items that can be asked for by position, if that is so."""
    if not isinstance(value, GeneratorV) or not isinstance(value.items, Driven):
        return value
    driven = value.items
    definition = driven.function.definition
    if definition not in _FORMS:
        _FORMS[definition] = _form(definition)
    form = _FORMS[definition]
    if form is None or not _is_pure(run, driven, form, node):
        return value
    known = form

    def items() -> Indexed:
        run.generators.begin(value, node)
        return _items(run, driven, known, node)

    return replace(value, items=items)


def _items(run: Run, driven: Driven, form: Form, node: ast.AST) -> Indexed:
    function, args = driven.function, driven.args
    source = run.calls.call(FunctionV(form.source, function.scope), args, node)
    found = indexed(run.iterate(source, node))
    assert found is not None
    item, at = FunctionV(form.item, function.scope), found.at
    return Indexed(
        found.length, lambda i: run.calls.call(item, {**args, ITEM: at(i)}, node)
    )


def _is_pure(run: Run, driven: Driven, form: Form, node: ast.AST) -> bool:
    """Whether the source is indexed, no item changes a variable or raises, and nothing that may
    change is captured."""
    source = FunctionV(form.source, driven.function.scope)
    if any(map(may_change, variables({FUNCTION: driven.function}))):
        return False
    with run.scratch() as b, run.sealed():
        try:
            found = indexed(run.iterate(run.calls.call(source, driven.args, node), node))
            if found is None or any(may_raise(run, let.op, set()) for let in b.lets):
                return False
            item = FunctionV(form.item, driven.function.scope)
            run.calls.call(item, {**driven.args, ITEM: found.at(Var("i", I64))}, node)
        except (PullbackError, Unreachable):
            return False
        return not any(may_raise(run, let.op, set()) for let in b.lets)


# --- syntax ---------------------------------------------------------------------------------------


def _form(definition: Definition) -> Form | None:
    node = definition.node
    if not isinstance(node, ast.FunctionDef) or gathering(node) or declared_outside(node):
        return None
    match [s for s in node.body if not _is_docstring(s)]:
        case [ast.For(orelse=[]) as loop]:
            pass
        case _:
            return None
    *first, last = loop.body
    inside = [n for s in loop.body for n in own_nodes(s)]
    yields = [n for n in inside if isinstance(n, (ast.Yield, ast.YieldFrom))]
    match last:
        case ast.Expr(ast.Yield(ast.expr() as value)) if len(yields) == 1:
            pass
        case _:
            return None
    bound, targets = bound_anew(first), bound_anew([ast.For(loop.target, loop.iter, [], [])])
    changed = {*(bound | targets), *updated(first)} & set(parameters(node))
    if changed or updated(first) or jumps(loop.body):
        return None
    if not all(set_first(first, name) for name in bound - targets):
        return None
    take = ast.Assign([loop.target], ast.Name(ITEM, ast.Load()))
    return Form(
        _function(definition, node.args, [ast.Return(loop.iter)]),
        _function(definition, _with_item(node.args), [take, *first, ast.Return(value)]),
    )


def _is_docstring(s: ast.stmt) -> bool:
    return isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)


def _with_item(args: ast.arguments) -> ast.arguments:
    made = copy.copy(args)
    made.kwonlyargs = [*args.kwonlyargs, ast.arg(ITEM)]
    made.kw_defaults = [*args.kw_defaults, None]
    return made


def _function(
    definition: Definition, args: ast.arguments, body: list[ast.stmt]
) -> Definition:
    node = definition.node
    made = ast.FunctionDef(definition.name, args, copy.deepcopy(body), [])
    for n in ast.walk(made):
        if not hasattr(n, "lineno") and "lineno" in n._attributes:
            ast.copy_location(n, node)
    return replace(definition, node=made)


__all__ = ["by_position"]
