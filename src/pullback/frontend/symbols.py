"""Strings and members of enumerations as numbers, for those that only the run tells.

Known ones stay what they are (``Static``); two different ones that meet, and fields of nodes, are
numbers (``SymbolK``): the position of a member in its enumeration, the number of a string in one
table of all strings that have been met. Programs can compare them, pass them on and return them.
"""

from __future__ import annotations

import enum
from functools import lru_cache
from threading import Lock

NUMBERS: dict[str, int] = {}
STRINGS: list[str] = []
_LOCK = Lock()


@lru_cache(maxsize=256)
def members(cls: type) -> tuple[enum.Enum, ...]:
    """The members of an enumeration, in order."""
    assert issubclass(cls, enum.Enum)
    return tuple(cls)


@lru_cache(maxsize=256)
def _positions(cls: type) -> dict[object, int]:
    return {id(m): k for k, m in enumerate(members(cls))}


def symbol_class(value: object) -> type | None:
    """``str``, or the enumeration of a member; None: no symbol."""
    if isinstance(value, enum.Enum) and id(value) in _positions(type(value)):
        return type(value)
    return str if type(value) is str else None


def number_of(value: object) -> int:
    """The number of a string or a member of an enumeration."""
    if isinstance(value, enum.Enum):
        return _positions(type(value))[id(value)]
    assert isinstance(value, str)
    found = NUMBERS.get(value)
    if found is None:
        with _LOCK:
            if value not in NUMBERS:
                STRINGS.append(value)
                NUMBERS[value] = len(STRINGS) - 1
            found = NUMBERS[value]
    return found


def symbol_of(cls: type, number: int) -> object:
    """The string or member with this number."""
    return STRINGS[number] if cls is str else members(cls)[number]
