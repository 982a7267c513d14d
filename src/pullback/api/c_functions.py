"""``pb.cfunc``: a function as a function pointer of C, with no Python behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pullback.api.signatures import with_types
from pullback.call.deferred import c_conventions
from pullback.call.leaving import public
from pullback.call.misuse import require_function

if TYPE_CHECKING:
    from pullback.call.c_conventions import Compiled

LOG_DENSITY = "int64 (uint64, double *, double *, double *, void *)"
EXPANSION = "int64 (uint64, uint64, double *, double *, void *)"


_OWNER = "owner"


class CFunction:
    """A C function in memory, which lives as long as this object.

    address    where it is, as an int
    ctypes     the function for ``ctypes``, and for ``scipy.LowLevelCallable``
    signature  of the function, in C's words
    """

    __slots__ = ("_compiled", "address", "ctypes", "signature")

    def __init__(self, signature: str, compiled: Compiled) -> None:
        self.signature = signature
        self.address: int = compiled.address
        self.ctypes: Any = compiled.function
        self._compiled = compiled
        setattr(self.ctypes, _OWNER, compiled)  # whoever has the function has its code

    def error(self, status: int) -> str:
        """Return what a status says that the function has returned."""
        return self._compiled.errors.get(status, "no such status")

    def __repr__(self) -> str:
        return f"<C function {self.signature!r} at {self.address:#x}>"


@with_types
@public
def cfunc(
    f: Callable[..., Any], signature: str = LOG_DENSITY, *, like: tuple[Any, ...] | None = None
) -> CFunction:
    """Return ``f`` as a function pointer of C, which runs without Python and without its lock.

    The default signature is that of samplers such as nutpie: of a log density ``f``, which takes an
    array, the function stores the value and the gradient, and returns 0 or the number of an error.
    The others are those of ``scipy.LowLevelCallable``, for ``quad``, ``nquad`` and the filters of
    ``ndimage``, where an error gives NaN, or 0 for failure. What ``f`` reads from around it (global
    and captured variables) is read once, now.

    Args:
        f: a function of numbers or of one array, as the signature wants it.
        signature: the types of the C function, in C's words.
        like: arguments for a trial call. Code is faster where that shows that no array of extent 1
            is broadcast.

    Returns:
        An object that keeps the code alive, with the function's ``address``, the function for
        ``ctypes`` as ``ctypes``, and ``error(status)``, which explains a status.

    Raises:
        ValueError: there is no such signature; the message lists them.
        TypeError: ``f`` takes or returns something else than the signature has.
        NotImplementedError: the program needs Python (``print``, a callback) or LAPACK.

    Source:
        The signatures are those of SciPy's ``LowLevelCallable`` and of nutpie.

    Example:
        >>> import pullback as pb
        >>> import scipy.integrate
        >>> square = pb.cfunc(lambda x: x * x, "double (double)")
        >>> round(scipy.integrate.quad(scipy.LowLevelCallable(square.ctypes), 0.0, 3.0)[0], 9)
        9.0
    """
    require_function(f, "cfunc", "pb.cfunc(f)")
    return CFunction(signature, c_conventions.compiled(f, signature, like))


__all__ = ["EXPANSION", "CFunction", "cfunc"]
