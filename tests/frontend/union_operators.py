"""Operators, truth and other special methods of an object of one of several frozen dataclasses,
where only the run knows which; and in what order Python asks two objects."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Length:
    value: float

    def __eq__(self, other):
        return isinstance(other, Length) and abs(self.value - other.value) < 1.0

    def __lt__(self, other):
        return self.value < other.key()

    def key(self):
        return self.value

    def __len__(self):
        return 3

    def __getitem__(self, k):
        return self.value * k

    def __contains__(self, v):
        return v < self.value

    def __iter__(self):
        return iter((self.value, 1.0))

    def __abs__(self):
        return abs(self.value)

    def __float__(self):
        return self.value

    def __neg__(self):
        return Length(-self.value)

    def __iadd__(self, v):
        return Length(self.value + 10.0 * v)

    def __add__(self, v):
        return Length(self.value + v.key()) if isinstance(v, Length) else NotImplemented


@dataclass(frozen=True)
class Factor:
    by: float = 2.0

    def __eq__(self, other):
        return isinstance(other, Length)

    def __lt__(self, other):
        return other.key() > 1.0

    def key(self):
        return 1.0

    def __len__(self):
        return 0

    def __getitem__(self, k):
        return self.by + k

    def __contains__(self, v):
        return v > 1.0

    def __iter__(self):
        return iter((self.by, 3.0, 2.0))

    def __abs__(self):
        return 7.0 * self.by

    def __float__(self):
        return self.by

    def __neg__(self):
        return Length(self.by)

    def __radd__(self, v):
        return Factor(self.by * float(v))


def made(v):
    return Length(v) if v > 1.0 else Factor(v + 2.0)


def around(x):
    return [x, 1.9 - x, 0.3 * x, x + 1.1]


def compared(x):
    total, first = 0.0, made(x)
    for v in around(x):
        one = made(v)
        total += v if one == first else 2.0 * v
        total += 3.0 * v if one != first else v * v
        total += v if one < first else 5.0 * v
        total += v if one == Length(2.0) else 11.0 * v
        total += v if Factor(x) == one else 13.0 * v
    return total + (x if [made(v) for v in around(x)] == [Length(v) for v in around(x)] else 0.0)


def looked_for(x):
    """The item is asked first, and what is looked for then."""
    total, things = 0.0, [made(v) for v in around(x)]
    for k, v in enumerate(around(x)):
        total += v if made(v) in [Length(2.0), Factor(x)] else 2.0 * v
        total += v if Length(v) in things[k:] else 3.0 * v
        total += v if Factor(v) in {"a": Length(x)}.values() else 5.0 * v
        total += v if Length(x) in (Factor(u) for u in (v, x)) else 7.0 * v
    return total


def true_or_false(x):
    total = 0.0
    for v in around(x):
        one = made(v)
        total += v if one else 3.0 * v
        total += 5.0 * v if not one else v * v
        total += v if one and v > 0.5 else 7.0 * v
        while not one:
            one, total = Length(v), total * 2.0
    return total


def true_or_none(x):
    some = None
    total = 0.0
    for v in around(x):
        total += v if some else 2.0 * v
        some = None if v > 1.8 else made(v)
    return total


def asked(x):
    total = 0.0
    for v in around(x):
        one = made(v)
        total += len(one) * v + one[2] + abs(one) * v + float(-one)
        total += v if 1.5 in one else 2.0 * v
        first, *rest = one
        total += first * sum(rest) + sum(one)
    return total


def added(x):
    """An operator is declined by some classes; two objects of one class ask no other method."""
    total = 0.0
    for u in around(x):
        for v in around(x):
            try:
                total += float(made(u) + made(v)) * v
            except TypeError as e:
                total += len(str(e)) * u
    return total


def added_in_place(x):
    total = 0.0
    for v in around(x):
        one = made(v)
        try:
            one += 2.0 * x
            total += float(one)
        except TypeError:
            total += v * v
    return total


def of_one_class(x):
    try:
        return float(Factor(x) + Factor(2.0))
    except TypeError as e:
        return x * len(str(e))


PROGRAMS = [
    compared, looked_for, true_or_false, true_or_none, asked, added, added_in_place, of_one_class,
]  # fmt: skip


@dataclass(frozen=True)
class Plain:
    v: float


def equal_in_some(x):
    return x if (Length(x) if x > 1.0 else Plain(x)) == Plain(2.0) else 2.0 * x
