"""Python functions that compiled code calls: a table by number, and the C function of each.

What goes over is two vectors: the reals of the arguments, and words (extents and whole numbers);
what comes back is the vector of the reals of the result. An error in the function stays here until
the compiled call has ended, and comes out of it as it is, with its traceback.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.core.later import Later

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Words = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
Called = Callable[[Floats, Words], Floats]

PREFIX = "callback_"
DRAWS = 0
"""The number of draws of random numbers, which is the same in every process (``core/draws.py``)."""
SOLVES = 1, 2
"""Those of solutions of sparse equations, and of transposed ones (``core/sparse_solutions.py``)."""
LIBRARY = 3
"""That of values which NumPy and SciPy compute for texts (``core/library_values.py``)."""
OF_COMPLEX_MATRICES = frozenset({
    "hermitian vectors", "hermitian values", "scipys hermitian vectors", "complex svd",
    "complex right vectors", "complex singular values", "complex qr", "complex determinant",
    "complex null space", "complex pivots",
})  # fmt: skip
"""Names of those that raise nothing and remember nothing: where nobody reads what one would give,
it is not called."""
OF_ALL = frozenset({DRAWS, *SOLVES, LIBRARY})
"""The functions that are the same in every process."""

RAISED = "a Python function that was called raised an error"

_known: dict[int, tuple[Called, Any]] = {}
"""Nothing is taken out: compiled code has the address of the C function."""

_seen: set[int] = set()
"""The functions that do something besides giving their results: each call of them is made."""

_numbers = itertools.count(len(OF_ALL))
_pending = threading.local()
_draws = Later("pullback.core.draws")
_solutions = Later("pullback.core.sparse_solutions")
_library = Later("pullback.core.library_values")

FUNCTION = ctypes.CFUNCTYPE(
    None, *(ctypes.POINTER(t) for t in (ctypes.c_double, ctypes.c_int64, ctypes.c_int,
    ctypes.c_int, ctypes.c_double, ctypes.c_int, ctypes.c_int))
)  # fmt: skip


def enter(function: Called, pure: bool = True) -> int:
    """Return the number of a function from the two vectors of its arguments to that of its
    result. ``pure``: of two equal calls the second one need not be made."""
    number = next(_numbers)
    if not pure:
        _seen.add(number)
    _known[number] = function, _native(function)
    return number


def _native(function: Called) -> Any:
    """Return the C function that calls a function."""

    def run(reals: Any, words: Any, n: Any, m: Any, out: Any, count: Any, info: Any) -> None:
        info[0] = 1
        try:
            given = np.ctypeslib.as_array(reals, (n[0],)) if n[0] else np.zeros(0)
            there = np.ctypeslib.as_array(words, (m[0],)) if m[0] else np.zeros(0, np.int64)
            made = function(given.copy(), there.copy())
            if count[0]:
                np.ctypeslib.as_array(out, (count[0],))[:] = made
            info[0] = 0
        except BaseException as error:  # it is raised again by the compiled call
            _pending.error = error

    return FUNCTION(run)


def _of(number: int) -> tuple[Called, Any]:
    """Return a function and its C function."""
    if number in OF_ALL and number not in _known:
        homes = {
            DRAWS: (_draws, "drawn"), LIBRARY: (_library, "value"),
            SOLVES[0]: (_solutions, "solved"), SOLVES[1]: (_solutions, "solved_turned"),
        }  # fmt: skip
        home, name = homes[number]
        found = getattr(home, name)
        _known[number] = found, _native(found)
    return _known[number]


def called(reals: Floats, words: Words, count: int, number: int, name: str) -> Floats:
    """Call a function from the evaluator."""
    return _of(number)[0](np.array(reals), np.array(words))


def is_pure(number: object) -> bool:
    """Whether a function does nothing but give its result."""
    return number not in _seen


def address(number: int) -> int:
    """Return the address of the C function of a number."""
    found: int = ctypes.cast(_of(number)[1], ctypes.c_void_p).value or 0
    return found


def raised() -> BaseException | None:
    """Return the error of the last function that was called in this thread, once."""
    error: BaseException | None = getattr(_pending, "error", None)
    _pending.error = None
    return error


__all__ = [
    "DRAWS", "FUNCTION", "LIBRARY", "OF_ALL", "PREFIX", "RAISED", "SOLVES", "address", "called",
    "enter", "is_pure", "raised",
]  # fmt: skip
