"""Tangents and cotangents that a caller gives: their numbers, arrays and parts, checked.

A tangent has the form of its value, with ``None`` for discrete leaves; ``None`` for anything else
is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from pullback.core.types import Real, Type
from pullback.core.values import dtype_of
from pullback.errors import ArgumentTypeError, ArgumentValueError, brief
from pullback.frontend.kinds.descriptions import describe
from pullback.frontend.kinds.kinds import Kind
from pullback.frontend.python.exact import refusal
from pullback.structures import REALS, no_motion

What = str
"""What the caller gave, for messages: "tangent" or "cotangent"."""


def require_exact(given: object, what: What) -> None:
    """Refuse an object of a subclass of a class of data."""
    found = refusal(given)
    if found is not None:
        raise ArgumentTypeError(f"{found[0]}, as a {what}", found[1])


def number(t: Real, given: object, what: What) -> object:
    """The tangent of a number."""
    require_exact(given, what)
    if isinstance(given, np.ndarray) and given.ndim == 0:
        given = given[()]
    if given is None:
        given = 0.0
    if not isinstance(given, (int, float, np.number)) or isinstance(given, complex):
        raise ArgumentTypeError(f"the {what} of a float is a number, not a {name_of(given)}")
    return float(given) if t.bits == 64 else np.float32(given)


def array(elem: Type, like: object, given: object, what: What) -> np.ndarray:
    """The tangent of an array."""
    assert isinstance(like, np.ndarray)
    if given is None:
        return np.zeros(like.shape, dtype_of(elem))
    require_exact(given, what)
    try:
        found = np.asarray(given)
        if np.iscomplexobj(found):
            raise TypeError
        found = found.astype(dtype_of(elem), copy=False)
    except (TypeError, ValueError):
        raise ArgumentTypeError(
            f"the {what} of an array is an array of numbers, not a {name_of(given)}"
        ) from None
    if found.shape != like.shape:
        raise ArgumentValueError(
            f"a {what} of shape {found.shape} for an array of shape {like.shape}"
        )
    return readable(elem, found)


def readable(elem: Type, value: np.ndarray) -> np.ndarray:
    """An array, or a copy of which every element is where compiled code reads it."""
    own, size = dtype_of(elem), value.itemsize
    value = np.asarray(value)  # of a class of NumPy's that adds nothing: np.memmap
    if value.dtype is own and value.flags.aligned and not any(s % size for s in value.strides):
        return value
    out = np.empty(value.shape, own)  # of this very dtype: another one may have metadata
    out[...] = value
    return out


def items(given: object, count: int, kind: Kind, what: What) -> Sequence[object]:
    """The parts of the tangent of a list or tuple of so many items."""
    if given is None:
        return (None,) * count
    require_exact(given, what)
    if isinstance(given, np.ndarray):
        given = list(given)
    if not isinstance(given, (list, tuple)) or len(given) != count:
        raise ArgumentTypeError(f"the {what} of {describe(kind)} has its form, not {brief(given)}")
    return given


def name_of(given: object) -> str:
    """The name of an object's class, for messages."""
    return type(given).__name__


def refuse_discrete(value: object, given: object) -> None:
    """Refuse a direction in which a number that is not real, an array of these, None or a string
    would move. (Inside of data such places are passed over: a tangent may be a copy of the value.)
    """
    if given is None:
        return
    if value is None or isinstance(value, (str, bytes)):
        raise ArgumentTypeError(no_motion(repr(value)), REALS)
    discrete = isinstance(value, (int, np.integer, np.bool_)) or (
        isinstance(value, np.ndarray) and value.dtype.kind in "biu"
    )
    if discrete and np.any(np.asarray(given)):
        name = "an int" if not isinstance(value, np.ndarray) else "an array of ints"
        raise ArgumentTypeError(no_motion(name), REALS)


@contextmanager
def placed(where: str) -> Iterator[None]:
    """Errors say which part of the tangent they are about."""
    try:
        yield
    except (ArgumentTypeError, ArgumentValueError) as error:
        raise type(error)(f"{error.reason}, at {where}", error.rewrite) from None


class Normal:
    """Tangents in normal form (floats, arrays of the value's dtype, lists, the value's own classes)
    of those that a caller gives. ``nodes``: the tangents of nodes so far; ``todo``: what gives
    nodes their fields, later, so that nothing recurses."""

    def __init__(self, what: What) -> None:
        self.what = what
        self.nodes: dict[int, tuple[object, object]] = {}  # the caller's tangent, the normal one
        self.todo: list[Callable[[], None]] = []


__all__ = ["Normal", "What", "array", "items", "name_of", "number", "placed", "readable",
           "refuse_discrete", "require_exact"]  # fmt: skip
