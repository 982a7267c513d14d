"""What data costs on its way in and out: nanoseconds for every node of a million.

``in`` is the conversion of an argument, ``out`` that of its gradient into the user's own objects.
``call`` is a whole call of the compiled function or gradient from Python data, ``packed`` from data
that ``pb.pack`` has converted once. The collector of Python runs as it always does.
"""

import gc
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import pullback as pb
from pullback import boundary
from pullback.frontend.pytypes import type_of
from pullback.native.shapes import Space

NODES = 1 << 20


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


def fork_sum(t):
    return 0.0 if t is None else fork_sum(t.left) + t.value * t.value + fork_sum(t.right)


def numbers_sum(xs):
    return sum(x * x for x in xs)


def points_sum(ps):
    return sum(p.x * p.y for p in ps)


def chain(n: int) -> Cell | None:
    out = None
    for i in range(n):
        out = Cell(float(i), out)
    return out


def fork(depth: int) -> Fork | None:
    return Fork(fork(depth - 1), float(depth), fork(depth - 1)) if depth else None


def nanoseconds(call: Callable[[], Any], repeats: int = 5) -> float:
    """The least time of a call, per node; what it returns is thrown away outside the clock."""
    best = math.inf
    for _ in range(repeats):
        gc.collect()
        start = time.perf_counter()
        result = call()
        best = min(best, time.perf_counter() - start)
        del result
    return best / NODES * 1e9


def one(name: str, f: Callable[..., Any], data: Any) -> None:
    conversion = boundary.conversion_of(type_of(data), Space.FORWARD)
    assert conversion is not None
    block = boundary.encode(conversion, data, 0, False)
    assert block is not None
    cells = np.zeros(block.end)
    cotangents = tuple(np.zeros(NODES) for _ in range(2)) if cells.size == 0 else ()
    conversion.gradient(block.capsule, cells, cotangents)
    run, gradient, packed = pb.jit(f), pb.grad(f), pb.pack(data)
    run(data), gradient(data), run(packed), gradient(packed)
    times = [
        nanoseconds(lambda: conversion.encode(data, 0, False)),
        nanoseconds(lambda: conversion.gradient(block.capsule, cells, cotangents)),
        nanoseconds(lambda: run(data)),
        nanoseconds(lambda: gradient(data)),
        nanoseconds(lambda: run(packed)),
        nanoseconds(lambda: gradient(packed)),
    ]
    print(f"{name:<24} " + " ".join(f"{t:9.1f}" for t in times), flush=True)


def main(jax: Any) -> None:
    heads = ("in", "out", "f call", "g call", "f packed", "g packed")
    print(f"{'1e6 nodes, ns a node':<24} " + " ".join(f"{h:>9}" for h in heads))
    one("list of floats", numbers_sum, [float(i) for i in range(NODES)])
    one("list of NamedTuples", points_sum, [Point(float(i), 1.0) for i in range(NODES)])
    one("linked list", chain_sum, chain(NODES))
    one("binary tree, slots", fork_sum, fork(20))
