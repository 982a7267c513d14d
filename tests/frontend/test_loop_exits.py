"""A ``return`` that only later rounds of a loop can reach: with types that the first has not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import pullback as pb


@dataclass(frozen=True)
class Leaf:
    value: float


@dataclass(frozen=True)
class Node:
    left: Leaf | Node
    right: Leaf | Node


def once_known(x: float) -> float:
    k = None
    for _ in range(3):
        if k is not None:
            return k
        k = x * 2.0
    return 0.0


def never_left(x: float) -> float:
    k = None
    while True:
        if k is not None:
            return k * x
        k = x * 2.0


def grown(x: float) -> float:
    k = Leaf(x)
    for _ in range(3):
        if isinstance(k, Node):
            return k.right.value * 3.0
        k = Node(k, k)
    return 0.0


def leftmost(tree: Any) -> float:
    while True:
        match tree:
            case Leaf(v):
                return v
            case Node(left, _):
                tree = left


def down(x: float) -> float:
    return leftmost(Node(Node(Leaf(x), Leaf(2.0)), Leaf(3.0)))


def by_an_inner_loop(x: float) -> float:
    k, n = None, 0
    while n < 3:
        n += 1
        for j in range(2):
            if k is not None:
                if j == 1:
                    return k * x
        k = x * 3.0
    return 0.0


def a_pair(x: float) -> Any:
    k = None
    while True:
        if k is not None:
            for i in range(3):
                if i == 2:
                    return k, i
        k = x * x


@pytest.mark.parametrize("f", [once_known, never_left, grown, down, by_an_inner_loop, a_pair])
def test_values(f: Any) -> None:
    assert pb.vjp(f, 1.5)[0] == f(1.5)


def test_gradients() -> None:
    assert pb.grad(once_known)(1.5) == 2.0
    assert pb.grad(never_left)(1.5) == 6.0
    assert pb.grad(grown)(1.5) == 3.0
    assert pb.grad(down)(1.5) == 1.0
    assert pb.grad(by_an_inner_loop)(1.5) == 9.0
