"""What refusals advise where an object is compared, returned, reversed or replaced as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pullback.errors import ArgumentTypeError, MutationError, UnsupportedError
from tests.frontend.mended import X, mends


@dataclass
class Body:
    mass: float


class Pair(NamedTuple):
    x: float
    y: float


SUN = Body(2.0)


def refused_in_arrays(x, y):
    return 2.0 if x in [y] else 3.0


@mends(refused_in_arrays, (X, 2.0 * X), "np.array_equal(x, y)", UnsupportedError, ValueError)
def mended_in_arrays(x, y):
    return 2.0 if any(np.array_equal(x, z) for z in [y]) else 3.0


def refused_objects_returned(x):
    bodies = []
    for _ in x:
        bodies.append(SUN)
    return bodies


@mends(
    refused_objects_returned, (X,), "return what is needed of it: [o.x for o in objects]",
    UnsupportedError, differs=True,
)  # fmt: skip
def mended_objects_returned(x):
    bodies = []
    for _ in x:
        bodies.append(SUN)
    return [o.mass for o in bodies]


def refused_replaced(x):
    from dataclasses import replace

    return replace(Pair(x, 2.0), y=3.0).y * x


@mends(
    refused_replaced, (1.5,), "p._replace(x=1.0), of a named tuple", ArgumentTypeError, TypeError
)
def mended_replaced(x):
    return Pair(x, 2.0)._replace(y=3.0).y * x


def refused_reversed(x):
    return [v + w for v, w in reversed(zip(x, x))]


@mends(refused_reversed, ([1.5, 2.0],), "reversed(list(...))", ArgumentTypeError, TypeError)
def mended_reversed(x):
    return [v + w for v, w in reversed(list(zip(x, x)))]


def refused_met(x, n):
    t = tuple(k * x for k in range(n)) if x > 1.0 else [x] * n
    return t[1] if isinstance(t, tuple) else x


@mends(refused_met, (2.0, 3), "use lists on all paths, or tuples", UnsupportedError)
def mended_met(x, n):
    t = tuple(k * x for k in range(n)) if x > 1.0 else tuple([x] * n)
    return t[1] if isinstance(t, tuple) else x


def refused_item_of_tuple(x):
    t = ([x], 2.0)
    t[0] += [x]
    return sum(t[0])


@mends(refused_item_of_tuple, (2.0,), "t[0].extend(v)", MutationError, TypeError)
def mended_item_of_tuple(x):
    t = ([x], 2.0)
    t[0].extend([x])
    return sum(t[0])


def refused_long_index(x, n):
    return (x * np.eye(2))[tuple(0 for _ in range(n))]


@mends(refused_long_index, (2.0, 2), "use as many indices as there are axes", UnsupportedError)
def mended_long_index(x, n):
    return (x * np.eye(2))[0, 0]


def refused_zipped(x):
    return [a + b for a, b in zip(*x)]


@mends(refused_zipped, (X,), "zip(a, b): give the arrays", ArgumentTypeError, TypeError)
def mended_zipped(x):
    return [a + b for a, b in zip(x, x)]
