"""Values that are one of several: a number or None, a number or a mark that stands for "nothing was
given", a number or a text.

A mark is an object of which only the identity matters: ``MISSING = object()``. What a value may be
is kept as a chain of ``OptionalK``: the innermost is the value itself, around it stands each other
thing that may be in its place. Two alternatives are never of one *sort*, so which of them a value
is can be asked in Python as well (``is None``, ``is MISSING``, ``isinstance(v, str)``)."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from types import EllipsisType, NotImplementedType

from pullback.frontend.kinds.kinds import (
    ArrayK,
    CaughtK,
    ClosureK,
    FunctionK,
    HashK,
    Kind,
    LambdaSetK,
    ListK,
    OptionalK,
    RecordK,
    RefK,
    ScalarK,
    StaticK,
    SymbolK,
    TupleK,
    UnionK,
    parts,
)

MOST = 6
"""A value is one of at most so many alternatives."""

MARKS = (object, type(dataclasses.MISSING), EllipsisType, NotImplementedType)
"""The classes whose objects are marks."""

Sort = tuple[object, ...]
_ORDER = ("value", "text", "member", "None", "mark")

_MAY_BE_MISSING = (
    ScalarK | TupleK | ArrayK | ListK | HashK | RecordK | UnionK | FunctionK | ClosureK | LambdaSetK
    | SymbolK | CaughtK | RefK
)  # fmt: skip


def is_mark(value: object) -> bool:
    """Whether a known object stands for something by its identity alone."""
    return type(value) in MARKS


def sort(kind: Kind) -> Sort:
    """Return what tells an alternative from others."""
    match kind:
        case StaticK(_, None):
            return ("None",)
        case StaticK(key=(cls, *_)) | SymbolK(cls) if cls is str:
            return ("text",)
        case StaticK(_, enum.Enum() as member):
            return "member", type(member)
        case SymbolK(cls):
            return "member", cls
        case StaticK(key, value) if is_mark(value):
            return "mark", key
        case _:
            return ("value",)


def alternatives(kind: Kind) -> tuple[Kind, ...]:
    """Return what a value of this kind may be, from the inside out."""
    if isinstance(kind, OptionalK):
        return (*alternatives(kind.inner), kind.other)
    return (kind,)


def mixes(kind: Kind) -> bool:
    """Whether a value of this kind, or something in it, may be a text or a member of an enumeration
    in the place of something else: where it is known which of them it is, more is known of what can
    be done with it."""
    own = isinstance(kind, OptionalK) and sort(kind.other)[0] in ("text", "member")
    return own or any(map(mixes, parts(kind)))


def joined(
    a: Kind,
    b: Kind,
    join: Callable[[Kind, Kind], Kind | None],
    as_value: Callable[[Kind], Kind],
) -> Kind | None:
    """Return the kind of a value that is one of the alternatives of both; None: there is none."""
    found = {sort(k): k for k in alternatives(a)}
    for k in alternatives(b):
        before = found.setdefault(sort(k), k)
        if before == k:
            continue
        if len(found) == 1 and not isinstance(a, OptionalK) and not isinstance(b, OptionalK):
            return None
        both = join(before, k)
        if both is None or isinstance(both, OptionalK):
            return None
        found[sort(k)] = both
    if not 1 < len(found) <= MOST:
        return None
    first, *others = sorted(found, key=lambda s: _ORDER.index(str(s[0])))
    made = found[first]
    if first[0] not in ("None", "mark"):
        made = as_value(made)
        if not isinstance(made, _MAY_BE_MISSING):
            return None
    for s in others:
        made = OptionalK(made, found[s])
    return made


__all__ = ["MARKS", "Sort", "alternatives", "is_mark", "joined", "mixes", "sort"]
