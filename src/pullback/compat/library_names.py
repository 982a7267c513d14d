"""Modules that are another library's modules under a name of ours."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NoReturn

_LIBRARIES: dict[str, tuple[str, frozenset[str]]] = {}
"""The library that stands behind a name of ours, and the modules below it that are our own."""


class _Names(MetaPathFinder, Loader):
    """Finds a module below such a name: it is the module of the library, never a copy of it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return None if _real_name(fullname) is None else ModuleSpec(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        real = _real_name(module.__name__)
        assert real is not None
        sys.modules[module.__name__] = _found(real)


def _real_name(fullname: str) -> str | None:
    """Return the name that a module has in its library; None if it is no module of a library."""
    for ours, (real, own) in _LIBRARIES.items():
        below = fullname.removeprefix(f"{ours}.")
        if below != fullname:
            return None if below.split(".")[0] in own else f"{real}.{below}"
    return None


def _found(real: str) -> Any:
    """Return the module of a library; or an object of one, such as ``scipy.stats.norm``, which is a
    module in autograd and JAX."""
    parent, _, name = real.rpartition(".")
    try:
        return importlib.import_module(real)
    except ModuleNotFoundError as error:
        if error.name != real or not hasattr(importlib.import_module(parent), name):
            raise
        return getattr(sys.modules[parent], name)


def stand_for(ours: str, library: ModuleType) -> None:
    """Make the module of this name, which is being imported, the library itself."""
    _found_below(ours, library.__name__)
    sys.modules[ours] = library


def stand_around(ours: str, library: ModuleType, own: Sequence[str]) -> None:
    """Give the package of this name, which has some modules of its own, the others of a library."""
    _found_below(ours, library.__name__, own)


def _found_below(ours: str, real: str, own: Sequence[str] = ()) -> None:
    if not any(isinstance(finder, _Names) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Names())
    _LIBRARIES[ours] = real, frozenset(own)


def absent(module: str, rewrites: dict[str, str]) -> Callable[[str], NoReturn]:
    """Return the ``__getattr__`` of a module: the error for a name that it does not have, with what
    to write instead."""
    shown = module.removeprefix("pullback.compat.")

    def missing(name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        rewrite = rewrites.get(name)
        instead = f"\n  Instead: {rewrite}" if rewrite else ""
        raise AttributeError(f"{shown}.{name} is not there in pullback.compat{instead}", name=name)

    return missing


__all__ = ["absent", "stand_around", "stand_for"]
