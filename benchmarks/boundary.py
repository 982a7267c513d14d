"""Measure what it costs to take Python data apart and to build it again: lists, linked lists and
trees, in nanoseconds for every node of a million, the least and the median of some calls.

``in`` and ``out`` are the conversions alone, of an argument and of its gradient into the user's own
objects. Then come whole calls: the compiled function and its gradient; the same with data that
``pb.pack`` has converted once; ``map``, a function whose result is data of the same form; its
``jvp`` (data and tangent in, result and tangent out), its ``vjp`` (data in, result out) and the
pullback (cotangent in, gradient out). Below each figure stands its limit, ``IN`` for every
conversion of an argument and ``OUT`` for every one of a result; a figure above it is marked. Last
comes an optimiser that calls value and gradient a thousand times on a packed tree of 1e5 nodes.
Python's garbage collector runs as it always does.
"""

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

import numpy as np

import pullback as pb
from pullback.call.packed import conversion_of, encode
from pullback.call.space import Space
from pullback.frontend.python.pytypes import type_of

NODES = 1 << 20
IN, OUT = 150, 250


@dataclass(frozen=True)
class Cell:
    value: float
    next: "Cell | None"


@dataclass(frozen=True, slots=True)
class Fork:
    left: "Fork | None"
    value: float
    right: "Fork | None"


class Point(NamedTuple):
    x: float
    y: float


def chain_sum(x):
    s = 0.0
    while x is not None:
        s += x.value * x.value
        x = x.next
    return s


def chain_map(x, s):
    out = None
    while x is not None:
        out = Cell(x.value * s, out)
        x = x.next
    return out


def fork_sum(t):
    return 0.0 if t is None else fork_sum(t.left) + t.value * t.value + fork_sum(t.right)


def fork_map(t, s):
    return None if t is None else Fork(fork_map(t.left, s), t.value * s, fork_map(t.right, s))


def numbers_sum(xs):
    return sum(x * x for x in xs)


def numbers_map(xs, s):
    return [x * s for x in xs]


def points_sum(ps):
    return sum(p.x * p.y for p in ps)


def points_map(ps, s):
    return [Point(p.x * s, p.y) for p in ps]


def chain(n: int) -> Cell | None:
    out = None
    for i in range(n):
        out = Cell(float(i), out)
    return out


def fork(depth: int) -> Fork | None:
    return Fork(fork(depth - 1), float(depth), fork(depth - 1)) if depth else None


def nanoseconds(call: Callable[[], Any], repeats: int = 5) -> tuple[float, float]:
    """Return the least and the median processor time of a call, per node; its result is freed while
    the clock stands still."""
    times = []
    call()
    for _ in range(repeats):
        gc.collect()
        start = time.process_time_ns()
        result = call()
        times.append((time.process_time_ns() - start) / NODES)
        del result
    return min(times), median(times)


@dataclass(frozen=True)
class Column:
    """A call that is timed, and how often it converts all of the data."""

    name: str
    ins: int
    outs: int

    @property
    def limit(self) -> int:
        return self.ins * IN + self.outs * OUT


CONVERSIONS = (
    Column("in", 1, 0), Column("out", 0, 1), Column("f", 1, 0), Column("gradient", 1, 1),
    Column("f packed", 0, 0), Column("g packed", 0, 0),
)  # fmt: skip
PRODUCTS = (Column("map", 1, 1), Column("jvp", 2, 2), Column("vjp", 1, 1), Column("pullback", 1, 1))


def heads(columns: tuple[Column, ...]) -> None:
    print(f"{'ns a node: min, median':<22} " + " ".join(f"{c.name:>11}" for c in columns))
    limits = (f"< {c.limit}" if c.limit else "" for c in columns)
    print(f"{'limit':<22} " + " ".join(f"{text:>11}" for text in limits))


def row(name: str, columns: tuple[Column, ...], calls: list[Callable[[], Any]]) -> bool:
    """Print the line. Return whether all figures are within the limits."""
    cells, good = [], True
    for column, call in zip(columns, calls, strict=True):
        least, middle = nanoseconds(call)
        above = column.limit > 0 and least > column.limit
        good = good and not above
        cells.append(f"{least:.0f} {middle:4.0f}" + "!" * above)
    print(f"{name:<22} " + " ".join(f"{c:>11}" for c in cells), flush=True)
    return good


def conversions(data: Any) -> list[Callable[[], Any]]:
    conversion = conversion_of(type_of(data), Space.FORWARD)
    assert conversion is not None
    block = encode(conversion, data, 0, False)
    assert block is not None
    cells = np.zeros(block.end)
    cotangents = tuple(np.zeros(NODES) for _ in range(2)) if cells.size == 0 else ()
    return [lambda: conversion.encode(data, 0, False),
            lambda: conversion.gradient(block.capsule, cells, cotangents)]  # fmt: skip


def one(name: str, f: Callable[..., Any], data: Any) -> bool:
    run, gradient, packed = pb.jit(f), pb.grad(f), pb.pack(data)
    calls = [*conversions(data), lambda: run(data), lambda: gradient(data),
             lambda: run(packed), lambda: gradient(packed)]  # fmt: skip
    return row(name, CONVERSIONS, calls)


def mapped(name: str, f: Callable[..., Any], data: Any) -> bool:
    run = pb.jit(f)
    out, pullback = pb.vjp(f, data, 2.0)
    calls = [lambda: run(data, 2.0), lambda: pb.jvp(f, (data, 2.0), (data, 1.0)),
             lambda: pb.vjp(f, data, 2.0), lambda: pullback(out)]  # fmt: skip
    return row(name, PRODUCTS, calls)


def optimiser() -> None:
    """Print the milliseconds of a step of an optimiser, which passes one tree again and again."""
    tree, step = fork(17), pb.value_and_grad(lambda t, s: fork_sum(t) * s)
    for name, data, calls in (("tree", tree, 100), ("packed tree", pb.pack(tree), 1000)):
        step(data, 1.0)
        start = time.perf_counter()
        for k in range(calls):
            step(data, 1.0 + k)
        each = (time.perf_counter() - start) / calls * 1e3
        print(f"{name:<22} {each:8.2f} ms a step of {calls}", flush=True)


DATA: dict[str, Callable[[], Any]] = {
    "list of floats": lambda: [float(i) for i in range(NODES)],
    "list of NamedTuples": lambda: [Point(float(i), 1.0) for i in range(NODES)],
    "linked list": lambda: chain(NODES),
    "binary tree, slots": lambda: fork(NODES.bit_length() - 1),
}


def main(jax: Any) -> None:
    good = []
    heads(CONVERSIONS)
    for (name, make), f in zip(DATA.items(), (numbers_sum, points_sum, chain_sum, fork_sum)):
        good.append(one(name, f, make()))  # one at a time: the collector goes through all
    heads(PRODUCTS)
    for (name, make), f in zip(DATA.items(), (numbers_map, points_map, chain_map, fork_map)):
        good.append(mapped(name, f, make()))
    print(f"above a limit (marked): {good.count(False)} of {len(good)} rows")
    print("value and gradient of a tree of 131071 nodes")
    optimiser()
