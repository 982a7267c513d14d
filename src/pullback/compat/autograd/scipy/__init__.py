"""SciPy itself, but for what autograd has under SciPy's name with other arguments."""

from __future__ import annotations

import importlib
from types import ModuleType

import scipy

from pullback.compat.library_names import stand_around

stand_around(__name__, scipy, ("misc", "signal"))


def __getattr__(name: str) -> ModuleType:
    """Return a module of SciPy's."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.{name}")
