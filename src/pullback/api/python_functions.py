"""``pb.pure_callback``: a Python function that compiled code calls, and does not compile."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pullback.call.binding import register_operators
from pullback.call.misuse import require_function
from pullback.call.pickled import Call, Remade
from pullback.declared_callbacks import Declared


class Callback(Remade):
    """A Python function that compiled code calls. Called by Python it is just the function."""

    def __init__(self, declared: Declared) -> None:
        functools.update_wrapper(self, declared.function)
        self.__pullback_operator__ = ("pure_callback", declared)
        self._declared = declared

    def __call__(self, /, *args: Any) -> Any:
        return self._declared.function(*args)

    def call_that_made_it(self) -> Call:
        return pure_callback, (self._declared.function, self._declared.example), {}

    def __repr__(self) -> str:
        return f"<pb.pure_callback of {self._declared.function!r}>"


def pure_callback(f: Callable[..., Any], example: Any) -> Callable[..., Any]:
    """Return ``f`` as a function that compiled code calls and does not compile: one that reads a
    table from a file, or calls a library.

    ``example`` has the form of its result: a float or an array of floats of that shape, or a tuple,
    list, dict or record of these. The arguments are numbers, arrays and structures of them; f is
    given copies. It is called once for each call that the program makes, in order, on the thread of
    the caller; an error that it raises comes out as it is. It must be a function of its arguments
    alone. It has no derivative: give it a rule by ``pb.custom_jvp`` or ``pb.custom_vjp``, or take
    ``pb.stop_gradient`` of its arguments. Raises ``TypeError`` or ``ValueError`` if a result has
    another form than the example.

    >>> import pullback as pb
    >>> lookup = pb.custom_jvp(pure_callback(lambda x: {1: 2.0}[round(x)], 0.0))
    >>> lookup.defjvps(lambda t, out, x: 3.0 * t)
    >>> pb.value_and_grad(lambda x: lookup(x) * x)(1.0)
    (2.0, 5.0)
    """
    require_function(f, "pure_callback", "pb.pure_callback(f, 0.0)")
    return Callback(Declared(f, example))


register_operators(pure_callback=pure_callback)

__all__ = ["pure_callback"]
