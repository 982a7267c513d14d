"""Single leaves of Python values, in the form of the evaluator."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pullback.core.types import Array, Bool, Int, Real, Type
from pullback.core.values import make_array
from pullback.errors import ArgumentTypeError, UnsupportedError
from pullback.frontend.kinds.kinds import ArrayK, Kind, describe
from pullback.frontend.python.exact import require_exact


def nothing(t: Type) -> object:
    """A leaf that stands where there is no value."""
    match t:
        case Real():
            return 0.0
        case Int():
            return 0
        case Bool():
            return False
        case Array(elem, rank):
            return make_array(elem, [], (0,) * rank)
        case _:
            raise UnsupportedError("None in place of a node, outside of a union of dataclasses")


def mismatch(kind: Kind, value: object) -> ArgumentTypeError:
    """The error for a value that does not have the declared kind."""
    return ArgumentTypeError(f"a {type(value).__name__} where {describe(kind)} is expected")


def scalar(t: Type, value: object) -> object:
    require_exact(value)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.complexfloating):
        raise ArgumentTypeError("a complex number where a real one is expected")
    match t:
        case Real(bits) if isinstance(value, int | float | np.number | np.bool_):
            return float(value) if bits == 64 else np.float32(value)
        case Int() if isinstance(value, int | np.integer | np.bool_):
            return int(value)
        case Bool() if isinstance(value, bool | np.bool_):
            return bool(value)
        case _:
            word = {Real: "a number", Int: "an int", Bool: "a bool"}.get(type(t), "a number")
            raise ArgumentTypeError(f"a {type(value).__name__} where {word} is expected")


def array(elem: Type, rank: int, value: object) -> np.ndarray:
    require_exact(value)
    if not isinstance(value, np.ndarray) or value.ndim != rank:
        raise mismatch(ArrayK(elem, rank), value) if isinstance(
            elem, Real | Int | Bool
        ) else AssertionError(elem)
    return value


def items_of(value: object, kind: Kind, count: int = -1) -> Sequence[object]:
    require_exact(value)
    if not isinstance(value, list | tuple) or count not in (-1, len(value)):
        raise mismatch(kind, value)
    return value
