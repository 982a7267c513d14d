"""``pb.vjp`` and ``pb.jvp``: products with the Jacobian, and its transpose, at one place.

They are called anew each time, with no operator object between that could remember the compiled
code. So the last few units of a function are remembered here, and tried before the types of the
arguments are looked at: their conversions see whether the data fits.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import cast
from weakref import WeakKeyDictionary

from pullback import driver
from pullback.boundary import plain
from pullback.driver import Unit
from pullback.halves import Pullback
from pullback.plans import Request, What

MOST = 4
"""How many units are remembered for one operator of one function."""

Key = tuple[What, bool, str]
Product = tuple[object, Pullback]

_recent: WeakKeyDictionary[FunctionType, dict[Key, tuple[Unit, ...]]] = WeakKeyDictionary()


def vjp(
    f: object, args: Sequence[object], has_aux: bool, method: str
) -> tuple[object, Pullback, tuple[int, ...]]:
    """The result of f (with what is beside it), its pullback, and by which arguments."""
    key = (What.PULLBACK, has_aux, method)

    def quick(g: FunctionType, unit: Unit) -> object:
        return unit.compiled_halves().quick(args, unit.special, g)

    unit, found = _by_recent(f, key, quick)
    if unit is None:
        values = plain(args)
        chosen = driver.differentiable(values)
        request = Request(What.PULLBACK, chosen, has_aux=has_aux, method=method)

        def general(g: FunctionType, unit: Unit) -> tuple[Unit, object]:
            made = quick(g, unit)
            if made is NotImplemented:
                made = unit.compiled_halves().call(unit.special.values(g, values))
            return unit, made

        unit, found = driver.using(f, values, request, general)
        _remember(f, key, unit)
    out, pullback = cast("Product", found)
    return out, pullback, unit.plan.request.argnums


def jvp(f: object, args: Sequence[object], tangents: Sequence[object]) -> object:
    """The result of f and its tangent."""
    key = (What.TANGENT, False, "")
    along = plain(tangents)

    def quick(g: FunctionType, unit: Unit) -> object:
        return unit.compiled().quick(args, unit.special, g, along)

    unit, found = _by_recent(f, key, quick)
    if unit is None:
        values = plain(args)

        def general(g: FunctionType, unit: Unit) -> tuple[Unit, object]:
            return unit, unit.compiled().tangent(values, along, unit.special, g)

        unit, found = driver.using(f, values, Request(What.TANGENT), general)
        _remember(f, key, unit)
    return found


def _by_recent(
    f: object, key: Key, use: Callable[[FunctionType, Unit], object]
) -> tuple[Unit | None, object]:
    """The unit that fits among those remembered, and what ``use`` made of it."""
    units = _recent.get(f, {}).get(key, ()) if isinstance(f, FunctionType) else ()
    for unit in units:
        assert isinstance(f, FunctionType)
        with contextlib.suppress(_Broadcast):
            found = _tried(use, f, unit)
            if found is not NotImplemented:
                return unit, found
    return None, NotImplemented


class _Broadcast(Exception):
    """Extents were assumed to be equal, and are not."""


def _tried(use: Callable[[FunctionType, Unit], object], f: FunctionType, unit: Unit) -> object:
    try:
        return use(f, unit)
    except ValueError as error:
        if driver.may_broadcast(error):
            raise _Broadcast from None
        raise


def _remember(f: object, key: Key, unit: Unit) -> None:
    if isinstance(f, FunctionType):
        by_key = _recent.setdefault(f, {})
        others = tuple(u for u in by_key.get(key, ()) if u is not unit)
        by_key[key] = (unit, *others)[:MOST]


__all__ = ["jvp", "vjp"]
