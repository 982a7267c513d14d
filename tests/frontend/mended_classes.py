"""What refusals of classes and nodes, and of what is updated or may be an int, advise, followed."""

from __future__ import annotations

import copy
import functools
import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

import pullback as pb
from pullback.errors import (
    ArgumentTypeError,
    IntRangeError,
    MutationError,
    TypesDoNotMeetError,
    UnsupportedError,
)
from tests.frontend.mended import mends

T = TypeVar("T")


class Meta(type):
    """A metaclass of a user."""


@dataclass
class Loose(metaclass=Meta):
    x: float


@dataclass(frozen=True)
class Frozen(metaclass=Meta):
    x: float


class Plain(metaclass=Meta):
    def __init__(self, x):
        self.x = x


@dataclass(frozen=True)
class Later(Generic[T]):
    """A list of functions."""

    f: Callable[[float], T]
    rest: Later[T] | None


@dataclass(frozen=True)
class Bare:
    items: list[T]
    rest: Bare | None


@dataclass(frozen=True)
class Told:
    items: list[float]
    rest: Told | None


@dataclass(frozen=True)
class Counted:
    n: int
    x: float
    rest: Counted | None


@dataclass(frozen=True)
class OfInts:
    v: int
    rest: OfInts | None


@dataclass(frozen=True)
class OfFloats:
    v: float
    rest: OfFloats | None


class Holder:
    def __init__(self, x):
        self.v = np.array([x, 1.0])


# --- classes --------------------------------------------------------------------------------------


def refused_loose(x):
    return Loose(x).x


@mends(refused_loose, (2.0,), "declare it with @dataclass(frozen=True)", UnsupportedError)
def mended_loose(x):
    return Frozen(x).x


def refused_loose_argument(x):
    return pb.jit(lambda p: p.x)(Loose(x))


@mends(
    refused_loose_argument, (2.0,), "(frozen=True): Loose is used as a value", ArgumentTypeError,
    outside=True, differs=True,
)  # fmt: skip
def mended_loose_argument(x):
    return pb.jit(lambda p: p.x)(Frozen(x))


def refused_plain_argument(x):
    return pb.jit(lambda p: p.x)(Plain(x))


@mends(
    refused_plain_argument, (2.0,), "(frozen=True), or pass what is in Plain", ArgumentTypeError,
    outside=True, differs=True,
)  # fmt: skip
def mended_plain_argument(x):
    return pb.jit(lambda p: p.x)(Frozen(x))


def refused_mixed_counter(x):
    return pb.jit(lambda c: c["a"] * c["b"])(Counter(a=x, b=2))


@mends(
    refused_mixed_counter, (2.0,), "keys of one type and values of one type, or pass dict(d)",
    ArgumentTypeError, outside=True, differs=True,
)  # fmt: skip
def mended_mixed_counter(x):
    return pb.jit(lambda c: c["a"] * c["b"])(dict(Counter(a=x, b=2)))


def applied(c, x):
    return 0.0 if c is None else c.f(x) + applied(c.rest, x)


def refused_unknown_result(x):
    return applied(Later(lambda v: v * x, None), 3.0)


@mends(refused_unknown_result, (2.0,), "write it: Later[float](...)", ArgumentTypeError)
def mended_unknown_result(x):
    return applied(Later[float](lambda v: v * x, None), 3.0)


def total(c):
    return 0.0 if c is None else sum(c.items) + total(c.rest)


def refused_bare(x):
    return total(Bare([x], Bare([2.0 * x], None)))


@mends(refused_bare, (2.0,), "write it in brackets, as in list[float]", ArgumentTypeError)
def mended_bare(x):
    return total(Told([x], Told([2.0 * x], None)))


def refused_missing_parts(x, n):
    return pb.grad(lambda c: c.x * c.rest.x)(Counted(n, x, Counted(n, 2.0 * x, None)))


@mends(
    refused_missing_parts, (2.0, 1), "use it inside, or let the function", UnsupportedError,
    differs=True,
)  # fmt: skip
def mended_missing_parts(x, n):
    return pb.grad(lambda c: c.x * c.rest.x)(Counted(n, x, Counted(n, 2.0 * x, None))).x


def refused_float_in_int(x, n):
    c = OfInts(n, None)
    if n > 0:
        c = OfInts(x, c)
    return c.v


@mends(refused_float_in_int, (2.0, 1), "a field declared float", TypesDoNotMeetError)
def mended_float_in_int(x, n):
    c = OfFloats(n, None)
    if n > 0:
        c = OfFloats(x, c)
    return c.v


# --- ints and floats ------------------------------------------------------------------------------


def refused_which(x, n):
    total = 1
    for _ in range(n):
        total = total + x
    return total if type(total) is float else x


@mends(refused_which, (2.0, 3), "write 1.0 for 1", UnsupportedError)
def mended_which(x, n):
    total = 1.0
    for _ in range(n):
        total = total + x
    return total if type(total) is float else x


def refused_large(x, n):
    y = n
    for _ in range(2):
        y = y + x if x > 2.0 else y
    return y


