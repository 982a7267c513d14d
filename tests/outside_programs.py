"""Programs that update their arguments, each with arguments made anew for every run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


class Body:
    """A plain object with numbers and arrays."""

    def __init__(self, x: float, n: int = 3) -> None:
        self.x = x
        self.n = 0
        self.name = "body"
        self.v = np.zeros(n)
        self.w = np.ones(2)

    def step(self, d: float) -> float:
        self.x += d * self.x
        self.n += 1
        self.v[self.n % len(self.v)] = self.x
        return self.x

    def fresh(self, d: float) -> float:
        self.w = self.w * d
        return float(self.w.sum())


@dataclass
class Account:
    """A dataclass with a list."""

    balance: float
    log: list[float] = field(default_factory=list)

    def pay(self, amount: float) -> float:
        if amount > self.balance:
            raise ValueError(f"only {self.balance} left")
        self.balance -= amount
        self.log.append(amount)
        return self.balance


def doubled(a):
    a *= 2.0
    return a.sum()


def items(a, k):
    a[k] = a[0] * 3.0
    a[-1] += 1.0
    return a @ a


def rows(a):
    for i in range(1, a.shape[0]):
        a[i] += a[i - 1] * 0.5
    return a.sum()


def masked(a):
    a[a < 0] = 0.0
    return float(a.sum())


def normalised(a):
    a -= a.mean()
    a /= np.sqrt((a * a).sum())
    return a[0]


def appended(xs, v):
    xs.append(v * xs[0])
    xs[0] = math.sin(v)
    return xs[-1] + len(xs)


def repeated(xs):
    xs *= 2
    return sum(xs)


def popped(xs):
    total = 0.0
    while len(xs) > 1:
        total = total * 0.5 + xs.pop()
    xs.insert(0, total)
    return total


def keyed(d, v):
    d["new"] = v
    d["a"] += v * d["b"]
    del d["b"]
    return d["a"] * v


def keyed_on_a_path(d, k):
    if k > 1:
        d["late"] = d["a"] * k
    for i in range(k):
        d["a"] += d["b"] * i
    return d["a"]


def in_loops(b, n):
    for k in range(n):
        b.x *= 1.5
        if k > 1:
            b.v[0] += b.x
    return b.x * b.v[0]


def moved(b, d):
    b.step(d)
    return b.step(d) * b.v[1]


def replaced(b, d):
    return b.fresh(d) + b.x


def paid(account, amount):
    account.pay(amount)
    return account.pay(amount * 2.0)


def both(a, b):
    b[0] = a[1]
    a[0] = 7.0
    return (a * b).sum()


def swapped(a, i, j):
    a[i], a[j] = a[j], a[i]
    return a[i] * 2.0 + a[j]


def printed(a):
    for k in range(len(a)):
        print("round", k)
        a[k] += k
    if a[0] > 5.0:
        raise KeyError("large")
    return a.sum()


def stopped(a, i):
    for k in range(len(a)):
        a[k] = k * a[k]
        if k == i:
            raise ValueError(k)
    return a.sum()


def beyond(a, k):
    a[0] = 2.0
    a[k] = 3.0
    return a[0]


def caught(xs, k):
    xs.append(1.0)
    try:
        return xs[k]
    except IndexError:
        xs.append(2.0)
        return xs[0]


def helped(a, n):
    def halve(b):
        b *= 0.5

    for _ in range(n):
        halve(a)
    return a.sum()


def recursive(a, n):
    if n == 0:
        return a.sum()
    a[n % len(a)] *= 1.5
    return recursive(a, n - 1)


def on_a_path(a, c):
    if c > 0.0:
        a[0] = c
    return a[0] * a[1]


def always(d, xs):
    xs.append(d.pop("q"))
    d["a"] = 1.0
    return xs[7]


def too_large_a_result(a, x):
    a[0] = 5.0
    return math.exp(x)


def where_it_raises_only(a, c):
    if c > 0.0:
        a[0] = c
        raise ValueError(c)
    return a[0] * a[1]


Made = Callable[[], tuple[Any, ...]]

CASES: list[tuple[Callable[..., Any], Made]] = [
    (doubled, lambda: (np.arange(4.0),)),
    (doubled, lambda: (np.arange(12.0).reshape(3, 4)[:, ::2],)),
    (doubled, lambda: (np.arange(4.0, dtype=np.float32),)),
    (doubled, lambda: (np.zeros((0,)),)),
    (items, lambda: (np.arange(1.0, 5.0), 1)),
    (items, lambda: (np.arange(1.0, 5.0), -2)),
    (rows, lambda: (np.arange(6.0).reshape(3, 2),)),
    (masked, lambda: (np.array([-1.0, 2.0, -3.0]),)),
    (normalised, lambda: (np.array([1.0, 2.0, 4.0]),)),
    (appended, lambda: ([1.0, 2.0], 0.5)),
    (appended, lambda: ([1.0], 2.5)),
    (repeated, lambda: ([1.0, 2.0],)),
    (popped, lambda: ([1.0, 2.0, 3.0, 4.0],)),
    (keyed, lambda: ({"a": 1.0, "b": 2.0, "c": 3.0}, 4.0)),
    (keyed_on_a_path, lambda: ({"a": 1.0, "b": 2.0}, 3)),
    (keyed_on_a_path, lambda: ({"a": 1.0, "b": 2.0}, 0)),
    (in_loops, lambda: (Body(1.5), 4)),
    (moved, lambda: (Body(1.5), 0.5)),
    (replaced, lambda: (Body(1.5), 0.5)),
    (paid, lambda: (Account(10.0, [1.0]), 2.0)),
    (both, lambda: (np.arange(3.0), np.ones(3))),
    (swapped, lambda: (np.arange(3.0), 0, 2)),
    (printed, lambda: (np.arange(3.0),)),
    (stopped, lambda: (np.ones(4), 9)),
    (beyond, lambda: (np.ones(4), 2)),
    (caught, lambda: ([1.0, 2.0], 1)),
    (caught, lambda: ([1.0, 2.0], 7)),
    (helped, lambda: (np.ones(3), 4)),
    (recursive, lambda: (np.ones(3), 5)),
    (on_a_path, lambda: (np.ones(3), 2.0)),
    (on_a_path, lambda: (np.ones(3), -2.0)),
]

RAISING: list[tuple[Callable[..., Any], Made]] = [
    (always, lambda: ({"q": 2.0}, [1.0, 2.0])),
    (too_large_a_result, lambda: (np.ones(3), 1000.0)),
    (where_it_raises_only, lambda: (np.ones(3), 2.0)),
    (stopped, lambda: (np.ones(4), 2)),
    (beyond, lambda: (np.ones(4), 4)),
    (paid, lambda: (Account(5.0), 2.0)),
    (printed, lambda: (np.array([6.0, 1.0]),)),
]
