"""The compiled entries of one code, for operators that are made anew each time.

``pb.grad(f)(x)`` in a loop makes an operator each time, and a lambda there is another function each
time. So the last few entries that were called for a code are remembered, and tried before the types
of anything are looked at: a call sees itself whether the arguments fit, and what the function
captures.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import BuiltinFunctionType, CellType, FunctionType
from typing import Protocol

from numpy import ufunc

from pullback.call.callee import as_function
from pullback.call.request import Plan, Request
from pullback.call.trees import Fast
from pullback.settings import config


class Compiled(Protocol):
    """An operator of a specialisation, compiled now or kept."""

    plan: Plan

    def bind(self, f: FunctionType, packed: bool = False) -> Fast:
        """The fast call for the function f."""


class Entry:
    """A compiled entry, and what of its function no call of it looks at. ``bound``: its call of the
    last function, if that holds nothing but code."""

    __slots__ = ("beside", "bound", "request", "unit")

    def __init__(self, unit: Compiled, beside: tuple[object, ...]) -> None:
        self.request = unit.plan.request
        self.beside = beside
        self.unit = unit
        self.bound: tuple[FunctionType, Fast] | None = None

    def call(self, f: FunctionType) -> Fast:
        """The fast call of a function."""
        if self.bound is not None and self.bound[0] is f:
            return self.bound[1]
        fast = self.unit.bind(f)
        if f.__closure__ is None and f.__defaults__ is None and f.__kwdefaults__ is None:
            self.bound = f, fast
        return fast


class Recent:
    """The entries of one code, the last one first."""

    __slots__ = ("entries", "of")

    def __init__(self, of: object) -> None:
        self.of = of  # which keeps its address
        self.entries: tuple[Entry, ...] = ()


MOST = 8
"""How many entries are remembered for one code."""

_recent: dict[int, Recent] = {}


def remember(f: FunctionType, unit: Compiled) -> None:
    """Remember an entry that was called for a function."""
    of = _what(f)
    known = _recent.setdefault(id(of), Recent(of))
    new = Entry(unit, _beside(f))
    others = (e for e in known.entries if e.unit is not unit or e.beside != new.beside)
    known.entries = (new, *others)[: min(MOST, config.cache_size)]
    while sum(len(recent.entries) for recent in tuple(_recent.values())) > config.cache_size:
        _recent.pop(next(iter(_recent)), None)


def calls(f: object, count: int, request: Request) -> Iterator[Fast]:
    """The fast calls of f with so many arguments, for a request, by what is remembered."""
    if not isinstance(f, FunctionType):
        f = as_function(f, count)
    known = _recent.get(id(_what(f)))
    if known is not None:
        beside = _beside(f)
        for entry in known.entries:
            if (entry.request is request or entry.request == request) and entry.beside == beside:
                yield entry.call(f)


def _what(f: FunctionType) -> object:
    """The code of a function. Of one that calls something that is no function with source: the code
    of that method, that builtin, or the class of that object."""
    if f.__globals__ is not _CALLS:
        return f.__code__
    (cell,) = f.__closure__ or ()
    called = getattr(cell.cell_contents, "__func__", cell.cell_contents)
    if isinstance(called, (BuiltinFunctionType, ufunc)):
        return called
    return getattr(called, "__code__", type(called))


_CALLS = as_function.__globals__


def _beside(f: FunctionType) -> tuple[object, ...]:
    """What a function has beside its captures and the kinds of its defaults."""
    cells, defaults = f.__closure__, f.__defaults__
    itself = () if cells is None else tuple([_holds(cell, f) for cell in cells])
    count = 0 if defaults is None else len(defaults)
    return f.__code__, id(f.__globals__), f.__annotations__.get("return"), count, itself


def _holds(cell: CellType, f: FunctionType) -> bool:
    try:
        return cell.cell_contents is f
    except ValueError:  # it is empty
        return False


__all__ = ["Compiled", "calls", "remember"]
