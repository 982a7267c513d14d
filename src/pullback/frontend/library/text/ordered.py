"""Library functions that call a function of the user, in Python's order: once for each item, first
item first. They stand for the handlers where that function changes variables around it."""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pullback.frontend.kinds.values import ORDERED, EnumerateV, ReversedV, ZipV
from pullback.frontend.library.text import iterators

Function = Callable[..., Any]
Items = Iterable[Any]


def map(function: Function, first: Items, *others: Items) -> Iterator[Any]:
    if len(others) == 0:
        for item in first:
            yield function(item)
    else:
        for items in zip(first, *others, strict=False):
            yield function(*items)


def zipped(*iterables: Items) -> Iterator[Any]:
    yield from zip(*iterables, strict=False)


def numbered(iterable: Items, start: int) -> Iterator[Any]:
    yield from enumerate(iterable, start)


def backwards(iterable: Any) -> Iterator[Any]:
    yield from reversed(iterable)


def sorted(iterable: Items, key: Function, reverse: bool = False) -> list[Any]:
    items = list(iterable)
    keys = [key(v) for v in items]
    order = builtins.sorted(range(len(items)), key=lambda k: keys[k], reverse=reverse)
    return [items[k] for k in order]


def max(first: Any, *others: Any, key: Function) -> Any:
    if len(others) == 0:
        pairs = [(v, key(v)) for v in first]
    else:
        pairs = [(v, key(v)) for v in [first, *others]]
    return pairs[builtins.max(range(len(pairs)), key=lambda k: pairs[k][1])][0]


def min(first: Any, *others: Any, key: Function) -> Any:
    if len(others) == 0:
        pairs = [(v, key(v)) for v in first]
    else:
        pairs = [(v, key(v)) for v in [first, *others]]
    return pairs[builtins.min(range(len(pairs)), key=lambda k: pairs[k][1])][0]


def accumulate(
    iterable: Items, func: Function | None = None, initial: Any = None
) -> Iterator[Any]:
    if initial is None:
        yield from iterators.accumulate(iterable, func)
    else:
        yield from iterators.accumulate_from(iterable, func, initial)


ORDERED.update({
    builtins.map: map, builtins.sorted: sorted, builtins.max: max, builtins.min: min,
    builtins.filter: iterators.filter, itertools.filterfalse: iterators.filterfalse,
    itertools.takewhile: iterators.takewhile, itertools.dropwhile: iterators.dropwhile,
    itertools.starmap: iterators.starmap, itertools.accumulate: accumulate,
    ZipV: zipped, EnumerateV: numbered, ReversedV: backwards,
})  # fmt: skip
