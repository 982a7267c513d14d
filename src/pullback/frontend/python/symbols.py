"""Represent strings and members of enumerations by numbers, if they are known at run time only.

Known ones stay what they are (``Static``). Where two different ones meet, and in fields of nodes,
they are numbers (``SymbolK``): the position of a member in its enumeration; for a string a number
that is computed from its characters, so it is the same in every process. One table leads from the
numbers back to the strings that have been met. Programs can compare symbols, pass them on and
return them.
"""

from __future__ import annotations

import enum
import re
from collections import deque
from functools import lru_cache

from pullback.core.waiting import Lock


class _Texts(dict[int, str]):
    """Texts by their numbers; one that is not written out is, when it is asked for."""

    def __missing__(self, number: int) -> str:
        return str(_text(number))


NUMBERS: dict[str, int] = {}
STRINGS = _Texts()
_LOCK = Lock()
_made: deque[int] = deque()
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
            found = _place(value, len(value), remainder(value))
            STRINGS[found] = value
            NUMBERS[value] = found
    return found


_NUMBER = re.compile(r"\d+")


def mentioned(code: str) -> tuple[tuple[int, str], ...]:
    """Return the strings whose numbers stand in a text of code, with these numbers. (A number that
    stands there by chance does no harm.) A process in which nothing else has numbered them needs
    them to run the code."""
    numbers = sorted({int(found[0]) for found in _NUMBER.finditer(code)})
    return tuple((n, STRINGS[n]) for n in numbers if n in STRINGS)


def number_of_made(text: str) -> int:
    """Return the number of a text that a program has made. Of these the last ones are known."""
    new = text not in NUMBERS
    number = number_of(text)
    if new:
        _remember(number)
    return number


def number_of_joined(*pieces: str | int) -> int:
    """Return the number of the text that consists of some pieces: texts, and numbers of texts.

    A long one is not written out: it is known by its halves, so a text that grows piece by piece
    takes memory and time for its pieces, as in Python."""
    made: str | Joined = ""
    for piece in pieces:
        more = piece if isinstance(piece, str) else _text(piece)
        if len(made) + len(more) < SHORT:
            made = str(made) + str(more)
        elif not made or not more:
            made = made or more
        else:
            made = Joined(made, more)
    if isinstance(made, str):
        return number_of_made(made)
    with _LOCK:
        number = _place(made, len(made), made.remainder)
        new = number not in STRINGS and number not in JOINED
        if new:
            JOINED[number] = made
    if new:
        _remember(number)
    return number


def length_of(number: int) -> int:
    """Return the number of characters of the text with this number."""
    return len(_text(number))


def symbol_of(cls: type, number: int) -> object:
    """Return the string or member with this number."""
    return members(cls)[number] if cls is not str else str(_text(number))


def _text(number: int) -> str | Joined:
    found: str | Joined | None = JOINED.get(number)
    if found is None:
        found = STRINGS.get(number)
    if found is None:
        raise MemoryError(f"programs have made more than {_MOST_MADE} texts since this one")
    return found


def _remember(number: int) -> None:
    """Note that a program has made a text, and forget the one that was made longest ago."""
    with _LOCK:
        _made.append(number)
        if len(_made) > _MOST_MADE:
            old = _made.popleft()
            JOINED.pop(old, None)
            NUMBERS.pop(STRINGS.pop(old, ""), None)


def _place(text: str | Joined, length: int, remainder: int) -> int:
    """Return the number of a text: the first from its digest on that no other text has."""
    number = (remainder + length * _BY_LENGTH) % _PRIME
    while True:
        other: str | Joined | None = JOINED.get(number)
        if other is None:
            other = STRINGS.get(number)
        if other is None or _equal(other, text):
            return number
        number = (number + 1) % _PRIME


# --- texts that are not written out ---------------------------------------------------------------

SHORT = 64
"""Below this length a text is written out at once."""

_PRIME = (1 << 62) - 10565
"""The digest of a text is its characters, read as one number in base 2^32, modulo this prime. Half
of what is below it is a prime too, so the powers of the base repeat after 2^61 characters."""

_BY_LENGTH = 0x1E3779B97F4A7C15
"""What a character adds to the digest by being there: texts that begin with zeros differ."""


def remainder(text: str) -> int:
    """Return the characters of a text as one number in base 2^32, modulo the prime."""
    return int.from_bytes(text.encode("utf-32-be", "surrogatepass"), "big") % _PRIME


class Joined:
    """A text by its two halves."""

    __slots__ = ("_length", "_written", "left", "remainder", "right")

    def __init__(self, left: str | Joined, right: str | Joined) -> None:
        self.left, self.right = left, right
        self._length = len(left) + len(right)
        self._written: str | None = None
        shift = pow(2, 32 * len(right), _PRIME)
        self.remainder = (_remainder(left) * shift + _remainder(right)) % _PRIME

    def __len__(self) -> int:
        return self._length

    def __str__(self) -> str:
        """The text, which is kept for as long as it is among those that were asked for last."""
        if self._written is None:
            pieces, todo = [], [self.right, self.left]
            while todo:
                piece = todo.pop()
                if isinstance(piece, Joined) and piece._written is None:
                    todo += (piece.right, piece.left)
                else:
                    pieces.append(str(piece))
            self._written = "".join(pieces)
            _written.append(self)
            if len(_written) > _MOST_WRITTEN:
                _written.popleft()._written = None
        return self._written


JOINED: dict[int, Joined] = {}
_written: deque[Joined] = deque()
_MOST_WRITTEN = 4


def _remainder(text: str | Joined) -> int:
    return text.remainder if isinstance(text, Joined) else remainder(text)


def _equal(a: str | Joined, b: str | Joined) -> bool:
    """Whether two texts are equal. Equal halves need not be written out: a text that grows a second
    time has those of the first time."""
    if isinstance(a, Joined) and isinstance(b, Joined) and a.left is b.left:
        return str(a.right) == str(b.right)
    return str(a) == str(b)
