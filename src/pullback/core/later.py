"""Modules that are imported when one of their names is first used.

``import pullback`` is waited for in every process, and compiles nothing: the front end, the passes
and the papers' methods are imported when the first function is compiled. Where a whole compiled
program is kept on disk, they are not imported at all.
"""

from __future__ import annotations

import sys
from importlib import import_module
from operator import attrgetter
from types import ModuleType
from typing import Any

from pullback.core.frozen import dataclass
from pullback.core.interrupts import shielded

_import = shielded(import_module)  # half an import, which an interrupt leaves, cannot be repeated


class Later:
    """A module by its name. An attribute of it is that of the module, which is imported then."""

    __slots__ = ("_module", "_name")

    def __init__(self, name: str) -> None:
        self._name = name
        self._module: ModuleType | None = None

    @property
    def here(self) -> bool:
        """Whether the module has been imported by this name."""
        return self._module is not None

    def __getattr__(self, attribute: str) -> Any:
        if self._module is None:
            self._module = _import(self._name)
        return getattr(self._module, attribute)


@dataclass(frozen=True, slots=True)
class LaterFunction:
    """A function of a library, by its name (that of a method has a dot in it): the library is
    imported when it is called."""

    module: str
    __name__: str

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return attrgetter(self.__name__)(_import(self.module))(*args, **kwargs)

    def loaded(self) -> object:
        """The function itself, or None while nobody has imported the library."""
        found: object = sys.modules.get(self.module)
        for name in self.__name__.split("."):
            found = getattr(found, name, None)
        return found


@dataclass(frozen=True, slots=True)
class Functions:
    """The functions of a module of SciPy, as attributes."""

    _module: str

    def __getattr__(self, name: str) -> LaterFunction:
        return LaterFunction(self._module, name)


SPECIAL, LINALG = Functions("scipy.special"), Functions("scipy.linalg")


__all__ = ["LINALG", "SPECIAL", "Later", "LaterFunction"]
