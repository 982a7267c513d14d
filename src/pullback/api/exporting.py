"""``pb.export``: a function as an object or a shared library for programs in other languages."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pullback.api.operator_objects import Operator, for_count
from pullback.call.deferred import exported
from pullback.call.leaving import public
from pullback.call.misuse import require_function
from pullback.call.request import Request, What

if TYPE_CHECKING:
    from pullback.call.exported import Files


@public
def export(
    f: Callable[..., Any], types: Sequence[Any], name: str, folder: str | os.PathLike[str] = ".",
    *, shared: bool = True,
) -> Files:  # fmt: skip
    """Write ``f``, compiled for arguments of these types, into files that need no Python.

    These are an object ``name.o``, a header ``name.h`` and a program in C that calls it
    (``name_example.c``); with ``shared`` also a library ``libname.so``, and a module ``name.py``
    that calls it by ``ctypes``. The results have the bits of ``pb.jit(f)`` in this process, but for
    products of large matrices, which that gives to BLAS and which are loops here. The code is for
    this kind of machine. What ``f`` reads from around it (global and captured variables) is read
    once, now, and becomes a part of the object.

    Args:
        f: a function, or the result of an operator, such as ``pb.value_and_grad(loss)``.
        types: for each argument ``float``, ``int``, ``bool``, a scalar type of NumPy, or an
            example: ``np.zeros((2, 2))`` for all matrices of float64.
        name: of the C function and the files.
        folder: where they are written.
        shared: whether there is a shared library, for which a C compiler must be there.

    Returns:
        The paths of the files, as ``object``, ``library``, ``header``, ``c_example``, ``python``.

    Raises:
        NotImplementedError: the program needs Python (``print``, a callback), LAPACK, or types that
            C does not have; or there is no C compiler.
        TypeError: a type says too little of an argument.
        ValueError: ``name`` is no name in C, or a word or library function of C.
        OSError: the files cannot be written.

    Source:
        Object files by LLVM; the interface is like that of CasADi's ``generate``.

    Example:
        >>> import pullback as pb
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = pb.export(pb.grad(lambda x: x * x), (float,), "slope", folder, shared=False)
        ...     print("int64_t slope(" in files.header.read_text())
        True
    """
    require_function(f, "export", 'pb.export(f, (float,), "f")')
    inner, request = f, Request(What.VALUE)
    if isinstance(f, Operator) and f._request.what in (
        What.VALUE, What.GRADIENT, What.VALUE_AND_GRADIENT,
    ):  # fmt: skip
        inner, request = f._f, for_count(f._request, len(types))
    return exported.exported(inner, types, name, Path(folder), request, shared)


__all__ = ["export"]
