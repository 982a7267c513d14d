"""``pb.jet``: the Taylor series of a function along a path."""

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
    """Return the derivatives of ``f`` along a path, of the first order and higher ones.

    The path is a curve through ``primals`` with a parameter; ``series`` says how it runs. k
    derivatives cost O(k^2) times ``f``, where nested ``pb.jvp`` would cost 2^k times ``f``.

    Args:
        f: a function of any number of arguments, with any result.
        primals: a tuple of the arguments.
        series: a tuple with an entry for each primal: the tuple of the first, second, ...
            derivatives of the path there by its parameter, as many for each. ``None`` stands for a
            primal that stays where it is, and for an int, a bool or a text.

    Returns:
        ``(out, (first, second, ...))``, the result and its derivatives by the parameter, as many
        as ``series`` has, each in the form of ``out``.

    Raises:
        ValueError: the series have different lengths, or there are more or fewer than primals.
        PullbackError: ``f`` is outside the language.

    Source:
        Taylor arithmetic: Karczmarczuk, *Functional Differentiation of Computer Programs*; Krawiec
        et al., section 8.6.

    Example:
        >>> import pullback as pb
        >>> def cube(x):
        ...     return x * x * x
        >>> pb.jet(cube, (2.0,), ((1.0, 0.0, 0.0),))
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


register_text(jet, _text)
register_operators(series=_series)

__all__ = ["jet"]
