"""Decide whose code a function is. The code of a library is not read; an error inside of a package
is shown where the user calls the package.

The standard library and the large numerical packages are *closed*: of these, only functions that
have a handler or a text in Python are compiled (``values.CALLS``, ``values.WRITTEN``). Other
installed packages are read like the user's own modules, which may be installed too.
"""

from __future__ import annotations

import sys
import sysconfig
from functools import lru_cache
from itertools import takewhile
from pathlib import PurePath
from types import FunctionType, MethodType

import numpy as np

from pullback.core.later import LaterFunction

CLOSED = frozenset({
    "IPython", "PIL", "astropy", "autograd", "casadi", "cupy", "cv2", "dask", "diffrax", "equinox",
    "flax", "gymnasium", "h5py", "hypothesis", "jax", "jaxlib", "joblib", "keras", "lightgbm",
    "llvmlite", "matplotlib", "mpmath", "networkx", "numba", "numpy", "optax", "pandas", "plotly",
    "polars", "pyarrow", "pymc", "pytest", "pytorch_lightning", "requests", "scipy", "seaborn",
    "skimage", "sklearn", "statsmodels", "sympy", "tensorflow", "theano", "torch", "torchvision",
    "tqdm", "xarray", "xgboost",
})  # fmt: skip
"""Packages that are not read."""

OPEN = frozenset({"calendar", "colorsys", "statistics", "typing"})
"""Modules of the standard library whose functions are plain arithmetic: they are read, as installed
packages are."""

_OWN_TEXTS = ("pullback.frontend.", "pullback.demo.", "pullback.call.callee", "pullback.api",
              "pullback.combinators", "pullback.loop_progress", "pullback.explanation",
              "pullback.interop.", "pullback.compat.")  # fmt: skip
"""The modules of Pullback itself whose functions are compiled like the user's."""

_OWN_CLASSES = ("pullback.demo.", "pullback.frontend.library.text.", "pullback.compat.")
"""The modules of Pullback itself whose classes are compiled like the user's."""

OWN = "pullback"
_HERE = PurePath(__file__).parents[2]
_DEMO = _HERE / "demo"

_INSTALLED = frozenset({"site-packages", "dist-packages"})
_STANDARD = tuple(
    PurePath(sysconfig.get_paths()[name]).parts for name in ("stdlib", "platstdlib")
)


@lru_cache(maxsize=1024)
def package_of(file: str) -> str:
    """Return the package that a file belongs to, if it is installed and may be read ('': the file
    is the user's, or of the standard library). This package is one, too, but for its demo."""
    if PurePath(file).is_relative_to(_HERE):
        return "" if PurePath(file).is_relative_to(_DEMO) else OWN
    parts = PurePath(file).parts
    for k in range(len(parts) - 2, -1, -1):
        if parts[k] in _INSTALLED:
            return parts[k + 1].removesuffix(".py")
    standard = any(parts[:-1] == p for p in _STANDARD)
    return PurePath(file).stem if standard and PurePath(file).stem in OPEN else ""


@lru_cache(maxsize=1024)
def _is_standard(file: str) -> bool:
    """Whether a file belongs to the standard library."""
    if file.startswith("<frozen "):
        return True
    parts = PurePath(file).parts
    if any(p in _INSTALLED for p in parts):
        return False
    return any(parts[: len(p)] == p for p in _STANDARD)


_ENGINES = frozenset({"llvmlite", "numpy", "scipy"})
"""The packages that this package calls."""


def is_users(file: str) -> bool:
    """Whether code of a file is neither of this package, nor of what it calls itself: the standard
    library, NumPy, SciPy and llvmlite."""
    return not _is_standard(file) and package_of(file) not in {OWN, *_ENGINES}


def is_closed(function: FunctionType) -> bool:
    """Whether the source of a function is not read, because it belongs to a library."""
    file = function.__code__.co_filename
    module = str(function.__globals__.get("__name__", ""))
    top = module.partition(".")[0]
    if top == "pullback":
        return not module.startswith(_OWN_TEXTS)
    if _is_standard(file):
        return top not in OPEN and top in sys.stdlib_module_names
    return (package_of(file) or top) in CLOSED


def is_closed_module(name: str) -> bool:
    """Whether the classes of a module, by its name, are those of a library that is not read."""
    top = name.partition(".")[0]
    if top == "pullback":
        return not name.startswith(_OWN_CLASSES)
    return top in CLOSED or (top in sys.stdlib_module_names and top != "__main__")


def name_of(obj: object) -> str:
    """Return the name of a function, method or class as its users write it: with the public module,
    and without a module if it is built in."""
    if isinstance(obj, LaterFunction):
        return f"{obj.module}.{obj.__name__}"
    name = getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None) or _name(obj)
    module = str(getattr(obj, "__module__", None) or "")
    if is_used_in_brackets(obj):
        module = "numpy"
    if isinstance(obj, np.ufunc):
        module = "numpy" if getattr(np, str(name), None) is obj else "scipy.special"
    if module.startswith("scipy.stats.") and isinstance(obj, MethodType):
        name = f"{_name(obj.__self__)}.{obj.__name__}"
    if module.startswith("pullback.compat."):  # shown as the library whose names these are
        module = module.split(".")[2]
    elif module == "pullback" or module.startswith("pullback."):
        module = "pb"
    public = takewhile(lambda p: not p.startswith("_"), _PUBLIC.get(module, module).split("."))
    return ".".join([*(p for p in public if p not in ("builtins", "")), str(name)])


_INDEXED = ("c_", "r_", "s_", "index_exp", "mgrid", "ogrid")
"""Objects of NumPy that are used in brackets only."""


def is_used_in_brackets(obj: object) -> bool:
    """Whether this is ``np.c_``, ``np.s_`` or another such object."""
    return any(getattr(np, name) is obj for name in _INDEXED)


def _name(obj: object) -> str:
    """Return the name of an object that is neither function nor class: that of its distribution,
    or of its class."""
    given = getattr(obj, "name", None) if type(obj).__module__.startswith("scipy.") else None
    known = (name for name in _INDEXED if getattr(np, name) is obj)
    return next(known, str(given or type(obj).__name__.removesuffix("_gen")))


_PUBLIC = {
    "_operator": "operator", "_warnings": "warnings", "io": "", "_io": "",
    "numpy.random.mtrand": "numpy.random",
}  # fmt: skip

__all__ = [
    "CLOSED", "OWN", "is_closed", "is_closed_module", "is_used_in_brackets", "is_users",
    "name_of", "package_of",
]  # fmt: skip
