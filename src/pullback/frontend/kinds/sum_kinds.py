"""Values that are one of several: a number or None, a number or a mark that stands for "nothing was
given", a number or a text, tuples of several lengths.

A mark is an object of which only the identity matters: ``MISSING = object()``. What a value may be
is kept as a chain of ``OptionalK``: the innermost is the value itself, around it stands each other
thing that may be in its place. Two alternatives are never of one *sort*, so which of them a value
is can be asked in Python as well (``is None``, ``is MISSING``, ``isinstance(v, str)``)."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import EllipsisType, NotImplementedType

import numpy as np

from pullback.frontend.kinds.complex_pairs import ComplexArray, Pair
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
    SharedMemory,
    StaticK,
    SymbolK,
    TupleK,
    UnionK,
    parts,
    static_kind,
)
from pullback.frontend.python.bare_objects import is_bare, is_placeholder
from pullback.frontend.python.object_classes import is_tree_class
from pullback.frontend.python.streams import Stream

MOST = 6
"""A value is one of at most so many alternatives."""
_MOST_TAGGED = 16
"""Of so many, if tuples are told apart by tags."""

MARKS = (object, type(dataclasses.MISSING), EllipsisType, NotImplementedType, Stream)
"""The classes whose objects are marks."""

Sort = tuple[object, ...]
_ORDER = (
    "value", "array", "memory", "object", "tuple", "record", "row", "text", "member", "None",
    "mark",
)  # fmt: skip

_MAY_BE_MISSING = (
    ScalarK | TupleK | ArrayK | ListK | HashK | RecordK | UnionK | FunctionK | ClosureK | LambdaSetK
    | SymbolK | CaughtK | RefK
)  # fmt: skip


def is_mark(value: object) -> bool:
    """Whether a known object stands for something by its identity alone."""
    return type(value) in MARKS or is_bare(value)


def mark_of(kind: Kind) -> Kind:
    """Return the kind of an object from outside that has nothing but its identity as that of a
    mark; any other one as it is."""
    if isinstance(kind, RecordK) and kind.outside is not None and not kind.fields:
        found = kind.outside.value
        return static_kind(found) if is_bare(found) else kind
    return kind


def sort(kind: Kind) -> Sort:
    """Return what tells an alternative from others."""
    match mark_of(kind):
        case ArrayK(elem, rank):
            return "array", str(elem), rank
        case RecordK(cls, ((_, ArrayK(elem, rank)), *_)) if cls is ComplexArray:
            return "array", f"complex of {elem}", rank
        case StaticK(_, None):
            return ("None",)
        case StaticK(key=(cls, *_)) | SymbolK(cls) if cls is str:
            return ("text",)
        case StaticK(_, enum.Enum() as member):
            return "member", type(member)
        case SymbolK(cls):
            return "member", cls
        case StaticK(key, value) if is_mark(value) or is_placeholder(value):
            return "mark", key
        case RefK() if is_row(kind):
            return ("row",)
        case RefK(cls) if issubclass(cls, SharedMemory) and cls.of is not np.ndarray:
            return ("memory",)
        case RefK(cls) if not issubclass(cls, SharedMemory):
            return ("object",)
        case TupleK(items, is_list=False) if type(kind) is TupleK and not _is_ours(items):
            return "tuple", len(items), *(tag_of(items) if are_tagged() else ())
        case RecordK(cls) if is_tree_class(cls) and are_tagged():
            return "record", cls.__qualname__, cls
        case _:
            return ("value",)


def is_row(kind: Kind) -> bool:
    """Whether a value of this kind is a reference to a tuple in a region."""
    return isinstance(kind, RefK) and issubclass(kind.cls, SharedMemory) and kind.cls.of is tuple


@dataclasses.dataclass
class Tags:
    """Whether the tuples of a program are told apart by a text that they begin with, too: those of
    trees (``tuple_rows``), in which it says what the other items are."""

    tell: bool
    asked: bool = False
    """Whether there are some that do not meet otherwise."""


TAGS: ContextVar[Tags] = ContextVar("TAGS")


@contextmanager
def with_tags(tags: Tags) -> Iterator[None]:
    """Compile a program whose tuples are told apart by tags, or are not."""
    token = TAGS.set(tags)
    try:
        yield
    finally:
        TAGS.reset(token)


def are_tagged() -> bool:
    """Whether tuples are told apart by tags."""
    tags = TAGS.get(None)
    return tags is not None and tags.tell


def tag_of(items: tuple[Kind, ...]) -> tuple[str, ...]:
    """Return the text that a tuple begins with, if it is known."""
    found = items[0].value if items and isinstance(items[0], StaticK) else None
    return (found,) if type(found) is str else ()


def differ_by_tag(a: TupleK, b: TupleK) -> bool:
    """Whether two tuples of one length begin with texts that tell them apart."""
    one, other = tag_of(a.items), tag_of(b.items)
    return bool(one and other) and one != other and not a.is_list


def ask_for_tags() -> None:
    """Note that tuples do not meet that begin with texts."""
    if (tags := TAGS.get(None)) is not None:
        tags.asked = True


_TAGGED = 3
"""So long is the sort of a tuple with a tag: the word, its length, the tag."""


def _is_ours(items: tuple[Kind, ...]) -> bool:
    """Whether a tuple is what an iterator goes through, with a word of the front end in it."""
    first = items[0] if items else None
    return isinstance(first, StaticK) and type(first.value).__module__.startswith("pullback.")


def sort_in(kind: Kind, whole: Kind) -> Sort | None:
    """Return the sort of the alternative of ``whole`` that a value of this kind becomes, if any."""
    own, there = sort(kind), set(map(sort, alternatives(whole)))
    if own in there:
        return own
    if own[0] != "tuple":
        return None
    return next((s for s in (own[:2], ("value",)) if s in there), None)


def alternatives(kind: Kind) -> tuple[Kind, ...]:
    """Return what a value of this kind may be, from the inside out."""
    if isinstance(kind, OptionalK):
        return (*alternatives(kind.inner), kind.other)
    return (kind,)


def mixes(kind: Kind) -> bool:
    """Whether a value of this kind, or something in it, may be a text, a member of an enumeration,
    a tuple or an object in the place of something else: where it is known which of them it is, more
    is known of what can be done with it."""
    others = "tuple", "record", "row", "text", "member", "object"
    own = isinstance(kind, OptionalK) and sort(kind.other)[0] in others
    return own or any(map(mixes, parts(kind)))


def may_be_tuple(kind: Kind) -> bool:
    """Whether a value of this kind, or something in it, may be a tuple in the place of something
    else than None or a mark."""
    own = isinstance(kind, OptionalK) and sort(kind.other)[0] == "tuple"
    return own or any(map(may_be_tuple, parts(kind)))


def may_be_memory(kind: Kind) -> bool:
    """Whether there may be a list or dict in the place of a number in a value of this kind."""
    own = isinstance(kind, OptionalK) and sort(kind.other) == ("memory",)
    return own or any(map(may_be_memory, parts(kind)))


def is_of_several_ranks(kind: Kind) -> bool:
    """Whether a value of this kind may be an array in the place of a number, a list or an array of
    another rank."""
    sorts = [sort(k)[0] for k in alternatives(kind)]
    return "array" in sorts and sorts.count("array") + sorts.count("value") > 1


def may_be_array(kind: Kind) -> bool:
    """Whether a value of this kind may be an array in the place of something else, or of None."""
    others = isinstance(kind, OptionalK)
    return others and any(sort(k)[0] == "array" for k in alternatives(kind))


_OF_SEVERAL_RANKS: ContextVar[bool] = ContextVar("_OF_SEVERAL_RANKS", default=False)


def joined_ranks(
    a: Kind, b: Kind, join: Callable[[Kind, Kind], Kind | None]
) -> Kind | None:
    """Return the join of two kinds where a number, a list of numbers and an array, or arrays of two
    ranks, may meet: ``total = 0`` before a loop that adds arrays."""
    if not all(map(_has_a_rank, (*alternatives(a), *alternatives(b)))):
        return None
    token = _OF_SEVERAL_RANKS.set(True)
    try:
        return join(a, b)
    finally:
        _OF_SEVERAL_RANKS.reset(token)


def _has_a_rank(kind: Kind) -> bool:
    """Whether NumPy computes with a value of this kind as with an array, or it stands for none."""
    match kind:
        case ArrayK() | ScalarK():
            return True
        case RecordK(cls):
            return issubclass(cls, Pair)
        case TupleK() if type(kind) is TupleK:
            return all(map(_has_a_rank, kind.items))
        case ListK(elem):
            return isinstance(elem, ScalarK)
        case StaticK(_, value):
            return value is None or type(value) in (int, float, bool, complex)
        case _:
            return False


def joined(
    a: Kind,
    b: Kind,
    join: Callable[[Kind, Kind], Kind | None],
    as_value: Callable[[Kind], Kind],
) -> Kind | None:
    """Return the kind of a value that is one of the alternatives of both; None: there is none."""
    ranks = _OF_SEVERAL_RANKS.get() or is_of_several_ranks(a) or is_of_several_ranks(b)
    found = {sort(k): mark_of(k) for k in alternatives(a)}
    for k in map(mark_of, alternatives(b)):
        before = found.setdefault(sort(k), k)
        if before == k:
            continue
        if len(found) == 1 and not isinstance(a, OptionalK) and not isinstance(b, OptionalK):
            return None
        both = join(before, k)
        if both is None or isinstance(both, OptionalK):
            return None
        found[sort(k)] = both
    most = _MOST_TAGGED if are_tagged() else MOST
    if not _take_in_tagged(found, join, len(found) > most):
        return None
    if isinstance(a, OptionalK) or isinstance(b, OptionalK):
        _take_in_tuples(found, join)
    arrays = sum(s[0] == "array" for s in found)
    value = found.get(("value",))
    if not ranks and arrays and (arrays > 1 or value is not None):
        return None
    beside = isinstance(value, (ScalarK, StaticK))
    shared = [s for s in (("memory",), ("object",)) if s in found]
    if not found or len(found) > most or len(shared) > 1 or (shared and value and not beside):
        return None
    first, *others = sorted(found, key=_place)
    made = found[first]
    if first[0] not in ("None", "mark"):
        made = as_value(made)
        if not isinstance(made, _MAY_BE_MISSING):
            return None
    for s in others:
        other = found[s]
        if s[0] == "tuple":
            other = as_value(other)
        made = OptionalK(made, other)
    return made


def _take_in_tagged(
    found: dict[Sort, Kind], join: Callable[[Kind, Kind], Kind | None], several: bool
) -> bool:
    """Put tuples with a tag into the place of those of their length that have none, or if there
    are too many (``several``). False: some of them are of no kind without their tags."""
    for s in [s for s in found if len(s) == _TAGGED and s[0] == "tuple"]:
        if s[:2] in found or several:
            kind = _without_tag(found.pop(s))
            both = join(found.setdefault(s[:2], kind), kind)
            if both is None or isinstance(both, OptionalK):
                return False
            found[s[:2]] = both
    return True


def _without_tag(kind: Kind) -> Kind:
    assert isinstance(kind, TupleK)
    return TupleK((SymbolK(str), *kind.items[1:]))


def _take_in_tuples(
    found: dict[Sort, Kind], join: Callable[[Kind, Kind], Kind | None]
) -> None:
    """Put tuples that are of one type with a list beside them into its place."""
    for s in [s for s in found if s[0] == "tuple" and len(s) < _TAGGED]:
        beside = found.get(("value",))
        if isinstance(beside, (TupleK, ListK)):
            both = join(beside, found[s])
            if both is None or isinstance(both, OptionalK):
                continue
            if mixes(beside) or not mixes(both):
                found[("value",)] = both
                del found[s]


def _place(s: Sort) -> tuple[int, int, str]:
    """Return where in the order an alternative of this sort stands."""
    size = {"tuple": s[1:2], "array": s[-1:]}.get(str(s[0]), (0,))[0]
    elem = str(s[1]) if s[0] == "array" else str(s[1:2] if s[0] == "record" else s[2:])
    return _ORDER.index(str(s[0])), size if isinstance(size, int) else 0, elem


__all__ = [
    "MARKS", "Sort", "Tags", "alternatives", "are_tagged", "ask_for_tags", "differ_by_tag",
    "is_mark", "is_of_several_ranks", "is_row", "joined", "joined_ranks", "mark_of", "may_be_array",
    "may_be_memory", "may_be_tuple", "mixes", "sort", "sort_in", "with_tags",
]  # fmt: skip
