"""Names that others use: programs written for autograd, JAX or PyTorch's ``torch.func``.

``import pullback.compat.autograd as autograd``, ``import pullback.compat.jax as jax`` and
``import pullback.compat.torch as torch`` give the names of these libraries, with their arguments
and conventions. Their functions are plain Python over the operators of ``pullback``, so they mean
the same inside of compiled code; ``autograd.numpy`` and ``jax.numpy`` are NumPy itself. None of the
libraries needs to be installed.
"""

from __future__ import annotations

import importlib
from types import ModuleType

LIBRARIES = ("autograd", "jax", "torch")


def __getattr__(name: str) -> ModuleType:
    """Return the names of a library."""
    if name not in LIBRARIES:
        known = ", ".join(LIBRARIES)
        raise AttributeError(f"module 'pullback.compat' has no {name!r}; there are {known}")
    return importlib.import_module(f"pullback.compat.{name}")


def __dir__() -> list[str]:
    return sorted(LIBRARIES)


__all__: list[str] = []
