"""Rows for whole arrays. Views work on arrays and on handles: the handle of a view is the same
view of the handle. Nothing here is scalar code: the column ``llvm`` says that ``lower`` does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.lib.stride_tricks import as_strided

from pullback.core.rows import Mark, Partial, Row, Rule, Static, Table
from pullback.core.types import I64, Array, Handle, Type

ARRAY = Table()

NDArray = np.ndarray[tuple[int, ...], np.dtype[np.generic]]


def _rank(t: Type) -> int:
    if isinstance(t, (Array, Handle)):
        return t.rank
    raise TypeError(f"takes an array, not {t}")


def _with_rank(t: Type, rank: int) -> Type:
    if rank < 1:
        raise TypeError("would give an array of rank 0")
    match t:
        case Array(elem, _):
            return Array(elem, rank)
        case Handle(_):
            return Handle(rank)
        case _:
            raise TypeError(f"takes an array, not {t}")


def _axis(static: Static, below: int) -> int:
    match static:
        case (int(axis),) if 0 <= axis < below:
            return axis
        case _:
            raise TypeError(f"needs one static axis below {below}, not {static}")


def _ints(types: tuple[Type, ...]) -> None:
    if any(t != I64 for t in types):
        raise TypeError(f"takes int64 extents and indices, not {types}")


def _dim_rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
    if len(types) != 1:
        raise TypeError("takes one array")
    _axis(static, _rank(types[0]))
    return (I64,)


def _slice_rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
    if len(types) != 4:
        raise TypeError("takes an array, start, length and step")
    _ints(types[1:])
    _axis(static, _rank(types[0]))
    return (types[0],)


def _pick_rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
    if len(types) != 2:
        raise TypeError("takes an array and an index")
    _ints(types[1:])
    rank = _rank(types[0])
    _axis(static, rank)
    return (_with_rank(types[0], rank - 1),)


def _transpose_rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
    if len(types) != 1 or sorted(map(str, static)) != sorted(map(str, range(_rank(types[0])))):
        raise TypeError(f"takes an array and a permutation of its axes, not {static}")
    return types


def _expand_rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
    if len(types) != 1:
        raise TypeError("takes one array")
    rank = _rank(types[0])
    _axis(static, rank + 1)
    return (_with_rank(types[0], rank + 1),)


def _broadcast_rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
    if not types or len(types) - 1 != _rank(types[0]) or static:
        raise TypeError("takes an array and one extent per axis")
    _ints(types[1:])
    return (types[0],)


def _reshape_rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
    if not types or not isinstance(types[0], Array) or static:
        raise TypeError("takes an array (not a handle) and extents")
    _ints(types[1:])
    return (_with_rank(types[0], len(types) - 1),)


def _stack_rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
    match types:
        case (Array(Array(t, m), n), *extents) if extents in ([], [I64] * m):
            return (Array(t, n + m),)
        case _:
            raise TypeError(f"takes an array of arrays, and the extents of these, not {types}")


def _copy_rule(types: tuple[Type, ...], static: Static) -> tuple[Type, ...]:
    if len(types) != 1 or not isinstance(types[0], Array) or static not in ((), ("residual",)):
        raise TypeError(f"takes an array, not {types}")
    return types


def _slice(a: NDArray, start: int, length: int, step: int, axis: int) -> NDArray:
    stop = start + length * step
    part = slice(start, None if stop < 0 else stop, step) if length > 0 else slice(0, 0)
    return a[(slice(None),) * axis + (part,)]


def _pick(a: NDArray, i: int, axis: int) -> NDArray:
    return a[(slice(None),) * axis + (i,)]


def _broadcast(a: NDArray, *extents: int) -> NDArray:
    # np.broadcast_to would give a view that cannot be written: handles are written through.
    strides = []
    for n, m, stride in zip(a.shape, extents, a.strides, strict=True):
        if n != m and n != 1:
            raise ValueError(f"cannot broadcast an axis of extent {n} to {m}")
        strides.append(stride if n == m else 0)
    return as_strided(a, extents, strides)


def _stack(a: NDArray, *extents: int) -> NDArray:
    """An array of equal arrays as one array (ragged ones are a ValueError). ``extents``: theirs,
    where these are known."""
    inner = [x for x in a.ravel() if isinstance(x, np.ndarray)]
    if not inner:
        return np.zeros((*a.shape, *(extents or (0,))))
    shapes = {x.shape for x in inner}
    if len(shapes) > 1:
        raise ValueError("setting an array element with a sequence: inhomogeneous shapes")
    out = np.empty((*a.shape, *inner[0].shape), inner[0].dtype)
    flat = out.reshape(len(inner), *inner[0].shape)
    for i, x in enumerate(inner):
        flat[i] = x
    return out


def _reshape(a: NDArray, *extents: int) -> NDArray:
    return a.reshape(extents)


def _transpose(a: NDArray, *perm: int) -> NDArray:
    return a.transpose(perm)


def _dim(a: NDArray, axis: int) -> int:
    return a.shape[axis]


def _expand(a: NDArray, axis: int) -> NDArray:
    return np.expand_dims(a, axis)


def _copy(a: NDArray, arena: str = "") -> NDArray:
    return a.copy()


def _row(
    name: str,
    arity: int | None,
    rule: Rule,
    numpy: Callable[..., object],
    partials: tuple[Partial, ...],
    cost: Literal["one", "size"] = "one",
) -> None:
    ARRAY.add(Row(name, arity, rule, numpy, partials, {"array": "lower"}, cost=cost))


_VIEW, _ZERO = Mark.VIEW, Mark.ZERO
_row("dim", 1, _dim_rule, _dim, (_ZERO,))
_row("slice", 4, _slice_rule, _slice, (_VIEW, _ZERO, _ZERO, _ZERO))
_row("pick", 2, _pick_rule, _pick, (_VIEW, _ZERO))
_row("transpose", 1, _transpose_rule, _transpose, (_VIEW,))
_row("expand", 1, _expand_rule, _expand, (_VIEW,))
_row("broadcast", None, _broadcast_rule, _broadcast, (_VIEW, _ZERO))
_row("reshape", None, _reshape_rule, _reshape, (Mark.REARRANGE, _ZERO), "size")
_row("stack", None, _stack_rule, _stack, (Mark.REARRANGE, _ZERO), "size")
_row("copy", 1, _copy_rule, _copy, (Mark.REARRANGE,), "size")
