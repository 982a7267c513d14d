"""Assignments that are calls of methods of the user's classes: of the setter of a property, of
``__setitem__``, of ``__iadd__`` and its likes."""

from __future__ import annotations

import ast
import copy
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

from pullback.core.build import i64
from pullback.errors import MutationError, UnknownAttributeError
from pullback.frontend.functions.scopes import chain
from pullback.frontend.interpret import attributes
from pullback.frontend.interpret.class_functions import descriptor, setter
from pullback.frontend.interpret.operator_methods import METHODS
from pullback.frontend.kinds.kinds import Kind, RecordK, parts
from pullback.frontend.kinds.values import (
    ArrayV,
    HashV,
    ListV,
    MaybeV,
    OptionalV,
    PlaceV,
    RecordV,
    RefV,
    SliceV,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.memory import holding, item_attributes, nested_updates, ownership
from pullback.frontend.memory.container_objects import (
    assigns_items,
    classes_of,
    hidden,
    is_container,
    opens,
)
from pullback.frontend.memory.object_dicts import OwnName
from pullback.frontend.memory.owners import owners_of
from pullback.frontend.memory.places import Step
from pullback.frontend.memory.updates import Store as ItemStore
from pullback.frontend.python.container_bases import OWN_DICT
from pullback.frontend.python.memo import by_node
from pullback.frontend.python.object_classes import is_object_class
from pullback.frontend.python.source import definition_of
from pullback.frontend.python.syntax import parameters
from pullback.frontend.store.shared_memory import opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run
    from pullback.frontend.store.protocol import Store


def store(
    run: Run, base: ast.Name, to: Sequence[Step], value: Callable[[Callable[[], Value]], Value],
    node: ast.AST,
) -> bool:  # fmt: skip
    """``a.name = v``, ``a[i] = v`` where a method of the class of ``a`` does this, if it is that;
    ``value`` may ask for what is there."""
    *steps, last = to
    whole = run.lookup(base.id, base)
    if isinstance(whole, RefV) and not steps:
        return _by_reference(run, run.rows, whole, last, value, node)
    if isinstance(whole, ArrayV) or not _has_object(whole):
        return False
    holder = nested_updates.kind_there(run, whole, steps, node)
    if not isinstance(holder, RecordK) or not is_object_class(holder.cls):
        return False
    cls = holder.cls
    if isinstance(last, str) and put_as_item(run, base, steps, last, value, node):
        return True
    if isinstance(last, str):
        if attributes.written(cls, "__setattr__") is not None and not isinstance(last, OwnName):
            made = value(lambda: run.attribute(there(run, base, steps, node), last, node))
            method = run.attribute(there(run, base, steps, node), "__setattr__", node)
            run.call(method, (Static(last), made), node)
            return True
        entry = attributes.entry_of(cls, last)
        if attributes.is_descriptor(entry, "__set__"):
            made = value(lambda: run.attribute(there(run, base, steps, node), last, node))
            method = run.attribute(descriptor(run, cls, last, node), "__set__", node)
            run.call(method, (there(run, base, steps, node), made), node)
            return True
        if not isinstance(entry, (property, types.MemberDescriptorType)) and not cls.__dictoffset__:
            _refuse_slot(run, cls, last, node)
        if not isinstance(entry, property):
            return False
        if not isinstance(entry.fset, types.FunctionType):
            run.refuse(
                node,
                f"property {last!r} of {cls.__name__!r} object has no setter",
                error=MutationError,
            )
        made = value(lambda: run.attribute(there(run, base, steps, node), last, node))
        here = there(run, base, steps, node)
        run.call(setter(run, here, cls, last, node), (made,), node)
        return True
    if attributes.written(cls, "__setitem__") is None:
        return False
    obj = there(run, base, steps, node)
    if is_container(obj) and opens(run, obj) and not assigns_items(run, obj):
        return False
    made = value(lambda: run.subscript(there(run, base, steps, node), last, node))
    method = run.attribute(there(run, base, steps, node), "__setitem__", node)
    run.call(method, (last, made), node)
    return True


def put_as_item(
    run: Run, base: ast.Name, steps: Sequence[Step], name: str,
    value: Callable[[Callable[[], Value]], Value], node: ast.AST,
) -> bool:  # fmt: skip
    """Assign an attribute of an object that is its own dict as an item, if it is that."""
    obj = there(run, base, steps, node)
    if name == OWN_DICT or not item_attributes.is_own_dict(run, obj, node):
        return False
    assert isinstance(obj, (RecordV, RefV))
    if any(is_data_descriptor(attributes.entry_of(c, name)) for c in classes_of(run, obj)):
        return False
    made = value(lambda: run.attribute(there(run, base, steps, node), name, node))
    to = [*steps, hidden(obj)]
    if isinstance(obj, RefV):
        found = run.rows.place(obj, hidden(obj), False, False, node)
        assert found is not None
        base, to = ast.copy_location(ast.Name(found[0], ast.Load()), base), found[1]
    nested_updates.update(run, base, to, ItemStore(Static(name), lambda _: made), node)
    return True


def changed_first(
    run: Run, base: ast.Name, to: Sequence[Step], node: ast.AST
) -> Value | None:
    """Return what ``a.name += v`` changes in place before a method assigns it; None if there is no
    such method, or it is nothing that changes."""
    *steps, last = to
    if not isinstance(last, str) or isinstance(run.lookup(base.id, base), ArrayV):
        return None
    obj = there(run, base, steps, node)
    match obj:
        case RefV():
            classes = run.rows.classes(obj)
        case RecordV(cls) if is_object_class(cls):
            classes = (cls,)
        case _:
            return None
    by_method = any(
        is_data_descriptor(attributes.entry_of(c, last))
        or (attributes.written(c, "__setattr__") is not None and not isinstance(last, OwnName))
        for c in classes
    )
    old = run.attribute(obj, last, node) if by_method else obj
    changes = by_method and holding.is_updated_in_place(opened(run, old, node))
    return old if changes and not _is_alone(run, base.id, old) else None


def is_data_descriptor(entry: object) -> bool:
    """Whether what a class has under a name says what becomes of it when it is assigned."""
    return isinstance(entry, property) or attributes.is_descriptor(entry, "__set__")


def _is_alone(run: Run, name: str, array: Value) -> bool:
    """Whether nobody but the object of a name has an array: then it may be replaced by a new one
    that the method puts there."""
    if not isinstance(array, ArrayV) or not ownership.is_unshared(run.scope.names[name]):
        return False
    others = [v for s in chain(run.scope) for n, v in s.names.items() if n != name]
    places = any(isinstance(v, PlaceV) and v.root == name for v in others)
    return not places and not any(owners_of(v) & owners_of(array) for v in others)


def _refuse_slot(run: Run, cls: type, name: str, node: ast.AST) -> NoReturn:
    rewrite = "name it in __slots__"
    run.never("AttributeError", _lacks(cls, name), node, UnknownAttributeError, rewrite=rewrite)


def _lacks(cls: type, name: str) -> str:
    return f"{cls.__name__!r} object has no attribute {name!r}"


def _by_reference(
    run: Run, store: Store, ref: RefV, last: Step,
    value: Callable[[Callable[[], Value]], Value], node: ast.AST,
) -> bool:  # fmt: skip
    """The same for an object that is shared; its fields are stored here, too."""
    if not isinstance(last, str):
        made = value(lambda: run.subscript(ref, last, node))
        run.call(run.attribute(ref, "__setitem__", node), (last, made), node)
        return True
    me = ast.copy_location(ast.Name(store.bound(ref), ast.Load()), node)
    if put_as_item(run, me, (), last, value, node):
        return True
    classes = store.classes(ref)
    if store.group(ref).assigns_by_methods and not isinstance(last, OwnName):
        made = value(lambda: run.attribute(ref, last, node))
        run.call(run.attribute(ref, "__setattr__", node), (Static(last), made), node)
        return True
    made = value(lambda: run.attribute(ref, last, node))
    entries = [attributes.entry_of(c, last) for c in classes]
    entry = entries[0]
    by_set = attributes.is_descriptor(entry, "__set__")
    special = by_set or any(attributes.comes_first(e) for e in entries)
    if special and any(e is not entry for e in entries):
        run.refuse(node, f"the property {last!r} of one of several classes is assigned")
    if by_set:
        method = run.attribute(descriptor(run, classes[0], last, node), "__set__", node)
        run.call(method, (ref, made), node)
        return True
    if not isinstance(entry, property):
        for cls, e in zip(classes, entries, strict=True):
            if not isinstance(e, types.MemberDescriptorType) and not cls.__dictoffset__:
                if len(classes) == 1:
                    _refuse_slot(run, cls, last, node)
                number = i64(store.group(ref).classes.index(cls))
                other = run.b.prim("ne", store.tag(ref, node).atom, number)
                run.require(other, "AttributeError", _lacks(cls, last), node)
        store.write(ref, last, made, node)
        return True
    if not isinstance(entry.fset, types.FunctionType):
        reason = f"property {last!r} of {ref.cls.__name__!r} object has no setter"
        run.refuse(node, reason, error=MutationError)
    assign = setter(run, ref, classes[0], last, node)
    run.call(assign, (made,), node)
    return True


def delete(
    run: Run, base: ast.Name, steps: Sequence[Step], at: Value, node: ast.AST
) -> bool:
    """``del a[i]`` where a method of the class of ``a`` does this, if it is that."""
    whole = run.lookup(base.id, base)
    if not isinstance(whole, RefV) or steps:
        if isinstance(whole, ArrayV) or not _has_object(whole):
            return False
        holder = nested_updates.kind_there(run, whole, steps, node)
        if not isinstance(holder, RecordK) or not is_object_class(holder.cls):
            return False
    obj = there(run, base, steps, node)
    if isinstance(at, SliceV) and is_container(obj) and not assigns_items(run, obj):
        return False
    method = run.attribute(obj, "__delitem__", node)
    run.call(method, (at,), node)
    return True


def there(run: Run, base: ast.Name, steps: Sequence[Step], node: ast.AST) -> Value:
    """The object at the steps, as it is now."""
    value = run.lookup(base.id, base)
    for step in steps:
        value = (
            run.attribute(value, step, node) if isinstance(step, str)
            else run.subscript(value, step, node)
        )  # fmt: skip
    return value


def _has_object(value: Value) -> bool:
    match value:
        case RecordV(cls, fields):
            return is_object_class(cls) or any(map(_has_object, fields.values()))
        case TupleV(items):
            return any(map(_has_object, items))
        case ListV(_, elem) | HashV(elem=elem):
            return _holds_object(elem)
        case OptionalV(_, inner, other):
            return _has_object(inner) or _has_object(other)
        case MaybeV(_, inner):
            return _has_object(inner)
        case _:
            return False


def _holds_object(kind: Kind) -> bool:
    if isinstance(kind, RecordK) and is_object_class(kind.cls):
        return True
    return any(map(_holds_object, parts(kind)))


def by_operator(run: Run, op: str, cls: type, s: ast.AugAssign) -> bool:
    """Compile ``d[k] += v`` as ``d[k].__iadd__(v)``, where the class of the item has this method,
    which gives the item back: whether it has."""
    written = attributes.written(cls, f"__i{METHODS[op]}__")
    if written is None:
        return False
    node = definition_of(written).node
    own = parameters(node)[0]
    gives = [n.value for n in ast.walk(node) if isinstance(n, ast.Return)]
    if not all(isinstance(v, ast.Name) and v.id == own for v in gives):
        reason = f"{written.__qualname__} of an item, which gives back another object"
        run.refuse(s, reason, "give the item a name, and put it back")
    call_at(run, written.__name__, s)
    return True


def call_at(run: Run, method: str, s: ast.AugAssign) -> None:
    """Compile ``d[k] += v`` as ``d[k].method(v)``."""
    if any(isinstance(n, (ast.Call, ast.NamedExpr)) for n in ast.walk(s.target)):
        reason = f"an update by {method} at a place that is computed by calls"
        run.refuse(s, reason, "give what is in the brackets a name")
    calls = _calls(s)
    if method not in calls:
        target = copy.copy(s.target)
        target.ctx = ast.Load()
        function = ast.Attribute(target, method, ast.Load())
        call = ast.copy_location(ast.Call(function, [s.value], []), s)
        calls[method] = ast.fix_missing_locations(call)
    run.evaluate(calls[method])


@by_node
def _calls(s: ast.AugAssign) -> dict[str, ast.Call]:
    """Calls of methods in the place of a statement, by the name of the method."""
    return {}


__all__ = ["by_operator", "changed_first", "is_data_descriptor", "store", "there"]
