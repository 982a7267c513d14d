"""Objects of classes whose base is a container (``python.container_bases``): what they hold, for
whoever looks at that and asks no method."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING, TypeGuard

from pullback.frontend.kinds.values import (
    EnumerateV,
    GeneratorV,
    RecordV,
    RefV,
    ReversedV,
    Static,
    Value,
    ZipV,
)
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import mappings
from pullback.frontend.memory.places import Step
from pullback.frontend.python.container_bases import held_by, order_of

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def classes_of(run: Run, value: RecordV | RefV) -> Sequence[type]:
    """Return the classes that an object can have."""
    return [value.cls] if isinstance(value, RecordV) else run.rows.classes(value)


def is_container(value: Value) -> TypeGuard[RecordV | RefV]:
    """Whether a value is an object that is a container by a base class of its class."""
    return isinstance(value, (RecordV, RefV)) and bool(held_by(value.cls))


def contents(run: Run, value: Value, node: ast.AST) -> Value:
    """Return what such an object holds, whatever methods its class has; another value as it is."""
    if not is_container(value):
        return value
    names = {n for cls in classes_of(run, value) for n in held_by(cls)}
    if len(names) > 1:
        run.refuse(node, "an object that is one of two containers")
    return run.attribute(value, names.pop(), node)


def gone_through(run: Run, value: Value, node: ast.AST) -> Value:
    """Return what such an object holds, if its class does not say by ``__iter__`` what its items
    are; another value as it is."""
    if not is_container(value):
        return value
    classes = classes_of(run, value)
    if any(_says(cls, "__iter__") for cls in classes):
        return value
    return contents(run, value, node)


def indexed(run: Run, value: Value, node: ast.AST) -> Value:
    """Return the same for who asks for an item of it: a ``__getitem__`` of the class is asked."""
    if not is_container(value):
        return value
    return contents(run, value, node) if opens(run, value) else value


def as_mapping(run: Run, value: Value, node: ast.AST) -> Value:
    """Return the dict that an object is for who copies what it holds: what a dict holds, or what
    ``keys`` and ``__getitem__`` of a class give; another value as it is."""
    if not isinstance(value, (RecordV, RefV)):
        return value
    held = gone_through(run, value, node)
    if held is not value or not _has(value.cls, "keys"):
        return held
    return run_program(run, mappings.by_keys, (value,), node)


def _has(cls: type, name: str) -> bool:
    return any(isinstance(vars(c).get(name), FunctionType) for c in order_of(cls))


def opens(run: Run, value: RecordV | RefV) -> bool:
    """Whether an item of such an object is that of what it holds."""
    names = "__getitem__", "__missing__"
    return not any(_says(cls, name) for cls in classes_of(run, value) for name in names)


def assigns_items(run: Run, value: RecordV | RefV) -> bool:
    """Whether a class says by a method what becomes of an item that is assigned or deleted."""
    names = "__setitem__", "__delitem__"
    return any(_says(cls, name) for cls in classes_of(run, value) for name in names)


def hidden(value: RecordV | RefV) -> str:
    """Return the attribute of such an object that holds its contents."""
    (name,) = held_by(value.cls)
    return name


def taken(run: Run, cls: type, args: Sequence[Value], node: ast.AST) -> Sequence[Value]:
    """Return what a class is called with, where the container that is its base would go through an
    iterator at once: what that gives."""
    if len(args) != 1 or not isinstance(args[0], (GeneratorV, ZipV, EnumerateV, ReversedV)):
        return args
    base = next((c for c in cls.__mro__ if "__init__" in vars(c)), object)
    return (run.call(Static(base), args, node),) if base in (list, dict) else args


def steps_to(value: Value, index: Step) -> list[Step]:
    """Return the steps to what holds an item of such an object; none for anything else."""
    return [hidden(value)] if is_container(value) and not isinstance(index, str) else []


def _says(cls: type, name: str) -> bool:
    """Whether a class of the user says itself what a method of its container does."""
    first = next((c for c in order_of(cls) if name in vars(c)), None)
    return first in cls.__mro__


__all__ = [
    "as_mapping", "assigns_items", "classes_of", "contents", "gone_through", "hidden", "indexed",
    "is_container", "opens", "steps_to", "taken",
]  # fmt: skip
