"""``heapq``, ``bisect`` and ``next``: what raises, what is refused, and ties without an order."""

import bisect
import heapq
from dataclasses import dataclass

import pytest

import pullback as pb


@dataclass(frozen=True)
class Node:
    value: float
    rest: "Node | None"


def test_an_empty_heap() -> None:
    def f(xs):
        heap = [x for x in xs]
        heapq.heapify(heap)
        return heapq.heappop(heap) + heapq.heappop(heap)

    assert pb.grad(f)([3.0, 1.0, 2.0]) == [0.0, 1.0, 1.0]
    with pytest.raises(IndexError):
        pb.jit(f)([1.0])


def test_a_heap_that_is_an_argument_is_updated() -> None:
    def f(xs):
        heapq.heappush(xs, 1.0)
        return xs[0] * xs[1]

    here, there = [2.0, 3.0], [2.0, 3.0]
    assert pb.jit(f)(here) == f(there) and here == there == [1.0, 3.0, 2.0]
    assert pb.grad(f)([2.0, 3.0]) == [0.0, 1.0]


def test_an_order_that_is_asked_for_on_ties_only() -> None:
    def f(xs):
        heap = [(x, Node(x * x, None)) for x in xs]
        heapq.heapify(heap)
        return heapq.heappop(heap)[1].value

    assert pb.grad(f)([3.0, 1.5]) == [0.0, 3.0]
    with pytest.raises(TypeError):
        pb.jit(f)([1.5, 1.5])
    with pytest.raises(pb.PullbackError):
        pb.jit(lambda x: min((Node(x, None), x), (Node(x, None), x))[1])(1.0)


def test_nodes_without_memory_may_be_shared() -> None:
    def push(items, item):
        items.append(item)

    def f(x):
        items = [Node(x, None)]
        push(items, Node(x * x, items[0]))
        items[0] = Node(5.0 * x, items[1])
        return items[1].rest.value + items[0].value * items[0].rest.value

    assert pb.grad(f)(2.0) == 1.0 + 15.0 * 4.0


def test_next_and_bisect() -> None:
    first = pb.jit(lambda xs: next(x for x in xs if x > 2.0))
    assert first([1.0, 3.0, 4.0]) == 3.0
    with pytest.raises(StopIteration):
        first([1.0])

    def kept(xs):
        items = (x for x in xs)
        return next(items, 0.0) + next(items, 0.0)

    assert pb.jit(kept)([1.0, 2.0]) == 3.0
    assert pb.jit(kept)([1.0]) == 1.0
    with pytest.raises(ValueError, match="non-negative"):
        pb.jit(lambda xs, k: bisect.bisect(xs, 1.0, k))([1.0], -1)


def test_what_is_read_of_none_where_a_condition_stands_before() -> None:
    def value(node):
        return node.value

    def f(x, deep):
        return value(None) if deep else x

    assert pb.jit(f)(1.5, False) == 1.5
    with pytest.raises(AttributeError, match="'value'"):
        pb.jit(f)(1.5, True)
    with pytest.raises(pb.PullbackError, match="has no attribute"):
        pb.jit(lambda x: value(None) + x)(1.0)
