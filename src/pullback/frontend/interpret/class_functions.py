"""Functions that a class has: of its methods and properties."""

from __future__ import annotations

import ast
import functools
import types
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pullback.frontend.functions.capturing_classes import method_in
from pullback.frontend.functions.scopes import Path
from pullback.frontend.kinds.values import FunctionV, Value
from pullback.frontend.python import memoised
from pullback.frontend.python.container_bases import entry_in, home_of, order_of
from pullback.frontend.python.object_classes import is_object_class
from pullback.frontend.python.rewrites import refuse_library
from pullback.frontend.python.settled_classes import stay
from pullback.frontend.python.source import definition_inside, definition_of

if TYPE_CHECKING:
    from pullback.frontend.run import Run


def function_in(
    run: Run, cls: type, function: types.FunctionType, name: str, node: ast.AST,
    part: str = "fget",
) -> FunctionV:  # fmt: skip
    """Return a function that a class has under a name, as that of a method, or as a ``part`` of a
    property."""
    cls, name = home_of(function) or (cls, name)
    path: Path = (("class", cls), ("attr", name))
    match getattr(cls, name):
        case property() | functools.cached_property() | functools._lru_cache_wrapper():
            path = (*path, ("attr", part))
        case types.MethodType():  # of a class: made anew by every look
            path = (*path, ("attr", "__func__"))
        case _:
            pass
    f = run.from_python(function, path, node)
    if not isinstance(f, FunctionV):
        refuse_library(run, function, node)
    return f


def own_function(
    run: Run, value: Value, owner: type, function: types.FunctionType, name: str, node: ast.AST,
    part: str = "fget",
) -> FunctionV:  # fmt: skip
    """Return a function that a class has for an object: of one in a function perhaps one that the
    object has itself."""
    found = method_in(run, value, function, node)
    return found or function_in(run, owner, function, name, node, part)


_OF_KEYS = "__hash__", "__eq__"


def cached_method(
    run: Run, value: Value, cls: type, base: type, name: str, node: ast.AST
) -> FunctionV | None:
    """Return a method that a ``base`` of a class has, and that keeps its results, as one that does
    so in its object; None if that can be seen, or objects of the class are equal to others."""
    found: Any = vars(base)[name]
    wrapped = found.__wrapped__
    own = keeps(cls) and all(getattr(cls, n) is getattr(object, n) for n in _OF_KEYS)
    asked = hasattr(cls, "__getattr__") or written(cls, "__setattr__") is not None
    if not isinstance(wrapped, types.FunctionType) or not own or asked:
        return None
    definition = definition_of(wrapped)
    if not isinstance(definition.node, ast.FunctionDef):
        return None
    callers = (f.definition for f in run.frames if f.definition is not None)
    if found.cache_parameters()["maxsize"] is not None and not stay(cls, callers):
        run.refuse(
            node, f"{name}, which forgets results, of objects that change: it computes some anew, "
            "of all objects of the class together",
            "use @functools.cache, or lru_cache(maxsize=None)",
        )  # fmt: skip
    above = order_of(cls)[order_of(cls).index(base) :]  # a class and one below may both have it
    made = memoised.method(definition.node, definition.globals, f"{name}${len(above)}")
    if made is None:
        return None
    f = own_function(run, value, base, wrapped, name, node, "__wrapped__")
    return replace(f, definition=definition_inside(made, definition), bound=(f, value))


def check_hash(run: Run, node: ast.AST) -> None:
    """Refuse the number of an object but where another one is made of it: for keys of tables."""
    definition = run.frame.definition
    if definition is None or definition.name != "__hash__":
        run.refuse(
            node, "the number that hash() gives: of strings it is another one in each process",
            "call hash in __hash__ only, and compare the fields: (a.x, a.y) == (b.x, b.y)",
        )  # fmt: skip


def class_entry(bases: tuple[type, ...], name: str) -> tuple[type, object]:
    """Return the entry under this name of the first of the classes that has one, and that class."""
    for base in bases:
        if name in vars(base):
            entry: object = entry_in(base, name)
            return base, entry
    return bases[0], None


def has_entry(bases: tuple[type, ...], name: str) -> bool:
    """Whether one of the classes has something under this name that is not the slot of it."""
    return any(
        name in vars(base) and not isinstance(vars(base)[name], types.MemberDescriptorType)
        for base in bases
    )


def keeps(cls: type) -> bool:
    """Whether objects of a class keep what a ``cached_property`` has computed."""
    return is_object_class(cls) and bool(cls.__dictoffset__)


def is_descriptor(entry: object, special: str) -> bool:
    """Whether what a class has under a name is an object whose class says, by ``__get__`` or
    ``__set__``, what the attribute is."""
    cls = type(entry)
    return is_object_class(cls) and written(cls, special) is not None


def descriptor(run: Run, cls: type, name: str, node: ast.AST) -> Value:
    """Return the descriptor that a class, or a class above it, has under a name."""
    base, entry = class_entry(order_of(cls), name)
    return run.from_python(entry, (("class", base), ("own", name)), node)


def setter(run: Run, value: Value, cls: type, name: str, node: ast.AST) -> Value:
    """The function that assigns a property of an object of a class, with the object."""
    entry = entry_of(cls, name)
    assert isinstance(entry, property) and isinstance(entry.fset, types.FunctionType)
    f = own_function(run, value, cls, entry.fset, name, node, "fset")
    return FunctionV(f.definition, f.scope, f.defaults, f.kw_defaults, (value,))


def is_computed(entry: object) -> bool:
    """Whether what a class has under a name is a function of its object, which may raise an
    AttributeError: then there is no such attribute."""
    return isinstance(entry, (property, functools.cached_property)) or (
        is_descriptor(entry, "__get__")
    )


def comes_first(entry: object) -> bool:
    """Whether what a class has under a name comes before what its object holds under it."""
    return isinstance(entry, property) or (
        is_descriptor(entry, "__get__") and is_descriptor(entry, "__set__")
    )


def entry_of(cls: type, name: str) -> object:
    """What a class, or the first of its bases that has it, has under this name."""
    return class_entry(order_of(cls), name)[1]


def written(cls: type, name: str) -> types.FunctionType | None:
    """Return the special method of a class if its user wrote it (not ``@dataclass``, not
    ``tuple``)."""
    _, found = class_entry(order_of(cls), name)
    if isinstance(found, types.FunctionType) and found.__code__.co_filename != "<string>":
        return found
    return None


__all__ = [
    "cached_method", "check_hash", "class_entry", "comes_first", "descriptor", "entry_of",
    "function_in", "has_entry", "is_computed", "is_descriptor", "keeps", "own_function", "setter",
    "written",
]  # fmt: skip
