"""Dicts of which only the run knows which of their constant keys they have.

``{"leaf": True, "value": x}`` and ``{"leaf": False, "left": a, "right": b}`` meet, in a branch or
in a tree: what comes out is a record of all keys, in which those that one of the two does not have
may be missing, as attributes of objects may. It is read, asked for and updated by its keys. In
which order it has them nobody knows, so nobody can go through it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from weakref import WeakSet

from pullback.frontend.kinds.kinds import (
    Kind,
    MaybeK,
    OptionalK,
    RecordK,
    ScalarK,
    StaticK,
    SymbolK,
)
from pullback.frontend.kinds.widening import generalise
from pullback.frontend.python.object_classes import LooseDict


def loose(kind: RecordK) -> RecordK | None:
    """Return the kind of a dict as one that may lack keys; None: they are no strings."""
    texts = all(type(name) is str for name, _ in kind.fields)
    return replace(kind, cls=LooseDict) if texts else None


_OUTSIDE: WeakSet[type] = WeakSet()
_MET_IN_TWO_ORDERS: ContextVar[WeakSet[type]] = ContextVar("_MET_IN_TWO_ORDERS", default=_OUTSIDE)
"""The classes of objects that have met with their attributes in two orders, in the program that is
being compiled (or in a list that was an argument): in which order an object has them, only the run
would know."""


def met_in_two_orders(cls: type) -> bool:
    """Whether it is not known in which order an object of a class has its attributes."""
    return cls in _OUTSIDE or cls in _MET_IN_TWO_ORDERS.get()


@contextmanager
def orders_noted() -> Iterator[None]:
    """Compile a program."""
    token = _MET_IN_TWO_ORDERS.set(WeakSet())
    try:
        yield
    finally:
        _MET_IN_TWO_ORDERS.reset(token)


def joined_fields(
    a: RecordK | None, b: RecordK | None, join: Callable[[Kind, Kind], Kind | None]
) -> Kind | None:
    """Return the join of two kinds of objects, or of such dicts; an attribute that one of them does
    not have may be missing."""
    if a is None or b is None:
        return None
    xs, ys = dict(a.fields), dict(b.fields)
    if [n for n in xs if n in ys] != [n for n in ys if n in xs]:
        _MET_IN_TWO_ORDERS.get().add(a.cls)
    made = []
    for name in {**xs, **ys}:
        x, y = xs.get(name), ys.get(name)
        both = join(x, y) if x is not None and y is not None else None
        if both is None and (x is None or y is None):
            only = generalise(x or y or b)
            both = only if isinstance(only, MaybeK) else MaybeK(only)
        if both is None:
            return None
        made.append((name, both))
    return RecordK(a.cls, tuple(made), a.outside)


def is_plain(kind: Kind) -> bool:
    """Whether a value is a number, a text, a member of an enumeration or None."""
    return isinstance(kind, (ScalarK, StaticK, SymbolK)) or (
        isinstance(kind, OptionalK) and is_plain(kind.inner) and is_plain(kind.other)
    )


__all__ = [
    "is_plain", "joined_fields", "loose", "met_in_two_orders", "orders_noted",
]  # fmt: skip
