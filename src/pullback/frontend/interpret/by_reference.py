"""Methods of containers as values (``push = out.append``), and calls of what holds an object.

``memory/references`` says what such a function is. Where the variable that has its object is one of
the function being run, a call is what it would be without the function: ``out.append(x)``.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pullback.errors import ArgumentTypeError
from pullback.frontend.functions.scopes import function_scope
from pullback.frontend.interface import Specialiser
from pullback.frontend.interpret import assignment, attributes
from pullback.frontend.kinds.values import (
    METHODS,
    FunctionV,
    PlaceV,
    Value,
    method,
)
from pullback.frontend.memory import holding, ownership, places, references
from pullback.frontend.python.source import definition_inside
from pullback.frontend.python.syntax import updated_inside
from pullback.frontend.store.shared_memory import is_shared, opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def call(
    run: Run, f: FunctionV, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value | None:
    """Return the value of a call of a function that holds objects by reference; None if it is
    called as any other."""
    what, given = references.reference_of(f), dict(f.kw_defaults)
    if what is None:
        return None
    held = [p if isinstance(p, str) else references.found(f, p) for p in what.paths]
    mine = function_scope(run.scope)
    if any(p is None or (isinstance(p, PlaceV) and p.scope is not mine) for p in held):
        return None
    first = [given[p] if isinstance(p, str) else _present(run, p, node) for p in held if p]
    if what.is_object:
        return first[0]
    if not what.method:
        return run.call(given[references.FUNCTION], (*first, *args), node, kwargs)
    (receiver,), (place,) = first, held
    if is_shared(receiver):
        receiver = opened(run, receiver, node)
        place = run.frame.places.get(receiver)
    if not holding.is_update(receiver, what.method) or not isinstance(place, PlaceV):
        return _method(run, receiver, what.method, args, kwargs, node)
    base = ast.copy_location(ast.Name(place.root, ast.Load()), node)
    return update(run, base, places.as_steps(place), what.method, args, kwargs, node)


def function_value(run: Run, node: ast.Lambda | ast.FunctionDef) -> FunctionV:
    """Compile a lambda or a nested ``def``: defaults are evaluated now, free variables when it is
    called. Of a default that the function updates the object is meant, wherever it is."""
    assert run.frame.definition is not None
    definition = definition_inside(node, run.frame.definition)
    args = node.args

    def default(name: str, written: ast.expr) -> Value:
        value = run.generators.in_a_place(run.evaluate(written))
        if name in updated_inside(node) and holding.is_updated_in_place(value):
            return references.made(run, "", None, (value,), node)
        return value

    by_position = [p.arg for p in (*args.posonlyargs, *args.args)]
    names = by_position[len(by_position) - len(args.defaults) :]
    keywords = zip((p.arg for p in args.kwonlyargs), args.kw_defaults, strict=True)
    return FunctionV(
        definition, run.scope, tuple(map(default, names, args.defaults)),
        tuple((name, default(name, written)) for name, written in keywords if written),
    )  # fmt: skip


def _present(run: Run, place: PlaceV, node: ast.AST) -> Value:
    return places.at(run, place.root, place.steps, node)


def _method(
    run: Run, receiver: Value, name: str, args: Sequence[Value], kwargs: dict[str, Value],
    node: ast.AST,
) -> Value:  # fmt: skip
    if attributes.has_method(receiver, name):
        return METHODS[attributes.receiver_name(receiver), name](run, receiver, args, kwargs, node)
    return run.call(run.attribute(receiver, name, node), args, node, kwargs)


def update(
    run: Run, base: ast.Name, steps: list[places.Step], name: str, args: Sequence[Value],
    kwargs: dict[str, Value], node: ast.AST,
) -> Value:  # fmt: skip
    """Compile a method that changes what is at the steps in the value of a name."""
    if name == "extend" and args:
        args = (ownership.apart(run, args[0], run.lookup(base.id, base)), *args[1:])
    return assignment.update_at(run, base, steps, name, args, kwargs, node)


@method("list", "__getitem__")
@method("tuple", "__getitem__")
@method("array", "__getitem__")
@method("dict", "__getitem__")
def _item(
    sp: Specialiser, receiver: Value, args: Sequence[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    if len(args) != 1 or kwargs:
        sp.refuse(node, "__getitem__ takes one argument", error=ArgumentTypeError)
    return sp.subscript(receiver, args[0], node)


__all__ = ["call", "update"]
