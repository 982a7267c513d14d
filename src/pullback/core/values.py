"""The evaluator's values, and how they look at its boundary.

    Real(64)  float            Real(32)  np.float32       Int  int        Bool  bool
    Array of scalars  np.ndarray of their dtype           Handle  np.ndarray of float64 cells
    Array of anything else  np.ndarray of objects
    Tuple  tuple               Sum, Named  Node
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import assert_never

import numpy as np

from pullback.core.types import (
    Array,
    Bool,
    Decl,
    Handle,
    Int,
    Named,
    Real,
    Sum,
    Tuple,
    Type,
    variants_of,
)

NDArray = np.ndarray[tuple[int, ...], np.dtype[np.generic]]


class Node:
    """A value of a sum: the tag of its variant and its fields. Compared by identity."""

    __slots__ = ("address", "fields", "tag")

    address: int

    def __init__(self, tag: int, fields: Sequence[object] = ()) -> None:
        self.tag = tag
        self.fields = tuple(fields)

    def __repr__(self) -> str:
        return f"Node({self.tag}, {self.fields})"


def address_of(node: Node) -> int:
    """A number that no other node has."""
    try:
        known = node.address
    except AttributeError:
        known = node.address = next(_addresses)
    return known


_addresses = count(16, 16)


def dtype_of(t: Type) -> np.dtype[np.generic]:
    """The dtype of an array with elements of this type."""
    match t:
        case Real(bits):
            return np.dtype(np.float64 if bits == 64 else np.float32)
        case Int(bits):
            return np.dtype(f"int{bits}")
        case Bool():
            return np.dtype(np.bool_)
        case _:
            return np.dtype(np.object_)


def make_array(elem: Type, values: Sequence[object], shape: tuple[int, ...]) -> NDArray:
    """An array with these elements, in C order."""
    dtype = dtype_of(elem)
    if dtype != np.object_:
        return np.array(values, dtype).reshape(shape)
    out = np.empty(len(values), np.object_)
    for i, v in enumerate(values):
        out[i] = v
    return out.reshape(shape)


def undefined(t: Type) -> object:
    """A value of an array, a handle or a sum that nobody looks at."""
    match t:
        case Array(elem, rank):
            return np.empty((0,) * rank, dtype_of(elem))
        case Handle(rank):
            return np.empty((0,) * rank)
        case _:
            return Node(0)


def wrap(bits: int) -> Callable[[int], int]:
    """The signed integer of so many bits that is congruent to n."""
    top, mask = 1 << (bits - 1), (1 << bits) - 1

    def call(n: int) -> int:
        n = int(n)
        return n if -top <= n < top else ((n + top) & mask) - top

    return call


def boxer(t: Type) -> Callable[..., object]:
    """Return the function that converts the NumPy result of a row to type ``t``."""
    match t:
        case Real(64):
            return float
        case Real(_):
            return np.float32
        case Int(bits):
            return wrap(bits)
        case Bool():
            return bool
        case _:
            return lambda x: x


def to_value(t: Type, x: object, decls: dict[str, Decl]) -> object:
    """``x`` as an evaluator value of type ``t``: Python and NumPy scalars are converted, a list
    can stand for an array; arrays of the right dtype are taken as they are."""
    match t:
        case Real() | Int() | Bool():
            return boxer(t)(x)
        case Array(elem, rank):
            dtype = dtype_of(elem)
            if dtype != np.object_:
                a: NDArray = np.asarray(x, dtype)
            elif isinstance(x, np.ndarray):
                a = x
            elif isinstance(x, (list, tuple)):
                a = make_array(elem, [to_value(elem, y, decls) for y in x], (len(x),))
            else:
                raise TypeError(f"not an array: {x!r}")
            if a.ndim != rank:
                raise TypeError(f"an array of rank {a.ndim} where one of rank {rank} is wanted")
            return a
        case Tuple(items):
            if not isinstance(x, tuple) or len(x) != len(items):
                raise TypeError(f"not a tuple of {len(items)}: {x!r}")
            return tuple(to_value(i, y, decls) for i, y in zip(items, x, strict=False))
        case Sum() | Named():
            if not isinstance(x, Node) or x.tag >= len(variants_of(t, decls)):
                raise TypeError(f"not a Node of {t}: {x!r}")
            return x
        case Handle():
            return x
        case _:
            assert_never(t)
