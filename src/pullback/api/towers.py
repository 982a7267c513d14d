"""``pb.jet``: the Taylor series of a function along a path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pullback.api.derived import product
from pullback.api.operator_objects import inner_function
from pullback.api.vector_products import jvp
from pullback.call import driver
from pullback.call.misuse import require_function, values_of
from pullback.structures import terms_of


def jet(f: Callable[..., Any], primals: Sequence[Any], series: Sequence[Any]) -> tuple[Any, Any]:
    """Return the derivatives of ``f`` along a path: ``(out, (first, second, ...))``.

    ``series`` has, for each primal, the derivatives of the path there by its parameter: the first,
    the second, and so on, as many for each; ``None`` stands for a primal that stays (and for what
    is discrete). The results are as many derivatives of ``f`` by the parameter, each of the form of
    ``out``. Raises ``ValueError`` for series of different lengths, and for orders above 6.

    >>> jet(_cube, (2.0,), ((1.0, 0.0, 0.0),))
    (8.0, (12.0, 12.0, 6.0))
    """
    require_function(f, "jet", "pb.jet(f, (x,), ((1.0, 0.0),))")
    given = values_of(series, "jet")
    terms = tuple(None if s is None else values_of(s, "jet") for s in given)
    found: tuple[Any, Any] = _jet(inner_function(f), values_of(primals, "jet"), terms)
    return found


def _text(f: Callable[..., Any], primals: Any, series: Any) -> Any:
    """Return the value and the tower, made of nested ``jvp``. Each order makes the program 1.7
    times as large, so there is a highest one."""
    terms = terms_of(series, primals, 6)

    def path(t: Any) -> Any:
        return f(*[_moved(x, own, t) for x, own in zip(primals, series, strict=False)])

    values = _tower(path, terms)(0.0)
    return values[0], values[1:]


def _moved(x: Any, terms: Any, t: Any) -> Any:
    """Return the place on the path: x + t s1 + t^2 s2 / 2 + ..."""
    return x if terms is None else x + _polynomial(terms, t, 1.0)


def _polynomial(terms: Any, t: Any, k: float) -> Any:
    if len(terms) == 1:
        return terms[0] * (t / k)
    return (terms[0] + _polynomial(terms[1:], t, k + 1.0)) * (t / k)


def _tower(g: Callable[[Any], Any], terms: Any) -> Callable[[Any], Any]:
    """Return a function that gives g and as many of its derivatives as there are terms."""
    if len(terms) == 0:
        return lambda t: (g(t),)
    below = _tower(g, terms[1:])

    def values(t: Any) -> Any:
        here, along = jvp(below, (t,), (1.0,))
        return (*here, along[-1])

    return values


_jet = product(_text, "jet")


def _cube(x: float) -> float:
    """For the example."""
    return x * x * x


driver.register_text(jet, _text)

__all__ = ["jet"]
