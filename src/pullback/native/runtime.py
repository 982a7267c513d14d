"""Make Python exceptions of errors in native code, from the record in the context.

The exception has the class that the program named, a message made of the recorded values, and a
traceback whose last entry is the line of the user's source."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import cast

from pullback.core.called_python import RAISED, raised
from pullback.core.frozen import dataclass, field
from pullback.core.held import PLACE, is_of_program, note_left, with_site, within_handled
from pullback.core.messages import Limit, Message, Raised
from pullback.core.prims_discrete import AGAIN
from pullback.core.terms import Site
from pullback.core.types import Type
from pullback.lower.error_records import error_of, leaves_of
from pullback.lower.loopcode import Ty
from pullback.native.layout import ERROR_WORDS, OUT_OF_MEMORY, TOO_DEEP, Field


@dataclass(frozen=True, slots=True)
class ErrorSite:
    """One ``RaiseIf`` of a module. Its values are recorded as 8 raw bytes each, and are the leaves
    of values of ``types``. ``early``: the check was moved to before its place in the program, or
    checks eight iterations at once, so another error might have come first."""

    kind: Raised
    message: str | Message
    site: Site | None
    values: tuple[Ty, ...] = ()
    types: tuple[Type, ...] = ()
    early: bool = False


def _any() -> None:
    """Stand for the function of a builtin that belongs to no function: its code never changes."""


_ANY = cast("FunctionType", _any)


@dataclass(slots=True, eq=False)
class ModuleOwner:
    """The ``self`` of the builtins of one module, which keeps code and tables alive. ``general`` is
    called by an entry point that converts data, with arguments that are not of its layouts.
    ``function`` is the function that was compiled, with the ``code`` that it had then: an entry
    point checks that the function still has it, at the offsets of these two fields (``pyabi``).
    ``impatient`` returns the same builtin, by its number, of code with less patience
    (``polls``)."""

    errors: tuple[ErrorSite, ...]
    keep: list[object] = field(default_factory=list)
    general: Callable[..., object] | None = None
    function: FunctionType = _ANY
    code: CodeType = _ANY.__code__
    impatient: Callable[[ModuleOwner, int], Callable[..., object]] | None = None


SHOWS = "pb_shows"
"""The symbol of the table of a module's ``ShowSite``s."""


@dataclass(frozen=True, slots=True)
class ShowSite:
    """One ``Show`` of a module, whose values are recorded as those of an ``ErrorSite``."""

    message: Message
    values: tuple[Ty, ...]
    types: tuple[Type, ...]


def call_python(shows: list[ShowSite], context: int, number: int) -> None:
    """Do what a ``Show`` says with the values in the context at this address (called by compiled
    code)."""
    site = shows[number]
    values = _recorded(context, site.values)
    made = site.message.show(leaves_of(site.types, values))
    if isinstance(made, int) and site.message.gives:
        ctypes.c_int64.from_address(context + 8 * ERROR_WORDS).value = made


def unusual(owner: ModuleOwner, args: tuple[object, ...]) -> object:
    """Return the result for arguments that compiled code does not take (called by that code)."""
    return NotImplemented if owner.general is None else owner.general(*args)


def call_again(owner: ModuleOwner, entry: int, args: tuple[object, ...]) -> object:
    """Return the result of a call that has a loop too long to run as a whole (called by compiled
    code)."""
    assert owner.impatient is not None
    return owner.impatient(owner, entry)(*args)


def _number(raw: int, ty: Ty) -> float | int | bool:
    bits = raw & 0xFFFFFFFFFFFFFFFF
    match ty:
        case Ty.F64:
            real: float = struct.unpack("<d", struct.pack("<Q", bits))[0]
            return real
        case Ty.F32:
            short: float = struct.unpack("<f", struct.pack("<I", bits & 0xFFFFFFFF))[0]
            return short
        case Ty.I32:
            return ctypes.c_int32(bits & 0xFFFFFFFF).value
        case Ty.I1:
            return bool(bits & 1)
        case _:
            return ctypes.c_int64(bits).value  # addresses, too


def _word(context: int, field: int) -> int:
    return ctypes.c_int64.from_address(context + 8 * field).value


def _recorded(context: int, types: tuple[Ty, ...]) -> list[float | int | bool]:
    return [_number(_word(context, ERROR_WORDS + k), ty) for k, ty in enumerate(types)]


def make_error(owner: ModuleOwner, context: int) -> BaseException:
    """Return the exception for the error recorded at address ``context`` (called by compiled
    code)."""
    made = _made(owner, context)
    if not is_of_program(made):
        vars(made)[PLACE] = None
    note_left(made)
    return made


def _made(owner: ModuleOwner, context: int) -> BaseException:
    code = _word(context, Field.ERROR)
    if code == OUT_OF_MEMORY:
        return MemoryError("compiled code needs more memory than this machine has")
    if code == TOO_DEEP:
        return RecursionError("maximum recursion depth exceeded")
    error = owner.errors[code]
    values = _recorded(context, error.values)
    if error.message == RAISED and (pending := raised()) is not None:
        return with_site(pending, error.site)
    try:
        made = error_of(error.kind, error.message, error.types, values)
    except Exception as instead:  # the class, or a text in its message, does not take the values
        return with_site(instead, error.site)
    exception = made if made.__traceback__ is not None else with_site(made, error.site)
    if error.kind != AGAIN:
        within_handled(exception)
    if error.early:
        setattr(exception, _EARLY, True)
    if isinstance(error.kind, Limit):
        setattr(exception, _LIMIT, True)
    return exception


_EARLY, _LIMIT = "_pullback_early", "_pullback_limit"


def is_early(exception: BaseException) -> bool:
    """Whether the program might have raised another error before this one."""
    return hasattr(exception, _EARLY)


def is_limit(exception: BaseException) -> bool:
    """Whether Python would not have raised an error: compiled code has less (``Limit``)."""
    return hasattr(exception, _LIMIT) or isinstance(exception, (MemoryError, RecursionError))
