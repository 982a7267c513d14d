"""Functions of ``functools.singledispatch``, as plain functions that ask for the class of their
first argument:

    @singledispatch                     def dispatched(cases, default, first, ...):
    def area(shape): ...                    for cls, function in cases:
    @area.register                              if isinstance(first, cls):
    def _(shape: Square): ...                       return function(first, ...)
                                            return default(first, ...)

The cases are in such an order that a class comes before its base classes. So they give what Python
finds in the order of the bases, unless a class has two registered ones among its bases of which
neither is a base of the other one: where there is such a class, the function is refused.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any

from pullback.frontend.functions.scopes import Path

_made: object = functools.singledispatch(iter)
assert isinstance(_made, FunctionType)
_GENERIC = _made.__code__

Cases = tuple[tuple[type, Callable[..., Any]], ...]


def is_generic(obj: object) -> bool:
    """Whether an object is a function of ``singledispatch``."""
    return isinstance(obj, FunctionType) and obj.__code__ is _GENERIC


def registry_of(generic: Any, path: Path) -> tuple[Mapping[type, object], Path]:
    """Return the functions of such a function by their classes, and where they are found."""
    dispatch = generic.dispatch
    k = dispatch.__code__.co_freevars.index("registry")
    found: Mapping[type, object] = dispatch.__closure__[k].cell_contents
    return found, (*path, ("attr", "dispatch"), ("cell", k))


def in_order(classes: Mapping[type, object]) -> list[type]:
    """Return the classes but ``object``, each before its bases."""
    found: list[type] = []
    for cls in classes:
        if cls is not object:
            at = next((k for k, other in enumerate(found) if issubclass(cls, other)), len(found))
            found.insert(at, cls)
    return found


def undecided(classes: Mapping[type, object]) -> tuple[type, type, type] | None:
    """Return a class, and two of these of which it is a subclass, if its own order decides."""
    for a, b in itertools.combinations(classes, 2):
        if issubclass(a, b) or issubclass(b, a):
            continue
        for cls in _subclasses(a):
            between = (c for c in classes if issubclass(cls, c) and issubclass(c, a))
            if issubclass(cls, b) and not any(issubclass(c, b) for c in between):
                return cls, a, b
    return None


def _subclasses(cls: type) -> Iterator[type]:
    found: list[type] = type.__subclasses__(cls)
    for sub in found:
        yield sub
        yield from _subclasses(sub)


def dispatched(cases: Cases, default: Callable[..., Any], first: Any, *args: Any, **kw: Any) -> Any:
    """Call the function for the class of the first argument."""
    for cls, function in cases:
        if isinstance(first, cls):
            return function(first, *args, **kw)
    return default(first, *args, **kw)


def dispatched_method(
    cases: Cases, default: Callable[..., Any], self: Any, first: Any, *args: Any, **kw: Any
) -> Any:
    """Call the method for the class of the first argument."""
    for cls, function in cases:
        if isinstance(first, cls):
            return function(self, first, *args, **kw)
    return default(self, first, *args, **kw)


__all__ = [
    "dispatched", "dispatched_method", "in_order", "is_generic", "registry_of", "undecided",
]  # fmt: skip
