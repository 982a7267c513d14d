"""What variables hold where code may raise: a snapshot of the names, for each op that may.

A clause that catches an exception sees the updates that were made before it was raised. In the
function itself these are its variables (``interpret.attempts``); from a function that is called,
what it updates of what it was given (``exits``). A call hands updates back to its caller also where
it raises: so at its place the caller's names are those after the call (``handed``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pullback.core.terms import Call, Case, If, Let, Loop, While
from pullback.frontend.functions.caught_functions import may_raise
from pullback.frontend.functions.scopes import function_scope
from pullback.frontend.kinds.values import UNSET, PlaceV, Stale, Value
from pullback.frontend.state import Frame, Noted

if TYPE_CHECKING:
    from pullback.core.build import Builder

Names = Mapping[str, Value]


def note(frame: Frame, let: Let) -> None:
    """Note what variables hold where an op stands that may raise."""
    if frame.trying is None and not frame.starts:
        return
    if isinstance(let.op, (If, Case, Loop, While)) or not may_raise(let.op):
        return
    names = function_scope(frame.scope).names
    if frame.trying is not None:
        frame.raising[id(let)] = Noted(let, dict(names), whole=True)
    else:
        changed = {n: names.get(n, UNSET) for n, v in frame.starts.items() if names.get(n) is not v}
        frame.raising[id(let)] = Noted(let, changed, whole=False)


def handed(frame: Frame, b: Builder, called: str, call: Let, before: Names) -> None:
    """Note that a call has handed updates back. ``before``: what the names held."""
    place = frame.raising.get(id(call))
    if place is None:
        return
    names = function_scope(frame.scope).names
    place.handed = frozenset(n for n, v in names.items() if v is not before.get(n))
    place.called = called
    place.lets = tuple(b.lets[b.lets.index(call) + 1 :])
    place.names = {**place.names, **{n: names[n] for n in place.handed}}
    if any(may_raise(let.op) for let in place.lets):
        place.unsure |= place.handed


def guarded(frame: Frame, call: Call) -> None:
    """Note that what a ``finally`` around a ``yield`` does where the consumer raises is not
    known."""
    for place in frame.raising.values():
        place.midway |= place.let.op is call


def driven(frame: Frame, call: Let, names: Iterable[str]) -> None:
    """Note that the call of a generator's function changes variables with each item."""
    place = frame.raising.get(id(call))
    if place is not None:
        place.unsure |= frozenset(names)


def carried(frame: Frame, call: Let, values: Names, others: Iterable[str]) -> None:
    """Note that the call of a generator's function hands back what its consumer has carried: what
    variables hold then. ``others``: those that change with each item and are not carried."""
    place = frame.raising.get(id(call))
    if place is not None and isinstance(call.op, Call):
        place.called = call.op.function
        place.handed = frozenset(n for n in values if n)
        place.names = {**place.names, **{n: v for n, v in values.items() if n}}
        place.unsure |= frozenset(others)


def changed_since(
    frame: Frame, known: int, before: Names, names: Collection[str]
) -> Iterator[str]:
    """Iterate over those of the names that do not hold what they held ``before`` where something
    may raise, of the places that have been noted since so many were ``known``."""
    for place in list(frame.raising.values())[known:]:
        for n, v in place.names.items():
            if n in names and v is not before[n] and not isinstance(v, (Stale, PlaceV)):
                yield n


@contextmanager
def midway(frame: Frame) -> Iterator[None]:
    """Note that what raises here stands in the middle of an update: ``xs.extend(f(v) for v in
    vs)``."""
    known = len(frame.raising)
    try:
        yield
    finally:  # an argument may raise in any case
        for noted in list(frame.raising.values())[known:]:
            noted.midway = True


def changed(frame: Frame) -> frozenset[str]:
    """Return the objects of the caller and captured variables that are not what they were where
    something may raise."""
    found: set[str] = set()
    for place in frame.raising.values():
        starts = frame.starts.items()
        found |= {n for n, v in starts if place.names.get(n, v) is not v or n in place.unsure}
        if place.midway:
            found |= frame.starts.keys()
    return frozenset(found)


__all__ = ["carried", "changed", "changed_since", "driven", "guarded", "handed", "midway", "note"]
