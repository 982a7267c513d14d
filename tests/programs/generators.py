"""Functions that yield: walks over trees, iterates, windows, streams of events."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice, takewhile

import numpy as np

from tests.programs import Program


@dataclass(frozen=True)
class Branch:
    left: Branch | Leaf
    weight: float
    right: Branch | Leaf


@dataclass(frozen=True)
class Leaf:
    value: float


def inorder(t):
    """The numbers of a tree from left to right, each with its depth."""
    yield from below(t, 0)


def below(t, depth):
    match t:
        case Leaf(value):
            yield depth, value
        case Branch(left, weight, right):
            yield from below(left, depth + 1)
            yield depth, weight
            yield from below(right, depth + 1)


def discounted(t):
    """A running value over a walk through a tree, which ends where it is large."""
    value = 0.0
    for depth, x in inorder(t):
        value = 0.5 * value + x / (1.0 + depth)
        if value > 2.5:
            break
    return value * value


def newton(f, slope, x):
    """The iterates of Newton's method, without an end."""
    while True:
        yield x
        x = x - f(x) / slope(x)


def steps_to_root(a):
    """How far Newton's iterates for x**3 = a are from each other, until they stand still."""
    iterates = newton(lambda x: x**3 - a, lambda x: 3.0 * x * x, a)
    far = takewhile(lambda x: abs(x**3 - a) > 1e-6, iterates)
    return sum(x * x for x in far)


def windows(xs, n):
    """What lies side by side, n at a time."""
    window = []
    for x in xs:
        window = [*window, x][-n:]
        if len(window) == n:
            yield window


def roughness(xs):
    """The largest and the mean second difference of a signal that was smoothed on the way."""
    smooth = (0.5 * a + 0.5 * b for a, b in windows(xs, 2))
    bends = [abs(a - 2.0 * b + c) for a, b, c in windows(smooth, 3)]
    return max(bends) + math.fsum(bends) / len(bends)


PLACES = {"0": 0, "1": 1, "2": 2, "3": 3}


def tokens(text):
    """Variables and operators of an expression in postfix form."""
    for c in text:
        if c == " ":
            continue
        if c in "+*-":
            yield c, 0
        else:
            yield "load", PLACES[c]


def postfix(xs):
    """An expression that is read token by token, and computed with a stack."""
    stack = []
    for op, k in tokens("01+ 2* 3 1-* 0+"):
        if op == "load":
            stack.append(xs[k])
            continue
        b = stack.pop()
        a = stack.pop()
        if op == "+":
            stack.append(a + b)
        elif op == "*":
            stack.append(a * b)
        else:
            stack.append(a - b)
    return stack.pop()


def events(times, amounts):
    """Payments, and at the end of every unit of time a mark."""
    mark = 1.0
    for t, x in zip(times, amounts):
        while t >= mark:
            yield "mark", mark, 0.0
            mark += 1.0
        yield "payment", t, x
    yield "mark", mark, 0.0


def account(times, amounts, rate):
    """A balance that bears interest at every mark, over a stream of events."""
    balance, last = 0.0, 0.0
    history = []
    for kind, t, x in events(times, amounts):
        if kind == "mark":
            balance *= math.exp(rate * (t - last))
            last = t
            history.append(balance)
        else:
            balance += x
    return sum(history) + balance


def orbit(z, c):
    while abs(z) < 2.0:
        yield z
        z = z * z + c


def escape(c):
    """What an orbit goes through before it escapes, of at most so many steps."""
    first = list(islice(orbit(0.1, c), 12))
    return sum(z * z for z in first) + len(first)


def make_tree(r, n):
    if n <= 1:
        return Leaf(float(r.uniform(0.1, 1.0)))
    return Branch(make_tree(r, n // 2), float(r.uniform(0.1, 1.0)), make_tree(r, n - n // 2))


def ticks(rate, seed):
    """Noise that is the same in every run."""
    state = seed
    while True:
        state = (1103515245 * state + 12345) % 2**31
        yield rate * (state / 2**31 - 0.5)


def path(x, noise, n):
    for _ in range(n):
        x += 0.1 * x + x * next(noise)
        yield x


def two_paths(x, y):
    """Two paths side by side that share their noise, and what is left of it."""
    noise = ticks(0.4, 7)
    first = next(noise)
    both = sum(a * b for a, b in zip(path(x, noise, 5), path(y, noise, 4)))
    return both + first * next(noise)


def merged(xs, ys):
    """Two sorted lists as one, weighted by the places."""
    out = []
    rest = iter(ys)
    y = next(rest, None)
    for x in xs:
        while y is not None and y < x:
            out.append(y)
            y = next(rest, None)
        out.append(x)
    while y is not None:
        out.append(y)
        y = next(rest, None)
    return sum(v * v * k for k, v in enumerate(out))


def spread(n, t):
    for k in range(n):
        yield t * (0.5 + k)
        if t > 1.0:
            yield 0.5 * t


def left_at_three_levels(x, limit):
    """Three loops over a generator of two ``yield``, each of which may be left."""
    y = x
    for u in spread(2, y):
        if u > limit:
            break
        y = 0.6 * y + u
        for v in spread(2, y):
            if y > limit:
                return y * u
            y = 0.3 * y + v
            for w in spread(2, v):
                if w > y:
                    break
                y = math.sin(y) + 0.5 * w
    return y


PROGRAMS = [
    Program("discounted", discounted, lambda r, n: (make_tree(r, n),), sizes=(2, 7)),
    Program("steps_to_root", steps_to_root, lambda r, n: (2.0 + n,), sizes=(1, 5)),
    Program("roughness", roughness, lambda r, n: (r.normal(size=n + 4).tolist(),), sizes=(1, 7)),
    Program("postfix", postfix, lambda r, n: (r.normal(size=max(n, 4)),), sizes=(4,)),
    Program(
        "account", account,
        lambda r, n: (np.sort(r.uniform(0.0, 4.0, size=n)).tolist(), r.normal(size=n), 0.05),
        (1, 2), (3, 8),
    ),
    Program("escape", escape, lambda r, n: (0.3 + 0.1 * n,), sizes=(1, 3)),
    Program("two_paths", two_paths, lambda r, n: (1.0 + 0.1 * n, 0.7), (0, 1), (1, 3)),
    Program(
        "merged", merged,
        lambda r, n: (np.sort(r.normal(size=n)).tolist(), np.sort(r.normal(size=n + 2)).tolist()),
        (0, 1), (1, 5),
    ),
    Program(
        "left_at_three_levels", left_at_three_levels,
        lambda r, n: ((0.9, 1.5), (2.3, 3.0))[min(n, 2) - 1], (0,), (1, 2),
    ),
]
