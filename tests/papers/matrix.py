"""Run every feature of the user's Python in the table by every method, and note which are taken.

``python -m tests.papers.matrix`` writes ``rows/matrix.txt`` from real runs, checked against native
code; ``docs/PAPERS.md`` shows it, and a test fails if a run gives something else.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import pullback as pb
from pullback.call.by_method import method_names
from tests.harness import distance
from tests.papers.conformance import MATRIX


def arithmetic(x: float, n: int) -> float:
    return math.sin(x) * x + x / (1.5 + x * x)


def branch(x: float, n: int) -> float:
    return x * x if x > 0.5 else -x


@dataclass(frozen=True)
class Place:
    at: tuple[float, float]
    weight: float


def record(p: Place, n: int) -> float:
    return p.at[0] * p.weight + p.at[1]


def function_value(x: float, n: int) -> float:
    scaled = lambda u: x * u
    return scaled(scaled(x))


def twice(f: Callable[[Any], Any], x: Any) -> Any:
    return f(f(x))


def polymorphic(x: float, n: int) -> float:
    swapped = twice(lambda p: (p[1], p[0] * x), (x, 2.0))
    return twice(lambda u: u * x, swapped[0])


def counted(x: float, n: int) -> float:
    y = 1.0
    for k in range(n):
        y = y * x + k
    return y


def conditional(x: float, n: int) -> float:
    y, k = 1.0, 0
    while k < n:
        y, k = y * x, k + 1
    return y


def recursive(x: float, n: int) -> float:
    return 1.0 if n == 0 else x * recursive(x, n - 1)


@dataclass(frozen=True)
class Disc:
    radius: float


@dataclass(frozen=True)
class Box:
    width: float
    height: float


def union(x: float, n: int) -> float:
    shape = Disc(x) if x > 1.0 else Box(x, 2.0)
    match shape:
        case Disc(r):
            return 3.0 * r * r
        case Box(w, h):
            return w * h


def read_list(xs: list[float], n: int) -> float:
    total = 0.0
    for x in xs:
        total += x * x
    return total


def made_list(x: float, n: int) -> float:
    return sum([x * k for k in range(n)])


def appended(x: float, n: int) -> float:
    out = [x]
    for _ in range(n):
        out.append(out[-1] * x)
    return sum(out)


@dataclass(frozen=True)
class Leaf:
    value: float


@dataclass(frozen=True)
class Node:
    value: float
    left: Leaf | Node
    right: Leaf | Node


def tree(t: Leaf | Node, n: int) -> float:
    match t:
        case Leaf(value):
            return value
        case Node(value, left, right):
            return value * tree(left, n) + tree(right, n)


@dataclass(frozen=True)
class Odd:
    value: float
    rest: Leaf | Even


@dataclass(frozen=True)
class Even:
    scale: float
    rest: Leaf | Odd


def of_odd(o: Leaf | Odd) -> float:
    match o:
        case Leaf(value):
            return value
        case Odd(value, rest):
            return value + of_even(rest)


def of_even(e: Leaf | Even) -> float:
    match e:
        case Leaf(value):
            return value
        case Even(scale, rest):
            return scale * of_odd(rest)


def mutual(o: Leaf | Odd, n: int) -> float:
    return of_odd(o)


def elements(a: np.ndarray, n: int) -> float:
    total = 0.0
    for i in range(len(a)):
        total += a[i] * a[i]
    return total


def whole_array(a: np.ndarray, n: int) -> float:
    return np.sum(np.sin(a) * a)


def updated(a: np.ndarray, n: int) -> float:
    b = a * 1.0
    for i in range(1, len(a)):
        b[i] += b[i - 1] * a[i]
    return b[len(a) - 1]


def product(a: np.ndarray, n: int) -> float:
    return np.sum(np.outer(a, a) @ a)


def inner(x: float, n: int) -> float:
    return pb.grad(lambda u: u * u * x)(x)


def balanced(n: int) -> Leaf | Node:
    return Leaf(0.5 + n) if n <= 1 else Node(0.5, balanced(n // 2), balanced(n - n // 2))


def numbers(n: int) -> np.ndarray:
    return np.linspace(0.2, 0.9, n)


FEATURES: list[tuple[str, Callable[..., Any], Callable[[int], Any], bool]] = [
    ("arithmetic", arithmetic, lambda n: 0.7, False),
    ("branch on a real", branch, lambda n: 0.7, False),
    ("tuples, records", record, lambda n: Place((0.5, 2.0), 3.0), False),
    ("functions as values", function_value, lambda n: 0.7, False),
    ("polymorphic functions", polymorphic, lambda n: 0.7, False),
    ("for over a range", counted, lambda n: 0.7, True),
    ("while", conditional, lambda n: 0.7, True),
    ("recursion", recursive, lambda n: 0.7, True),
    ("unions of classes", union, lambda n: 0.7, False),
    ("lists read", read_list, lambda n: numbers(n).tolist(), True),
    ("lists by comprehension", made_list, lambda n: 0.7, True),
    ("lists appended to", appended, lambda n: 0.7, True),
    ("recursive types", tree, balanced, True),
    ("mutually recursive types", mutual, lambda n: Odd(0.5, Even(2.0, Odd(3.0, Leaf(1.5)))), False),
    ("elements of arrays", elements, numbers, True),
    ("whole arrays", whole_array, numbers, True),
    ("updates in place", updated, numbers, True),
    ("products of matrices", product, numbers, False),
    ("a derivative inside", inner, lambda n: 0.7, False),
    ("float32", whole_array, lambda n: numbers(n).astype(np.float32), False),
]
"""Name, function of (what is differentiated, n), that argument for n, and whether it grows."""

SMALL, LARGE = 24, 96


def exponent(f: Callable[..., Any], make: Callable[[int], Any], **named: Any) -> float:
    """Return the growth of the steps."""
    a, b = (pb.cost(f, make(n), n, **named) for n in (SMALL, LARGE))
    return math.log(b / a) / math.log(LARGE / SMALL)


own_exponent = cache(exponent)
"""That of the function itself, which all methods are compared with."""


def growth(f: Callable[..., Any], make: Callable[[int], Any], method: str) -> str:
    """Return " > n" or " n²" if the steps of the method grow faster than those of the function."""
    found = exponent(f, make, method=method)
    if found < max(1.0, own_exponent(f, make)) + 0.15:
        return ""
    return " n²" if found > 1.6 else " > n"


def cell(name: str, method: str) -> str:
    """Return "yes", with the growth if it is faster; or "no: reason"."""
    f, make, grows = next(rest for known, *rest in FEATURES if known == name)
    try:
        found = pb.value_and_grad(f, method=method)(make(5), 5)
    except pb.PullbackError as e:
        return "no: " + str(e).splitlines()[0].removeprefix("not supported: ")
    assert distance(pb.value_and_grad(f)(make(5), 5), found) < 1e-9, (name, method)
    exponential = method in ("dual.naive", "delta.symbolic", "chad.higher", "chad.bagged",
                             "curry.simple", "delta.towers")
    return "yes" + (growth(f, make, method) if grows and not exponential else "")


def table() -> dict[tuple[str, str], str]:
    """Return all cells, by feature and method."""
    return {(name, m): cell(name, m) for name, *_ in FEATURES for m in method_names()}


def text(cells: dict[tuple[str, str], str]) -> str:
    """Return one line per cell."""
    return "".join(f"{name} | {method} | {what}\n" for (name, method), what in cells.items())


if __name__ == "__main__":
    MATRIX.write_text(text(table()))
