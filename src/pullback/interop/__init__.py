"""The neighbours: other packages that work with compiled functions and their gradients.

``pb.interop.torch`` and the others are imported when they are first named, and then need their
package, which Pullback itself does not.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from pullback.api.outside_data import register

PACKAGES = {
    "dask": 'pip install "dask[array,distributed]"',
    "jax": "pip install jax",
    "mpi": "pip install mpi4py",
    "nutpie": "pip install nutpie",
    "pytensor": "pip install pytensor",
    "scipy": "pip install scipy",
    "sklearn": "pip install scikit-learn",
    "torch": "pip install torch",
}
"""How each of the packages is installed."""


def __getattr__(name: str) -> ModuleType:
    """Return the module for a package; an ImportError says how that is installed."""
    if name not in PACKAGES:
        raise AttributeError(
            f"module 'pullback.interop' has no {name!r}; there are {', '.join(PACKAGES)}"
        )
    try:
        return importlib.import_module(f"pullback.interop.{name}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] == "pullback":
            raise
        raise ImportError(
            f"pb.interop.{name} needs the package {error.name!r}, which is not installed: "
            f"{PACKAGES[name]}",
            name=error.name,
        ) from None


def __dir__() -> list[str]:
    return sorted([*PACKAGES, "register"])


__all__ = ["register"]
