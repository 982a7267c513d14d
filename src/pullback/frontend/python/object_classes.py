"""Tell which classes have objects that change: those that a user wrote as plain classes or as
dataclasses that are not frozen, and the namespaces of the standard library."""

from __future__ import annotations

import abc
import argparse
import enum
import types
import typing
from functools import lru_cache
from typing import Any
from weakref import WeakSet

from pullback.frontend.python.annotations import is_frozen, is_record_class, memory
from pullback.frontend.python.libraries import is_closed_module

NAMESPACES = types.SimpleNamespace, argparse.Namespace
"""Classes of the standard library whose objects are nothing but their attributes."""

_ABSTRACT = object, abc.ABC, typing.Generic, typing.Protocol
_HEAP, _IMMUTABLE = 1 << 9, 1 << 8
"""Flags of classes: it was made at run time; its attributes cannot be assigned."""

LOCAL: WeakSet[type] = WeakSet()
"""The classes that were made when a function was compiled: Python makes one in each run."""

_HOOKS = "__new__", "__setattr__", "__delattr__", "__getattribute__", "__getattr__"


def is_object_class(cls: type) -> bool:
    """Whether the objects of a class have attributes that can be assigned."""
    if cls in NAMESPACES:
        return True
    if not is_made_in_python(cls):
        return False
    kept = memory(cls)
    if "object class" not in kept:
        kept["object class"] = _is_plain(cls)
    found: bool = kept["object class"]
    return found


def _is_plain(cls: type) -> bool:
    if type(cls) not in (type, abc.ABCMeta, type(typing.Protocol)):
        return False
    if issubclass(cls, (type, enum.Enum, BaseException, tuple)):
        return False
    if is_record_class(cls) and is_frozen(cls):
        return False
    return all(c in _ABSTRACT or c in NAMESPACES or _is_users(c) for c in cls.__mro__)


def _is_users(cls: type) -> bool:
    return is_made_in_python(cls) and not is_closed_module(cls.__module__)


def is_made_in_python(cls: type) -> bool:
    """Whether a class is one that a ``class`` statement made."""
    return cls.__flags__ & (_HEAP | _IMMUTABLE) == _HEAP


def changes(cls: type) -> bool:
    """Whether objects of a class (dicts too) can be updated in place."""
    return cls is dict or is_object_class(cls)


def attributes_of(value: object) -> dict[str, Any]:
    """Return the attributes that an object has itself, in slots and in its dict."""
    cls: Any = type(value)
    held = ((name, getattr(value, name, _NOTHING)) for name in slots_of(cls))
    found = {name: part for name, part in held if part is not _NOTHING}
    return found | getattr(value, "__dict__", {})


@lru_cache
def slots_of(cls: type) -> tuple[str, ...]:
    """Return the names of the slots of a class, those of its bases first."""
    return tuple(
        name for base in reversed(cls.__mro__) for name, entry in vars(base).items()
        if isinstance(entry, types.MemberDescriptorType) and not name.startswith("__")
    )  # fmt: skip


_NOTHING = object()


def hook_of(cls: type) -> str:
    """Return the special method by which a class makes its objects, or reads and assigns their
    attributes, in a way of its own; an empty string if there is none."""
    for base in cls.__mro__:
        for name in _HOOKS:
            if base not in (*_ABSTRACT, *NAMESPACES) and name in vars(base):
                return name
    return ""


__all__ = [
    "LOCAL", "NAMESPACES", "attributes_of", "changes", "hook_of", "is_made_in_python",
    "is_object_class", "slots_of",
]  # fmt: skip
