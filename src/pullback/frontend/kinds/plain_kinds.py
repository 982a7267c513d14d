"""The kinds that have no others in them (``kinds`` has them all)."""

from __future__ import annotations

import ast
import enum
import sys
import types
from array import array
from collections import deque
from collections.abc import Set
from datetime import date, time, timedelta, tzinfo
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import PurePath

import numpy as np

from pullback.core.frozen import dataclass, field
from pullback.core.types import I64, Bool, Int, Real, Type

Number = Real | Int | Bool


class Kind:
    """What is fixed about a value at compile time: its types, and what else code is made for."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ScalarK(Kind):
    """The kind of a number; see ``values.Scalar``. ``may_be_int``: it is a float that may be an int
    in Python, and has the leaf that tells. ``rank0``: it is an array without axes."""

    type: Number
    py: bool
    bits: int = 64
    may_be_int: bool = False
    rank0: bool = False


@dataclass(frozen=True, slots=True)
class StaticK(Kind):
    """The kind of a value known at compile time. ``key`` tells 0, 0.0, -0.0 and False apart; see
    ``static_kind``."""

    key: tuple[object, ...]
    value: object = field(compare=False)


class Unread:
    """What stands in the place of an attribute of an argument that is itself no argument (a lock,
    an open file): the program knows that it is there, and cannot read it."""


class PerhapsUnread(Unread):
    """The same of an attribute that only some of the objects in a list have."""


@dataclass(frozen=True, slots=True)
class UnreadK(StaticK):
    """The kind of such an attribute, whatever it is."""


UNREAD = UnreadK(("unread",), Unread)
PERHAPS_UNREAD = UnreadK(("unread", "perhaps"), PerhapsUnread)


@dataclass(frozen=True, slots=True)
class ArrayK(Kind):
    """The kind of an ndarray of rank >= 1."""

    elem: Number
    rank: int


@dataclass(frozen=True, slots=True)
class SmallK(Kind):
    """The kind of a number or array of a small NumPy integer dtype, such as uint8. Its leaf is that
    of ``held``: an array as it lies, or as the same in int64. See ``interpret.small_ints``."""

    held: ScalarK | ArrayK
    dtype: str


@dataclass(frozen=True, slots=True)
class SymbolK(Kind):
    """The kind of a string (``cls`` is str) or a member of an enumeration that is chosen at run
    time: its leaf is a number, see ``symbols``."""

    cls: type


TYPE = "type()"
"""The step from an exception to its class."""


@dataclass(frozen=True, slots=True)
class CaughtK(Kind):
    """The kind of an exception that was caught, or of what these steps read of it: its leaf is the
    number of the exception; see ``values.CaughtV``."""

    steps: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class RefK(Kind):
    """The kind of a reference to a shared object; see ``values.RefV``. ``among`` is said of the
    object of a method only."""

    cls: type
    among: tuple[type, ...] = ()


@dataclass(frozen=True, slots=True)
class ThreadK(Kind):
    """The kind of the state of the consumer of a generator; see ``values.ThreadV``."""

    types: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class StaleK(Kind):
    """A captured name that may not be used. ``unset``: it has no value in Python either."""

    reason: str
    node: ast.AST = field(compare=False)
    unset: bool = False


def static_kind(value: object) -> StaticK:
    """Return the kind of a value that is known at compile time. Equal strings are one object, which
    compiled code compares."""
    match value:
        case str() if type(value) is str:
            return StaticK((str, value), sys.intern(value))
        case bool() | int() | str() | None | bytes():
            return StaticK((type(value), value), value)
        case float():
            return StaticK((float, value.hex()), value)
        case type():
            unread = next((k for k in (UNREAD, PERHAPS_UNREAD) if k.value is value), None)
            return unread or StaticK((type, value), value)
        case set() | frozenset():
            return StaticK((type(value), *_items_of_set(value)), value)
        case deque() | bytearray() | array():
            size = getattr(value, "maxlen", None)
            return StaticK((type(value), size, tuple(map(_key, value))), value)
        case _:
            return StaticK((type(value), id(value)), value)


def _items_of_set(value: Set[object]) -> tuple[object, ...]:
    """Return what is in a set, and in which order as far as that does not change from process to
    process: if there are no texts, objects or functions among the items."""
    if {*map(type, value)} == {int}:
        return int, tuple(value), value.__sizeof__()
    items = frozenset(map(_key, value))
    if not all(map(_is_number, value)):
        return (items,)
    return items, tuple(map(_key, value)), value.__sizeof__()


def _is_number(value: object) -> bool:
    return all(map(_is_number, value)) if isinstance(value, tuple) else isinstance(value, int)


def _key(value: object) -> object:
    match value:
        case tuple() | list():
            return (type(value), tuple(map(_key, value)))
        case dict():
            return (type(value), tuple((_key(k), _key(v)) for k, v in value.items()))
        case _:
            return static_kind(value).key


CHANGEABLE = (list, dict, set, deque, bytearray, array, partial)
"""Classes of objects that are known by what is in them, which may change."""
_LASTING = (
    int, float, complex, str, bytes, tuple, frozenset, range, slice, enum.Enum, type,
    types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType,
    types.EllipsisType, types.NotImplementedType, types.NoneType, np.generic, np.dtype, np.ufunc,
    Fraction, Decimal, date, time, timedelta, tzinfo, PurePath, BaseException,
)  # fmt: skip
"""Classes of objects of which Python always says the same."""


def may_change(value: object) -> bool:
    """Whether a known object may change without another guard failing, so that only the run can
    ask what it is equal to, whether it is true, and what its text is."""
    return not isinstance(value, (*_LASTING, *CHANGEABLE))


def quantised(t: Number, bits: int) -> int:
    """Return the size of a number as its kind has it, small or unknown, so that there are few
    kinds."""
    return 31 if isinstance(t, Int) and bits <= 31 else 64


def static_scalar(value: object) -> ScalarK | None:
    """Return the kind of a literal number as a scalar, or None (not a number that Core can
    hold)."""
    match value:
        case bool():
            return ScalarK(Bool(), True)
        case int():
            bits = value.bit_length()
            return ScalarK(I64, True, quantised(I64, bits)) if bits < 64 else None
        case float():
            return ScalarK(Real(64), True)
        case _:
            return None


class Compound:
    """A kind that is made of others. What is computed from all of it is kept with it: kinds hold
    each other in many places, and programs ask again and again."""

    __slots__ = ("example", "hash", "leaves")
    __match_args__: tuple[str, ...]
    example: object
    """The value of this kind that ``flatten.example`` has made."""
    hash: int
    leaves: tuple[Type, ...]


def hash_once(kind: Compound) -> int:
    """Return the hash of a kind, which is computed once."""
    try:
        return kind.hash
    except AttributeError:
        made = hash((type(kind), *(getattr(kind, name) for name in kind.__match_args__)))
        object.__setattr__(kind, "hash", made)
        return made
