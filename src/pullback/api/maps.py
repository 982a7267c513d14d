"""``pb.vmap``: a function of one element as a function of many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pullback.api.derived import derived
from pullback.batches import axes_of, placed, size_of, taken
from pullback.structures import called_as, stacked


@derived
def vmap(f: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """Return the function that applies ``f`` to every element along an axis of its arguments, and
    has the results along an axis.

    ``in_axes`` says which axis of each argument is mapped: a number, ``None`` for what is passed
    whole, or a tuple with one entry for each argument; an entry for a structure may be a structure
    of such. ``out_axes`` says likewise where the axis of the elements stands in the result, with
    ``None`` for what is the same for all elements (``ValueError`` if it is not). Every element goes
    its own way through conditions and loops, and costs what it costs alone. Raises ``ValueError``
    where the axes have different sizes or do not fit, ``TypeError`` for what has no axis.

    >>> import numpy as np
    >>> vmap(_shifted, in_axes=(0, None))(np.array([1.0, 2.0]), 10.0)
    array([11., 12.])
    """
    inside, outside = axes_of(in_axes), axes_of(out_axes)

    def mapped(*args: Any) -> Any:
        results = stacked(size_of(args, inside), lambda i: f(*taken(args, inside, i)))
        return placed(results, outside)

    return called_as(f, mapped)


def _shifted(x: Any, by: Any) -> Any:
    """For the example."""
    return x + by


__all__ = ["vmap"]
