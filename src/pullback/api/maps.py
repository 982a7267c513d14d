"""``pb.vmap``: a function of one element as a function of many."""

from collections.abc import Callable
from typing import Any, ParamSpec

from pullback.api.derived import derived
from pullback.batches import axes_of, placed, size_of, taken
from pullback.structures import called_as, stacked

P = ParamSpec("P")


@derived
def vmap(f: Callable[P, Any], in_axes: Any = 0, out_axes: Any = 0) -> Callable[P, Any]:
    """Return the function that applies ``f`` to every element along an axis of its arguments.

    Every element goes its own way through conditions and loops, and costs what it costs alone.

    Args:
        f: a function of any number of arguments, with any result.
        in_axes: which axis of each argument is mapped: a number for all arguments, or a tuple with
            an entry for each: a number, or ``None`` for an argument that is passed whole. The entry
            for a structure may be a structure of such entries.
        out_axes: where the axis of the elements stands in the result, likewise; ``None`` for what
            is the same for all elements.

    Returns:
        A function of the same arguments, each with one axis more than ``f`` takes. Its result has
        one axis more than that of ``f``, in each array.

    Raises:
        ValueError: the axes have different sizes or do not fit, or a result with ``out_axes=None``
            differs from element to element.
        TypeError: an argument has no axis.
        PullbackError: ``f`` is outside the language, or updates something that is seen outside.

    Source:
        The operator and its arguments are JAX's; each element is a round of a loop.

    Example:
        >>> import numpy as np
        >>> import pullback as pb
        >>> def shifted(x, by):
        ...     return x + by
        >>> pb.vmap(shifted, in_axes=(0, None))(np.array([1.0, 2.0]), 10.0)
        array([11., 12.])
    """
    inside, outside = axes_of(in_axes), axes_of(out_axes)

    def mapped(*args: Any) -> Any:
        results = stacked(
            size_of(args, inside),
            lambda i: f(*taken(args, inside, i)),  # type: ignore[call-arg]  # taken: all of them
        )
        return placed(results, outside)

    return called_as(f, mapped)


__all__ = ["vmap"]
