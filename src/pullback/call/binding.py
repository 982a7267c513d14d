"""The call of an operator by code that is kept on disk, or else by what is compiled now.

In a process that finds all that it calls on disk, no other file of the compiler is imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType

from pullback.call import kept_programs
from pullback.call.callee import as_function
from pullback.call.deferred import compiler_is_imported, driver
from pullback.call.misuse import may_broadcast
from pullback.call.request import Request
from pullback.call.specialised import broadcasting, compiling, kinds_of, taken
from pullback.call.trees import Fast
from pullback.call.uncollected import uncollected
from pullback.frontend.derivatives.registered import register_operators, register_text
from pullback.frontend.python.pytypes import type_of


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
    """The same by code that another process has compiled; None: there is none, or it does not
    take these values."""
    kinds = kinds_of(args)
    equal = (type_of(function), kinds) not in broadcasting
    if compiler_is_imported() and driver.is_known(function, args, kinds, equal, request):
        return None
    with compiling, uncollected():
        loaded = kept_programs.load(function, args, kinds, equal, request)
        if loaded is None and equal:  # extents that are not are found before LLVM is asked
            loaded = kept_programs.load(function, args, kinds, False, request)
    try:
        return None if loaded is None else taken(function, loaded, args)
    except ValueError as error:
        if not (equal and may_broadcast(error)):
            raise
    broadcasting.add((type_of(function), kinds))
    return _kept(function, args, request)


def compiled_here(f: object, args: Sequence[object], request: Request) -> bool:
    """Whether this process has compiled an operator of f for such arguments."""
    function, kinds = as_function(f, len(args)), kinds_of(args)
    equal = (type_of(function), kinds) not in broadcasting
    return compiler_is_imported() and driver.is_known(function, args, kinds, equal, request)


__all__ = ["bind", "compiled_here", "register_operators", "register_text"]
