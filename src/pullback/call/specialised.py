"""What calls of compiled code share, whether it was compiled now or is kept on disk."""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType

from pullback.call.normalise import normalised, not_taken
from pullback.call.packed import Packed, plain
from pullback.call.recent import Compiled, remember
from pullback.call.trees import Fast
from pullback.core.waiting import Lock
from pullback.errors import ArgumentValueError
from pullback.frontend.kinds.kinds import Kind, parts
from pullback.frontend.python.pytypes import type_of, types_of
from pullback.settings import config

compiling = Lock()
"""The lock of all that changes what is compiled."""

broadcasting: set[object] = set()
"""What has met extents of 1 where equal ones were assumed: types of a function and arguments."""


def take_general(function: FunctionType, args: Sequence[object]) -> None:
    """From now on compile the function for extents that meet others, for such arguments."""
    if len(broadcasting) >= config.cache_size:
        broadcasting.clear()
    broadcasting.add((type_of(function), tuple(map(type_of, args))))


def kinds_of(args: Sequence[object]) -> tuple[Kind, ...]:
    """The types of all arguments. Data that contains itself has none."""
    try:
        kinds = types_of(args)
    except RecursionError:
        raise _too_deep() from None
    level: list[Kind] = list(kinds)
    for _ in range(MOST_NESTED):
        level = [part for kind in level for part in parts(kind)]
        if not level:
            return kinds
    raise _too_deep()


MOST_NESTED = 100
"""So deep may an argument be nested, but for recursive data."""


def _too_deep() -> ArgumentValueError:
    return ArgumentValueError(
        "an argument contains itself, or is nested too deep",
        "pass data without cycles; of deep trees frozen dataclasses that name their own type",
    )


def taken(
    function: FunctionType, unit: Compiled, args: Sequence[object]
) -> tuple[Fast, object] | None:
    """The fast call of a function, and its result for these arguments; None: it does not take
    them, or what the function captures."""
    fast = unit.bind(function, packed=any(isinstance(a, Packed) for a in args))
    result = fast(*args)
    if result is NotImplemented:
        usual = normalised(unit.plan, plain(args))[0]
        result = fast(*usual)
        if result is NotImplemented:  # the general call builds what is captured in the usual form
            fast = unit.bind(function, packed=True)
            result = fast(*usual)
    if result is NotImplemented:
        return None
    remember(function, unit)
    return fast, result


def bound(
    function: FunctionType, unit: Compiled, args: Sequence[object]
) -> tuple[Fast, object]:
    """The same, or an error."""
    found = taken(function, unit, args)
    if found is None:
        raise not_taken(args)
    return found


__all__ = ["Compiled", "bound", "broadcasting", "compiling", "kinds_of", "taken"]
