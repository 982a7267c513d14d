"""The library functions that are texts: for each, the Python function that is compiled in its
place, found by its name in the files named here.

The signature of the text is that of the library: names of arguments, their order, defaults. An
argument that is not among its parameters is refused. The annotations of the parameters
(``domains``) say with which arguments the surface test compares a text with the library function.
``docs/adding/library-function.md`` describes how to write one.
"""

from __future__ import annotations

import bisect
import collections
import functools
import heapq
import itertools
import operator
import statistics
import sys
from collections.abc import MutableSequence
from types import FunctionType, ModuleType

import numpy as np
import scipy.special

from pullback.frontend.kinds.values import WRITTEN, WRITTEN_CLASSES
from pullback.frontend.library.text import (
    alternatives,
    arrangement,
    bisection,
    comparisons,
    deques,
    differences,
    elementary,
    frequencies,
    heaps,
    iterations,
    matrix_functions,
    moments,
    operator_texts,
    pieces,
    polynomials,
    pseudo_inverse,
    scipy_integrate,
    scipy_linalg,
    scipy_special,
    scipy_stats,
    selection,
    sets_of_numbers,
    statistics_functions,
    whole_arrays,
    windows,
    wrapping,
)


def _texts(library: ModuleType, *files: ModuleType) -> dict[object, FunctionType]:
    """Return the functions of these files whose names do not begin with "_", by the functions of
    the library that have the same names."""
    return {
        getattr(library, name): text
        for file in files
        for name, text in vars(file).items()
        if isinstance(text, FunctionType) and text.__module__ == file.__name__ and name[0] != "_"
    }


ARRAYS = _texts(
    np, arrangement, comparisons, differences, elementary, moments, polynomials, selection,
    sets_of_numbers, windows,
)  # fmt: skip
"""Functions of arrays: the surface test compares every one with the library."""

LISTS = _texts(bisect, bisection) | _texts(heapq, heaps)
"""Functions of lists of any items, some of which they update (``tests/frontend/test_heaps.py``)."""

OTHERS = (
    _texts(np, alternatives, frequencies, pieces, whole_arrays)
    | _texts(np.linalg, matrix_functions, pseudo_inverse)
    | _texts(scipy.special, scipy_special)
    | _texts(itertools, iterations)
    | _texts(operator, operator_texts)
    | _texts(statistics, statistics_functions)
    | _texts(functools, wrapping)
)
"""Functions of arguments that no signature describes (``tests/frontend/test_library_texts.py``)."""

WRITTEN.update(ARRAYS | LISTS | OTHERS)

LATER = {
    "scipy.linalg": scipy_linalg,
    "scipy.integrate": scipy_integrate,
    "scipy.stats": scipy_stats,
}
"""The texts of modules that are slow to import: programs that use one have imported it."""

_added: set[str] = set()


def add_imported() -> None:
    """Add the texts of those modules that have been imported by now."""
    for name, file in LATER.items():
        library = sys.modules.get(name)
        if library is None or name in _added:
            continue
        if not getattr(library.__spec__, "_initializing", False):
            WRITTEN.update(_methods(library) if file is scipy_stats else _texts(library, file))
            _added.add(name)


def _methods(library: ModuleType) -> dict[object, FunctionType]:
    """Return the texts of the methods of distributions."""
    found: dict[object, FunctionType] = {}
    for name, text in vars(scipy_stats).items():
        if isinstance(text, FunctionType) and name[0] != "_":
            distribution, _, method = name.partition("_")
            found[getattr(getattr(library, distribution), method)] = text
    return found


CLASSES: dict[type, type] = {collections.deque: deques.deque}
"""Classes whose objects change (``tests/frontend/test_deques.py``)."""

WRITTEN_CLASSES.update(CLASSES)
MutableSequence.register(deques.deque)  # for isinstance, as collections.deque is
