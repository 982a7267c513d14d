"""What a pattern of ``match`` looks at: the attributes of an object, the items of a sequence."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pullback.errors import ArgumentTypeError
from pullback.frontend.interpret import mapping_patterns
from pullback.frontend.interpret.attributes import entry_of
from pullback.frontend.interpret.complex_values import class_of_pair
from pullback.frontend.interpret.narrowing import builtin_instance, classes_of
from pullback.frontend.interpret.public_classes import public, within
from pullback.frontend.kinds.values import RangeV, RecordV, RefV, Static, TupleV, Value
from pullback.frontend.memory.long_tuples import told_apart
from pullback.frontend.python import special_methods
from pullback.frontend.python.container_bases import is_tuple_class
from pullback.frontend.store.shared_memory import opened

if TYPE_CHECKING:
    from pullback.frontend.run import Run

Part = tuple[ast.pattern, Value]


def parts_of(
    run: Run, p: ast.MatchClass | ast.MatchSequence | ast.MatchMapping, subject: Value
) -> list[Part] | None:
    """Return the patterns inside, each with the value that it looks at; None if the pattern does
    not fit."""
    match p:
        case ast.MatchClass(cls):
            classes = classes_of(run, cls)
            told_apart(run, subject, classes, p)
            return _in_class(run, p, classes, subject)
        case ast.MatchSequence():
            return _in_sequence(run, p, subject)
        case ast.MatchMapping():
            return mapping_patterns.known(run, p, opened(run, subject, p))


_THEMSELVES = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
"""The classes whose one positional pattern looks at the object itself."""


def _in_class(
    run: Run, p: ast.MatchClass, classes: tuple[type, ...], subject: Value
) -> list[Part] | None:
    patterns, names, keywords = p.patterns, p.kwd_attrs, p.kwd_patterns
    (cls,) = classes
    if isinstance(subject, RecordV):
        if not within(run, class_of_pair(subject) or subject.cls, classes, p):
            return None
    elif not isinstance(subject, RefV) and not builtin_instance(subject, classes):
        return None
    itself = not hasattr(cls, "__match_args__") and issubclass(cls, _THEMSELVES)
    given: tuple[str, ...] = ("",) if itself else getattr(cls, "__match_args__", ())
    if len(patterns) > len(given):
        reason = f"{cls.__name__}() accepts {len(given)} positional sub-pattern"
        reason += f"{'s' * (len(given) != 1)} ({len(patterns)} given)"
        run.refuse(patterns[-1], reason, error=ArgumentTypeError)
    parts: list[Part] = []
    for q, name in [*zip(patterns, given, strict=False), *zip(keywords, names, strict=True)]:
        if name and not _has(run, subject, cls, name, q):
            return None
        parts.append((q, run.attribute(subject, name, q) if name else subject))
    return parts


def _has(run: Run, subject: Value, cls: type, name: str, q: ast.pattern) -> bool:
    """Whether an object, which is one of a class, has an attribute that a pattern asks for."""
    if not isinstance(subject, (RecordV, RefV)):
        return True  # or it is refused
    if isinstance(subject, RefV) and run.rows.group(subject).has_always(cls, name):
        return True
    if isinstance(entry_of(subject.cls, name), property):
        return True
    there = special_methods.known(run, subject, name, q)
    if not isinstance(there, Static):
        run.refuse(q, f"a pattern for {name!r}, which objects may not have", "use an if")
    return bool(there.value)


def has_items(subject: Value) -> bool:
    """Whether a sequence pattern looks at the items that iteration over an object gives: of a
    range, a deque, an object of a class that is a ``collections.abc.Sequence``."""
    if isinstance(subject, Static):
        known = subject.value
        return isinstance(known, Sequence) and not isinstance(known, (str, bytes, bytearray))
    if isinstance(subject, (RecordV, RefV)):
        return issubclass(subject.cls, Sequence) and not is_tuple_class(subject.cls)
    return isinstance(subject, RangeV)


def _in_sequence(run: Run, p: ast.MatchSequence, subject: Value) -> list[Part] | None:
    patterns = p.patterns
    if isinstance(subject, RecordV) and public(subject.cls) is tuple:
        run.refuse(p, "a sequence pattern for what lstsq gives", "unpack it first")
    if isinstance(subject, RecordV) and is_tuple_class(subject.cls):
        subject = TupleV(tuple(subject.fields.values()))
    if not isinstance(subject, TupleV):
        return None
    items = subject.items
    stars = [k for k, p in enumerate(patterns) if isinstance(p, ast.MatchStar)]
    if len(items) != len(patterns) if not stars else len(items) < len(patterns) - 1:
        return None
    values = list(items)
    if stars:
        k = stars[0]
        after = len(patterns) - k - 1
        middle = TupleV(items[k : len(items) - after], is_list=True)
        values = [*items[:k], middle, *items[len(items) - after :]]
    return list(zip(patterns, values, strict=True))


__all__ = ["Part", "has_items", "parts_of"]
