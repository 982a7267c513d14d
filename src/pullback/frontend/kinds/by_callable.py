"""A table by library functions, of which SciPy's are not imported for its sake."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

from pullback.core.later import named

T = TypeVar("T")


class ByCallable(dict[Hashable, T]):
    """A table by callables; the functions of SciPy stand in it by their names (``core/later.py``),
    and are found by themselves, too."""

    def __contains__(self, function: object) -> bool:
        return super().__contains__(function) or super().__contains__(named(function))

    def __missing__(self, function: Hashable) -> T:
        name = named(function)
        if name is None:
            raise KeyError(function)
        return self[name]


__all__ = ["ByCallable"]
