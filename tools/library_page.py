"""Write ``docs/library.md``, what compiled code can call: ``python -m tools.library_page``.

The functions are those that the front end has a handler or a text for, the advice that of its
refusals (``frontend/python/rewrites.py``), so a row says what the compiler does.
"""

from __future__ import annotations

import bisect
import builtins
import collections
import copy
import dataclasses
import functools
import heapq
import inspect
import itertools
import math
import operator
import random
import statistics
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import scipy.cluster.hierarchy
import scipy.cluster.vq
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.sparse.csgraph
import scipy.sparse.linalg
import scipy.spatial.distance
import scipy.spatial.transform
import scipy.special
import scipy.stats

from pullback.call import driver
from pullback.frontend.interpret.known_calls import is_design
from pullback.frontend.kinds.values import (
    ATTRIBUTES,
    CALLS,
    METHODS,
    ORDERED,
    SEQUENTIAL,
    WRITTEN,
    WRITTEN_CLASSES,
)
from pullback.frontend.kinds.wrapped import GENERATORS
from pullback.frontend.library.distributions import has_formulas
from pullback.frontend.memory.given_containers import text_class
from pullback.frontend.python.libraries import name_of
from pullback.frontend.python.rewrites import REWRITES, rewrite_of

PAGE = Path(__file__).parents[1] / "docs" / "library.md"
LIBRARIES: dict[str, Any] = {
    "np": np,
    "np.linalg": np.linalg,
    "np.fft": np.fft,
    "np.random": np.random,
    "np.lib.stride_tricks": np.lib.stride_tricks,
    "np.polynomial.polynomial": np.polynomial.polynomial,
    "np.polynomial.chebyshev": np.polynomial.chebyshev,
    "np.polynomial.legendre": np.polynomial.legendre,
    "np.polynomial.hermite": np.polynomial.hermite,
    "np.polynomial.hermite_e": np.polynomial.hermite_e,
    "np.polynomial.laguerre": np.polynomial.laguerre,
    "scipy.special": scipy.special,
    "scipy.linalg": scipy.linalg,
    "scipy.fft": scipy.fft,
    "scipy.integrate": scipy.integrate,
    "scipy.interpolate": scipy.interpolate,
    "scipy.optimize": scipy.optimize,
    "scipy.signal": scipy.signal,
    "scipy.sparse": scipy.sparse,
    "scipy.sparse.linalg": scipy.sparse.linalg,
    "scipy.cluster.hierarchy": scipy.cluster.hierarchy, "scipy.cluster.vq": scipy.cluster.vq,
    "scipy.sparse.csgraph": scipy.sparse.csgraph,
    "scipy.spatial.distance": scipy.spatial.distance,
    "scipy.spatial.transform": scipy.spatial.transform,
    **{f"scipy.stats.{d.name}": d for d in vars(scipy.stats).values() if has_formulas(d)},
    **{f"scipy.stats.{name}": getattr(scipy.stats, name) for name in (
        "dirichlet", "invwishart", "matrix_normal", "multinomial", "multivariate_normal",
        "multivariate_t", "wishart",
    )},
    "math": math,
    "": builtins,
    "operator": operator,
    "itertools": itertools,
    "functools": functools,
    "statistics": statistics,
    "random": random,
    "heapq": heapq,
    "bisect": bisect,
    "collections": collections,
    "dataclasses": dataclasses,
    "copy": copy,
}
KINDS = {"array": "arrays", "scalar": "NumPy's numbers", "string": "texts", "list": "lists",
         "tuple": "tuples", "dict": "dicts with known keys", "table": "dicts",
         "set": "sets"}  # fmt: skip
MATRICES = (
    scipy.sparse.csr_array, scipy.sparse.csc_array, scipy.sparse.coo_array,
    scipy.spatial.transform.Rotation,
)  # fmt: skip
IN_ANOTHER_WAY = {
    "print", "logging.", "warnings.", "pprint.", "sys.", "copy.", "str", "repr", "format", "ascii",
    "getattr", "setattr", "contextlib.", "datetime.", "re.",
    "numpy.errstate", "scipy.stats.moyal.logpdf", "statistics.median", "ufunc.at",
}  # fmt: skip
"""What the compiler takes by other means than these tables, so that the advice for it is for other
cases (``tests/frontend/test_advice.py`` tries all others)."""

HEAD = """\
# Library functions: in, out, and what to write instead

What a function that is compiled may call of NumPy, SciPy and the standard library, by the
compiler's own tables. The types, axes and keywords that each function takes are NumPy's, with the
exceptions that [the language](LANGUAGE.md#arrays-and-libraries) names. Functions of your own
modules, and of installed packages that are plain Python, are compiled as they are. A function that
is not on this page is refused at its line; `pb.pure_callback` calls it anyway.

`python -m tools.library_page` writes this page.

"""
ALSO = """
Also in: updates of lists, dicts, sets and deques (`append`, `pop`, `update`, ...); the
methods `reduce`, `accumulate`, `outer`, `reduceat` and `at` of ufuncs; `np.r_`, `np.c_`, `np.s_`,
`np.index_exp`, `np.mgrid` and `np.ogrid` in brackets;
`print`, `logging`, `warnings.warn`, `pprint.pprint` and `sys.stdout.write`; f-strings, `str` and
`repr`; `getattr`, `setattr` and `hasattr` with constant names; `statistics.median`;
`contextlib.contextmanager`, `closing`, `suppress` and `nullcontext`; `functools.cache` of ints;
`np.errstate` and `warnings.catch_warnings`, which mean nothing to compiled code. Of values that are
known when the program is compiled, or are arguments for which it is compiled: dates and times of
`datetime` (not those of the clock), `fractions.Fraction`, `re`, `collections.namedtuple`,
`bin`, `hex`, `oct`, `int` of a text with a base.
"""
OTHERS = """\
Every public function of these modules that is not in, with what its refusal advises. (A function
that does not depend on what is differentiated loses nothing by being called outside;
`pb.pure_callback` with a rule calls any other.)

"""


