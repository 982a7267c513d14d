"""Programs with classes derived from ``float``, ``int``, ``str`` and ``tuple``, as people write
them: quantities with a unit, money, vectors, names, numbers of items."""

import copy
import math
from dataclasses import dataclass

import numpy as np


class Metres(float):
    def feet(self):
        return self / 0.3048


class Money(float):
    def __add__(self, other):
        return Money(super().__add__(other))

    __radd__ = __add__

    def __mul__(self, k):
        return Money(float.__mul__(self, k))

    def __repr__(self):
        return f"Money({float(self)!r})"

    def __format__(self, spec):
        return "$" + super().__format__(spec or ".2f")


class Clamped(float):
    def __new__(cls, value, low=0.0, high=1.0):
        return super().__new__(cls, min(max(value, low), high))


class Quantity(float):
    def __new__(cls, value, unit):
        self = float.__new__(cls, value)
        self.unit = unit
        return self

    def __add__(self, other):
        if isinstance(other, Quantity) and other.unit != self.unit:
            raise TypeError(f"{self.unit} + {other.unit}")
        return Quantity(float(self) + float(other), self.unit)


class Word(str):
    pass


class Vec(tuple):
    def __new__(cls, *xs):
        return tuple.__new__(cls, xs)

    @property
    def x(self):
        return self[0]

    def __add__(self, other):
        return Vec(*(a + b for a, b in zip(self, other)))

    def __mul__(self, k):
        return Vec(*(a * k for a in self))

    __rmul__ = __mul__

    def __abs__(self):
        return math.sqrt(sum(a * a for a in self))

    def __repr__(self):
        return "Vec" + super().__repr__()


class Id(int):
    def __repr__(self):
        return f"#{int(self)}"


class Name(str):
    def __new__(cls, text):
        return super().__new__(cls, text.strip())

    @property
    def initial(self):
        return self[0]


def quantities(x):
    m = Metres(x * 2.0)
    assert type(m) is Metres and isinstance(m, float) and not isinstance(m + 1.0, Metres)
    assert type(m * m) is type(-m) is type(abs(m)) is type(round(m, 1)) is float
    whole = math.floor(m) + round(m) + int(m) + m // 1 + m % 1 + divmod(m, 1.0)[0]
    return m.feet() + m * x + 2 ** m + m ** 2 - (1.0 - m) + whole + math.hypot(m, math.sin(m))


def compared(x):
    m, n = Metres(x), Metres(2.0)
    told = (m < n) + 2 * (m == x) + 4 * (x == m) + 8 * (m > 1.0) + 16 * (m in [x])
    zero = (1.0 if Metres(0.0) else 2.0) + Metres() + Id() + len(Word()) + len(Vec())
    ordered = sorted([n, m, Metres(0.5)], reverse=True)
    return told + zero + max(m, n).feet() + ordered[-1] + 3 * ordered[1]


def money(x):
    a = Money(x)
    b, c, d = a + 2.0, 3 + a, a * 2
    print(a, repr(b), f"{c} {d:.3f}", [a, b], {"k": a}, type(c) is Money, type(a - 1.0) is float)
    total = sum([a, b, c])
    print(total)
    return float(total) + float(d)


def clamped(x):
    return Clamped(x) + Clamped(x / 2) * 3 + Clamped(x, high=10.0)


def units(x):
    a, b, c = Quantity(x, "m"), Quantity(2.0, "m"), Quantity(1.0, "s")
    d = a + b
    try:
        a + c
    except TypeError as e:
        print(e)
    return d * 2.0 if d.unit == "m" else 0.0


def arrays_of_them(x):
    m, v = Metres(x), Vec(x, 2.0)
    a = np.array([m, 2.0, m * m])
    some = [Metres(k * x) for k in range(int(3 * x))]
    return float(
        np.sin(m) + (a * m + m * a).sum() + np.maximum(m, a).sum() + np.dot(v, v)
        + np.linalg.norm(v) + np.mean(some) + np.asarray([v, v]).sum() + np.zeros(Vec(2, 2)).sum()
        + np.float64(2.0) * m + math.fsum([m, 1.0])
    )


def vectors(x):
    a = Vec(x, 2.0, 3.0)
    b = 2.0 * a + a * -1.0
    first, *rest = b
    print(len(b), b[1:] == (2.0, 3.0), type(b[1:]) is tuple, b == a, b == [1], Vec(1.0), [Vec(2)])
    match b:
        case (p, _, q):
            t = p * q
    match a:
        case Vec():
            t += 1.0
    return abs(b) + sum(b) + max(b) + b.x + first + sum(rest) + t + (1.0 if 2.0 in b else 0.0)


def numbers_of_items(x):
    i, xs = Id(2), [x, 1.0, 2.0 * x, 4.0]
    xs[i] += 1.0
    a = np.array(xs)
    a[Id(1):Id(3)] *= x
    print(i, repr(i), f"{i:03d} {i}", i + 1, i == 2, i & 3, i << 1, ~i, i / 2, type(i + 1) is int)
    return xs[i] + a[i] + sum(xs[:i]) + sum(k * x for k in range(i)) + a.reshape(i, 2)[1, 1]


def names(x):
    n = Name("  ab ")
    print(n, n + "c", "x" + n, n == "ab", n.initial, n.upper(), "a" in n, n[1], n * 2, n < "b")
    print(f"{n:>4}|{n!r}", str(n), n.split("a"), type(n.upper()) is str, str.title(n), [n])
    return x * len(n) + {"ab": x, "c": 1.0}[n] + n.count("a") + float(Name(" 1.5 "))


@dataclass
class Body:
    size: Metres
    v: Vec

    def step(self, dt):
        self.v = self.v + Vec(dt, dt)
        self.size = Metres(self.size + dt)


def in_objects(x):
    b = Body(Metres(x), Vec(x, 1.0))
    for _ in range(3):
        b.step(0.1)
    sizes, k = [], 0
    while k * x < 4:
        sizes.append(Metres(k * x))
        k += 1
    again = copy.copy(b.size)
    return b.size.feet() + abs(b.v) + sum(s.feet() for s in sizes) + max(sizes) + again


def as_keys(x):
    table = {}
    for k in range(3):
        table[Id(k)] = x * k
    for key in table:
        print(repr(key))
    return table[Id(1)] + 3 * table[Id(2)] + len({Metres(1.0), Metres(2.0), Metres(1.0)})


def local_ones(x):
    class Scaled(float):
        def times(self):
            return self * x

    class Point(tuple):
        def area(self):
            return self[0] * self[1]

    return Scaled(2.0).times() + Point([x, 3.0]).area()


PROGRAMS = [
    quantities, compared, money, clamped, units, arrays_of_them, vectors, numbers_of_items, names,
    in_objects, as_keys, local_ones,
]  # fmt: skip
