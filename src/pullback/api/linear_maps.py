"""``pb.linearize``: the derivative at one place, as a function of the direction."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from pullback.api.derived import DerivedOperator, product
from pullback.api.operator_objects import inner_function, positional, with_updates
from pullback.api.vector_products import jvp
from pullback.call import jacobian_products
from pullback.call.binding import register_text
from pullback.call.leaving import public
from pullback.call.misuse import require_function
from pullback.structures import once, quiet


@public
def linearize(f: Callable[..., Any], *primals: Any) -> Any:
    """Return the result of ``f`` and its derivative at ``primals``: ``(out, linear_map)``.

    ``linear_map(*tangents)`` takes one tangent for each primal (``None`` stands for zero) and
    returns the tangent of ``out``. It can be called again, and after the primals were overwritten.
    The function runs once: what its derivative reads is kept. Where the function recurses, takes a
    derivative itself, or has nodes or lists of lists, every call runs it again. Forms and errors
    are those of ``jvp``.

    >>> out, linear_map = linearize(_square, 3.0)
    >>> out, linear_map(1.0)
    (9.0, 6.0)
    """
    require_function(f, "linearize", "pb.linearize(f, x)")
    return with_updates(lambda f: _linearized(f, primals), f, primals)


def _linearized(f: Callable[..., Any], primals: tuple[Any, ...]) -> Any:
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


def _square(x: float) -> float:
    """For the example."""
    return x * x


register_text(linearize, _text)

__all__ = ["linearize"]
