"""Draws of random numbers without Python, where they have been found to be right.

The code (``draws_ir``) calls NumPy's own C functions, and knows how states lie in memory. So it is
compared with what Python draws when it is loaded, method by method: what differs, or is not there,
is left to Python.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from functools import cache

import numpy as np

from pullback.core import called_python
from pullback.core.called_python import FUNCTION
from pullback.core.draws import METHODS, NUMBERS, drawn, with_seed, words_of
from pullback.native.compile import Linked, link_text
from pullback.native.draws_ir import (
    DRAW,
    ENABLED,
    NATIVE,
    NUMPY,
    PYTHON,
    RANGE,
    ROUTINES,
    draws_text,
)
from pullback.native.foreign import PREFIX

SYMBOL = f"{PREFIX}{called_python.PREFIX}{called_python.DRAWS}"

_kept: list[Linked] = []
"""Its address is in compiled code."""


@cache
def address() -> int:
    """Return the address of the C function that draws."""
    python = called_python.address(called_python.DRAWS)
    try:
        library = ctypes.CDLL(np.random._generator.__file__)
        routines = {r: _address(getattr(library, r)) for r in ROUTINES}
    except (AttributeError, OSError):
        return python
    linked, _ = compared(routines, python)
    _kept.append(linked)
    return linked.address(DRAW)


def compared(routines: Mapping[str, int], python: int) -> tuple[Linked, list[str]]:
    """Return the code that uses these functions of NumPy's, and the methods that it does itself: in
    which it draws what Python draws."""
    own = {f"{NUMPY}{name}": at for name, at in routines.items()} | {PYTHON: python}
    linked = link_text(draws_text(), (DRAW, ENABLED), own, forever=True)
    draw = FUNCTION(linked.address(DRAW))
    enable = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int8)(linked.address(ENABLED))
    right = []
    for name in NATIVE:
        enable(NUMBERS[name], 1)
        if all(_agrees(draw, name, *case) for case in _cases(name)):
            right.append(name)
        else:
            enable(NUMBERS[name], 0)
    return linked, right


def _address(function: ctypes._NamedFuncPointer) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


_REALS: dict[str, list[list[float]]] = {
    "standard_gamma": [[0.4], [2.5]], "beta": [[0.4, 0.7], [2.0, 3.0]], "chisquare": [[3.0]],
    "standard_t": [[4.0]], "poisson": [[3.5], [300.0]], "python.gauss": [[0.0, 1.0]],
    "python.normalvariate": [[0.0, 1.0]], "python.expovariate": [[1.0]],
}  # fmt: skip
_INTS: dict[str, list[list[int]]] = {
    "integers": [[0, 10, 5, 0], [-7, 2**31, 5, 1], [3, 3, 2, 1]],
    "legacy.randint": [[0, 10, 5], [-7, 2**31, 5]],
    "python.randrange": [[10], [2, 2**40, 1]],
}  # fmt: skip


def _cases(name: str) -> list[tuple[int, list[float], list[int]]]:
    """Draws that are compared: how many numbers come back, and what a method needs."""
    if name in _INTS:
        return [(2 * i[2] if len(i) > 2 and name != RANGE else 2, [], i) for i in _INTS[name]]
    given = _REALS.get(name, [[]])
    if name.startswith("python."):
        return [(1, reals, []) for reals in given]
    size = 2 * _SIZE if name == "poisson" else _SIZE
    return [(size, reals, [_SIZE, *(1 for _ in reals)]) for reals in given]


_SIZE = 5


@cache
def _state(cls: type) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return words_of(with_seed(cls, 3))


def _agrees(
    draw: Callable[..., None], name: str, count: int, reals: list[float], ints: list[int]
) -> bool:
    """Whether code and Python draw the same, twice one after the other."""
    state = _state(METHODS[name].cls)
    for _ in range(2):
        words = np.array([count, NUMBERS[name], len(state), *state, *ints], np.int64)
        given, out, info = np.array(reals), np.empty(1 + count + len(state)), ctypes.c_int()
        expected = drawn(given, words)
        sizes = (ctypes.byref(ctypes.c_int(len(x))) for x in (given, words))
        at = (x.ctypes.data_as(ctypes.POINTER(t)) for x, t in (
            (given, ctypes.c_double), (words, ctypes.c_int64), (out, ctypes.c_double)
        ))  # fmt: skip
        r, w, o = at
        draw(r, w, *sizes, o, ctypes.byref(ctypes.c_int(len(out))), ctypes.byref(info))
        if out.tobytes() != expected.tobytes():
            return False
        state = out[1 + count :].astype(np.int64)
    return True


__all__ = ["SYMBOL", "address", "compared"]
