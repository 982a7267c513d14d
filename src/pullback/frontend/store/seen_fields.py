"""What the objects of a program held where it was refused without references.

It is compiled anew then, with references to them, and has to learn what their fields hold
(``facts``): each run that learns something is followed by another one. Most of it has been seen
already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

from pullback.frontend.kinds.flatten import NoKindError, kind_of
from pullback.frontend.kinds.kinds import (
    ArrayK,
    Kind,
    ListK,
    RecordK,
    RefK,
    ScalarK,
    StaticK,
    TupleK,
)
from pullback.frontend.kinds.values import RecordV, TupleV, Value
from pullback.frontend.store.facts import Facts, can_be_shared


def begin_with(facts: Facts, values: Iterable[Value]) -> None:
    """Let it be known what the objects among these values, and in them, hold."""
    found = [o for o in _objects(values) if can_be_shared(o.cls)]
    for o in found:
        if o.cls not in facts.groups:
            facts.enter(o.cls)
    for o in found:
        for name, value in o.fields.items():
            with suppress(NoKindError):
                kind = _in_region(facts, kind_of(value))
                if kind is not None:
                    facts.learn(facts.groups[o.cls], name, kind)
    facts.grew = False


def _objects(values: Iterable[Value]) -> Iterator[RecordV]:
    for value in values:
        match value:
            case RecordV(fields=fields):
                yield value
                yield from _objects(fields.values())
            case TupleV(items):
                yield from _objects(items)
            case _:
                pass


def _in_region(facts: Facts, kind: Kind) -> Kind | None:
    """Return the kind that a value of this kind has with references; None: it is not known."""
    match kind:
        case ScalarK():
            return kind
        case StaticK(value=value) if value is None or isinstance(value, (int, float)):
            return kind
        case RecordK(cls) if cls in facts.groups:
            return RefK(facts.groups[cls].reference)
        case _ if facts.memory:
            return None  # lists and arrays have references, too
        case ArrayK():
            return kind
        case ListK(elem):
            inside = _in_region(facts, elem)
            return None if inside is None else replace(kind, elem=inside)
        case TupleK(items):
            found = tuple(k for i in items if (k := _in_region(facts, i)) is not None)
            return replace(kind, items=found) if len(found) == len(items) else None
        case _:
            return None


__all__ = ["begin_with"]
