"""``pb.linearize``: the derivative at one place, as a function of the direction."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from pullback.api.derived import DerivedOperator, product
from pullback.api.operator_objects import inner_function, positional
from pullback.api.vector_products import jvp
from pullback.call.binding import register_text
from pullback.call.misuse import require_function
from pullback.structures import quiet


def linearize(f: Callable[..., Any], *primals: Any) -> Any:
    """Return the result of ``f`` and its derivative at ``primals``: ``(out, linear_map)``.

    ``linear_map(*tangents)`` takes one tangent for each primal (``None`` stands for zero) and
    returns the tangent of ``out``. It can be called again, and after the primals were overwritten.
    Forms and errors are those of ``jvp``.

    >>> out, linear_map = linearize(_square, 3.0)
    >>> out, linear_map(1.0)
    (9.0, 6.0)
    """
    require_function(f, "linearize", "pb.linearize(f, x)")
    values = copy.deepcopy(positional(f, primals, {}))
    inner = inner_function(f)
    out = _value(inner, *values)
    return out, DerivedOperator("linearize", f, _linear_map(inner, values))


def _text(f: Callable[..., Any], *primals: Any) -> Any:
    return f(*primals), _linear_map(f, primals)


def _of(f: Callable[..., Any], *primals: Any) -> Any:
    return f(*primals)


_value = product(_of, "linearize")


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
