"""The shapes, a kind of data in each file: every file of this folder is imported."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from pullback.call.shape import Shape, shape_of

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["Shape", "shape_of"]
