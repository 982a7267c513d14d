"""Updates of attributes by functions and by the dict of an object: ``setattr``, ``delattr``, ``del
obj.a``, ``object.__setattr__``, ``super().__setattr__``, ``self.__dict__.update(...)``."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from pullback.errors import ArgumentTypeError, MutationError, UnknownAttributeError
from pullback.frontend.functions import iterator_lifetimes
from pullback.frontend.interpret import assignment, attributes, by_methods, named_attributes
from pullback.frontend.interpret.class_functions import class_entry
from pullback.frontend.kinds import optionals
from pullback.frontend.kinds.values import (
    UNSET,
    MaybeV,
    OptionalV,
    RecordV,
    RefV,
    SliceV,
    Static,
    SuperV,
    TupleV,
    Unrolled,
    Value,
)
from pullback.frontend.memory import (
    hash_methods,
    nested_updates,
    object_dicts,
    ownership,
    places,
    updates,
)
from pullback.frontend.memory.object_dicts import OwnName
from pullback.frontend.python.container_bases import behind
from pullback.frontend.python.object_classes import is_object_class
from pullback.frontend.python.syntax import parameters
from pullback.frontend.store.shared_memory import opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run


_SETTERS = setattr, object.__setattr__
_DELETERS = delattr, object.__delattr__


def call(run: Run, function: Value, node: ast.Call) -> Value | None:
    """Return the value of a call that assigns or deletes an attribute; None of another one."""
    if not isinstance(function, Static):
        return None
    if any(function.value is f for f in _SETTERS):
        return set_attribute(run, node, node.args, function.value is not setattr)
    if any(function.value is f for f in _DELETERS):
        return delete_attribute(run, node, node.args, function.value is not delattr)
    return None


def of_super(run: Run, receiver: Value, name: str, node: ast.Call) -> Value | None:
    """Return the value of ``super().__setattr__(name, value)`` and its like, where that is the
    method of ``object``; None of another call."""
    change = {"__setattr__": set_attribute, "__delattr__": delete_attribute}.get(name)
    if change is None or not isinstance(receiver, SuperV):
        return None
    record = receiver.record
    if isinstance(record, RecordV) and not is_object_class(record.cls):
        return None
    assert isinstance(record, (RecordV, RefV)) and run.frame.definition is not None
    classes = [record.cls] if isinstance(record, RecordV) else run.rows.classes(record)
    orders = [behind(c, receiver.after) for c in classes]
    if any(class_entry(b, name)[1] is not getattr(object, name) for b in orders):
        return None
    me = ast.Name(parameters(run.frame.definition.node)[0], ast.Load())
    return change(run, node, [ast.copy_location(me, node), *node.args], True)


def set_attribute(run: Run, node: ast.Call, args: list[ast.expr], own: bool) -> Value:
    """``setattr(obj, "name", value)``; ``own``: whatever ``__setattr__`` of the class would do."""
    if len(args) != 3 or node.keywords:
        run.refuse(node, "setattr takes three arguments", error=ArgumentTypeError)
    name = _name(run, args[1], node, own)
    value = run.evaluate(args[2])
    target = ast.copy_location(ast.Attribute(args[0], name, ast.Store()), node)
    assignment.assign(run, target, value, node)
    return Static(None)


def delete_attribute(run: Run, node: ast.Call, args: list[ast.expr], own: bool) -> Value:
    """``delattr(obj, "name")``"""
    if len(args) != 2 or node.keywords:
        run.refuse(node, "delattr takes two arguments", error=ArgumentTypeError)
    name = _name(run, args[1], node, own)
    target = ast.copy_location(ast.Attribute(args[0], name, ast.Del()), node)
    _delete_attribute(run, target, node)
    return Static(None)


def _name(run: Run, e: ast.expr, node: ast.AST, own: bool) -> str:
    name = str(run.static(run.evaluate(e), node, "the name of an attribute"))
    return OwnName(name) if own else name


def updated(run: Run, node: ast.Call) -> Value | None:
    """Return the value of ``obj.__dict__.update(...)``, and of a call by a name of an attribute
    that only the run knows (``named_attributes``); None of another call."""
    if (other := named_attributes.instead(run, node)) is not None:
        return run.evaluate(other)
    match node.func:
        case ast.Attribute(ast.Attribute(obj, "__dict__"), "update"):
            pass
        case ast.Attribute(ast.Call(f, [obj], []), "update") if object_dicts.is_vars(run, f):
            pass
        case _:
            return None
    pairs: list[tuple[Value, Value]] = []
    for a in node.args:
        items = hash_methods.pairs_of(run, opened(run, run.evaluate(a), a), a)
        if not isinstance(items, Unrolled):
            run.refuse(a, "attributes by names that only the run knows", "name them: obj.a = d[k]")
        pairs += [hash_methods.pair_of(run, item, a) for item in items.items]
    for k in node.keywords:
        value = opened(run, run.evaluate(k.value), k.value)
        if k.arg is not None:
            pairs.append((Static(k.arg), value))
        else:
            items = hash_methods.pairs_of(run, value, k.value)
            assert isinstance(items, Unrolled)
            pairs += [hash_methods.pair_of(run, item, node) for item in items.items]
    for key, value in pairs:
        target = object_dicts.own_attribute(run, obj, key, node)
        assignment.assign(run, target, value, node)
    return Static(None)


# --- deleting -------------------------------------------------------------------------------------


def _no_deletion(value: Value) -> str:
    """Return what Python says where items cannot be deleted, of numbers in other words."""
    does_not = "does not" if optionals.is_number(value) else "doesn't"
    return f"'{{}}' object {does_not} support item deletion"


def delete(run: Run, target: ast.expr, node: ast.AST) -> None:
    """Compile ``del xs[i]`` and ``del xs[a:b]``; ``del x`` leaves the name without a value."""
    target = object_dicts.assigned_attribute(run, target)
    match target:
        case ast.Name(name):
            held = run.lookup(name, target)
            ownership.rebound(run, run.scope, name)
            run.scope.names[name] = UNSET
            iterator_lifetimes.dropped(run, held, UNSET, node)
        case ast.Subscript():
            base, (*steps, at) = nested_updates.target_of(run, target)
            if isinstance(at, str):
                run.refuse(target, "a field cannot be deleted: records are values")
            if by_methods.delete(run, base, steps, at, node):
                return
            held = run.lookup(base.id, base)
            if not steps:
                optionals.require_mutable(run, held, _no_deletion(held), node)
            nothing = TupleV((), is_list=True)
            change: updates.Op = (
                updates.Store(at, lambda _: nothing) if isinstance(at, SliceV)
                else updates.Method("pop", [at], {})
            )  # fmt: skip
            nested_updates.update(run, base, steps, change, node)
        case ast.Attribute():
            _delete_attribute(run, target, node)
        case _:
            run.refuse(target, "only names and items of lists and dicts can be deleted")


def _delete_attribute(run: Run, target: ast.Attribute, node: ast.AST) -> None:
    """Compile ``del obj.name``."""
    name, base = target.attr, None
    steps: list[places.Step] = []
    here = run.evaluate(target.value)
    if isinstance(here, OptionalV):
        here = attributes.present(run, here, name, node)
    if not isinstance(here, RefV):
        base, (*steps, _) = nested_updates.target_of(run, target, put=True)
        here = by_methods.there(run, base, steps, node)
    if not isinstance(here, (RecordV, RefV)) or not is_object_class(here.cls):
        run.refuse(
            target, f"an attribute of {run.describe(here)} cannot be deleted",
            "use an object of a plain class, or None", error=MutationError,
        )  # fmt: skip
    classes = [here.cls] if isinstance(here, RecordV) else run.rows.classes(here)
    if not isinstance(name, OwnName) and any(attributes.written(c, "__delattr__") for c in classes):
        run.call(run.attribute(here, "__delattr__", node), (Static(name),), node)
        return
    if any(by_methods.is_data_descriptor(attributes.entry_of(c, name)) for c in classes):
        run.refuse(target, f"del of the property {name!r}", "write a method that does it")
    if base is None:
        assert isinstance(here, RefV)
        _delete_shared(run, here, name, node)
        return
    change = updates.Become(partial(_without, run, name, node))
    if steps:
        nested_updates.update(run, base, steps, change, node)
    else:
        assignment.updated(run, base.id, change, node)


def _without(run: Run, name: str, node: ast.AST, obj: Value) -> Value:
    """Return an object without an attribute that it must have."""
    assert isinstance(obj, RecordV)
    held = obj.fields.get(name)
    if obj.outside is not None:
        run.refuse(
            node, f"del of an attribute of {run.describe(obj)} that is not made here",
            "set it to None", error=MutationError,
        )  # fmt: skip
    message = _missing(obj.cls, name)
    if held is None:
        run.never("AttributeError", message, node, UnknownAttributeError)
    if isinstance(held, MaybeV):
        run.require(held.bound, "AttributeError", message, node)
    run.assigned.add(name)
    return RecordV(
        obj.cls, {n: v for n, v in obj.fields.items() if n != name}, None, obj.owners, obj.fresh
    )


def _missing(cls: type, name: str) -> str:
    return f"{cls.__name__!r} object has no attribute {name!r}" if cls.__dictoffset__ else name


def _delete_shared(run: Run, ref: RefV, name: str, node: ast.AST) -> None:
    group, store = run.rows.group(ref), run.rows
    message = _missing(group.classes[0], name)
    if name not in group.fields:
        run.never("AttributeError", message, node, UnknownAttributeError)
    if name in group.unset:
        run.require(store.is_set(ref, name, node), "AttributeError", message, node)
    store.clear(ref, name, node)


__all__ = ["call", "delete", "of_super", "updated"]
