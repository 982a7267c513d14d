"""What is in the language, row by row, each with a program: the table of ``docs/constructs.md``."""

from __future__ import annotations

import contextlib
import enum
import functools
import itertools
import math
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

import pullback as pb

X = np.array([0.5, -1.5, 2.2, 3.1])


@dataclass(frozen=True)
class Row:
    """A construct of an area, and a program of it with its arguments."""

    area: str
    construct: str
    program: Callable[..., Any]
    args: tuple[Any, ...]


ROWS: list[Row] = []


def row(area: str, construct: str, *args: Any) -> Callable[[Callable[..., Any]], Any]:
    """Note that a program uses a construct."""

    def note(f: Callable[..., Any]) -> Callable[..., Any]:
        ROWS.append(Row(area, construct, f, args))
        return f

    return note


# --- functions ------------------------------------------------------------------------------------


@row("Functions", "recursion, also mutual", 5, 1.5)
def even_power(n, x):
    def odd_power(n, x):
        return x * even_power(n - 1, x)

    return 1.0 if n == 0 else x * odd_power(n - 1, x) if n > 1 else x


@row("Functions", "closures, returned and kept in lists", 2.0)
def closures(x):
    def power(n):
        return lambda y: y**n

    return sum(f(x) for f in [power(2), power(3)])


@row("Functions", "default and keyword arguments, `*args`, `**kwargs`", 2.0)
def keywords(x):
    def f(a, *rest, scale=1.0, **more):
        return scale * (a + sum(rest)) + more["shift"]

    return f(x, x, 1.0, scale=3.0, shift=x * x)


@row("Functions", "`nonlocal`, counters, accumulators", 2.0)
def counters(x):
    total = 0.0

    def add(v):
        nonlocal total
        total += v

    add(x)
    add(x * x)
    return total


@row("Functions", "`functools.partial`, `reduce`, `operator`", 2.0)
def partials(x):
    power = functools.partial(pow, x)
    return functools.reduce(lambda a, b: a * b, [power(1), power(2)])


@row("Functions", "`functools.cache` of ints", 6)
def cached(n):
    @functools.cache
    def ways(k):
        return 1.0 if k < 2 else ways(k - 1) + ways(k - 2)

    return ways(n)


# --- data -----------------------------------------------------------------------------------------


class Kind(enum.Enum):
    SQUARE = 1
    CUBE = 2


class Point(NamedTuple):
    x: float
    y: float


@dataclass
class Particle:
    place: float
    speed: float = 1.0
    trail: list = field(default_factory=list)

    def step(self, dt):
        self.trail.append(self.place)
        self.place += dt * self.speed


class Node:
    def __init__(self, value, next=None):
        self.value, self.next = value, next


@row("Data", "objects of plain classes and dataclasses, updated by methods", 0.5)
def objects(x):
    p = Particle(x)
    for _ in range(3):
        p.step(x)
    return p.place + sum(p.trail)


@row("Data", "objects with several names, linked lists, cycles", 0.5)
def ring(x):
    a = Node(x)
    b = Node(2.0, a)
    a.next = b
    b.value *= a.next.next.value
    return a.next.value


@row("Data", "lists with several owners", 0.5)
def owners(x):
    line = [x, 1.0]
    table = [line, line]
    table[0][1] = x * x
    return table[1][1]


@row("Data", "named tuples, frozen records, `_replace`", 0.5)
def records(x):
    return Point(x, 2.0)._replace(y=x).y * 3.0


@row("Data", "enums, also chosen at run time", X)
def enums(x):
    kind = Kind.CUBE if x[0] > 0.0 else Kind.SQUARE
    return x[1] ** 3 if kind is Kind.CUBE else x[1] ** 2


@row("Data", "dicts and sets whose keys only the run knows", X)
def tables(x):
    sums = defaultdict(float)
    for i, v in enumerate(x):
        sums[i % 2, "odd"] += v
    return sums[1, "odd"] * len({int(v) for v in x})


@row("Data", "`Counter`, `deque`", X)
def collections(x):
    last = deque(maxlen=2)
    for v in x:
        last.append(v)
    return last[0] * Counter("abba")["b"]


