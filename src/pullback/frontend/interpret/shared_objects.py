"""Attributes of objects that may have several names (``store``): fields, methods, properties."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pullback.core.build import i64
from pullback.errors import UnknownAttributeError
from pullback.frontend.functions import choices
from pullback.frontend.functions.capturing_classes import class_of_object
from pullback.frontend.interpret import fallbacks
from pullback.frontend.interpret.attributes import (
    comes_first,
    entry_of,
    is_computed,
    method_of,
)
from pullback.frontend.interpret.class_functions import class_entry, has_entry
from pullback.frontend.kinds.values import RefV, Scalar, Static, SuperV, Value
from pullback.frontend.memory import attributes_outside
from pullback.frontend.python.container_bases import behind, lacks, order_of
from pullback.frontend.python.memo import by_node
from pullback.frontend.python.paths import MISSING
from pullback.frontend.python.rewrites import refuse_library
from pullback.frontend.python.texts import FunctionNode

if TYPE_CHECKING:
    from pullback.frontend.run import Run
    from pullback.frontend.store.protocol import Store


def attribute(run: Run, value: RefV | SuperV, name: str, node: ast.AST) -> Value:
    """Return a field of a shared object, or what its class (or one behind it, of ``super()``) has
    under this name."""
    store = run.rows
    if isinstance(value, SuperV):
        assert isinstance(value.record, RefV)
        return _by_class(run, store, value.record, name, node, value.after)
    ref, group = value, store.group(value)
    if name in group.fields and not has_property(run, ref, name, node):
        if name not in group.unset:
            return store.item(ref, name, node)
        held = store.is_set(ref, name, node)
        classes = store.classes(ref)
        if any(has_entry(order_of(c), name) or fallbacks.asks(c, name) for c in classes):
            return run.branch(
                held, lambda: store.item(ref, name, node),
                lambda: _by_class(run, store, ref, name, node), node,
            )  # fmt: skip
        message = f"{group.name!r} object has no attribute {name!r}"
        run.require(held, "AttributeError", message, node)
        return store.item(ref, name, node)
    return _by_class(run, store, ref, name, node)


def has_property(run: Run, ref: RefV, name: str, node: ast.AST) -> bool:
    """Whether a name is a property: that comes before what an object holds under it. Refused where
    it is one of some classes only, and others hold values."""
    found = [comes_first(entry_of(c, name)) for c in run.rows.classes(ref)]
    if any(found) and not all(found) and name in run.rows.group(ref).fields:
        run.refuse(
            node, f"{name!r} is a property of some classes, and what objects of others hold",
            "give them two names",
        )  # fmt: skip
    return any(found)


def _by_class(
    run: Run, store: Store, ref: RefV, name: str, node: ast.AST, after: type | None = None
) -> Value:
    """Return what the class of a shared object (or the first class behind ``after`` in its order)
    has under a name."""
    classes, among = store.group(ref).classes, store.classes(ref)
    if name == "__class__" and after is None:
        return class_of_reference(run, ref, node)
    orders = [order_of(c) if after is None else behind(c, after) for c in classes]
    entries = [
        class_entry(bases, name)[1] if has_entry(bases, name) else MISSING for bases in orders
    ]
    possible = [k for k, bases in enumerate(orders) if bases and classes[k] in among]
    having = [k for k in possible if entries[k] is not MISSING]
    ask = after is None and any(fallbacks.asks(c, name) for c in among)
    of = partial(from_class, run, ref, name, node)
    differ = attributes_outside.differ(run, [orders[k] for k in possible], name)
    if not differ and all(entries[k] is entries[possible[0]] for k in possible) and (
        not ask or len(among) == 1
    ):
        return of(classes[possible[0]], orders[possible[0]])
    if name in _OF_STATEMENTS and not isinstance(node, ast.Attribute):
        for k in {*possible} - {*having}:
            message = f"{classes[k].__name__!r} object {_OF_STATEMENTS[name]}"
            other = run.b.prim("ne", store.tag(ref, node).atom, i64(k))
            run.require(other, "TypeError", message, node)
        possible = having or possible
    if name.startswith("__") and len(having) < len(possible):
        lacking = next(classes[k].__name__ for k in possible if k not in having)
        run.refuse(
            node, f"{name} of an object of one of several classes, of which {lacking} has none",
            f"write it in {lacking} too",
        )  # fmt: skip
    methods = all(
        isinstance(entries[k], types.FunctionType) or entries[k] is MISSING for k in possible
    )
    if not differ and methods and not ask:
        tag = store.tag(ref, node)
        others = [k for k in possible if k not in having]
        _check_having(run, tag, others, store, ref, name, node)
        known = (k if k in having else having[0] for k in range(len(classes)))
        return choices.choice(tag, [of(classes[k], orders[k]) for k in known])

    in_order = dict(zip(classes, orders, strict=True))
    return for_each_class(run, ref, lambda _, cls: of(cls, in_order[cls]), node)


_OF_STATEMENTS = {
    "__setitem__": "does not support item assignment",
    "__delitem__": "doesn't support item deletion",
}
"""What Python says of an object whose class has no such method."""


def for_each_class(
    run: Run, ref: RefV, arm: Callable[[RefV, type], Value], node: ast.AST
) -> Value:
    """Return what an operation gives, compiled for each class of which a shared object may be: it
    is told the object, and its class."""
    classes, group = run.rows.classes(ref), run.rows.group(ref)

    def at(k: int) -> Value:
        cls = classes[k]
        of_class = run.rows.among(ref, (cls,))
        if k + 1 == len(classes):
            return arm(of_class, cls)
        here = run.b.prim("eq", run.rows.tag(ref, node).atom, i64(group.classes.index(cls)))
        return run.branch(here, lambda: arm(of_class, cls), lambda: at(k + 1), node)

    return at(0)


def _check_having(
    run: Run, tag: Scalar, lacking: Sequence[int], store: Store, ref: RefV, name: str,
    node: ast.AST,
) -> None:  # fmt: skip
    """Raise AttributeError at run time for objects of classes that have no such method."""
    for k in lacking:
        cls = store.group(ref).classes[k]
        message = f"{cls.__name__!r} object has no attribute {name!r}"
        run.require(run.b.prim("ne", tag.atom, i64(k)), "AttributeError", message, node)


def from_class(
    run: Run, ref: RefV, name: str, node: ast.AST, cls: type, bases: tuple[type, ...]
) -> Value:
    """Return what a class, looked up in these classes, has under a name for an object of it."""
    found = method_of(run, _receiver(run, ref, name, bases), cls, bases, name, node)
    found = found or attributes_outside.value_in(
        run, f"{cls.__name__!r} object", bases, name, node
    )
    if found is not None:
        return found
    base, constant = class_entry(bases, name)
    if not has_entry(bases, name):
        found = fallbacks.asked(run, ref, cls, name, node) if bases == order_of(cls) else None
        if found is not None:
            return found
        if lacks(cls, name):
            refuse_library(run, getattr(cls, name), node)
        if not fallbacks.says_missing(cls, name):
            reason = f"{cls.__name__} has no field or method {name!r} here"
            run.refuse(node, reason, error=UnknownAttributeError)
        message = f"{base.__name__!r} object has no attribute {name!r}"
        run.never("AttributeError", message, node, UnknownAttributeError)
    return run.from_python(constant, (("class", base), ("attr", name)), node)


def _receiver(run: Run, ref: RefV, name: str, bases: tuple[type, ...]) -> RefV:
    """Return an object as a method has it that is found in these classes: it is of one of those
    classes that have or inherit it, however it is called."""
    classes = run.rows.group(ref).classes
    if len(classes) == 1 or not has_entry(bases, name):
        return ref
    _, method = class_entry(bases, name)
    return run.rows.among(ref, [
        c for c in classes
        if any(has_entry((b,), name) and class_entry((b,), name)[1] is method for b in order_of(c))
    ])  # fmt: skip


def has_attribute(run: Run, ref: RefV, name: str, node: ast.AST) -> Value | None:
    """Return whether a shared object has an attribute; None if a function of it would have to say
    it."""
    group, classes = run.rows.group(ref), run.rows.classes(ref)
    if any(is_computed(entry_of(c, name)) for c in classes):
        return None
    tests = [has_entry(order_of(c), name) for c in classes]
    if (name in group.fields and name not in group.unset) or all(tests):
        return Static(True)
    if any(tests) or any(fallbacks.asks(c, name) for c in classes):
        return None
    if name in group.fields:
        return Scalar(run.rows.is_set(ref, name, node), True, 1)
    for cls in classes:
        if lacks(cls, name):
            run.refuse(node, f"whether a {cls.__name__} has {name!r}")
        fallbacks.told_absent(run, cls, name)
    return Static(False)


def class_of_reference(run: Run, ref: RefV, node: ast.AST) -> Value:
    """Return the class of a shared object."""
    if len(run.rows.classes(ref)) == 1:
        return class_of_object(run, ref, run.rows.classes(ref)[0], node)
    found = [class_of_object(run, ref, cls, node) for cls in run.rows.group(ref).classes]
    around = run.frame.definition
    if around is None or node not in _only_looked_at(around.node):
        run.refuse(
            node, "the class of an object of one of several, as a value",
            "use isinstance(x, Class), type(x) is Class, table[type(x)], or type(x).__name__",
        )  # fmt: skip
    return choices.choice(run.rows.tag(ref, node), found)


@by_node
def _only_looked_at(function: FunctionNode) -> frozenset[ast.AST]:
    """Return the expressions in a function of which an attribute is read, that are compared, that
    are called or looked up: nobody has their values afterwards."""
    found: set[ast.AST] = set()
    for n in ast.walk(function):
        match n:
            case ast.Call(ast.Attribute(attr="get") as value, [key, *_]):
                found |= {value, key}
            case ast.Attribute(value, ctx=ast.Load()) | ast.Call(value):
                found.add(value)
            case ast.Subscript(slice=value, ctx=ast.Load()):
                found.add(value)
            case ast.Compare(left, ops, right) if all(isinstance(op, _ASKS) for op in ops):
                found |= {left, *right}
            case _:
                pass
    return frozenset(found)


_ASKS = ast.Is, ast.IsNot, ast.Eq, ast.NotEq, ast.In, ast.NotIn


def of_class(run: Run, cls: type, value: Value, name: str, node: ast.AST) -> Value:
    """Return the method of this name of a class, bound to an object of it."""
    bases = order_of(cls)
    value = _receiver(run, value, name, bases) if isinstance(value, RefV) else value
    found = method_of(run, value, cls, bases, name, node)
    assert found is not None
    return found


__all__ = ["attribute", "class_of_reference", "from_class", "has_attribute",
           "has_property", "of_class"]
