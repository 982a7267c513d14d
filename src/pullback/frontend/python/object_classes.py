"""Tell which classes have objects that change: those that a user wrote as plain classes or as
dataclasses that are not frozen, and the namespaces of the standard library."""

from __future__ import annotations

import abc
import argparse
import contextlib
import enum
import types
import typing
from functools import lru_cache
from typing import Any
from weakref import WeakSet

from pullback.frontend.python.annotations import is_frozen, is_record_class, memory
from pullback.frontend.python.container_bases import (
    CONTAINERS,
    EXACT,
    OWN_DICT,
    entry_in,
    held_by,
    held_in,
    hidden_of,
    is_tuple_class,
    order_of,
)
from pullback.frontend.python.libraries import is_closed_module

NAMESPACES = types.SimpleNamespace, argparse.Namespace
"""Classes of the standard library whose objects are nothing but their attributes."""

_ABSTRACT = object, abc.ABC, typing.Generic, typing.Protocol
_HEAP, _IMMUTABLE = 1 << 9, 1 << 8
"""Flags of classes: it was made at run time; its attributes cannot be assigned."""

LOCAL: WeakSet[type] = WeakSet()
"""The classes that were made when a function was compiled: Python makes one in each run."""

_HOOKS = ("__getattribute__",)


def is_object_class(cls: type) -> bool:
    """Whether the objects of a class have attributes that can be assigned."""
    if cls in NAMESPACES:
        return True
    if not is_made_in_python(cls):
        return False
    kept = memory(cls)
    if "object class" not in kept:
        kept["object class"] = cls not in CONTAINERS and _is_plain(cls)
    found: bool = kept["object class"]
    return found


def _is_plain(cls: type) -> bool:
    if type(cls) not in (type, abc.ABCMeta, type(typing.Protocol)):
        return False
    if issubclass(cls, (type, enum.Enum, BaseException, tuple)) and not held_by(cls):
        return False
    if is_record_class(cls) and is_frozen(cls):
        return False
    known = {*_ABSTRACT, *NAMESPACES, *CONTAINERS}
    return all(c in known or _is_users(c) for c in cls.__mro__)


def _is_users(cls: type) -> bool:
    return is_made_in_python(cls) and not is_closed_module(cls.__module__)


def is_made_in_python(cls: type) -> bool:
    """Whether a class is one that a ``class`` statement made."""
    return cls.__flags__ & (_HEAP | _IMMUTABLE) == _HEAP


def is_tree_class(cls: type) -> bool:
    """Whether records of a class of the user never change: named tuples, frozen dataclasses."""
    if is_tuple_class(cls):
        return True
    return is_record_class(cls) and is_frozen(cls) and _is_users(cls)


class LooseDict(dict[str, Any]):
    """The class of dicts of which only the run knows which keys they have
    (``kinds.joined_fields``); for the program they are dicts."""


EXACT.add(LooseDict)


def changes(cls: type) -> bool:
    """Whether objects of a class (dicts too) can be updated in place."""
    return cls in (dict, LooseDict) or is_object_class(cls)


def are_dicts(*classes: type) -> bool:
    """Whether these are classes of dicts with known keys, of which some may be missing."""
    return all(cls is dict or cls is LooseDict for cls in classes)


def may_lack(cls: type) -> bool:
    """Whether a field of a value of this class may be missing."""
    return cls is LooseDict or is_object_class(cls)


def attributes_of(value: object) -> dict[str, Any]:
    """Return the attributes that an object has itself, in slots and in its dict."""
    cls: Any = type(value)
    found = {name: held_in(value, name) for name in hidden_of(cls)}
    for name, slot in _slots(cls).items():
        with contextlib.suppress(AttributeError):  # it has no value
            found[name] = slot.__get__(value, cls)
    own = vars(value) if cls.__dictoffset__ else {}
    return found | ({OWN_DICT: None} if own is value else own)


def is_container_class(cls: type) -> bool:
    """Whether a class is the user's and its objects are containers by a base class of it."""
    return bool(held_by(cls)) and is_object_class(cls)


def slots_of(cls: type) -> tuple[str, ...]:
    """Return the names of the slots of a class, those of its bases first."""
    return (*hidden_of(cls), *_slots(cls))


@lru_cache
def _slots(cls: type) -> dict[str, types.MemberDescriptorType]:
    """Return the slots of a class by their names. (They are asked themselves for what is in them:
    where that is nothing, an object would ask its ``__getattr__``.)"""
    return {
        name: entry for base in reversed(cls.__mro__) for name, entry in vars(base).items()
        if base not in CONTAINERS and not name.startswith("__")
        and isinstance(entry, types.MemberDescriptorType)
    }  # fmt: skip


def hook_of(cls: type) -> str:
    """Return the special method by which a class makes its objects, or reads and assigns their
    attributes, in a way of its own; an empty string if there is none."""
    for base in order_of(cls):
        for name in _HOOKS:
            if base not in (*_ABSTRACT, *NAMESPACES) and name in vars(base):
                return name
    asked = any("__getattr__" in vars(base) for base in order_of(cls))
    return "__getattr__" if asked and fallback_of(cls) is None else ""


def maker_of(cls: type) -> types.FunctionType | None:
    """Return the ``__new__`` that the user wrote for a class."""
    order = (base for base in order_of(cls) if base not in _ABSTRACT)
    found = next((vars(b)["__new__"] for b in order if "__new__" in vars(b)), None)
    inner = found.__func__ if isinstance(found, staticmethod) else None
    if not isinstance(inner, types.FunctionType) or inner.__code__.co_filename[:1] == "<":
        return None  # that of a NamedTuple has no file
    return inner


def is_written(cls: type, name: str) -> bool:
    """Whether the user wrote a special method that ``object`` has too."""
    found = next((entry_in(base, name) for base in order_of(cls) if name in vars(base)), None)
    return isinstance(found, types.FunctionType) and found.__code__.co_filename != "<string>"


def fallback_of(cls: type) -> types.FunctionType | None:
    """Return the ``__getattr__`` of a class, if it is a function: it is called for an attribute
    that neither an object nor its class has."""
    own = (b for b in order_of(cls) if "__getattr__" in vars(b))
    found = next((entry_in(b, "__getattr__") for b in own), None)
    return found if isinstance(found, types.FunctionType) else None


__all__ = [
    "LOCAL", "NAMESPACES", "LooseDict", "are_dicts", "attributes_of", "changes", "fallback_of",
    "hook_of", "is_container_class", "is_made_in_python", "is_object_class", "is_written",
    "maker_of", "may_lack", "slots_of",
]  # fmt: skip