def known(obj: object) -> bool:
    """Say whether compiled code can call a function or class."""
    try:
        if isinstance(obj, type) and text_class(obj) is not None:
            return True
        tables = (CALLS, WRITTEN, WRITTEN_CLASSES, SEQUENTIAL, ORDERED)
        return is_design(obj) or any(obj in table for table in tables)
    except TypeError:  # it has no hash
        return False


def functions(library: Any) -> list[str]:
    """Return the names of the functions of a library that compiled code can call."""
    public = getattr(library, "__all__", None) or dir(library)
    names = (n for n in public if not n.startswith("_"))
    return sorted(n for n in names if known(getattr(library, n, None)))


def methods(kind: str) -> list[str]:
    """Return the methods and attributes that compiled code knows of a kind of values."""
    names = {name for of, name in (*METHODS, *ATTRIBUTES) if of == kind}
    return sorted(n for n in names if not n.startswith("_"))


def advice() -> list[tuple[str, str]]:
    """Return the names that are refused with an advice of their own, and the advice."""
    rows = []
    for name, text in REWRITES.items():
        short = name.replace("numpy.", "np.", 1) if name.startswith("numpy.") else name
        if not (name.startswith("pb.") or name in IN_ANOTHER_WAY or supported(name)):
            rows.append((f"{short}*" if name.endswith(".") else short, text))
    return sorted(rows)


def supported(name: str) -> bool:
    """Say whether the whole name is a function that compiled code can call after all."""
    module, _, function = name.rpartition(".")
    library = sys.modules.get(module) if module else builtins
    return bool(function) and known(getattr(library, function, None))


def left_out(library: Any) -> list[tuple[str, list[str]]]:
    """Return the functions of a library that are texts without some of its parameters."""
    found = []
    for name in functions(library):
        f = getattr(library, name)
        text = WRITTEN.get(f)
        try:
            theirs = inspect.signature(f).parameters
        except (TypeError, ValueError):  # a function in C that does not tell
            continue
        if isinstance(text, FunctionType):
            mine = inspect.signature(text).parameters
            missing = [n for n, p in theirs.items() if n not in mine and p.default is not p.empty]
            if missing and not any(p.kind is p.VAR_KEYWORD for p in mine.values()):
                found.append((name, missing))
    return found


def others(library: Any) -> dict[str, list[str]]:
    """Return the public functions of a library that compiled code cannot call, by what to do."""
    found: dict[str, list[str]] = {}
    public = getattr(library, "__all__", None) or dir(library)
    for name in sorted(n for n in public if not n.startswith("_")):
        f = getattr(library, name, None)
        plain = callable(f) and not isinstance(f, type)
        if plain and not known(f) and name_of(f) not in IN_ANOTHER_WAY:
            found.setdefault(rewrite_of(name_of(f)), []).append(name)
    return found


def escaped(text: str) -> str:
    """Return an advice as it is written in a table."""
    return text.replace("*", chr(92) + "*").replace("|", chr(92) + "|")


def more() -> str:
    """Return what is said of parameters, and of all functions that are out."""
    out = "\n## In, without some parameters\n\n| function | refused are |\n|---|---|\n"
    numbers = {n: m for n, m in LIBRARIES.items() if n.startswith(("np", "scipy"))}
    for name, library in numbers.items():
        if name.startswith("scipy."):
            for function, missing in left_out(library):
                out += f"| `{name}.{function}` | {', '.join(f'`{m}`' for m in missing)} |\n"
    out += "\n## All other public functions\n\n" + OTHERS
    out += "| of | functions | what to do |\n|---|---|---|\n"
    for name, library in numbers.items():
        if not isinstance(library, ModuleType):
            continue
        for text, names in others(library).items():
            out += f"| `{name}` | {', '.join(f'`{n}`' for n in names)} | {escaped(text)} |\n"
    return out


def page() -> str:
    """Return the page."""
    assert driver is not None  # it has imported all that fills the tables
    out = HEAD + "## In\n\n| of | functions |\n|---|---|\n"
    for name, library in LIBRARIES.items():
        shown = ", ".join(f"`{n}`" for n in functions(library))
        out += f"| {f'`{name}`' if name else 'Python'} | {shown} |\n"
    out += "\n## Methods and attributes\n\n| of | names |\n|---|---|\n"
    for kind, name in KINDS.items():
        out += f"| {name} | {', '.join(f'`{n}`' for n in methods(kind))} |\n"
    for cls in (*GENERATORS, *MATRICES):
        names = (n for n in dir(text_class(cls)) if not n.startswith("_"))
        out += f"| `{name_of(cls)}` | {', '.join(f'`{n}`' for n in names)} |\n"
    out += ALSO
    out += "\n## Out, and what to write instead\n\n| not | write |\n|---|---|\n"
    for name, text in advice():
        out += f"| `{name}` | {escaped(text)} |\n"
    return out + more()


def main() -> None:
    """Write the page."""
    PAGE.write_text(page())


if __name__ == "__main__":
    main()
