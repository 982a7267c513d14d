"""The arguments of a function at other sizes: their extents cut or repeated, and their ints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

MOST_SIZES = 3
"""So many extents and ints are varied, those first that most elements depend on."""


@dataclass(frozen=True, slots=True)
class Size:
    """An extent that some axes of arguments and some lists have, or an int; ``names`` are those of
    the arguments that have it."""

    extent: int
    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"{', '.join(self.names)}"


def sizes_of(args: Sequence[object], names: Sequence[str]) -> list[Size]:
    """Return what can be varied, the extent of most elements first.

    >>> [str(s) for s in sizes_of([np.ones((4, 3)), np.ones(4), 2.0, 7], ["a", "b", "c", "n"])]
    ['a, b', 'a', 'n']
    """
    weights: Counter[int] = Counter()
    where: dict[int, dict[str, None]] = {}
    for name, arg in zip(names, args, strict=False):
        for extent, weight in _extents(arg):
            if extent >= 2:
                weights[extent] += weight
                where.setdefault(extent, {})[name] = None
    most = [extent for extent, _ in weights.most_common(MOST_SIZES)]
    return [Size(extent, tuple(where[extent])) for extent in most]


def _extents(value: object) -> Iterator[tuple[int, int]]:
    """Yield the extents in a value, each with the number of elements that it has a part in."""
    match value:
        case np.ndarray():
            yield from ((n, value.size) for n in dict.fromkeys(value.shape))
        case bool():
            return
        case int():
            yield value, 1
        case list():
            yield len(value), len(value)
            for x in value:
                yield from _inside(x)
        case tuple():
            for x in value:
                yield from _inside(x)
        case dict():
            for x in value.values():
                yield from _inside(x)


def _inside(value: object) -> Iterator[tuple[int, int]]:
    """The same inside of a container, where an int is data and not a size."""
    if not isinstance(value, int):
        yield from _extents(value)


def resized(args: Sequence[object], extent: int, to: int) -> tuple[object, ...]:
    """Return the arguments with another extent: cut, or repeated from the start.

    >>> resized([np.arange(3), [1.0, 2.0, 3.0], 3, {"n": 3}], 3, 4)
    (array([0, 1, 2, 0]), [1.0, 2.0, 3.0, 1.0], 4, {'n': 3})
    """
    return tuple(
        to if type(x) is int and x == extent else _resized(x, extent, to) for x in args)


def _resized(value: object, extent: int, to: int) -> object:
    match value:
        case np.ndarray():
            for axis, n in enumerate(value.shape):
                if n == extent:
                    value = np.take(value, np.arange(to) % extent, axis=axis)
            return value
        case list():
            items = [_resized(x, extent, to) for x in value]
            return [items[k % extent] for k in range(to)] if len(items) == extent else items
        case tuple() if type(value) is tuple:
            return tuple(_resized(x, extent, to) for x in value)
        case dict() if type(value) is dict:
            return {key: _resized(x, extent, to) for key, x in value.items()}
        case _:
            return value


__all__ = ["Size", "resized", "sizes_of"]
