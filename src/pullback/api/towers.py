"""``pb.jet``: the Taylor series of a function along a path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pullback.api.derived import product
from pullback.api.operator_objects import inner_function
from pullback.call.binding import register_operators, register_text
from pullback.call.leaving import public
from pullback.call.misuse import require_function, values_of
from pullback.structures import terms_of


@public
def jet(f: Callable[..., Any], primals: Sequence[Any], series: Sequence[Any]) -> tuple[Any, Any]:
    """Return the derivatives of ``f`` along a path: ``(out, (first, second, ...))``, by Taylor
    arithmetic: k derivatives cost O(k^2) functions (Karczmarczuk; Krawiec et al., 2022, section
    8.6).

    ``series`` has, for each primal, the derivatives of the path there by its parameter: the first,
    the second, and so on, as many for each; ``None`` stands for a primal that stays (and for what
    is discrete). The results are as many derivatives of ``f`` by the parameter, each of the form of
    ``out``. Raises ``ValueError`` for series of different lengths.

    >>> jet(_cube, (2.0,), ((1.0, 0.0, 0.0),))
    (8.0, (12.0, 12.0, 6.0))
    """
    require_function(f, "jet", "pb.jet(f, (x,), ((1.0, 0.0),))")
    given = values_of(series, "jet")
    terms = tuple(None if s is None else values_of(s, "jet") for s in given)
    found: tuple[Any, Any] = _jet(inner_function(f), values_of(primals, "jet"), terms)
    return found


def _text(f: Callable[..., Any], primals: Any, series: Any) -> Any:
    terms_of(series, primals)
    return _series(f, primals, series)


def _series(f: Callable[..., Any], primals: Any, series: Any) -> Any:
    """Stand for the Jvp of Core with several tangents for each argument, which compiled code
    knows."""
    raise NotImplementedError


_jet = product(_text, "jet")


def _cube(x: float) -> float:
    """For the example."""
    return x * x * x


register_text(jet, _text)
register_operators(series=_series)

__all__ = ["jet"]
