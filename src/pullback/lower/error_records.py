"""Read the record of an error: from the machine values of its leaves to the numbers and arrays of
Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np

from pullback.core.messages import Message, Raised
from pullback.core.prims_discrete import exception_of
from pullback.core.types import Array, Type
from pullback.core.values import dtype_of


class _Memory:
    """Memory of the process, as NumPy can view it."""

    def __init__(self, t: Array, address: int, extents: list[int], strides: list[int]) -> None:
        dtype = dtype_of(t.elem)
        self.__array_interface__ = {
            "version": 3,
            "data": (address, True),
            "typestr": dtype.str,
            "shape": tuple(extents),
            "strides": tuple(s * dtype.itemsize for s in strides),
        }


def leaves_of(
    types: Sequence[Type], values: Sequence[float | int | bool], base: int = 0
) -> list[object]:
    """Return the numbers and arrays of these types for which the recorded values stand; arrays are
    copied from memory, to which addresses are relative."""
    rest = iter(values)
    return [_leaf(t, rest, base) for t in types]


def error_of(
    kind: Raised, message: str | Message, types: Sequence[Type],
    values: Sequence[float | int | bool], base: int = 0,
) -> Exception:  # fmt: skip
    """Return the exception of a ``RaiseIf``, with the recorded values."""
    if isinstance(message, Message):
        return exception_of(kind, message, leaves_of(types, values, base))
    a, b = (*values, 0, 0)[:2]
    try:
        text = message.format(a, b, a=a, b=b)
    except (IndexError, KeyError, ValueError):  # braces that are the user's own text
        text = message
    return exception_of(kind, text, ())


def _leaf(t: Type, rest: Iterator[float | int | bool], base: int) -> object:
    if not isinstance(t, Array):
        return next(rest)
    address = base + cast("int", next(rest))
    extents, strides = ([int(next(rest)) for _ in range(t.rank)] for _ in range(2))
    if 0 in extents:
        return np.zeros(extents, dtype_of(t.elem))
    return np.array(_Memory(t, address, extents, strides))


__all__ = ["error_of", "leaves_of"]
