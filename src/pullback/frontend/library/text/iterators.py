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

import numpy as np

from pullback.frontend.kinds.values import ADVANCED, SEQUENTIAL

Function = Callable[..., Any]
Items = Iterable[Any]


def enumerate(iterable: Items, start: int = 0) -> Iterator[Any]:
    if not isinstance(start, (int, np.integer)):
        name = type(start).__name__
        raise TypeError(f"{name!r} object cannot be interpreted as an integer")
    n = start
    for item in iterable:
        yield n, item
        n += 1


def by_next(function: Function) -> Iterator[Any]:
    """Yield what a ``__next__`` gives."""
    while True:
        try:
            item = function()
        except StopIteration:
            return
        yield item


def until(function: Function, sentinel: Any) -> Iterator[Any]:
    """Yield what a function gives, up to the sentinel."""
    while True:
        try:
            item = function()
        except StopIteration:
            return
        if sentinel == item:
            return
        yield item


def next_of(iterator: Any) -> Function:
    """Return the ``__next__`` of an iterator that is in no variable."""

    def step() -> Any:
        return iterator.__next__()

    return step


def next_or(function: Function, default: Any) -> Any:
    """Return what a ``__next__`` gives, or where it has no further item something else."""
    try:
        return function()
    except StopIteration:
        return default


def followed(items: list[Any]) -> Iterator[Any]:
    """Yield the items of a list that may change meanwhile."""
    k = 0
    while k < len(items):
        yield items[k]
        k += 1


def map(function: Function, iterable: Items) -> Iterator[Any]:
    for item in iterable:
        yield function(item)


def reversed(sequence: Any) -> Iterator[Any]:
    for k in range(len(sequence) - 1, -1, -1):
        yield sequence[k]


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


def zip_longest(iterables: tuple[Any, ...], fillvalue: Any) -> Iterator[Any]:
    n = 0
    for items in iterables:
        n = max(n, len(items))
    for k in range(n):
        yield tuple([items[k] if k < len(items) else fillvalue for items in iterables])


END = object()
"""What comes after the last item of an iterator."""


def longest(fill: Any, *iterables: Items) -> Iterator[Any]:
    """``zip_longest`` of anything."""
    each = tuple([iter(v) for v in iterables])
    row = [next(it, END) for it in each]
    while any([v is not END for v in row]):
        yield tuple([fill if v is END else v for v in row])
        row = [END if v is END else next(it, END) for it, v in zip(each, row, strict=True)]


def longest_two(fill: Any, first: Items, second: Items) -> Iterator[Any]:
    """The same of two, of which each has a name: this is compiled faster."""
    one, other = iter(first), iter(second)
    p, q = next(one, END), next(other, END)
    while p is not END or q is not END:
        yield fill if p is END else p, fill if q is END else q
        p = END if p is END else next(one, END)
        q = END if q is END else next(other, END)


def longest_three(fill: Any, first: Items, second: Items, last: Items) -> Iterator[Any]:
    one, other, third = iter(first), iter(second), iter(last)
    p, q, r = next(one, END), next(other, END), next(third, END)
    while p is not END or q is not END or r is not END:
        yield fill if p is END else p, fill if q is END else q, fill if r is END else r
        p = END if p is END else next(one, END)
        q = END if q is END else next(other, END)
        r = END if r is END else next(third, END)


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
    k, n = 0, len(saved)
    while n > 0:
        yield saved[k]
        k = k + 1 if k + 1 < n else 0


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


def zip_beside(iterable: Items, source: Any) -> Iterator[Any]:
    for k, first in builtins.enumerate(iterable):
        if not more(source, k):
            return
        yield (first, *item(source, k))


def count(start: Any = 0, step: Any = 1) -> Iterator[Any]:
    if isinstance(start, str) or isinstance(step, str):
        raise TypeError("a number is required")
    n = start
    while True:
        yield n
        n += step


def repeat(object: Any, times: int | None = None) -> Iterator[Any]:
    left = 1 if times is None else times
    while left > 0:
        yield object
        if times is not None:
            left -= 1


def accumulate_any(
    iterable: Items, func: Function | None = None, initial: Any = None
) -> Iterator[Any]:
    if initial is not None:
        yield from accumulate_from(iterable, func, initial)
    else:
        yield from accumulate(iterable, func)


def chain_any(*iterables: Items) -> Iterator[Any]:
    for iterable in iterables:
        yield from iterable


def slice_any(iterable: Items, *limits: Any) -> Iterator[Any]:
    start = 0 if len(limits) == 1 or limits[0] is None else limits[0]
    stop = limits[0] if len(limits) == 1 else limits[1]
    step = 1 if len(limits) < 3 or limits[2] is None else limits[2]
    if stop is None:
        yield from slice_from(iterable, start, step)
    else:
        yield from slice_until(iterable, start, stop, step)


def more(source: Any, k: int) -> bool:
    """Whether a source (``interpret/advancing``) has an item with this number: the next one."""
    raise NotImplementedError


def item(source: Any, k: int) -> Any:
    """The item with this number, of which it was asked just before."""
    raise NotImplementedError


def each(iterable: Items) -> Iterator[Any]:
    yield from iterable


def zip_strict(lengths: tuple[int, ...], *iterables: Any) -> Iterator[Any]:
    yield from zip(*iterables, strict=False)
    ends_apart(lengths, min(lengths))


def ends_apart(lengths: tuple[int, ...], least: int) -> None:
    """Raise what ``zip`` raises for iterables of which some are longer than the shortest one."""
    for k, n in enumerate(lengths):
        if lengths[0] == least and n != least:
            raise ValueError(
                f"zip() argument {k + 1} is longer than argument{'s 1-' if k > 1 else ' '}{k}"
            )
        if lengths[0] != least and n == least:
            raise ValueError(
                f"zip() argument {k + 1} is shorter than argument{'s 1-' if k > 1 else ' '}{k}"
            )


def rows(source: Any) -> Iterator[Any]:
    k = 0
    while more(source, k):
        v = item(source, k)
        k += 1
        yield v


SEQUENTIAL.update({
    builtins.enumerate: enumerate, builtins.filter: filter,
    itertools.filterfalse: filterfalse, itertools.takewhile: takewhile,
    itertools.dropwhile: dropwhile, itertools.starmap: starmap, itertools.pairwise: pairwise,
    itertools.cycle: cycle,
})  # fmt: skip
ADVANCED.update(SEQUENTIAL)
ADVANCED.update({
    itertools.count: count, itertools.repeat: repeat, itertools.accumulate: accumulate_any,
    itertools.chain: chain_any, itertools.islice: slice_any,
})  # fmt: skip
