"""A table by library functions, of which SciPy's are not imported for its sake."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Mapping
from types import FunctionType
from typing import TypeVar

from pullback.core.later import LaterFunction

T = TypeVar("T")


class ByCallable(dict[Hashable, T]):
    """A table by callables; the functions of SciPy stand in it by their names (``core/later.py``),
    and are found by themselves, too."""

    def __init__(self) -> None:
        super().__init__()
        self.late: list[LaterFunction] = []
        self._loaded: dict[object, LaterFunction] | None = None
        self._modules: dict[str, object] = {}
        self.finders: list[Callable[[object], T | None]] = []

    def __setitem__(self, function: Hashable, value: T) -> None:
        if is_foreign(function):
            return  # the user has put a function of another module in the place of the library's
        if isinstance(function, LaterFunction):
            self.late.append(function)
            self._modules[function.module] = None
            self._loaded = None
        super().__setitem__(function, value)

    def update(self, *tables: Mapping[Hashable, T]) -> None:  # type: ignore[override]  # one form
        for table in tables:
            for function, value in table.items():
                self[function] = value

    def __contains__(self, function: object) -> bool:
        if super().__contains__(function) or self.name(function) is not None:
            return True
        return self.found(function) is not None

    def __missing__(self, function: Hashable) -> T:
        name = self.name(function)
        if name is not None:
            return self[name]
        found = self.found(function)
        if found is None:
            raise KeyError(function)
        return found

    def found(self, function: object) -> T | None:
        """What a finder has for a function that does not stand in the table: it is asked only then,
        so that large families of functions need no rows."""
        if callable(function):
            for finder in self.finders:
                found = finder(function)
                if found is not None:
                    return found
        return None

    def name(self, function: object) -> LaterFunction | None:
        """The name by which a function stands in the table. Whoever has the function has imported
        its module; it may have other names, too."""
        known = isinstance(function, LaterFunction) or is_foreign(function)
        if not callable(function) or known:
            return None
        late = self._late().get(function)
        return late if late is not None and late.loaded() == function else None

    def _late(self) -> dict[object, LaterFunction]:
        """The functions that are named and loaded, by themselves: found anew when another of their
        modules has been imported."""
        known = self._loaded
        if known is None or any(sys.modules.get(n) is not m for n, m in self._modules.items()):
            self._modules = {name: sys.modules.get(name) for name in self._modules}
            known = self._loaded = {}
            for late in self.late:
                found = late.loaded()
                if found is not None:
                    known.setdefault(found, late)
        return known


def is_foreign(function: object) -> bool:
    """Whether something is a function in Python that is no library's."""
    if not isinstance(function, FunctionType):
        return False
    root = str(function.__module__).partition(".")[0]
    return root not in sys.stdlib_module_names and root not in _LIBRARIES


_LIBRARIES = ("numpy", "scipy", "tqdm", "pullback")

__all__ = ["ByCallable", "is_foreign"]
