"""Variables that every function captures where it is called: columns of shared objects (``store``)
and attributes of classes and modules that the program assigns (``memory.attributes_outside``).

They are variables of the entry. A function that is kept does not capture them, so that it may lie
in one of them itself.
"""

from __future__ import annotations

import abc
import sys
import types
import typing
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pullback.errors import MutationError
from pullback.frontend.functions.scopes import ATTRIBUTE, COLUMN, Path, Scope, function_scope
from pullback.frontend.kinds.values import CellV, FunctionV, RecordV, TupleV, Value
from pullback.frontend.python.guards import is_stream
from pullback.frontend.python.libraries import is_closed, is_closed_module
from pullback.frontend.python.object_classes import LOCAL, is_made_in_python
from pullback.frontend.python.paths import Attribute, Namespace

if TYPE_CHECKING:
    from pullback.frontend.python.source import Definition
    from pullback.frontend.state import Frame

_PLAIN = type, abc.ABCMeta, type(typing.Protocol)
"""The classes of classes whose attributes are nothing but attributes."""


def names_here(scope: Scope) -> dict[str, str]:
    """Return the names that these variables have in the frame of a scope."""
    names = function_scope(scope).names
    return {n.partition("@")[0]: n for n in names if n.startswith(COLUMN)}


def within(scope: Scope, f: FunctionV) -> FunctionV:
    """Return a function as it is called in this scope: it captures these variables."""
    here = function_scope(scope)
    alone = bool(f.definition.globals.get("ALONE"))  # of the library, and calls nothing of others
    names = {
        n: CellV(here, m)
        for n, m in names_here(scope).items() if not (alone and n.startswith(ATTRIBUTE))
    }
    known = isinstance(f.scope, Scope) and f.scope.always and not f.scope.live
    if known or not names:
        return f
    assigned = frozenset(n for n in names if n.startswith(ATTRIBUTE))
    made = Scope(
        dict(names), f.scope, live=False, rebound=assigned, always=frozenset(names)
    )
    return replace(f, scope=made)


def of_global(variables: Mapping[Path, str], definition: Definition, name: str) -> str | None:
    """Return the variable of the entry that holds a global variable of a function's module, where
    it is an attribute of that module that the program assigns. ``variables``: these, by path."""
    path = (("global", Namespace.of(definition.globals), name),)
    return variables.get(path) if variables else None


def may_be_assigned(attribute: Attribute) -> bool:
    """Whether an assignment of an attribute does nothing but give it a value."""
    holder, name = attribute.holder, attribute.name
    if is_stream(attribute):
        return True
    if name.startswith("__") and name.endswith("__"):
        return False
    if isinstance(holder, types.ModuleType):
        known = vars(holder)
        return name in known and not is_closed_module(holder.__name__) and is_plain(known[name])
    if isinstance(holder, types.FunctionType):
        return not is_closed(holder) and is_plain(vars(holder).get(name))
    own = [c for c in holder.__mro__ if name in vars(c)]
    return (
        type(holder) in _PLAIN and is_made_in_python(holder)
        and not is_closed_module(holder.__module__) and holder not in LOCAL
        and not hasattr(type(holder), name) and all(is_plain(vars(c)[name]) for c in own)
    )  # fmt: skip


def is_plain(entry: object) -> bool:
    """Whether what a class or module has under a name is a value, and no function or descriptor."""
    return not hasattr(type(entry), "__get__") and not isinstance(entry, types.ModuleType)


def note(frame: Frame, refusal: MutationError, value: Value) -> None:
    """Note in the refusal of an update which variable around the function, or which attribute, has
    the object that is updated."""
    definition = frame.definition
    if definition is None:
        return
    paths = [h.path for h in frame.hidden.values() if _is_made_of(value, h.value)]
    if isinstance(value, RecordV) and value.outside is not None:
        paths.append(value.outside.path)
    for path in paths:
        match path:
            case (("global", Namespace(names=names), str(name)), *_):
                module = sys.modules.get(str(names.get("__name__")))
                if module is not None and is_closed_module(module.__name__):
                    refusal.attribute = Attribute(module, name)  # the generator that all share
                else:
                    refusal.captured = name, names
                return
            case (("function",), ("cell", int(k)), *_) if (
                definition.code is not None and k < len(definition.code.co_freevars)
            ):
                refusal.captured = definition.code.co_freevars[k], definition.globals
                return
            case (("class", type() as cls), ("attr" | "own", str(name)), *_):
                owner = next((c for c in cls.__mro__ if name in vars(c)), cls)
                if may_be_assigned(attribute := Attribute(owner, name)):
                    refusal.attribute = attribute
                    return


def _is_made_of(value: Value, hidden: Value) -> bool:
    """Whether a value is what is read from outside, or was made of the data in it."""
    if value is hidden or not (isinstance(value, RecordV) and isinstance(hidden, TupleV)):
        return value is hidden
    return any(part is data for part in value.fields.values() for data in hidden.items)


__all__ = ["is_plain", "may_be_assigned", "names_here", "note", "of_global", "within"]