@row("Data", "`None` and `Optional`", X)
def optional(x):
    best = None
    for v in x:
        if best is None or v > best:
            best = v
    return best


@row("Data", "texts that only the run knows, f-strings, methods of strings", X)
def texts(x):
    name = f"{len(x)}-{'a' if x[0] > 0.0 else 'b'}"
    return x[0] if name.endswith("a") and name[0] == "4" else x[1]


# --- control --------------------------------------------------------------------------------------


@row("Control", "`while`, `for`, `break`, `continue`, `else` of loops", 7.0)
def loops(x):
    while x > 1.0:
        x *= 0.5
        if x < 0.1:
            break
    else:
        x += 1.0
    return x


@row("Control", "`match` with classes, sequences, guards", 0.5)
def matching(x):
    match [Point(x, 2.0), x]:
        case [Point(a, b), c] if a == c:
            return a * b
        case _:
            return 0.0


@row("Control", "comprehensions, nested and with conditions", X)
def comprehensions(x):
    return sum([a * b for a in x for b in x if a < b])


@row("Control", "generators, `yield from`, `next`", X)
def generators(x):
    def squares():
        for v in x:
            yield v * v

    it = squares()
    return next(it) * sum(it)


@row("Control", "`itertools`: `accumulate`, `pairwise`, `product`, `takewhile`, ...", X)
def iterators(x):
    return sum(a * b for a, b in itertools.pairwise(itertools.accumulate(x)))


@row("Control", "`try`, `except ... as e`, `else`, `finally`, classes of your own", -2.0)
def exceptions(x):
    try:
        if x < 0.0:
            raise ValueError(x * x)
        return x
    except ValueError as error:
        return error.args[0]


@row("Control", "`with`, `contextlib.contextmanager`", 2.0)
def managers(x):
    @contextlib.contextmanager
    def doubled(v):
        yield 2.0 * v

    with doubled(x) as y:
        return y * y


@row("Control", "`assert` and `raise`, with the values of the run in the message", 2.0)
def checked(x):
    assert x > 0.0, f"x is {x}"
    return math.sqrt(x)


# --- arrays ---------------------------------------------------------------------------------------


@row("Arrays", "updates of elements, slices and rows", X)
def updates(x):
    y = np.zeros((2, 4))
    y[0] = x
    y[1, 1:] += x[:-1] * x[1:]
    return np.sum(y)


@row("Arrays", "updates of arguments, written back", X)
def arguments(x):
    x *= 2.0
    return x[0] * x[1]


@row("Arrays", "masks, index arrays, `np.where`", X)
def masks(x):
    return np.sum(x[x > 0.0]) + np.sum(np.where(x > 1.0, np.log(np.abs(x)), x))


@row("Arrays", "broadcasting, `axis`, `keepdims`, `@`, `einsum`", X)
def broadcasting(x):
    m = x[:, None] - x
    return np.sum(np.mean(m @ m, axis=1, keepdims=True) * np.einsum("i,j->ij", x, x))


@row("Arrays", "`np.linalg`", X)
def linear(x):
    m = np.outer(x, x) + np.eye(4)
    return np.sum(np.linalg.solve(m, x)) + np.linalg.slogdet(m)[1]


@row("Arrays", "any number of axes, `reshape`, `transpose`, `stack`, `concatenate`", X)
def shapes(x):
    t = np.stack([x, x**2]).reshape(2, 2, 2).transpose(2, 0, 1)
    return np.sum(np.concatenate([t, t])[1] ** 2)


# --- operators ------------------------------------------------------------------------------------


@row("Operators", "derivatives inside of functions, to any depth", 2.0)
def nested(x):
    def newton(f, y):
        for _ in range(4):
            y -= f(y) / pb.grad(f)(y)
        return y

    return newton(lambda y: y * y - x, x)


@row("Operators", "`pb.vmap` and Jacobians inside", X)
def mapped(x):
    return np.sum(pb.vmap(lambda v: v**3)(x)) + np.sum(pb.jacobian(lambda v: v * v)(x))


@row("Operators", "`print`, `logging`, once, in order", 2.0)
def printing(x):
    print(f"x = {x}")
    return x * x
