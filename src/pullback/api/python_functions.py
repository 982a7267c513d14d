"""``pb.pure_callback``: a Python function that compiled code calls, and does not compile."""

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
    """Return ``f`` as a function that compiled code calls and does not compile.

    It is for what cannot be compiled: reading a table from a file, calling a library. ``f`` is
    called once for each call that the program makes, in order, on the thread of the caller, with
    copies of the arguments, and must be a function of them alone. It has no derivative of its own:
    give it a rule by ``pb.custom_jvp`` or ``pb.custom_vjp``, or apply it to ``pb.stop_gradient`` of
    its arguments.

    Args:
        f: a Python function of numbers, arrays and structures of them.
        example: a value of the form of its results: a float, or an array of floats of that shape,
            or a tuple, list, dict or record of these.

    Returns:
        The function. Make it outside of what is compiled.

    Raises:
        TypeError: the example is not made of floats and arrays of floats, or a result is of another
            form than the example.
        ValueError: a result has another shape than the example.
        PullbackError: it is differentiated and has no rule.
        Exception: whatever ``f`` raises, as it is.

    Source:
        The interface is JAX's ``pure_callback``.

    Example:
        >>> import pullback as pb
        >>> lookup = pb.custom_jvp(pb.pure_callback(lambda x: {1: 2.0}[round(x)], 0.0))
        >>> lookup.defjvps(lambda t, out, x: 3.0 * t)
        >>> pb.value_and_grad(lambda x: lookup(x) * x)(1.0)
        (2.0, 5.0)
    """
    require_function(f, "pure_callback", "pb.pure_callback(f, 0.0)")
    return Callback(Declared(f, example))


register_operators(pure_callback=pure_callback)

__all__ = ["pure_callback"]
