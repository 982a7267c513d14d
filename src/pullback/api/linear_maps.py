"""``pb.linearize``: the derivative at one place, as a function of the direction."""

import copy
from collections.abc import Callable
from typing import Any, TypeVar

from pullback.api.derived import DerivedOperator, product
from pullback.api.operator_objects import inner_function, positional, with_updates
from pullback.api.vector_products import jvp
from pullback.call import jacobian_products
from pullback.call.binding import register_text
from pullback.call.leaving import public
from pullback.call.misuse import require_function
from pullback.structures import once, quiet

R = TypeVar("R")


@public
def linearize(f: Callable[..., R], *primals: Any) -> tuple[R, Callable[..., R]]:
    """Return the result of ``f`` and its derivative at ``primals``: ``(out, linear_map)``.

    ``f`` runs once, and what its derivative reads is kept, so a call of ``linear_map`` is cheaper
    than ``pb.jvp``. Where ``f`` recurses, takes a derivative itself, or has nodes or lists of
    lists, nothing is kept, and every call of ``linear_map`` runs ``f`` again.

    Args:
        f: a function of any number of arguments, with any result.
        primals: the arguments.

    Returns:
        ``(out, linear_map)``. ``linear_map(*tangents)`` takes one tangent for each primal, in the
        form of the primal (``None`` stands for zero), and returns the tangent of ``out``. It can be
        called again, and after the primals were overwritten.

    Raises:
        TypeError: there are more or fewer tangents than primals, or one is of another form.
        ValueError: a tangent has another shape than its array.
        PullbackError: ``f`` is outside the language.

    Source:
        Krawiec et al., figures 3 and 4, with the first half run once; the name is JAX's.

    Example:
        >>> import pullback as pb
        >>> def square(x):
        ...     return x * x
        >>> out, linear_map = pb.linearize(square, 3.0)
        >>> out, linear_map(1.0)
        (9.0, 6.0)
    """
    require_function(f, "linearize", "pb.linearize(f, x)")
    return with_updates(lambda f: _linearized(f, primals), f, primals)


def _linearized(
    f: Callable[..., Any], primals: tuple[Any, ...]
) -> tuple[Any, Callable[..., Any]]:
    values = copy.deepcopy(positional(f, primals, {}))
    inner = inner_function(f)
    linear_map = DerivedOperator("linearize", f, _linear_map(inner, values))
    found = jacobian_products.linearize(inner, values)
    if found is None:
        return _value(inner, *values), linear_map
    out, linear_map._fast = found
    return out, linear_map


def _text(f: Callable[..., Any], *primals: Any) -> Any:
    g, values = once(f, primals)
    return g(*values), _linear_map(g, values)


def _of(f: Callable[..., Any], *primals: Any) -> Any:
    return f(*primals)


_value = product(_of, "linearize", None)


def _linear_map(f: Callable[..., Any], primals: Any) -> Callable[..., Any]:
    again = quiet(f)

    def linear_map(*tangents: Any) -> Any:
        return jvp(again, primals, tangents)[1]

    return linear_map


register_text(linearize, _text)

__all__ = ["linearize"]
