"""``__getattr__`` of the user's classes: Python calls it where an object and its class have no
attribute of a name, and where what the class has under the name raises an AttributeError."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pullback.errors import ArgumentTypeError
from pullback.frontend.interpret import classes_apart
from pullback.frontend.interpret.class_functions import function_in
from pullback.frontend.kinds.values import (
    WRITTEN_CLASSES,
    FunctionV,
    RecordV,
    Static,
    TupleV,
    Value,
)
from pullback.frontend.library.compiled_text import run_program
from pullback.frontend.library.text import missing_attributes
from pullback.frontend.memory import places
from pullback.frontend.memory.item_attributes import is_item
from pullback.frontend.python.container_bases import VALUES, held_by, hidden_of, order_of
from pullback.frontend.python.instances import is_inside
from pullback.frontend.python.object_classes import fallback_of, is_object_class, slots_of
from pullback.frontend.python.paths import Attribute

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def asks(cls: type, name: str) -> bool:
    """Whether objects of a class that have no attribute of a name ask ``__getattr__`` for it."""
    return fallback_of(cls) is not None and not _is_special(name)


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def says_missing(cls: type, name: str) -> bool:
    """Whether an object without an attribute of a name lacks it in Python, too: a class by which
    the library stands for one of another library may have a part of what users see of that only."""
    if name.startswith("_"):
        return True
    library = next((c for c, text in WRITTEN_CLASSES.items() if text is cls), None)
    if library is not None:
        return not hasattr(library, name)
    return not cls.__module__.startswith("pullback.frontend.library.text.")


def asked(run: Run, value: Value, cls: type, name: str, node: ast.AST) -> Value | None:
    """Return what ``__getattr__`` says of a name that an object of a class does not have; None if
    it is not asked."""
    ask = _function(run, value, cls, name, node)
    if ask is None:
        return None
    told_absent(run, cls, name)
    made = run.call(ask, (value, Static(name)), node)
    if isinstance(value, RecordV) and is_item(run, value, name, node):
        places.note(run, value, name, made)
    return made


def told_absent(run: Run, cls: type, name: str) -> None:
    """Note that a class has no attribute of a name: a call after it got one is another program."""
    for base in order_of(cls)[:-1]:
        if name not in vars(base):  # else it is a slot
            run.without_own((("class", base),), name)


def computed(
    run: Run, value: Value, cls: type, bases: tuple[type, ...], name: str, node: ast.AST,
    get: Value, *given: Value,
) -> Value:  # fmt: skip
    """Return what the first of these classes computes under a name, ``get(value, *given)``, or what
    ``__getattr__`` says where that raises an AttributeError (not for ``super()``)."""
    ask = _function(run, value, cls, name, node) if bases == order_of(cls) else None
    if ask is None:
        return run.call(get, (value, *given), node)
    args = value, Static(name), get, TupleV(given), ask
    return run_program(run, missing_attributes.or_asked, args, node)


def _function(
    run: Run, value: Value, cls: type, name: str, node: ast.AST
) -> FunctionV | None:
    """Return the ``__getattr__`` that an object asks for a name; None if there is none."""
    found = fallback_of(cls)
    if found is None:
        return None
    if _is_special(name):
        reason = f"{name} of an object of {cls.__name__}, which has a __getattr__ of its own"
        run.refuse(node, reason, "write the method in the class")
    if isinstance(value, RecordV) and value.outside is not None and (
        {*slots_of(cls)} - {*hidden_of(cls)} or not cls.__dictoffset__
    ):
        reason = f"{name!r} of a captured object of {cls.__name__}, which has slots and __getattr__"
        run.refuse(node, reason, "pass the object as an argument")
    variables = {} if run.taken is None else run.taken.variables
    if any(Attribute(base, name).path in variables for base in order_of(cls)):
        reason = f"the attribute {name!r}, which the program gives to a class with __getattr__"
        run.refuse(node, reason, "let each object have it")
    return function_in(run, cls, found, "__getattr__", node)


def item_of_class(run: Run, value: Value, index: Value, node: ast.AST) -> Value:
    """Return ``cls[index]`` of a class that says by ``__class_getitem__`` what that is; nothing
    else that comes here has items."""
    cls = value.value if isinstance(value, Static) else None
    if isinstance(cls, type) and is_object_class(cls):
        name = "__class_getitem__"
        found = next((vars(c)[name] for c in order_of(cls) if name in vars(c)), None)
        if isinstance(found, classmethod):
            return run.call(run.attribute(value, name, node), (index,), node)
    said = "'{}' object is not subscriptable"
    classes_apart.require_items(run, value, ("__getitem__",), said, node)
    run.refuse(node, f"{run.describe(value)} cannot be indexed", error=ArgumentTypeError)


_OF_COPIES = (
    "__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__",
    "__getattr__",
)  # fmt: skip
"""Methods that Python asks when it copies an object (the last one for ``__setstate__``, of an
object that has no attributes yet)."""


def check_copied(run: Run, cls: type, names: Iterable[str], node: ast.AST) -> None:
    """Refuse a copy of an object with these attributes if its class says itself how it is copied,
    or results of its methods are kept in it."""
    classes = {*order_of(cls), *cls.__mro__} - {object}
    written = [n for n in _OF_COPIES if any(n in vars(c) for c in classes)]
    if written:
        run.refuse(node, f"a copy of {cls.__name__}, which has a {written[0]} of its own")
    if any(map(is_inside, names)):
        run.refuse(
            node, f"a copy of {cls.__name__}, a method of which keeps its results",
            "make a new one: Class(old.a, old.b)",
        )  # fmt: skip


_MADE_BY = "__new__", "__getnewargs__", "__getnewargs_ex__"
_ADDED_BY = {
    list: ("append", "extend", "__iter__"), dict: ("__setitem__", "items"),
    **dict.fromkeys(VALUES, _MADE_BY),
}  # fmt: skip


def check_container_copied(run: Run, cls: type, node: ast.AST, own_dict: bool = False) -> None:
    """Refuse a copy of an object of a class derived from a container, if its methods would be
    called for each item, or its ``__init__`` for the copy."""
    (held,) = held_by(cls).values()
    own = {n for c in order_of(cls)[:-1] if c in cls.__mro__ for n in vars(c)}
    if own_dict or held not in _ADDED_BY or not own.isdisjoint(_ADDED_BY[held]):
        reason = f"a copy of {cls.__name__}, which Python makes by methods of its own"
        run.refuse(node, reason, "write a method that makes it")


__all__ = ["asked", "asks", "check_container_copied", "check_copied", "computed", "item_of_class",
           "says_missing", "told_absent"]
