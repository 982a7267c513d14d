"""Functions that put arrays together, take parts away and go through them, as plain Python that the
front end compiles."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pullback.frontend.library.text.domains import Array, Axis
from pullback.frontend.library.text.wider_reductions import truths
from pullback.frontend.library.text_helpers import go_together, one_type, times, unsupported

Function = Callable[..., Any]


def delete(arr: Array, obj: Any, axis: Axis | None = None) -> Array:
    """Return the array without the item at an index, or without those at several."""
    items = np.ravel(arr) if axis is None else np.moveaxis(np.asarray(arr), axis, 0)
    n = len(items)
    kept = np.full(n, True)
    if np.ndim(obj) == 1 and np.asarray(obj).dtype == np.bool_:
        if len(obj) != n:
            raise ValueError(
                f"boolean array argument obj to delete must be one dimensional and match the axis "
                f"length of {n}"
            )
        kept = ~np.asarray(obj)
    elif isinstance(obj, int):
        if not -n <= obj < n:
            raise IndexError(
                f"index {obj} is out of bounds for axis {0 if axis is None else axis} with size {n}"
            )
        kept[obj] = False
    else:
        for k in obj:
            kept[k] = False
    rest = items[kept]
    return rest if axis is None else np.moveaxis(rest, 0, axis)


def insert(arr: Array, obj: int, values: Array, axis: Axis | None = None) -> Array:
    """Return the array with items put in before an index."""
    if np.ndim(obj) > 0:
        return _inserted(arr, np.asarray(obj), values, axis)
    items = np.ravel(arr) if axis is None else np.moveaxis(np.asarray(arr), axis, 0)
    n = len(items)
    if not -n <= obj <= n:
        raise IndexError(
            f"index {obj} is out of bounds for axis {0 if axis is None else axis} with size {n}"
        )
    k = obj + n if obj < 0 else obj
    if np.ndim(values) > 1:
        unsupported("np.insert of several rows at once", "np.concatenate((a[:k], rows, a[k:]))")
    if items.ndim == 1:
        return np.concatenate((items[:k], np.atleast_1d(values).astype(items.dtype), items[k:]))
    row = np.zeros_like(items[:1]) + values
    longer = np.concatenate((items[:k], row.astype(items.dtype), items[k:]))
    return np.moveaxis(longer, 0, axis or 0)


def _inserted(arr: Array, places: Array, values: Any, axis: Axis | None) -> Array:
    """Return a vector with items put in before several indices."""
    items = np.ravel(arr) if axis is None else np.asarray(arr)
    if items.ndim != 1 or places.dtype == np.bool_:
        unsupported("np.insert at several indices of a matrix", "insert one after the other")
    n, count = len(items), len(places)
    for k in places:
        if not -n <= k <= n:
            raise IndexError(f"index {k} is out of bounds for axis 0 with size {n}")
    at = np.where(places < 0, places + n, places)
    order = np.argsort(at, kind="stable")
    new = np.zeros(count, dtype=int)
    new[order] = at[order] + np.arange(count)
    old = np.full(n + count, True)
    old[new] = False
    longer = np.zeros(n + count).astype(items.dtype)
    longer[new] = np.asarray(values).astype(items.dtype)
    longer[old] = items
    return longer


def block(arrays: Any) -> Array:
    """Return the matrix that is made of the blocks in lists, or in lists of lists."""
    if not isinstance(arrays, list | tuple):
        return np.asarray(arrays)
    if not isinstance(arrays[0], list | tuple):
        return np.concatenate([np.atleast_1d(a) for a in arrays], axis=-1)
    return np.concatenate(
        [np.concatenate([np.atleast_2d(a) for a in row], axis=-1) for row in arrays], axis=-2
    )


def tensordot(a: Array, b: Array, axes: Any = 2) -> Array:
    """Return the sums of products over the last axes of a and the first ones of b, or over the
    axes that are given for each."""
    first, second = np.asarray(a), np.asarray(b)
    if isinstance(axes, int):
        count = len(times(axes))
    else:
        left = (axes[0],) if isinstance(axes[0], int) else tuple(axes[0])
        right = (axes[1],) if isinstance(axes[1], int) else tuple(axes[1])
        count = len(left)
        if count != len(right):
            raise ValueError("shape-mismatch for sum")
        last: tuple[int, ...] = ()
        front: tuple[int, ...] = ()
        for _ in times(count):
            last, front = (*last, len(last) - count), (*front, len(front))
        first, second = np.moveaxis(first, left, last), np.moveaxis(second, right, front)
    kept = first.ndim - count
    if first.shape[kept:] != second.shape[:count]:
        raise ValueError("shape-mismatch for sum")
    if kept == 0 and second.ndim == count:
        return np.sum(first * second)
    inner = _product(second.shape[:count])
    rows, columns = _product(first.shape[:kept]), _product(second.shape[count:])
    product = np.reshape(first, (rows, inner)) @ np.reshape(second, (inner, columns))
    return np.reshape(product, first.shape[:kept] + second.shape[count:])


def _product(sizes: tuple[int, ...]) -> int:
    result = 1
    for n in sizes:
        result *= n
    return result


def broadcast_arrays(*args: Array) -> tuple[Array, ...]:
    """Return the arrays, repeated so that all have one shape."""
    arrays = tuple(np.asarray(a) for a in args)
    go_together(*arrays)
    together = arrays[0]
    for a in arrays[1:]:
        together = np.where(True, together, a)
    return tuple(np.broadcast_to(a, together.shape) for a in arrays)


def fill_diagonal(a: Array, val: Any, wrap: bool = False) -> None:
    """Set the items on the diagonal of a matrix."""
    if a.ndim != 2 or wrap:
        unsupported("np.fill_diagonal of other arrays than matrices", "loop: a[i, i, i] = v")
    several = np.ndim(val) > 0
    for i in range(min(a.shape[0], a.shape[1])):
        a[i, i] = val[i % len(val)] if several else val


def _rank_of_type(a: Array) -> int:
    """Return 0 for bools, 1 for ints and 2 for floats."""
    if a.dtype == np.bool_:
        return 0
    return 2 if a.dtype == np.float64 or a.dtype == np.float32 else 1


def copyto(dst: Array, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Set the items of an array, or those for which a condition holds."""
    items = np.asarray(src)
    if casting != "same_kind" and casting != "unsafe":
        unsupported(f"np.copyto with casting={casting!r}", "leave casting= out")
    if casting == "same_kind" and _rank_of_type(items) > _rank_of_type(dst):
        raise TypeError(
            f"Cannot cast array data from dtype('{items.dtype}') to dtype('{dst.dtype}') according "
            "to the rule 'same_kind'"
        )
    if isinstance(where, bool) and where:
        dst[...] = src
    else:
        dst[...] = np.where(truths(where), src, dst)


