"""Functions that define classes for themselves."""

import math
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

import numpy as np

RATE = 0.5


def vectors(x, y):
    class Vec:
        __slots__ = ("x", "y")

        def __init__(self, x, y):
            self.x, self.y = x, y

        def __add__(self, o):
            return Vec(self.x + o.x, self.y + o.y)

        def __mul__(self, k):
            return Vec(self.x * k, self.y * k)

        __rmul__ = __mul__

        def __abs__(self):
            return math.hypot(self.x, self.y)

        def __iter__(self):
            yield self.x
            yield self.y

    p, v = Vec(x, y), Vec(1.0, 0.5)
    for _ in range(4):
        v = v + -0.1 / abs(p) ** 3 * p
        p = p + v * 0.1
    a, b = p
    return a * b + abs(v)


def records(x):
    @dataclass
    class Part:
        mass: float
        at: list = field(default_factory=list)
        scale: float = 2.0

        def weight(self):
            return self.mass * self.scale * len(self.at)

    parts = [Part(x * k, [0.0] * k) for k in range(1, 4)]
    parts[0].mass += 1.0
    return sum(p.weight() for p in parts)


def inheritance(x):
    class Base:
        rate = RATE

        def __init__(self, v):
            self.v = v

        @property
        def double(self):
            return 2.0 * self.v

        @staticmethod
        def square(v):
            return v * v

        @classmethod
        def made(cls, v):
            return cls(v + 1.0)

    class Other(Base):
        def __init__(self, v):
            super().__init__(v)
            self.w = v * 3.0

        def total(self):
            return self.double + self.w + Base.square(self.v) * self.rate

    return Other.made(x).total() + Base(x).double


def errors(x):
    class TooMuchError(ValueError):
        pass

    def check(v):
        if v > 2.0:
            raise TooMuchError("too much")
        return v

    total = 0.0
    for k in range(4):
        try:
            total += check(x * k)
        except TooMuchError:
            total -= 1.0
    return total


def matched(x):
    @dataclass(frozen=True)
    class Num:
        value: float

    @dataclass(frozen=True)
    class Neg:
        inner: Num

    def ev(e):
        match e:
            case Num(v):
                return v
            case Neg(Num(v)):
                return -v

    return ev(Num(x)) * 3.0 + ev(Neg(Num(x * x)))


def inside_a_function(x):
    def area(w):
        class Box:
            def __init__(self, w, h):
                self.w, self.h = w, h

            def area(self):
                try:
                    return self.w * self.h
                finally:
                    self.h = 0.0

        b = Box(w, 2.0)
        return b.area() + b.h

    return area(x) + sum(area(x * k) for k in range(3))


def tuples_and_names(x):
    class Pair(NamedTuple):
        a: float
        b: float = 1.5

    class Mode(Enum):
        PLAIN = 1
        SQUARE = 2

    def run(p, mode):
        return p.a * p.b if mode is Mode.PLAIN else p.a**2

    return run(Pair(x), Mode.PLAIN) + run(Pair(x, 2.0), Mode.SQUARE)


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        class Step:  # fmt: skip
            def __init__(self, v):
                self.v = v

        total += Step(x * k).v
    return total


def arrays(w):
    class Layer:
        def __init__(self, w):
            self.w = w
            self.calls = 0

        def __call__(self, v):
            self.calls += 1
            return np.tanh(self.w @ v)

    layer = Layer(w)
    out = layer(np.ones(2))
    out = layer(out)
    return np.sum(out) * layer.calls


def captured_number(x):
    class Scaled:
        def __init__(self, v):
            self.v = v

        def get(self):
            return self.v * x

    return Scaled(2.0).get()


def captured_function(x):
    def square(v):
        return v * v

    class Squared:
        def __init__(self, v):
            self.v = square(v)

    return Squared(x).v


def known_number(x):
    n = 3

    class Times:
        factor = n

        def get(self, v):
            return v * n * self.factor

    return Times().get(x)


def bound_later(x):
    n = 3

    class Times:
        def get(self, v):
            return v * n

    n = 5
    return Times().get(x)


def bound_by_a_loop(x):
    made = []
    for n in (1, 2, 3):
        class Times:  # fmt: skip
            def get(self, v):
                return v * n

        made.append(Times())
    return sum(m.get(x) for m in made)


def runs_code(x):
    class Odd:
        for _ in range(3):
            pass

    return x


def calls_ours(x):
    class Odd:
        value = captured_number(1.0)

    return x * Odd.value


RIGHT = [
    (vectors, (0.7, 1.2)), (records, (1.3,)), (inheritance, (0.8,)), (errors, (0.9,)),
    (matched, (1.4,)), (inside_a_function, (0.6,)), (tuples_and_names, (1.1,)), (in_a_loop, (0.4,)),
    (known_number, (1.2,)), (captured_number, (1.2,)), (captured_function, (1.1,)),
    (bound_later, (0.9,)), (bound_by_a_loop, (1.3,)),
    (arrays, (np.array([[0.3, 0.1], [-0.2, 0.5]]),)),
]  # fmt: skip


def exceptions_with_methods(x):
    class Failed(Exception):
        def value(self):
            return x

    try:
        if x > 0:
            raise Failed("failed")
    except Failed as e:
        return e.value()
    return 2.0


def in_the_body(x):
    k = 2 * x

    class Scaled:
        scale = k

        def get(self):
            return self.scale

    return Scaled().get()


def as_a_default(x):
    k = 2 * x

    class Scaled:
        def get(self, by=k):
            return by

    return Scaled().get()


REFUSED = [
    (exceptions_with_methods, "uses 'x', a variable of the function around"),
    (in_the_body, "uses 'k', a variable of the function around"),
    (as_a_default, "uses 'k', a variable of the function around"),
    (runs_code, "a statement in the body"),
    (calls_ours, "a call in the body"),
]
