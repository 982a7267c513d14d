"""For a class of exceptions, the plain class whose objects hold what Python's object does.

    class Bound(ValueError):                     class Bound(Raised):
        def __init__(self, value):      ==>          (the same functions and constants)
            self.value = value
"""

from __future__ import annotations

from pullback.frontend.library.text.raised import Raised, Stopped
from pullback.frontend.python.annotations import memory
from pullback.frontend.python.object_classes import is_made_in_python

_OF_PYTHON = frozenset({"__dict__", "__weakref__", "__slots__"})


def plain_class(cls: type[BaseException]) -> type:
    """Return the plain class for a class of exceptions; ``Raised`` for one that runs code when a
    class is made of it."""
    if not is_made_in_python(cls):
        return _built_in(cls)
    own = [e for c in cls.__mro__ if is_made_in_python(c) for e in vars(c).items()]
    if type(cls) is not type or any(n == "__init_subclass__" or _is_named(v) for n, v in own):
        return Raised
    kept = memory(cls)
    if "plain class" not in kept:
        bases = tuple(plain_class(b) if issubclass(b, BaseException) else b for b in cls.__bases__)
        names = {n: v for n, v in vars(cls).items() if n not in _OF_PYTHON and v is not kept}
        kept["plain class"] = type(cls.__name__, bases, names)
    found: type = kept["plain class"]
    return found


def _is_named(entry: object) -> bool:
    return hasattr(type(entry), "__set_name__") and (
        type(entry).__module__ not in ("builtins", "functools")
    )


_of_built_in: dict[type, type] = {object: Raised}
_OWN: dict[type, tuple[type, ...]] = {StopIteration: (Stopped,)}


def _built_in(cls: type) -> type:
    if cls not in _of_built_in:
        bases = (*_OWN.get(cls, ()), *map(_built_in, cls.__bases__))
        _of_built_in[cls] = type(cls.__name__, bases, {"__module__": Raised.__module__})
    return _of_built_in[cls]


__all__ = ["plain_class"]