def fromfunction(function: Function, shape: tuple[int, ...], *, dtype: Any = float) -> Array:
    """Return what a function gives of the arrays of all indices."""
    sizes = tuple(shape)
    places: tuple[Array, ...] = ()
    for _ in times(len(sizes)):
        k = len(places)
        line = np.arange(sizes[k]).astype(dtype)
        places = (*places, np.moveaxis(np.zeros((*sizes[:k], *sizes[k + 1:], 1)).astype(dtype)
                                       + line, -1, k))  # fmt: skip
    return function(*places)


def piecewise(x: Array, condlist: Any, funclist: Any, *args: Any) -> Array:
    """Return what the functions give of the items for which their conditions hold; a last function
    more is for all others."""
    items = np.asarray(x)
    conditions = tuple(condlist) if isinstance(condlist, list | tuple) else (condlist,)
    if items.ndim == 0:
        lines = [np.reshape(c, 1) for c in conditions]
        return np.reshape(piecewise(np.reshape(items, 1), lines, funclist, *args), ())
    functions = tuple(funclist)
    if len(functions) == len(conditions) + 1:
        none = conditions[0]
        for c in conditions[1:]:
            none = none | c
        conditions = (*conditions, ~none)
    if len(functions) != len(conditions):
        n = len(conditions)
        raise ValueError(
            f"with {n} condition(s), either {n} or {n + 1} functions are expected"
        )
    result = np.zeros_like(items)
    for _ in times(len(functions)):
        place = np.asarray(conditions[0])
        chosen = items[place]
        if callable(functions[0]):
            if len(chosen) > 0:
                result[place] = functions[0](chosen, *args)
        else:
            result[place] = functions[0]
        conditions, functions = conditions[1:], functions[1:]
    return result


