"""Where NumPy keeps its sorts: the functions by which arrays of one type are sorted and the places
of their elements found, which compiled code calls by their addresses.

They stand in a table of functions for each type (``PyArray_ArrFuncs`` of NumPy's C API). What is
found there is tried once against ``np.sort`` and ``np.argsort``: if anything is different, there
are no such functions, and sorting is a program of the library's own."""

from __future__ import annotations

import ctypes
from functools import cache

import numpy as np

PREFIX = "order_"
"""Before the name of a function, among the foreign routines (``core/lapack.py``)."""

_TABLE = 365  # the slot of PyDataType_GetArrFuncs, from NumPy 2 on
_SORT, _PLACES = 33, 36  # words of the table: NPY_QUICKSORT of ``sort`` and of ``argsort``
ROUTINES = {
    "ascending_f64": (np.float64, _SORT), "ascending_i64": (np.int64, _SORT),
    "places_f64": (np.float64, _PLACES), "places_i64": (np.int64, _PLACES),
}  # fmt: skip
"""The functions, by the type of what they sort: ``ascending`` sorts n elements in their memory,
``places`` sorts n places by the elements there. NaN comes last; equal elements come in any order,
so compiled code sorts the places of equal ones once more."""

INTS = "ascending_i64"
"""What sorts places."""


@cache
def _address(routine: str) -> int:
    core = getattr(np, "_core")  # noqa: B009  # older NumPy has none
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = get(core._multiarray_umath._ARRAY_API, None)
    word = ctypes.sizeof(ctypes.c_void_p)
    function = ctypes.c_void_p.from_address(table + word * _TABLE).value
    assert function, "there is no table of functions"
    functions_of = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.py_object)(function)
    dtype, place = ROUTINES[routine]
    found = ctypes.c_void_p.from_address(functions_of(np.dtype(dtype)) + word * place).value
    assert found, f"there is no {routine}"
    return found


def address(routine: str) -> int:
    """Return the address of a function (``ROUTINES`` with a prefix)."""
    return _address(routine.removeprefix(PREFIX))


def run(routine: str, *given: int) -> None:
    """Call a function with the addresses of its arrays and the number of elements."""
    kind = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * (len(given) + 1))
    kind(address(routine))(*given, None)


@cache
def available() -> bool:
    """Whether the functions are where they are looked for, and do what NumPy's functions do."""
    try:
        major = int(np.__version__.partition(".")[0])
        return major == 2 and all(map(_works, ROUTINES))
    except (AssertionError, AttributeError, ValueError):
        return False


def _works(routine: str) -> bool:
    dtype, place = ROUTINES[routine]
    x = (np.arange(99) * 37 % 101).astype(dtype)
    if dtype is np.float64:
        x[[7, 50]] = np.nan, -np.inf
    n, order, ordered = len(x), np.arange(len(x)), x.copy()
    if place == _SORT:
        run(routine, ordered.ctypes.data, n)
        return bool(np.array_equal(ordered, np.sort(x), equal_nan=dtype is np.float64))
    run(routine, x.ctypes.data, order.ctypes.data, n)
    return bool(np.array_equal(order, np.argsort(x)))


def run_settled(routine: str, *given: int) -> None:
    """Do what compiled code does with ``places``: equal elements stay in their order."""
    source, places, n = given
    dtype, _ = ROUTINES[routine.removeprefix(PREFIX)]
    kind = ctypes.c_double if dtype is np.float64 else ctypes.c_int64
    x = np.ctypeslib.as_array((kind * n).from_address(source))
    out = np.ctypeslib.as_array((ctypes.c_int64 * n).from_address(places))
    out[:] = np.argsort(x, kind="stable")


__all__ = ["INTS", "PREFIX", "ROUTINES", "address", "available", "run", "run_settled"]
