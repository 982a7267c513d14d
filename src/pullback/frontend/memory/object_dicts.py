"""``vars(obj)`` and ``obj.__dict__``: the attributes of an object as a dict.

This is a record with one field, the object: whatever carries a record carries the object with it.
Who looks into the dict gets one with the attributes that the object has then; what is assigned
through it is an attribute (``assigned_attribute``).
"""

from __future__ import annotations

import ast
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, TypeGuard

from pullback.core.frozen import dataclass
from pullback.errors import UnknownAttributeError
from pullback.frontend.kinds.joined_fields import met_in_two_orders
from pullback.frontend.kinds.values import MaybeV, RecordV, RefV, Static, Value, is_unread
from pullback.frontend.memory.dict_views import OF
from pullback.frontend.python.instances import is_inside
from pullback.frontend.python.object_classes import is_object_class, slots_of
from pullback.frontend.python.objects_outside import fields_of

if TYPE_CHECKING:
    from pullback.frontend.run import Run


@dataclass(frozen=True)
class ObjectDict:
    """The dict of an object."""

    of: object


class OwnName(str):
    """The name of an attribute that is assigned in the dict of its object, whatever the class
    does when attributes are assigned."""

    __slots__ = ()


def is_object_dict(value: object) -> TypeGuard[RecordV]:
    """Whether a value is the dict of an object."""
    return isinstance(value, RecordV) and value.cls is ObjectDict


def has_dict(value: Value) -> TypeGuard[RecordV | RefV]:
    """Whether a value is an object of a class of the user, whose attributes ``vars`` gives."""
    if not isinstance(value, (RecordV, RefV)):
        return False
    cls = value.cls
    return is_object_class(cls) or (is_dataclass(cls) and cls is not ObjectDict)


def dict_of(run: Run, value: RecordV | RefV, node: ast.AST) -> Value:
    """Return ``value.__dict__``, which may be the object itself."""
    classes = [value.cls] if isinstance(value, RecordV) else run.rows.classes(value)
    for cls in classes:
        if not cls.__dictoffset__:
            message = f"{cls.__name__!r} object has no attribute '__dict__'"
            run.never("AttributeError", message, node, UnknownAttributeError)
    own = value.fields if isinstance(value, RecordV) else run.rows.group(value).fields
    return value if "__dict__" in own else RecordV(ObjectDict, {OF: value})


def attributes_now(run: Run, value: RecordV, node: ast.AST) -> RecordV:
    """Return the dict of an object as a new dict with what the object holds now."""
    obj = value.fields[OF]
    assert isinstance(obj, (RecordV, RefV))
    return RecordV(dict, _of_reference(run, obj, node) if isinstance(obj, RefV) else (
        _of_record(run, obj, node)
    ))  # fmt: skip


def _of_record(run: Run, obj: RecordV, node: ast.AST) -> dict[str, Value]:
    slots = slots_of(obj.cls)
    if met_in_two_orders(obj.cls):
        _refuse(run, "that two paths give its attributes in two orders", node)
    found = {
        n: v for n, v in fields_of(run, obj, node).items()
        if n not in slots and n[:1] != "." and not is_inside(n)
    }
    for name, held in found.items():
        if isinstance(held, MaybeV) or is_unread(held):
            _refuse(run, f"of which {name!r} may be missing", node)
    return found


def _of_reference(run: Run, ref: RefV, node: ast.AST) -> dict[str, Value]:
    group = run.rows.group(ref)
    if len(group.classes) > 1:
        _refuse(run, "of one of several classes", node)
    if group.unset:
        _refuse(run, f"of which {min(group.unset)!r} may be missing", node)
    slots = slots_of(group.classes[0])
    return {n: run.rows.item(ref, n, node) for n in group.fields
            if n not in slots and n[:1] != "." and not is_inside(n)}  # fmt: skip


def _refuse(run: Run, which: str, node: ast.AST) -> None:
    run.refuse(
        node, f"all attributes of an object {which}",
        "give it all attributes in __init__, or name those that are meant",
    )  # fmt: skip


def assigned_attribute(run: Run, target: ast.expr) -> ast.expr:
    """Return ``obj.name`` for ``obj.__dict__["name"]`` and ``vars(obj)["name"]`` as a target, and
    another target as it is."""
    match target:
        case ast.Subscript(ast.Attribute(obj, "__dict__"), key):
            pass
        case ast.Subscript(ast.Call(ast.Name() as f, [obj], []), key) if is_vars(run, f):
            pass
        case _:
            return target
    return own_attribute(run, obj, run.evaluate(key), target)


def own_attribute(run: Run, obj: ast.expr, key: Value, node: ast.expr) -> ast.expr:
    """Return ``obj.name`` as a target in the dict of an object."""
    name = run.static(key, node, "the name of an attribute")
    made = ast.Attribute(obj, OwnName(name), ast.Store())
    return ast.copy_location(made, node)


def is_vars(run: Run, f: ast.expr) -> bool:
    """Whether an expression is the function ``vars``."""
    if not isinstance(f, ast.Name) or f.id != "vars":
        return False
    found = run.evaluate(f)
    return isinstance(found, Static) and found.value is vars


__all__ = [
    "ObjectDict", "OwnName", "assigned_attribute", "attributes_now", "dict_of", "has_dict",
    "is_object_dict", "is_vars", "own_attribute",
]  # fmt: skip
