"""Attributes of functions that are defined inside, by any name of the function.

They are variables of the function around (``python.function_attributes``), so a function that
stands where it stands reads and assigns them: captured variables, as any others.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pullback.frontend.functions.scopes import chain
from pullback.frontend.kinds.values import (
    UNSET,
    CellV,
    FunctionV,
    MaybeV,
    Scalar,
    Static,
    Value,
)
from pullback.frontend.memory import attributes_outside
from pullback.frontend.memory.references import without_object
from pullback.frontend.python.function_attributes import reader, writer
from pullback.frontend.python.source import definition_inside
from pullback.frontend.python.texts import FunctionNode

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def _beside(node: FunctionNode, f: FunctionV) -> FunctionV:
    """Return a function that stands where another one stands."""
    return FunctionV(definition_inside(node, f.definition), f.scope)


def value_of(run: Run, f: FunctionV, name: str, node: ast.AST) -> Value | None:
    """Return an attribute of a function; None if it has none of that name that is known."""
    f = without_object(f)
    if (kept := _kept(f, name)) is not None:
        return kept
    definition = _definition(f, name)
    if definition is None:
        return attributes_outside.of_function(run, f, name, node)
    return run.call(_beside(reader(definition, name), f), (), node)


def has(run: Run, f: FunctionV, name: str, node: ast.AST) -> Value | None:
    """Whether a function has an attribute; None if that is not known here."""
    if name.startswith("__"):
        return None
    f = without_object(f)
    held = _held(f, name)
    if isinstance(held, MaybeV):
        return Scalar(held.bound, True, 1)
    if held is not None:
        return Static(held is not UNSET)
    shown = node.args[0] if isinstance(node, ast.Call) and node.args else None
    e = None if isinstance(shown, ast.Starred) else shown
    return attributes_outside.function_has(run, f, e, name, node)


def is_one(run: Run, target: ast.Attribute) -> bool:
    """Whether a place is such an attribute, of a function with a name."""
    f = run.scope.names.get(target.value.id) if isinstance(target.value, ast.Name) else None
    return isinstance(f, FunctionV) and _definition(f, target.attr) is not None


def assign(run: Run, target: ast.Attribute, value: Value, node: ast.AST) -> bool:
    """Assign an attribute of a function, and return True; False if the target is another one."""
    if not is_one(run, target):
        return False
    f = run.evaluate(target.value)
    assert isinstance(f, FunctionV)
    definition = _definition(f, target.attr)
    assert definition is not None
    run.call(_beside(writer(definition, target.attr), f), (value,), node)
    return True


def _definition(f: FunctionV, name: str) -> ast.FunctionDef | None:
    """Return the syntax of a function that has a variable for an attribute."""
    node = f.definition.node
    if not isinstance(node, ast.FunctionDef) or _held(f, name) is None:
        return None
    return node


def _kept(f: FunctionV, name: str) -> Value | None:
    """What a function that is made in a block keeps as an attribute; None if it keeps none."""
    return dict(f.kw_defaults).get(f"{f.definition.name}.{name}")


def _held(f: FunctionV, name: str) -> Value | None:
    """What the variable of an attribute holds; None if there is none."""
    if (kept := _kept(f, name)) is not None:
        return kept
    variable = f"{f.definition.name}.{name}"
    for scope in chain(f.scope):
        found = scope.names.get(variable)
        if found is not None or variable in scope.locals:
            found = found.value if isinstance(found, CellV) else found
            return UNSET if found is None else found
    return None


__all__ = ["assign", "has", "is_one", "value_of"]
