"""Recursive data, built outside and inside: lists, trees, heaps, ropes, rose trees."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional

import numpy as np

from tests.programs import real


@dataclass(frozen=True)
class Empty:
    pass


@dataclass(frozen=True)
class Branch:
    """A search tree by keys, with values."""

    left: SearchTree
    key: float
    value: float
    right: SearchTree


SearchTree = Empty | Branch


def insert(tree: SearchTree, key: float, value: float) -> SearchTree:
    match tree:
        case Empty():
            return Branch(Empty(), key, value, Empty())
        case Branch(left, k, v, right):
            if key < k:
                return Branch(insert(left, key, value), k, v, right)
            return Branch(left, k, v, insert(right, key, value))


def look_up(tree: SearchTree, key: float) -> float:
    """The value under the key, or the nearest on the way down."""
    match tree:
        case Empty():
            return 0.0
        case Branch(left, k, v, right):
            if key == k:
                return v
            return look_up(left if key < k else right, key) + 0.01 * v


def search_tree(keys, values):
    """A tree grown inside by insertions, then asked for every key."""
    tree = Empty()
    for i in range(len(keys)):
        tree = insert(tree, keys[i], values[i] * values[i])
    return sum(look_up(tree, keys[i]) * (i + 1) for i in range(len(keys))) / len(keys)


@dataclass(frozen=True)
class Nil:
    pass


@dataclass(frozen=True)
class Cons:
    head: float
    tail: Chain


Chain = Nil | Cons


def split(xs: Chain) -> tuple[Chain, Chain]:
    match xs:
        case Cons(a, Cons(b, rest)):
            left, right = split(rest)
            return Cons(a, left), Cons(b, right)
        case _:
            return xs, Nil()


def merge(xs: Chain, ys: Chain) -> Chain:
    match xs:
        case Nil():
            return ys
        case Cons(a, more):
            match ys:
                case Nil():
                    return xs
                case Cons(b, rest):
                    if a <= b:
                        return Cons(a, merge(more, ys))
                    return Cons(b, merge(xs, rest))


def merge_sort(xs: Chain) -> Chain:
    match xs:
        case Nil() | Cons(_, Nil()):
            return xs
        case _:
            left, right = split(xs)
            return merge(merge_sort(left), merge_sort(right))


def weighted(xs: Chain, place: int) -> float:
    match xs:
        case Nil():
            return 0.0
        case Cons(head, tail):
            return place * head * head + weighted(tail, place + 1)


def sorted_loss(xs):
    """A linked list made from an array, sorted, and weighted by rank."""
    chain = Nil()
    for x in xs:
        chain = Cons(x, chain)
    return weighted(merge_sort(chain), 1) / len(xs)


def select(xs, k):
    """The k-th smallest, by partition in place (quickselect)."""
    a = xs.copy()
    low, high = 0, len(a) - 1
    while low < high:
        pivot, place = a[high], low
        for i in range(low, high):
            if a[i] < pivot:
                a[i], a[place] = a[place], a[i]
                place += 1
        a[place], a[high] = a[high], a[place]
        if place == k:
            low = high = place
        elif place < k:
            low = place + 1
        else:
            high = place - 1
    return a[k]


def median_loss(shift, xs):
    """Deviation from the median of shifted data."""
    middle = select(xs + shift * xs * xs, len(xs) // 2)
    return sum((x - middle) ** 2 for x in xs) / len(xs)


@dataclass(frozen=True)
class Leaf:
    weight: float


@dataclass(frozen=True)
class Join:
    left: Code
    right: Code


Code = Leaf | Join


def total_weight(code: Code) -> float:
    match code:
        case Leaf(weight):
            return weight
        case Join(left, right):
            return total_weight(left) + total_weight(right)


def code_length(code: Code, depth: float) -> float:
    match code:
        case Leaf(weight):
            return weight * depth - weight * math.log(weight)
        case Join(left, right):
            return code_length(left, depth + 1.0) + code_length(right, depth + 1.0)


def code_cost(code):
    return code_length(code, 0.0) / total_weight(code)


@dataclass(frozen=True)
class Circuit:
    """A ladder of resistors: Optional ends the recursion."""

    series: float
    parallel: float
    rest: Optional[Circuit]


def resistance(circuit: Optional[Circuit]) -> float:
    if circuit is None:
        return 1.0
    inner = resistance(circuit.rest)
    return circuit.series + circuit.parallel * inner / (circuit.parallel + inner)


@dataclass(frozen=True)
class Limb:
    """A rose tree: any number of children in a list."""

    length: float
    angle: float
    children: list[Limb]


def reach(limb: Limb, x: float, heading: float) -> float:
    turned = heading + limb.angle
    end = x + limb.length * math.cos(turned)
    return end * end + sum(reach(child, end, turned) for child in limb.children)


def tree_reach(limb):
    return reach(limb, 0.0, 0.1)


@dataclass(frozen=True)
class Position:
    value: float
    moves: list[Position]


def minimax(p, mine):
    """The best that one side can reach, with a little for how it gets there."""
    if not p.moves:
        return p.value
    values = [minimax(after, not mine) for after in p.moves]
    return 0.9 * (max(values) if mine else min(values)) + 0.1 * p.value


def game_value(p):
    return minimax(p, True)


def profile(p):
    """The leaves below, each in the shape of an array of its own until they are joined."""
    if not p.moves:
        return np.array([p.value, 1.0])
    parts = [profile(after) for after in p.moves]
    return np.concatenate(parts) * math.cos(p.value)


def game_profile(p):
    return np.sum(profile(p) ** 2)


def game(rng, n):
    sizes = [k for k in (n // 3, n // 3, n - 1 - 2 * (n // 3)) if k > 0]
    return Position(float(rng.normal()), [game(rng, k) for k in sizes] if n > 1 else [])


def random_code(rng, n):
    if n <= 1:
        return Leaf(rng.uniform(0.2, 1.0))
    k = int(rng.integers(1, n))
    return Join(random_code(rng, k), random_code(rng, n - k))


def ladder(rng, n):
    rest = None
    for _ in range(n):
        rest = Circuit(*rng.uniform(0.5, 1.0, 2).tolist(), rest)
    return rest


def limb(rng, n):
    sizes = [k for k in (n // 3, n // 3, n - 1 - 2 * (n // 3)) if k > 0]
    return Limb(
        *(0.3 * rng.normal(size=2)).tolist(), [limb(rng, k) for k in sizes] if n > 1 else []
    )


PROGRAMS = [
    real(
        "search_tree",
        search_tree,
        lambda r, n: (r.permutation(n) * 1.0, r.normal(size=n)),
        (0, 1),
        (3, 8),
        growth=(10, 60, 300),
    ),
    real("merge_sort", sorted_loss, lambda r, n: (r.normal(size=n),), growth=(10, 60, 300)),
    real("median_loss", median_loss, lambda r, n: (0.1, r.normal(size=n)), (0, 1), (3, 9)),
    real("code_cost", code_cost, lambda r, n: (random_code(r, n),), (0,), (3, 8)),
    real("resistance", resistance, lambda r, n: (ladder(r, n),), (0,), (3, 8)),
    real("game_value", game_value, lambda r, n: (game(r, n),), (0,), (2, 9)),
    real("game_profile", game_profile, lambda r, n: (game(r, n),), (0,), (2, 9)),
    real("tree_reach", tree_reach, lambda r, n: (limb(r, n),), (0,), (3, 9)),
]
