"""``pb.jit``: the function itself, compiled."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from pullback.api.operator_objects import PUBLIC, Operator
from pullback.call.binding import register_operators
from pullback.call.request import Request, What

_VALUE = Request(What.VALUE)

P = ParamSpec("P")
R = TypeVar("R")


def jit(f: Callable[P, R]) -> Callable[P, R]:
    """Return ``f``, compiled: a function with the results of ``f`` itself.

    It is compiled at the first call with arguments of new types, and then called. Code that was
    compiled before, by another process too, is loaded (see "What compiles again").

    Args:
        f: a function of numbers, arrays, texts, lists, dicts and objects. It may update its
            arguments and what is around it; the updates are written back, as in Python.

    Returns:
        A function of the same arguments, whose results have the same types, shapes and dtypes.

    Raises:
        PullbackError: ``f`` is outside the language; the error shows the line and what to write
            instead. It is raised before anything runs.
        TypeError: ``f`` is not a function.
        Exception: whatever ``f`` itself raises, with the line in the traceback.

    Example:
        >>> import pullback as pb
        >>> def square(x):
        ...     return x * x
        >>> pb.jit(square)(3.0)
        9.0
    """
    return Operator(f, _VALUE, ("jit",))


register_operators(jit=jit)
PUBLIC["jit"] = jit


__all__ = ["jit"]
