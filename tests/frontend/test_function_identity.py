"""Whether two functions are one: handlers that are looked for and removed, ``==``, ``is``."""

import math

import numpy as np
import pytest

import pullback as pb
from pullback.errors import PullbackError
from tests.campaign import part
from tests.foreign.__main__ import is_right


def square(v):
    return v * v


def cube(v):
    return v**3


again = square


class Log:
    def __init__(self, k):
        self.k = k
        self.total = 0.0

    def note(self, v):
        self.total += self.k * v

    def twice(self, v):
        self.total += 2 * self.k * v

    @staticmethod
    def plain(v):
        return v

    @classmethod
    def made(cls, v):
        return cls(v)


class Other(Log):
    pass


class Bus:
    def __init__(self):
        self.handlers = []

    def on(self, handler):
        if handler not in self.handlers:
            self.handlers.append(handler)

    def off(self, handler):
        self.handlers.remove(handler)

    def emit(self, v):
        for handler in self.handlers:
            handler(v)


def bus(x):
    b, one, two = Bus(), Log(2.0), Log(3.0)
    b.on(one.note)
    b.on(two.note)
    b.on(one.note)
    b.emit(x)
    b.off(one.note)
    b.emit(x * x)
    return one.total + 10 * two.total + len(b.handlers)


def unsubscribed(x):
    handlers, total = [], [0.0]

    def subscribe(f):
        handlers.append(f)

        def unsubscribe():
            handlers.remove(f)

        return unsubscribe

    def once(v):
        total[0] += v

    def ten(v):
        total[0] += 10 * v

    leave = subscribe(once)
    subscribe(ten)
    for h in handlers:
        h(x)
    leave()
    for h in handlers:
        h(x * x)
    return total[0]


def of_modules(x):
    fs = [square, cube, square]
    fs.remove(square)
    told = (square in fs) + 2 * (math.sin in fs) + 4 * fs.index(square) + 8 * (again is square)
    told += 16 * (fs.count(cube)) + 32 * (np.sin == math.sin) + 64 * (square == 1.0)
    return sum(f(x) for f in fs if f is not cube) + told


def methods(x):
    a, b = Log(1.0), Log(1.0)
    told = (a.note == a.note) + 2 * (a.note == b.note) + 4 * (a.note == a.twice)
    told += 8 * (Log.note == Log.note) + 16 * (a.plain == b.plain) + 32 * (a.made == b.made)
    return x * told + 64 * (Log.made == Other.made) + 128 * (a.note != b.note)


def chosen_by_the_run(x):
    best, current, t = None, square, x
    for f in [square, math.sin, math.cos]:
        if best is None or f(x) > best(x):
            best = f
    for _ in range(4):
        t = current(t) * 0.5
        current = cube if current is square else square
    last = square if x > 1 else None
    return t + 10 * (best is square) + 20 * (best == math.sin) + 40 * (last == square)


class Equal:
    def __eq__(self, other):
        return True


def asked(x):
    """An object beside a function is asked by its method."""
    return x * (Equal() == square) + 2 * (square == Equal())


def no_such_handler(x):
    handlers = [square]
    try:
        handlers.remove(cube)
    except ValueError as e:
        print(e)
    return x * len(handlers)


PROGRAMS = [bus, unsubscribed, of_modules, methods, chosen_by_the_run, asked, no_such_handler]


@pytest.mark.parametrize("f", part("values", PROGRAMS, 7), ids=lambda f: f.__name__)
def test_programs(f):
    is_right(f, (1.3,))
    slope, h = pb.grad(f)(1.3), 1e-6
    assert pb.grad(f, method="dual")(1.3) == pytest.approx(slope, rel=1e-12)
    assert slope == pytest.approx((f(1.3 + h) - f(1.3 - h)) / (2 * h), rel=1e-5)


def made(k):
    def f(v):
        return v * k

    return f


TWO = [lambda v: v for _ in range(2)]
MADE = [made(1.0), made(2.0)]


def again_and_again(x, n=3, known=None):
    """Each round has a function of its own."""
    def mine(v):
        return v

    if n == 0:
        return x * (known is mine)
    return again_and_again(x, n - 1, mine)


def of_a_loop(x):
    fs = []
    for k in range(3):
        def f(v, k=k):
            return v * k

        fs.append(f)
    return x * fs.index(fs[1])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * (made(2.0) == made(2.0)),
        lambda x: x * (TWO[0] == TWO[1]),
        lambda x: x * (MADE[0] is MADE[1]),
        of_a_loop,
        again_and_again,
    ],
)
def test_functions_of_one_definition(f):
    """Python makes several of them, and they differ: that is refused, and never guessed."""
    with pytest.raises(PullbackError, match="are one: there may be several"):
        pb.jit(f)(1.3)


def test_a_method_has_no_identity():
    with pytest.raises(PullbackError, match="each look makes a new one"):
        pb.jit(lambda x: x * (Log(x).note is Log(x).note))(1.3)
