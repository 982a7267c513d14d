"""Where NumPy keeps its Fourier transforms: the loops of the ufuncs in
``numpy.fft._pocketfft_umath``, which compiled code calls by their addresses.

A loop is a C function of four arguments: the addresses of its arrays, its extents, the distances of
their items in bytes, and data of its own. A ufunc has one loop for each combination of types; its
structure is part of NumPy's C API (``PyUFuncObject``). Everything that is read there is compared
with what must stand there, and the loops are tried once: if anything is different, there are no
loops, and the transforms are programs of the library's own."""

from __future__ import annotations

import ctypes
from functools import cache

import numpy as np

from pullback.core.later import Later

PREFIX = "fourier_"
"""Before the name of a loop, among the foreign routines (``core/lapack.py``)."""
DATA = f"{PREFIX}data_"
"""Before the name of a ufunc: the address of the data of its loop."""

_umath = Later("numpy.fft._pocketfft_umath")

_REAL, _PAIR = 12, 15  # NPY_DOUBLE, NPY_CDOUBLE
LOOPS = {
    "fft": (_PAIR, _REAL, _PAIR), "ifft": (_PAIR, _REAL, _PAIR),
    "rfft_n_even": (_REAL, _REAL, _PAIR), "rfft_n_odd": (_REAL, _REAL, _PAIR),
    "irfft": (_PAIR, _REAL, _REAL),
}  # fmt: skip
"""The ufuncs, with the types of their operands: numbers, the factor, the transform."""
WITH_DATA = frozenset({"fft", "ifft"})
"""The ufuncs whose loop has data: the direction."""


class _Ufunc(ctypes.Structure):
    """The beginning of ``PyUFuncObject``."""

    _fields_ = (
        ("references", ctypes.c_ssize_t), ("type", ctypes.c_void_p), ("nin", ctypes.c_int),
        ("nout", ctypes.c_int), ("nargs", ctypes.c_int), ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)), ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int), ("reserved", ctypes.c_int), ("name", ctypes.c_char_p),
        ("types", ctypes.POINTER(ctypes.c_ubyte)),
    )  # fmt: skip


Loop = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)


@cache
def loop_of(name: str) -> tuple[int, int]:
    """The addresses of the loop of doubles of a ufunc, and of its data (0: it has none)."""
    ufunc = getattr(_umath, name)
    assert type(ufunc) is np.ufunc, f"{name} is no ufunc"
    found = _Ufunc.from_address(id(ufunc))
    told = ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.ntypes
    assert told == (found.nin, found.nout, found.nargs, found.ntypes) == (2, 1, 3, len(ufunc.types))
    assert found.name == name.encode(), f"{name} has another structure"
    wanted = LOOPS[name]
    types = [tuple(found.types[3 * k : 3 * k + 3]) for k in range(found.ntypes)]
    place = types.index(wanted)
    loop = found.functions[place]
    data = found.data[place] if name in WITH_DATA else None
    assert loop and (data or name not in WITH_DATA), f"{name} has no loop"
    return loop, data or 0


@cache
def available() -> bool:
    """Whether the loops are where they are looked for, and do what NumPy's functions do."""
    try:
        return all(map(_works, LOOPS))
    except (AssertionError, AttributeError, ImportError, ValueError):
        return False


def _works(name: str) -> bool:
    """Whether a loop transforms two rows as the ufunc does."""
    n = 5 if name == "rfft_n_odd" else 6
    real = name.startswith("rfft")
    width = n if real else n // 2 + 1 if name == "irfft" else n
    x = np.cos(np.arange(2.0 * width)).reshape(2, width)
    given = x if real else x + 1j * np.sqrt(np.arange(2.0 * width)).reshape(2, width)
    out = np.empty((2, n // 2 + 1 if real else n), np.float64 if name == "irfft" else np.complex128)
    expected = getattr(_umath, name)(
        given, 0.5, out=np.empty_like(out), axes=[(-1,), (), (-1,)]
    )
    run(name, given.ctypes.data, 0.5, out.ctypes.data, given.shape, out.shape[1],
        given.strides, out.strides)  # fmt: skip
    return bool(np.array_equal(out, expected))


def run(
    name: str, source: int, factor: float, to: int, extents: tuple[int, ...], length: int,
    steps: tuple[int, ...], out_steps: tuple[int, ...],
) -> None:  # fmt: skip
    """Call a loop: for so many rows of so many items at ``source`` it writes rows of ``length``
    items, times the factor."""
    (loop, data), number = loop_of(name), ctypes.c_double(factor)
    arrays = (ctypes.c_void_p * 3)(source, ctypes.addressof(number), to)
    sizes = (ctypes.c_ssize_t * 3)(*extents, length)
    rows, items = zip(steps, out_steps, strict=True)
    strides = (ctypes.c_ssize_t * 5)(rows[0], 0, rows[1], *items)
    tables = (ctypes.addressof(table) for table in (arrays, sizes, strides))
    Loop(loop)(*tables, data)


def address(routine: str) -> int:
    """The address of a loop, or of the data of one (``LOOPS`` with a prefix)."""
    if routine.startswith(DATA):
        return loop_of(routine.removeprefix(DATA))[1]
    return loop_of(routine.removeprefix(PREFIX))[0]


__all__ = ["DATA", "LOOPS", "PREFIX", "WITH_DATA", "address", "available", "run"]
