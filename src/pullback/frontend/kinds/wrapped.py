"""Containers of the standard library that are arguments: plain data in a class of its own.

A deque is a list and a bound, a Counter a dict, a ChainMap a tuple of dicts, a range three ints, a
generator of random numbers the words of its state. So plain data crosses (``held``), and what is no
data is known (``extra``: a factory). The entry makes the container of both
(``memory.given_containers``), and a result is put together of them again.
"""

from __future__ import annotations

import random
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pullback.core import draws


class Wrapper(NamedTuple):
    """How a container is taken apart into plain data (``held``) and the rest (``extra``), and
    put together of both; ``inside``: the objects in it that may be updated; ``tangent``: how a
    tangent of this class is taken apart, if otherwise."""

    held: Callable[[Any], object]
    together: Callable[[Any, Any], object]
    extra: Callable[[Any], object] = lambda _: None
    inside: Callable[[Any], Iterable[object]] = lambda value: ()
    tangent: Callable[[Any], object] | None = None


def _values(value: dict[Any, Any]) -> Iterable[object]:
    return value.values()


def _range(bounds: tuple[Any, Any, Any], _: object) -> range | None:
    return None if bounds[0] is None else range(*bounds)


def _generator(cls: type, words: Any, _: object) -> object:
    return None if words is None else draws.with_words(words, cls)


def _bits(generator: Any) -> Iterable[object]:
    """Return the bit generator, from which others may draw, too."""
    found = getattr(generator, "bit_generator", None) or getattr(generator, "_bit_generator", None)
    return () if found is None else (found,)


GENERATORS: tuple[type, ...] = np.random.Generator, np.random.RandomState, random.Random
"""The classes of generators of random numbers."""

WRAPPERS: dict[type, Wrapper] = {
    deque: Wrapper(
        lambda d: (list(d), d.maxlen), lambda held, _: deque(*held), inside=list,
        tangent=lambda d: (list(d), None),
    ),
    defaultdict: Wrapper(
        dict, lambda held, make: defaultdict(make, held), lambda d: d.default_factory, _values
    ),
    Counter: Wrapper(dict, lambda held, _: Counter(held), inside=_values),
    OrderedDict: Wrapper(dict, lambda held, _: OrderedDict(held), inside=_values),
    ChainMap: Wrapper(
        lambda c: tuple(c.maps), lambda held, _: ChainMap(*held), inside=lambda c: c.maps
    ),
    range: Wrapper(lambda r: (r.start, r.stop, r.step), _range),
    **{
        cls: Wrapper(draws.words_of, partial(_generator, cls), inside=_bits) for cls in GENERATORS
    },
}  # fmt: skip

__all__ = ["GENERATORS", "WRAPPERS", "Wrapper"]