@mends(refused_large, (1.0, 2**53 + 1), "write float(n)", IntRangeError)
def mended_large(x, n):
    y = float(n)
    for _ in range(2):
        y = y + x if x > 2.0 else y
    return y


# --- updates and caches ---------------------------------------------------------------------------


def refused_both(x):
    xs = [np.zeros(1), 0.0]
    ys = xs

    def reset():
        nonlocal xs
        xs.append(x)
        xs = [x]

    reset()
    return ys[-1] + xs[0]


@mends(
    refused_both, (2.0,), "do one of the two in the function: xs.clear(), xs[:] = ys",
    MutationError,
)  # fmt: skip
def mended_both(x):
    xs = [0.0]
    ys = xs

    def reset():
        xs.clear()
        xs.append(x)

    reset()
    return ys[-1] + xs[0]


@functools.cache
def remembered(*ns):
    return ns[0] if ns[0] < 2 else remembered(ns[0] - 1) + remembered(ns[0] - 2)


def tabled(n):
    table = np.zeros(n + 1)
    table[1] = 1.0
    for i in range(2, n + 1):
        table[i] = table[i - 1] + table[i - 2]
    return table[n]


def refused_cache(x, n):
    return x * remembered(n)


@mends(refused_cache, (2.0, 6), "fill a table in a loop (table = np.zeros(n)", UnsupportedError)
def mended_cache(x, n):
    return x * tabled(n)


# --- attributes of classes ------------------------------------------------------------------------


class Above:
    items = [0.5]  # noqa: RUF012  # as users write it


class Below(Above):
    """Has the list of the class above it."""


class Beside(Above):
    """Gets a list of its own."""


def refused_list_of_a_base(x):
    Below.items += [x[0]]
    return Below.items[-1]


@mends(
    refused_list_of_a_base, (np.array([1.5]),), "make a new one: cls.xs = [*cls.xs, x]",
    MutationError,
)  # fmt: skip
def mended_list_of_a_base(x):
    Beside.items = [*Above.items, x[0]]
    return Beside.items[-1]


# --- operators ------------------------------------------------------------------------------------


class Offset:
    def __init__(self, by):
        self.by = by

    def __radd__(self, other):
        return other * self.by


class LeftToIt:
    __array_ufunc__ = None

    def __init__(self, by):
        self.by = by

    def __radd__(self, other):
        return other * self.by


def refused_array_on_the_left(a):
    return float(np.sum(a + Offset(3.0)))


@mends(
    refused_array_on_the_left, (np.array([1.5, 2.0]),),
    "or __array_ufunc__ = None in the class, and NumPy leaves the operator to it",
    UnsupportedError,
)  # fmt: skip
def mended_array_on_the_left(a):
    return float(np.sum(a + LeftToIt(3.0)))


# --- classes of Python's own ----------------------------------------------------------------------


def refused_new_of_float(x):
    return float.__new__(float, x) * 2.0


@mends(refused_new_of_float, (1.5,), "call the class: float(v)", ArgumentTypeError)
def mended_new_of_float(x):
    return float(x) * 2.0


# --- which object it is, and of which class -------------------------------------------------------


class Weighed:
    def __init__(self, w):
        self.w = w

    def __eq__(self, other):
        return self.w == other.w


class Numbered(Weighed):
    def __init__(self, w, number):
        super().__init__(w)
        self.number = number


def refused_number_of_an_object(x):
    a = Weighed(x[0])
    b = a
    b.w = 2.0 * x[1]
    return a.w if id(a) == id(b) else x[1]


@mends(
    refused_number_of_an_object, (np.array([1.5, 2.0]),),
    "count the objects, and keep the number: self.number = next(count)", UnsupportedError,
)  # fmt: skip
def mended_number_of_an_object(x):
    count = itertools.count()
    a = Numbered(x[0], next(count))
    b = a
    b.w = 2.0 * x[1]
    return a.w if a.number == b.number else x[1]


class Priced:
    def __init__(self, x):
        self.x = x

    @functools.cache
    def price(self):
        return self.x**2


def refused_copy_of_kept_results(x):
    one = Priced(x)
    one.price()
    return copy.copy(one).price()


@mends(refused_copy_of_kept_results, (2.0,), "make a new one: Class(", UnsupportedError)
def mended_copy_of_kept_results(x):
    one = Priced(x)
    one.price()
    return Priced(one.x).price()


class Forgetful:
    def __init__(self, x):
        self.x = x

    @functools.lru_cache(maxsize=2)
    def price(self):
        return self.x**2


def refused_results_that_are_forgotten(x):
    one = Forgetful(x)
    one.x = x + one.price()
    return one.x


class Remembering(Forgetful):
    @functools.cache
    def price(self):
        return self.x**2


@mends(
    refused_results_that_are_forgotten, (2.0,), "use @functools.cache, or lru_cache(maxsize=None)",
    UnsupportedError,
)
def mended_results_that_are_forgotten(x):
    one = Remembering(x)
    one.x = x + one.price()
    return one.x
