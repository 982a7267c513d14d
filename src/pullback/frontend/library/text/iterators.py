"""Iterators over generators, as plain Python with ``yield``.

A generator gives its items one after the other, and so do these iterators over it. Over lists,
arrays and ranges the handlers of ``python_builtins`` and ``itertools_functions`` stand for the same
functions: there every item can be asked for by its position, so that sums run in lanes.
"""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pullback.frontend.kinds.values import SEQUENTIAL

Function = Callable[..., Any]
Items = Iterable[Any]


def enumerate(iterable: Items, start: int = 0) -> Iterator[Any]:
    n = start
    for item in iterable:
        yield n, item
        n += 1


def map(function: Function, iterable: Items) -> Iterator[Any]:
    for item in iterable:
        yield function(item)


def filter(function: Function | None, iterable: Items) -> Iterator[Any]:
    for item in iterable:
        if item if function is None else function(item):
            yield item


def filterfalse(predicate: Function | None, iterable: Items) -> Iterator[Any]:
    for item in iterable:
        if not (item if predicate is None else predicate(item)):
            yield item


def takewhile(predicate: Function, iterable: Items) -> Iterator[Any]:
    for item in iterable:
        if not predicate(item):
            return
        yield item


def dropwhile(predicate: Function, iterable: Items) -> Iterator[Any]:
    dropping = True
    for item in iterable:
        if dropping and predicate(item):
            continue
        dropping = False
        yield item


def starmap(function: Function, iterable: Items) -> Iterator[Any]:
    for item in iterable:
        yield function(*item)


def accumulate(iterable: Items, func: Function | None) -> Iterator[Any]:
    begun = False
    for item in iterable:
        if not begun:
            total = item
            begun = True
        elif func is None:
            total = total + item
        else:
            total = func(total, item)
        yield total


def accumulate_from(iterable: Items, func: Function | None, initial: Any) -> Iterator[Any]:
    total = initial
    yield total
    for item in iterable:
        total = total + item if func is None else func(total, item)
        yield total


def pairwise(iterable: Items) -> Iterator[Any]:
    begun = False
    for item in iterable:
        if not begun:
            before = item
            begun = True
        else:
            yield before, item
            before = item


def chain(one: Items, other: Items) -> Iterator[Any]:
    yield from one
    yield from other


def from_iterable(iterables: Items) -> Iterator[Any]:
    for iterable in iterables:
        yield from iterable


def cycle(iterable: Items) -> Iterator[Any]:
    saved = []
    for item in iterable:
        yield item
        saved.append(item)
    while len(saved) > 0:
        yield from saved


def reduce(function: Function, iterable: Items) -> Any:
    begun = False
    for item in iterable:
        if not begun:
            total = item
            begun = True
        else:
            total = function(total, item)
    if not begun:
        raise TypeError("reduce() of empty iterable with no initial value")
    return total


def slice_until(iterable: Items, start: int, stop: int, step: int) -> Iterator[Any]:
    wait, left = start, stop
    if stop > 0:
        for item in iterable:
            if wait == 0:
                yield item
                wait = step
            wait -= 1
            left -= 1
            if left == 0:
                return


def slice_from(iterable: Items, start: int, step: int) -> Iterator[Any]:
    wait = start
    for item in iterable:
        if wait == 0:
            yield item
            wait = step
        wait -= 1


def zip_alone(iterable: Items) -> Iterator[Any]:
    for item in iterable:
        yield (item,)


def zip_before(iterable: Items, after: Any) -> Iterator[Any]:
    left = len(after)
    for item in iterable:
        if left == 0:
            return
        yield (item, *after[-left])
        left -= 1


def zip_behind(before: Any, iterable: Items) -> Iterator[Any]:
    left = len(before)
    if left > 0:
        for item in iterable:
            yield (*before[-left], item)
            left -= 1
            if left == 0:
                return


def zip_between(before: Any, iterable: Items, after: Any) -> Iterator[Any]:
    left, right = len(before), len(after)
    if left > 0:
        for item in iterable:
            if right == 0:
                return
            yield (*before[-left], item, *after[-right])
            left -= 1
            right -= 1
            if left == 0:
                return


SEQUENTIAL.update({
    builtins.enumerate: enumerate, builtins.filter: filter,
    itertools.filterfalse: filterfalse, itertools.takewhile: takewhile,
    itertools.dropwhile: dropwhile, itertools.starmap: starmap, itertools.pairwise: pairwise,
    itertools.cycle: cycle,
})  # fmt: skip
