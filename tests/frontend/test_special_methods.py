"""Special methods of records, members of enumerations in order, ``hasattr``: as plain Python."""

from __future__ import annotations

import collections
import enum
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import pullback as pb
from tests.frontend.harness import agrees


@dataclass(frozen=True)
class Interval:
    low: float
    high: float

    def __abs__(self):
        return Interval(0.0, max(abs(self.low), abs(self.high)))

    def __contains__(self, x):
        return self.low <= x <= self.high

    def __bool__(self):
        return self.low < self.high

    def __getitem__(self, i):
        return self.low if i == 0 else self.high


@dataclass(frozen=True)
class Poly:
    c: np.ndarray

    def __len__(self):
        return self.c.shape[0] - 1

    def degree(self):
        return len(self)


class Pair(NamedTuple):
    """Methods of its own replace those of a tuple."""

    x: float
    y: float

    def __len__(self):
        return 7

    def __getitem__(self, i):
        return 10.0 * i

    def __contains__(self, v):
        return v > self.x

    def __bool__(self):
        return self.x > 0.0


class Sized(NamedTuple):
    n: int

    def __len__(self):
        return self.n


@dataclass(frozen=True)
class Odd:
    x: float

    def __bool__(self):
        return self.x


class Op(enum.Enum):
    ADD = 1
    MUL = 2
    PLUS = 1


def interval(r, x):
    size = abs(r).high * r[1] + r[0]
    if r and x in r:
        return size * x
    return size if x not in r else 0.0


def poly(p, x):
    total = 0.0
    for k in range(len(p) + 1):
        total = total * x + p.c[k]
    return total * p.degree() if p else total


def pair(p, x):
    return p.x * p[3] * len(p) if (x in p and p) else p.y * x


def enumeration(x):
    total = 0.0
    for k, op in enumerate(Op):
        total += x * (k + 1) if op is Op.ADD else x**2
    return total * len(Op) + sum(op.value for op in Op)


def has(r, x):
    low = r.low * x if hasattr(r, "low") else 0.0
    return low + (1.0 if hasattr(r, "degree") or hasattr(r, "nothing") else x)


def optional(r: Interval | None, x):
    return r.low * x if hasattr(r, "low") else x


@pytest.mark.parametrize(
    "f, args",
    [
        (interval, (Interval(-2.0, 1.5), 0.5)),
        (interval, (Interval(-2.0, 1.5), 3.0)),
        (interval, (Interval(1.5, 1.5), 1.5)),
        (poly, (Poly(np.array([1.0, -2.0, 3.0])), 0.5)),
        (poly, (Poly(np.array([4.0])), 0.5)),
        (pair, (Pair(0.5, 2.0), 1.0)),
        (pair, (Pair(-0.5, 2.0), 1.0)),
        (pair, (Pair(0.5, 2.0), 0.25)),
        (enumeration, (1.5,)),
        (has, (Interval(-2.0, 1.5), 3.0)),
        (has, (Pair(0.5, 2.0), 3.0)),
        (optional, (Interval(-2.0, 1.5), 3.0)),
        (optional, (None, 3.0)),
    ],
)
def test_as_plain_python(f, args):
    agrees(f, *args)
    assert pb.jit(f)(*args) == f(*args)


def test_derivatives():
    assert pb.grad(interval)(Interval(-2.0, 1.5), 0.5) == Interval(-0.25, 1.0)
    p, x = Poly(np.array([1.0, -2.0, 3.0])), 0.5
    np.testing.assert_allclose(pb.grad(poly)(p, x).c, [0.5, 1.0, 2.0])
    assert pb.grad(enumeration)(1.5) == 2.0 * (1.0 + 2 * 1.5)


def test_a_negative_length():
    def f(s, x):
        return len(s) * x

    agrees(f, Sized(3), 2.0)
    with pytest.raises(ValueError, match="should return >= 0"):
        pb.jit(f)(Sized(-1), 2.0)


class Longer(NamedTuple):
    x: float

    def __len__(self):
        return 2


class Turned(NamedTuple):
    x: float
    y: float

    def __reversed__(self):
        yield self.x
        yield self.y * 3.0


def weighted(r):
    return sum(v * (k + 1) for k, v in enumerate(reversed(r)))


def asked_of_built_in(v):
    names = ("real", "shape", "append", "__len__", "items", "__iter__", "is_integer", "conjugate")
    return tuple([hasattr(v, name) for name in names]), getattr(v, "shape", "none")


def asked_inside(x):
    queue, table, z = collections.deque([x]), {k: x for k in range(3)}, complex(x, 1.0)
    draws = np.random.default_rng(0)
    return (
        [asked_of_built_in(v)[0] for v in (queue, table, z, {1, 2}, z * np.ones(2), np.array(x))],
        hasattr(queue, "rotate"), hasattr(queue, "insert"), hasattr(queue, "turn"),
        hasattr(draws, "normal"), hasattr(draws, "draw"), hasattr(1 if x > 0 else 2.5, "real"),
    )  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [
        1.5, 2, True, 1 + 2j, np.float64(1.5), np.float32(1.5), np.int64(2), np.bool_(True),
        np.complex128(1 + 2j), np.ones(2), np.ones((2, 2), np.int64), np.ones(2) + 1j, [1.0], (),
        (1.0, 2), {"a": 1.0}, {1: 2.0}, "text", None,
    ],
)  # fmt: skip
def test_hasattr_of_values_of_built_in_classes(value):
    agrees(asked_of_built_in, value)


def test_hasattr_of_values_that_are_made_inside():
    agrees(asked_inside, 1.5)


def test_reversed():
    agrees(weighted, Pair(1.0, 2.0))
    agrees(weighted, Turned(1.0, 2.0))
    with pytest.raises(IndexError):  # for Python it is the end
        pb.jit(weighted)(Longer(1.0))


class Area(NamedTuple):
    x: float
    y: float = 2.0


class Register:
    def __class_getitem__(cls, key):
        return cls if isinstance(key, str) else cls.made(key)

    @classmethod
    def made(cls, by):
        return lambda x: cls(x * by)

    def __init__(self, x):
        self.x = x


def asked_of_classes(x):
    rows = [Area._make(row) for row in ([x, 1.0], (2.0, x))]
    try:
        Area._make([x])
    except TypeError as e:
        assert str(e) == "Expected 2 arguments, got 1"
    return sum(r.x * r.y for r in rows) + Register["plain"](x).x + Register[3.0](x).x


def test_what_classes_are_asked():
    agrees(asked_of_classes, 1.5)
    assert pb.grad(asked_of_classes)(1.5) == 7.0


@pytest.mark.parametrize(
    "f, arg, reason",
    [
        (lambda r: r.x if r else 0.0, Odd(1.0), "__bool__ should return bool"),
        (lambda r: r.low if hasattr(r, "__doc__") else 0.0, Interval(1.0, 2.0), "hasattr"),
    ],
)
def test_refused(f, arg, reason):
    with pytest.raises(pb.PullbackError, match=reason):
        pb.jit(f)(arg)
