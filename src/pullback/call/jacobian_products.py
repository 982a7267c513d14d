"""``pb.vjp`` and ``pb.jvp``: products with the Jacobian, and its transpose, at one place.

They are called anew each time, with no operator object between that could remember the compiled
code. So the last few compiled calls of a function are remembered here, as long as it lives, and
tried before the types of the arguments are looked at: a compiled call sees itself whether the data
fits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import TYPE_CHECKING
from weakref import ref

from pullback.call.deferred import driver
from pullback.call.first_errors import first_error, in_its_context
from pullback.call.given import refuse_discrete
from pullback.call.misuse import may_broadcast
from pullback.call.packed import plain
from pullback.call.request import Request, What
from pullback.call.tangents import differentiable
from pullback.errors import PullbackError
from pullback.settings import config

if TYPE_CHECKING:
    from pullback.call.driver import Unit

MOST = 4
"""How many compiled calls are remembered for one operator of one function."""

Key = tuple[What, bool, str]
Call = Callable[..., object]
"""Of a function, its primals and (in forward mode) its tangents; it keeps no function alive."""


class Recent:
    """The calls that are remembered for one function."""

    __slots__ = ("calls", "code", "function")

    def __init__(self, function: FunctionType) -> None:
        address = id(function)
        self.function = ref(function, lambda _: _recent.pop(address, None))
        self.code = function.__code__
        self.calls: dict[Key, tuple[Call, ...]] = {}


_recent: dict[int, Recent] = {}

TANGENT: Key = (What.TANGENT, False, "")


def quick(f: object, key: Key, args: Sequence[object]) -> object:
    """The result of a call that is remembered; NotImplemented if none fits."""
    known = _recent.get(id(f))
    if known is None or known.code is not f.__code__:  # type: ignore[attr-defined]  # a function
        return NotImplemented  # what is known of a function goes with it: f is this function
    for call in known.calls.get(key, ()):
        try:
            found = call(f, *args)
        except Exception as error:
            if not may_broadcast(error):  # extents were assumed to be equal, and are not
                given = args[: len(args) // 2] if key == TANGENT else args
                first = first_error(error, f, given)
                with in_its_context(first):
                    raise first  # noqa: B904  # it has its cause
            continue
        if found is not NotImplemented:
            return found
    return NotImplemented


def _remember(f: object, key: Key, call: Call) -> None:
    if isinstance(f, FunctionType):
        known = _recent.get(id(f))
        if known is None or known.function() is not f or known.code is not f.__code__:
            known = _recent[id(f)] = Recent(f)
        others = tuple(c for c in known.calls.get(key, ()) if c is not call)
        known.calls[key] = (call, *others)[:MOST]
        while len(_recent) > config.cache_size:  # a call may mention its function's module
            _recent.pop(next(iter(_recent)), None)


def _using(
    f: object, args: Sequence[object], request: Request,
    use: Callable[[FunctionType, Unit], tuple[Call, object]],
) -> tuple[Call, object]:  # fmt: skip
    """``driver.using``, with the errors that Python raises."""
    try:
        return driver.using(f, args, request, use)
    except PullbackError:
        raise
    except Exception as error:
        first = first_error(error, f, args)
        with in_its_context(first):
            raise first  # noqa: B904  # it has its cause


def vjp(f: object, args: Sequence[object], has_aux: bool, method: str) -> object:
    """The result of f, its pullback, and what is beside the result if that is asked for."""
    values = plain(args)
    chosen = differentiable(values)
    request = Request(What.PULLBACK, chosen, has_aux=has_aux, method=method)

    call, found = _using(f, values, request, lambda g, unit: unit.fitting(g, args))
    _remember(f, (What.PULLBACK, has_aux, method), call)
    return found


def jvp(f: object, args: Sequence[object], tangents: Sequence[object]) -> object:
    """The result of f and its tangent."""
    values, along = plain(args), plain(tangents)
    for value, given in zip(values, along, strict=True):
        refuse_discrete(value, given)

    request = Request(What.TANGENT)
    call, found = _using(f, values, request, lambda g, unit: unit.fitting(g, args, tangents))
    _remember(f, TANGENT, call)
    return found


def linearize(f: object, args: Sequence[object]) -> tuple[object, Call] | None:
    """The result of f and the function of the tangents; None: it is not compiled so."""

    def use(g: FunctionType, unit: Unit) -> tuple[Call, object]:
        maps = unit.linear_maps
        found = NotImplemented if maps is None else maps.product(g, *args)
        return quick, found

    try:
        _, found = _using(f, args, Request(What.LINEAR_MAP), use)
    except PullbackError:
        return None  # ``pb.jvp`` says what is wrong
    return found if isinstance(found, tuple) else None


__all__ = ["TANGENT", "jvp", "linearize", "quick", "vjp"]
