"""``pb.interop.register``: data of one's own libraries as arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pullback.call import data_types


def register(
    name: str, read: Callable[[Any], Any], write: Callable[[Any, Any], Any] | None = None
) -> None:
    """Let values of a class be arguments of compiled functions.

    Args:
        name: the class by its library and name (``"pandas.Series"``), or by module and qualified
            name. The library is not imported for it.
        read: a function from a value to what the compiled function sees: an array, or a dict of
            arrays.
        write: a function from a value and the gradient in that form to the gradient in the form
            of the value. Without it the gradient is the array or the dict.
    """
    data_types.register(name, data_types.Row(read, write or (lambda value, gradient: gradient)))


__all__ = ["register"]
