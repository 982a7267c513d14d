"""Represent strings and members of enumerations by numbers, if they are known at run time only.

Known ones stay what they are (``Static``). Where two different ones meet, and in fields of nodes,
they are numbers (``SymbolK``): the position of a member in its enumeration; for a string a number
that is computed from its characters, so it is the same in every process. One table leads from the
numbers back to the strings that have been met. Programs can compare symbols, pass them on and
return them.
"""

from __future__ import annotations

import enum
import hashlib
from collections import deque
from functools import lru_cache

from pullback.core.waiting import Lock

NUMBERS: dict[str, int] = {}
STRINGS: dict[int, str] = {}
_LOCK = Lock()
_MOST = 1 << 62
_made: deque[str] = deque()
_MOST_MADE = 1 << 20
"""How many of the texts that programs make are known at once; who asks for others gets an error."""


@lru_cache(maxsize=256)
def members(cls: type) -> tuple[enum.Enum, ...]:
    """Return the members of an enumeration, in order."""
    assert issubclass(cls, enum.Enum)
    return tuple(cls)


@lru_cache(maxsize=256)
def _positions(cls: type) -> dict[object, int]:
    return {id(m): k for k, m in enumerate(members(cls))}


def symbol_class(value: object) -> type | None:
    """Return ``str``, or the enumeration of a member; None if the value is no symbol."""
    if isinstance(value, enum.Enum) and id(value) in _positions(type(value)):
        return type(value)
    return str if type(value) is str else None


def number_of(value: object) -> int:
    """Return the number of a string or a member of an enumeration."""
    if isinstance(value, enum.Enum):
        return _positions(type(value))[id(value)]
    assert isinstance(value, str)
    found = NUMBERS.get(value)
    if found is None:
        with _LOCK:
            found = _digest(value)
            while STRINGS.setdefault(found, value) != value:
                found = (found + 1) % _MOST
            NUMBERS[value] = found
    return found


def number_of_made(text: str) -> int:
    """Return the number of a text that a program has made. Of these the last ones are known."""
    new = text not in NUMBERS
    number = number_of(text)
    if new:
        with _LOCK:
            _made.append(text)
            if len(_made) > _MOST_MADE:
                STRINGS.pop(NUMBERS.pop(_made.popleft(), -1), None)
    return number


def _digest(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") % _MOST


def symbol_of(cls: type, number: int) -> object:
    """Return the string or member with this number."""
    if cls is not str:
        return members(cls)[number]
    found = STRINGS.get(number)
    if found is None:
        raise MemoryError(f"programs have made more than {_MOST_MADE} texts since this one")
    return found
