"""The call of an operator by code that is kept on disk, or else by what is compiled now.

In a process that finds all that it calls on disk, no other file of the compiler is imported.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import FunctionType
from typing import Protocol

from pullback.call import kept_programs
from pullback.call.callee import as_function
from pullback.call.later import driver, is_imported
from pullback.call.misuse import may_broadcast
from pullback.call.normalise import normalised, not_taken
from pullback.call.packed import Packed, plain
from pullback.call.request import Plan, Request
from pullback.call.trees import Fast
from pullback.call.uncollected import uncollected
from pullback.errors import ArgumentValueError
from pullback.frontend.derivatives.registered import register_operators, register_text
from pullback.frontend.kinds.kinds import Kind
from pullback.frontend.python.pytypes import type_of, types_of

compiling = threading.RLock()
"""The lock of all that changes what is compiled."""

broadcasting: set[object] = set()
"""What has met extents of 1 where equal ones were assumed: types of a function and arguments."""


class Compiled(Protocol):
    """An operator of a specialisation, compiled now or kept."""

    plan: Plan

    def bind(self, f: FunctionType, packed: bool = False) -> Fast:
        """The fast call for the function f."""


def bind(f: object, args: Sequence[object], request: Request) -> tuple[Fast, object]:
    """The fast call of an operator applied to f, and its result for these arguments."""
    if kept_programs.wanted(request, args):
        found = _kept(as_function(f, len(args)), args, request)
        if found is not None:
            return found
    return driver.bind(f, args, request)


def _kept(
    function: FunctionType, args: Sequence[object], request: Request
) -> tuple[Fast, object] | None:
    """The same by code that another process has compiled; None: there is none."""
    kinds = kinds_of(args)
    equal = (type_of(function), kinds) not in broadcasting
    if is_imported(driver) and driver.is_known(function, args, kinds, equal, request):
        return None
    with compiling, uncollected():
        loaded = kept_programs.load(function, args, kinds, equal, request)
    try:
        return None if loaded is None else bound(function, loaded, args)
    except ValueError as error:
        if not (equal and may_broadcast(error)):
            raise
    broadcasting.add((type_of(function), kinds))
    return _kept(function, args, request)


def kinds_of(args: Sequence[object]) -> tuple[Kind, ...]:
    """The types of all arguments. Data that contains itself has none."""
    try:
        return types_of(args)
    except RecursionError:
        raise ArgumentValueError(
            "an argument contains itself, or is nested too deep",
            "pass data without cycles; of deep trees frozen dataclasses that name their own type",
        ) from None


def bound(
    function: FunctionType, unit: Compiled, args: Sequence[object]
) -> tuple[Fast, object]:
    """The fast call of a function, and its result for these arguments."""
    fast = unit.bind(function, packed=any(isinstance(a, Packed) for a in args))
    result = fast(*args)
    if result is NotImplemented:
        result = fast(*normalised(unit.plan, plain(args))[0])
        if result is NotImplemented:
            raise not_taken(args)
    return fast, result


__all__ = ["bind", "bound", "broadcasting", "compiling", "kinds_of", "register_operators",
           "register_text"]  # fmt: skip
