"""The types of what a function returns, without a run of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pullback.call import driver
from pullback.call.request import Request, What
from pullback.core.frozen import dataclass
from pullback.core.types import Array, Bool, Int, Real
from pullback.core.values import dtype_of
from pullback.frontend.kinds.kinds import ArrayK, Kind, ScalarK, SmallK, StaticK, TupleK, leaf_types


@dataclass(frozen=True, slots=True)
class Tensor:
    """The type of a number or an array."""

    dtype: str
    rank: int


class NoTensors(Exception):
    """There is something else in the result."""


def result_types(f: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Return the types of what ``f`` returns for arguments of these types: a ``Tensor``, None, or a
    tuple of these. Raises ``NoTensors``, and what ``f`` is refused for."""
    _, unit = driver.found(f, args, Request(What.VALUE))
    return _types(unit.special.special.result)


def _types(kind: Kind) -> Any:
    match kind:
        case TupleK(items, is_list) if not is_list:
            return tuple(map(_types, items))
        case StaticK(value=None):
            return None
        case ScalarK() | ArrayK() | SmallK():
            t = leaf_types(kind)[0]
            elem, rank = (t.elem, t.rank) if isinstance(t, Array) else (t, 0)
            if isinstance(elem, (Real, Int, Bool)):
                return Tensor(str(dtype_of(elem)), rank)
    raise NoTensors


__all__ = ["NoTensors", "Tensor", "result_types"]