def ndindex(*shape: Any) -> Iterator[tuple[int, ...]]:
    """Go through the indices of an array of this shape."""
    sizes = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
    yield from itertools.product(*[range(n) for n in sizes])


def ndenumerate(arr: Array) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Go through the indices and the items of an array."""
    items = np.asarray(arr)
    for index in ndindex(items.shape):
        yield index, items[index]


def ravel_multi_index(
    multi_index: Any, dims: tuple[int, ...], mode: str = "raise"
) -> Any:
    """Return the place of an item in the flat array of this shape; indices outside of it raise an
    error, are limited to it ("clip") or counted around it ("wrap")."""
    indices, sizes = tuple(multi_index), tuple(dims)
    place = np.asarray(indices[0]) * 0
    for _ in times(len(indices)):
        if mode == "clip":
            indices = (np.clip(np.asarray(indices[0]), 0, sizes[0] - 1), *indices[1:])
        elif mode == "wrap":
            indices = (np.asarray(indices[0]) % sizes[0], *indices[1:])
        elif np.any((np.asarray(indices[0]) < 0) | (np.asarray(indices[0]) >= sizes[0])):
            raise ValueError("invalid entry in coordinates array")
        place = place * sizes[0] + np.asarray(indices[0])
        indices, sizes = indices[1:], sizes[1:]
    return place if np.ndim(place) else np.int64(place)


def unravel_index(indices: Any, shape: Any) -> tuple[Any, ...]:
    """Return the indices of an item of an array of this shape, given its place in C order."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    whole = _product(sizes)
    rest = np.int64(indices) if np.ndim(indices) == 0 else np.asarray(indices)
    if np.any(rest < 0) or np.any(rest >= whole):
        raise ValueError("index is out of bounds for array")
    places: tuple[Any, ...] = ()
    for _ in times(len(sizes)):
        places = (rest % sizes[-1], *places)
        rest, sizes = rest // sizes[-1], sizes[:-1]
    return places


def choose(a: Array, choices: Any) -> Array:
    """Return each item of the array that has the number which ``a`` gives there."""
    numbers, options = np.asarray(a), tuple(choices)
    if np.any(numbers < 0) or np.any(numbers >= len(options)):
        raise ValueError("invalid entry in choice array")
    chosen, k = options[0], 1
    for _ in times(len(options) - 1):
        chosen = np.where(numbers >= k, options[1], chosen)
        options, k = options[1:], k + 1
    return np.where(numbers >= 0, chosen, chosen)


def vectorize(
    pyfunc: Function, otypes: Any = None, doc: Any = None, excluded: Any = None,
    cache: bool = False, signature: Any = None,
) -> Function:  # fmt: skip
    """Return the function of arrays that calls this one with their items. Its results are of one
    type, which is seen when it is compiled, or floats as ``otypes`` says."""
    if signature is not None:
        unsupported("np.vectorize with signature=", "a comprehension: np.array([f(r) for r in a])")
    if excluded is not None or cache:
        unsupported("np.vectorize with excluded= or cache=", "a lambda that has the other values")
    if otypes is not None and (
        len(otypes) != 1 or otypes[0] not in (float, np.float64, "d", "f8", "float64")
    ):
        unsupported("np.vectorize with other results than floats", "write otypes=[float]")

    def vectorized(x: Any, *more: Any) -> Any:
        arrays = np.broadcast_arrays(x, *more)
        flat = [np.ravel(a).tolist() for a in arrays]  # of Python's numbers
        if otypes is None:
            if len(flat[0]) == 0:
                raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
            values = np.array([one_type(pyfunc(*items)) for items in zip(*flat, strict=True)])
        else:
            values = np.array([1.0 * pyfunc(*items) for items in zip(*flat, strict=True)])
        return np.reshape(values, arrays[0].shape) if arrays[0].ndim else values[0]

    return vectorized
