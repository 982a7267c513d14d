"""Access to the fields of a user's class from compiled code.

A field is a slot at an offset, an item of a tuple, or an entry of the instance's dictionary. The
last is looked up by CPython; where this CPython is known to keep it in a row of values (3.11), its
place there is taken from an instance. The attributes of an object that changes are its own: a
property, or a variable of its class, is none of them. Classes that do anything else on access are
not *plain*: code of the user would run in the middle of a conversion. Their instances are replaced
by those of another class with the same fields before (``translated``).
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from dataclasses import is_dataclass, make_dataclass
from functools import lru_cache
from types import MemberDescriptorType, SimpleNamespace

from pullback.core.frozen import dataclass
from pullback.frontend.python.annotations import memory
from pullback.frontend.python.object_classes import is_object_class
from pullback.native.pyabi import TUPLE_ITEMS

_MEMBER, _MEMBER_TYPE, _MEMBER_OFFSET, _OBJECT_EX = 40, 8, 16, 16
_FOR = "__pullback_stands_for__"
VALUES_BEFORE = 32
"""Where CPython 3.11 keeps the row of values, before the object."""
_MOST = 28  # fields of a row
_MANAGED = 1 << 4  # the flag of classes whose instances have one


@dataclass(frozen=True, slots=True)
class Offset:
    """A slot or an item at this offset in the object."""

    bytes: int


@dataclass(frozen=True, slots=True)
class Attribute:
    """An entry of the dictionary; ``place``: in the row of values (-1: not known)."""

    name: str
    place: int


@dataclass(frozen=True, slots=True)
class Key:
    """An item of a dict: a string, an int or a member of an enumeration."""

    key: object


Access = Offset | Attribute | Key


@lru_cache(maxsize=512)
def access_of(cls: type, names: tuple[str, ...]) -> tuple[Access, ...] | None:
    """How each field is reached; None if the class is not plain."""
    if cls is dict:
        return tuple(map(Key, names))
    if is_object_class(cls):
        return _access_of_attributes(cls, names)
    if not is_dataclass(cls):
        properties = any(isinstance(vars(cls).get(n), property) for n in names)
        plain = issubclass(cls, tuple) and _untouched(cls, tuple) and not properties
        return tuple(Offset(TUPLE_ITEMS + 8 * k) for k in range(len(names))) if plain else None
    if cls.__new__ is not object.__new__ or not _untouched(cls, object):
        return None
    if getattr(cls, "__abstractmethods__", None):
        return None
    slots: list[Access] = []
    entries: list[str] = []
    for name in names:
        found = next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)
        if isinstance(found, MemberDescriptorType):
            slots.append(Offset(_slot(found)))
        elif found is not None and hasattr(type(found), "__get__"):
            if hasattr(type(found), "__set__"):
                return None
            slots.append(Attribute(name, -1))  # a method as the default of a field
        else:
            slots.append(Attribute(name, -1))
        if isinstance(slots[-1], Attribute):
            entries.append(name)
    if not entries:
        return tuple(slots) if _slots_fit(cls, names, slots) else None
    if not getattr(cls, "__dictoffset__", 0):
        return None
    return _placed(cls, slots)


def _access_of_attributes(cls: type, names: tuple[str, ...]) -> tuple[Access, ...] | None:
    """The same for a class whose objects change."""
    if issubclass(cls, SimpleNamespace):
        return tuple(Attribute(name, -1) for name in names) if cls is SimpleNamespace else None
    if not _untouched(cls, object) or getattr(cls, "__abstractmethods__", None):
        return None
    if hasattr(cls, "__del__"):  # an instance that is made to look would run it
        return None
    slots: list[Access] = []
    for name in names:
        found = next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)
        if isinstance(found, MemberDescriptorType):
            slots.append(Offset(_slot(found)))
        elif hasattr(type(found), "__set__") or hasattr(type(found), "__delete__"):
            return None
        else:
            slots.append(Attribute(name, -1))
    if all(isinstance(s, Offset) for s in slots):
        return tuple(slots) if _slots_fit(cls, names, slots) else None
    return _placed(cls, slots) if keeps_dict(cls) else None


def keeps_dict(cls: type) -> bool:
    """Whether the objects of a class have a dictionary of attributes."""
    return bool(getattr(cls, "__dictoffset__", 0))


def other_slots(cls: type, names: Sequence[str]) -> tuple[Offset, ...]:
    """The slots of a class but for those of these names."""
    found = {n: x for c in reversed(cls.__mro__) for n, x in vars(c).items()
             if isinstance(x, MemberDescriptorType) and not n.startswith("__")}  # fmt: skip
    return tuple(Offset(_slot(x)) for n, x in found.items() if n not in names)


def _placed(cls: type, fields: Sequence[Access]) -> tuple[Access, ...]:
    """The fields with the places of those in the row of values."""
    places = _places(cls, [a.name for a in fields if isinstance(a, Attribute)])
    return tuple(Attribute(a.name, places[a.name]) if isinstance(a, Attribute) else a
                 for a in fields)  # fmt: skip


def native_class(cls: type, names: tuple[str, ...]) -> type:
    """The class whose instances compiled code reads and makes instead of those of a class: itself
    if it is plain, else one with the same fields (a *stand-in*)."""
    if access_of(cls, names) is not None:
        return cls
    kept = memory(cls)
    key = "stand-in", names if is_object_class(cls) else ()
    if key not in kept:
        kept[key] = make_dataclass(cls.__name__, names, slots=True, namespace={_FOR: cls})
    found: type = kept[key]
    return found


def own_class(cls: type) -> type:
    """The class that instances of a class stand for."""
    found: type = getattr(cls, _FOR, cls)
    return found


def _untouched(cls: type, base: type) -> bool:
    """Whether attributes are looked up as ``base`` does."""
    return (
        type(cls).__call__ is type.__call__
        and cls.__getattribute__ is base.__getattribute__
        and not hasattr(cls, "__getattr__")
    )


def _word(address: int) -> int:
    return ctypes.c_size_t.from_address(address).value


def _slot(member: MemberDescriptorType) -> int:
    definition = _word(id(member) + _MEMBER)
    assert ctypes.c_int.from_address(definition + _MEMBER_TYPE).value == _OBJECT_EX
    return ctypes.c_ssize_t.from_address(definition + _MEMBER_OFFSET).value


def _slots_fit(cls: type, names: Sequence[str], slots: Sequence[Access]) -> bool:
    """Whether the slots of an instance, which is made to look, are at these offsets."""
    probe, marks = _probe(cls, names)
    return all(
        isinstance(s, Offset) and _word(id(probe) + s.bytes) == id(m)
        for s, m in zip(slots, marks, strict=False)
    )


def _probe(cls: type, names: Sequence[str]) -> tuple[object, list[object]]:
    marks = [object() for _ in names]
    probe: object = object.__new__(cls)
    for name, mark in zip(names, marks, strict=False):
        object.__setattr__(probe, name, mark)
    return probe, marks


def _places(cls: type, names: Sequence[str]) -> dict[str, int]:
    """The places in the row of values, as an instance has them; they never change."""
    unknown = dict.fromkeys(names, -1)
    plain = sys.implementation.name == "cpython" and sys.version_info[:2] == (3, 11)
    if not plain or len(names) > _MOST or not cls.__flags__ & _MANAGED:
        return unknown
    probe, marks = _probe(cls, names)
    row = _word(id(probe) - VALUES_BEFORE)
    if not row or ctypes.c_uint8.from_address(row - 2).value != len(names):
        return unknown
    # Before the row are how many values it has, and their places in the order of assignment.
    found = [ctypes.c_uint8.from_address(row - 3 - k).value for k in range(len(names))]
    if any(_word(row + 8 * k) != id(mark) for k, mark in zip(found, marks, strict=True)):
        return unknown
    return dict(zip(names, found, strict=True))


def known_slots(access: Sequence[Access]) -> bool:
    """Whether every field is at an offset."""
    return all(isinstance(a, Offset) for a in access)
