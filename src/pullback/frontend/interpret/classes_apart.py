"""Special methods of an object that may be of one of several classes: where only some of them have
the method, what asks for it is compiled for each class, and in those without it is a TypeError.

    for o in shapes: total += o[0]     o[0] for a Box, which has __getitem__
                                       "'Ball' object is not subscriptable" for a Ball
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeGuard

from pullback.errors import ArgumentTypeError
from pullback.frontend.functions.capturing_classes import class_of
from pullback.frontend.interpret.class_functions import written
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.kinds import SharedMemory
from pullback.frontend.kinds.values import FunctionV, RecordV, RefV, UnionV, Value
from pullback.frontend.python.object_classes import is_object_class, is_tree_class
from pullback.frontend.python.python_values import is_library

if TYPE_CHECKING:
    from pullback.frontend.run import Run


GONE_THROUGH = "__iter__", "__getitem__"
SEARCHED = "__contains__", *GONE_THROUGH
"""The special methods by which Python goes through an object, and looks for something in it."""


def has_special(value: RecordV | RefV, *names: str) -> bool:
    """Whether the class of an object, or one of those that it can be of, has a special method with
    one of these names that its user wrote."""
    classes = (value.among if isinstance(value, RefV) else ()) or (value.cls,)
    return any(written(c, n) is not None for c in classes for n in names)


def differ(value: Value, run: Run, *names: str) -> TypeGuard[UnionV | RefV]:
    """Whether a value is an object of one of several classes, of which some have a special method
    with one of these names."""
    if isinstance(value, UnionV):
        return any(written(c, n) is not None for c in value.possible for n in names)
    if not isinstance(value, RefV) or issubclass(value.cls, SharedMemory):
        return False
    having = {has_special(run.rows.among(value, (c,)), *names) for c in run.rows.classes(value)}
    return len(having) > 1


def require(run: Run, value: Value, names: tuple[str, ...], said: str, node: ast.AST) -> None:
    """Raise the TypeError that Python raises for a function, or for an object whose class has none
    of these special methods. ``said``: what it says, with ``{}`` for the class."""
    if isinstance(value, FunctionV):
        around = run.frame.definition
        inside = around is not None and is_library(around.globals)
        if inside or is_library(value.definition.globals) or class_of(value) is not value:
            return
        name = "method" if value.bound else "function"
        run.never("TypeError", said.format(name), node, ArgumentTypeError)
    if not isinstance(value, (RecordV, RefV)) or not (
        is_object_class(value.cls) or is_tree_class(value.cls)
    ):
        return
    if value.cls.__module__.startswith("pullback.frontend."):  # a text, which may lack some
        return
    classes = run.rows.classes(value) if isinstance(value, RefV) else (value.cls,)
    bases = [b for b in classes[0].__mro__ if b is not object]
    if len(classes) == 1 and not any(n in vars(b) for b in bases for n in names):
        run.never("TypeError", said.format(classes[0].__name__), node, ArgumentTypeError)


def require_items(
    run: Run, value: Value, names: tuple[str, ...], said: str, node: ast.AST
) -> None:
    """Do the same for what must have items: numbers have none either."""
    optionals.require_items(run, value, said, node)
    require(run, value, names, said, node)


__all__ = [
    "GONE_THROUGH", "SEARCHED", "differ", "has_special", "require", "require_items",
]  # fmt: skip
