"""Generic recursive classes: one definition of lists and trees, with values of several types."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Optional, TypeVar

import numpy as np

from tests.programs import real

T = TypeVar("T")
U = TypeVar("U")
K = TypeVar("K")


@dataclass(frozen=True)
class Cons(Generic[T]):
    head: T
    tail: Optional[Cons[T]]


def listed(items: Any) -> Optional[Cons[Any]]:
    chain = None
    for item in reversed(items):
        chain = Cons(item, chain)
    return chain


def mapped(f: Callable[[T], U], chain: Optional[Cons[T]]) -> Optional[Cons[U]]:
    return None if chain is None else Cons(f(chain.head), mapped(f, chain.tail))


def folded(f: Callable[[U, T], U], start: U, chain: Optional[Cons[T]]) -> U:
    while chain is not None:
        start = f(start, chain.head)
        chain = chain.tail
    return start


@dataclass(frozen=True)
class Pair(Generic[T, U]):
    first: T
    second: U


def zipped(a: Optional[Cons[T]], b: Optional[Cons[U]]) -> Optional[Cons[Pair[T, U]]]:
    if a is None or b is None:
        return None
    return Cons(Pair(a.head, b.head), zipped(a.tail, b.tail))


def features(xs):
    """A list of numbers, mapped to pairs, and these to arrays: three types of lists."""
    numbers = listed(xs)
    pairs = mapped(lambda x: (x, math.sin(x)), numbers)
    arrays = mapped(lambda p: np.array([p[0], p[1], p[0] * p[1]]), pairs)
    both = zipped(pairs, arrays)
    return folded(lambda s, p: s + p.first[1] * p.second.sum(), 0.0, both) / len(xs)


@dataclass(frozen=True)
class Leaf(Generic[T]):
    value: T


@dataclass(frozen=True)
class Node(Generic[T]):
    left: Tree[T]
    right: Tree[T]


Tree = Leaf[T] | Node[T]


def map_tree(f, tree):
    match tree:
        case Leaf(value):
            return Leaf(f(value))
        case Node(left, right):
            return Node(map_tree(f, left), map_tree(f, right))


def reduce_tree(f, g, tree):
    match tree:
        case Leaf(value):
            return f(value)
        case Node(left, right):
            return g(reduce_tree(f, g, left), reduce_tree(f, g, right))


def tree_moments(tree):
    """Mean and variance of a tree of numbers, by a tree of triples."""
    counted = map_tree(lambda v: (1.0, v, v * v), tree)

    def add(a, b):
        return a[0] + b[0], a[1] + b[1], a[2] + b[2]

    n, s, q = reduce_tree(lambda t: t, add, counted)
    return q / n - (s / n) ** 2


def tree_of_arrays(tree, weights):
    """A tree of vectors of different lengths, and one of what a layer makes of them."""
    hidden = map_tree(lambda v: np.tanh(np.outer(weights, v).sum(axis=1)), tree)
    return reduce_tree(lambda h: h @ h, lambda a, b: math.sqrt(1.0 + a * b), hidden)


@dataclass(frozen=True)
class Rose(Generic[T]):
    label: T
    children: list[Rose[T]]


def map_rose(f, rose):
    return Rose(f(rose.label), [map_rose(f, child) for child in rose.children])


def depth_weighted(rose, weight):
    label = rose.label.first * rose.label.second * weight
    return label + sum(depth_weighted(child, 0.5 * weight) for child in rose.children)


def rose_loss(rose):
    return depth_weighted(map_rose(lambda x: Pair(x, math.exp(-x * x)), rose), 1.0)


@dataclass(frozen=True)
class Empty:
    pass


@dataclass(frozen=True)
class Entry(Generic[K, T]):
    """A search tree from keys to values of any type."""

    left: Empty | Entry[K, T]
    key: K
    value: T
    right: Empty | Entry[K, T]


def put(table, key, value):
    match table:
        case Empty():
            return Entry(Empty(), key, value, Empty())
        case Entry(left, k, v, right):
            if key < k:
                return Entry(put(left, key, value), k, v, right)
            if k < key:
                return Entry(left, k, v, put(right, key, value))
            return Entry(left, k, value, right)


def get(table, key, otherwise):
    match table:
        case Empty():
            return otherwise
        case Entry(left, k, v, right):
            if key == k:
                return v
            return get(left if key < k else right, key, otherwise)


def tables(xs):
    """Numbers by their rank and pairs by their value, in two search trees of one class."""
    by_number, by_value = Empty(), Empty()
    for i in range(len(xs)):
        by_number = put(by_number, 7 * i % 5, xs[i] * xs[i])
        by_value = put(by_value, xs[i], (xs[i], i + 1.0))
    loss = 0.0
    for i in range(len(xs)):
        a, weight = get(by_value, xs[i], (0.0, 0.0))
        loss += a * weight * get(by_number, i, 0.1)
    return loss


def random_tree(rng, n, leaf):
    if n <= 1:
        return Leaf(leaf())
    k = int(rng.integers(1, n))
    return Node(random_tree(rng, k, leaf), random_tree(rng, n - k, leaf))


def random_rose(rng, n):
    sizes = [k for k in (n // 3, n // 3, n - 1 - 2 * (n // 3)) if k > 0]
    return Rose(float(rng.normal()), [random_rose(rng, k) for k in sizes] if n > 1 else [])


def pair_chain(rng, n):
    chain = None
    for _ in range(n):
        chain = Cons(Pair(float(rng.normal()), rng.normal(size=2)), chain)
    return chain


def swapped_loss(chain):
    """A list of pairs of a number and an array, with the two exchanged."""
    swapped = mapped(lambda p: Pair(p.second, p.first), chain)
    return folded(lambda s, p: s + np.sin(p.first).sum() * p.second**2, 0.0, swapped)


PROGRAMS = [
    real("generic_features", features, lambda r, n: (r.normal(size=n),), growth=(10, 60, 300)),
    real(
        "generic_moments",
        tree_moments,
        lambda r, n: (random_tree(r, n, lambda: float(r.normal())),),
        (0,),
        (2, 7),
    ),
    real(
        "generic_tree_of_arrays",
        tree_of_arrays,
        lambda r, n: (
            random_tree(r, n, lambda: 0.3 * r.normal(size=r.integers(1, 4))), r.normal(size=3),
        ),
        (0, 1),
        (2, 6),
    ),
    real("generic_rose", rose_loss, lambda r, n: (random_rose(r, n),), (0,), (2, 8)),
    real("generic_tables", tables, lambda r, n: (r.permutation(n) + 0.5,), (0,), (3, 8)),
    real("generic_swap", swapped_loss, lambda r, n: (pair_chain(r, n),), (0,), (1, 5)),
]
