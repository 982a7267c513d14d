"""Operators that users wrote: who is asked first, and what happens after ``NotImplemented``."""

from __future__ import annotations

import enum

import numpy as np


class Length:
    def __init__(self, a):
        self.a = a

    def __eq__(self, other):
        if not isinstance(other, Length):
            return NotImplemented
        return self.a == other.a

    def __add__(self, other):
        if not isinstance(other, Length):
            return NotImplemented
        return Length(self.a + other.a)

    def __mul__(self, other):
        return Length(self.a * other) if isinstance(other, (int, float)) else NotImplemented

    __rmul__ = __mul__

    def __lt__(self, other):
        return self.a < other.a if isinstance(other, Length) else NotImplemented


class Any:
    def __init__(self, a):
        self.a = a

    def __radd__(self, other):
        return Length(self.a * 10.0)

    def __gt__(self, other):
        return True

    def __eq__(self, other):
        return True


def equal_to_a_number(x):
    return (x if Length(x) == 3 else 2 * x) + (x if Length(x) != 3 else 5 * x)


def equal_by_the_other_one(x):
    return (x if Length(x) == Any(3.0) else 2 * x) + (x if Length(x) != Any(3.0) else 5 * x)


def equal_to_none(x):
    return x if Length(x) == None else 3 * x  # noqa: E711  # == is what is asked about


def added_by_the_other_one(x):
    return (Length(x) + Any(x)).a


def less_by_the_other_one(x):
    return x if Length(x) < Any(x) else 2 * x


def less_than_a_number(x):
    try:
        return x if Length(x) < 3 else 2 * x
    except TypeError:
        return 3 * x


def times_itself(x):
    try:
        return (Length(x) * Length(x)).a
    except TypeError:
        return 4.0 * x


def times_a_number(x):
    return (2.0 * Length(x) * x).a


def among_others(x):
    here = x if 3 in [Length(x), Length(2.0)] else 5 * x
    return here + (1.0 if Length(x) in (1, Length(x)) else 5.0) * x + [1, 2].count(Length(x))


class First:
    def __init__(self, a):
        self.a = a

    def __add__(self, other):
        return self.a + other.a

    def __radd__(self, other):
        return 7.0 * self.a

    def __eq__(self, other):
        return self.a > other.a

    def __lt__(self, other):
        return self.a < other.a


class Special(First):
    def __radd__(self, other):
        return 100.0 * self.a

    def __eq__(self, other):
        return True

    def __gt__(self, other):
        return False


class Plain(First):
    pass


def subclass_is_asked_first(x):
    total = First(x) + Special(x * x)
    total += x if First(x) == Special(5.0) else 3.0 * x
    return total + (x if First(x) < Special(5.0) else 4.0 * x)


def subclass_without_methods(x):
    total = First(x) + Plain(x * x)
    total += x if First(x) == Plain(5.0) else 3.0 * x
    return total + (x if First(x) < Plain(5.0) else 4.0 * x)


class Total:
    def __init__(self, a):
        self.a = a

    def __iadd__(self, other):
        if isinstance(other, str):
            return self
        return NotImplemented

    def __add__(self, other):
        return Total(self.a + 3.0 * other)


def in_place_by_another_method(x):
    total = Total(x)
    total += 2.0 * x
    total += "nothing"
    return total.a


class Apart:
    __array_ufunc__ = None

    def __init__(self, a):
        self.a = a

    def __radd__(self, other):
        return self.a * other.sum()


def array_that_leaves_it(x):
    return np.array([x, 2.0]) + Apart(x)


class Access(enum.Flag):
    READ = enum.auto()
    WRITE = enum.auto()
    RUN = enum.auto()
    ALL = READ | WRITE | RUN


def flags(x):
    given = Access.READ | Access.WRITE
    total = x if Access.READ in given else 100.0
    total += 10.0 * x if Access.RUN not in given else 100.0
    total += x * x if given & Access.WRITE else 100.0
    return total + (given ^ Access.READ).value * x + (~given).value + (given in Access.ALL)


PROGRAMS = [
    equal_to_a_number, equal_by_the_other_one, equal_to_none, added_by_the_other_one,
    less_by_the_other_one, less_than_a_number, times_itself, times_a_number, among_others,
    subclass_is_asked_first, subclass_without_methods, in_place_by_another_method,
    array_that_leaves_it, flags,
]  # fmt: skip


def array_of_objects(x):
    return np.array([x, 2.0]) + First(x)
