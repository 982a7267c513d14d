"""Where SciPy keeps LAPACK and BLAS: addresses of routines, with 32-bit integers, by name."""

from __future__ import annotations

import ctypes
from functools import cache

from pullback.core import called_python, numpy_sorts, pocketfft, scipy_functions
from pullback.core.later import Later

_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(
    ("PyCapsule_GetName", ctypes.pythonapi)
)

_cython_blas = Later("scipy.linalg.cython_blas")
_cython_lapack = Later("scipy.linalg.cython_lapack")


def foreign_address(routine: str) -> int:
    """The address of a routine, of a special function of SciPy's, of a loop of NumPy's Fourier
    transforms or of one of its sorts, or of a Python function that compiled code calls."""
    if routine.startswith(called_python.PREFIX):
        return called_python.address(int(routine.removeprefix(called_python.PREFIX)))
    if routine.startswith(scipy_functions.PREFIX):
        return special_address(routine.removeprefix(scipy_functions.PREFIX))
    if routine.startswith(pocketfft.PREFIX):
        return pocketfft.address(routine)
    if routine.startswith(numpy_sorts.PREFIX):
        return numpy_sorts.address(routine)
    return lapack_address(routine)


@cache
def special_address(name: str) -> int:
    """The address of a special function of SciPy."""
    address: int = _pointer(*scipy_functions.capsule_of(name))
    return address


@cache
def lapack_address(routine: str) -> int:
    """The address of a routine ("dgesv", ...)."""
    table: dict[str, object] = {**_cython_blas.__pyx_capi__, **_cython_lapack.__pyx_capi__}
    capsule = table[routine]
    signature: bytes = _name(capsule)
    assert b"int *" in signature, "LAPACK with 64-bit integers"
    address: int = _pointer(capsule, signature)
    return address


@cache
def one_thread_address() -> int:
    """Of a function int -> int that sets how many threads the calling thread's linear algebra
    uses and returns how many it used before: results must not depend on the machine's cores. A
    library that has no such function gets one that does nothing (``abs``)."""
    # it also finds the symbols of the libraries that it is linked with
    library = ctypes.CDLL(_cython_lapack.__file__)
    for name in ("scipy_openblas_set_num_threads_local", "openblas_set_num_threads_local"):
        if hasattr(library, name):
            return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0
    return ctypes.cast(ctypes.CDLL(None).abs, ctypes.c_void_p).value or 0
