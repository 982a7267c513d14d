"""Lists of lists and objects in an order: ``<``, ``sorted``, heaps and queues."""

from __future__ import annotations

import functools
import heapq
import queue
from collections.abc import Callable
from dataclasses import dataclass
from queue import PriorityQueue
from typing import Any

import pytest

import pullback as pb
from tests.foreign.__main__ import is_right

XS = [3.0, 1.0, 2.0]


def heap_of_lists(xs):
    heap = []
    for i, x in enumerate(xs):
        heapq.heappush(heap, [x, i])
    total = 0.0
    while heap:
        x, i = heapq.heappop(heap)
        total += x * i
    return total


def heap_with_changes(xs):
    heap = [[x, i] for i, x in enumerate(xs)]
    heapq.heapify(heap)
    least = heapq.heappop(heap)
    least[0] += 5.0
    heapq.heappush(heap, least)
    return heap[0][0], least[0]


def compared(a, b, n):
    return a[:n] < b, a[:n] <= b[:n], a[n:] > b, a[:n] >= b[n:], tuple(a[:n]) < tuple(b)


def chosen(a, b, n):
    return max([a[:n], b]), min(a, b[:n])


def sorted_rows(given):
    rows = [[v for v in row] for row in given]
    rows.sort()
    return rows[0][0] * 2.0 + rows[1][1]


def sorted_parts(xs):
    return sorted([xs[i:] for i in range(len(xs))]), sorted(
        [tuple(xs[:i]) for i in range(len(xs))], reverse=True
    )


def stable(n):
    return sorted([[i % 3, i] for i in range(n)], key=lambda r: r[:1], reverse=True)


class Backwards:
    def __init__(self, key):
        self.key = key

    def __lt__(self, other):
        return self.key > other.key


@dataclass(order=True)
class Entry:
    weight: float
    number: int


def sorted_objects(xs, x):
    made = [Backwards(v * x) for v in xs]
    made.sort()
    return sum(v.key * i for i, v in enumerate(made))


def sorted_dataclasses(xs):
    return [e.number for e in sorted([Entry(x, i) for i, x in enumerate(xs)], reverse=True)]


def by_comparison(xs):
    return sorted(xs, key=functools.cmp_to_key(lambda a, b: b - a))


def breadth_first(graph, start):
    waiting = queue.Queue()
    waiting.put(start)
    seen = [start]
    while not waiting.empty():
        for v in graph[waiting.get()]:
            if v not in seen:
                seen.append(v)
                waiting.put(v)
    return seen


def by_priority(xs):
    waiting: PriorityQueue[tuple[float, int]] = PriorityQueue()
    for i, x in enumerate(xs):
        waiting.put((x, i))
    total = 0.0
    while waiting.qsize():
        x, i = waiting.get()
        total = total * 0.5 + x * i
    return total


def last_in(xs):
    waiting = queue.LifoQueue(maxsize=2)
    for x in xs:
        if waiting.full():
            break
        waiting.put(x)
    return waiting.get() * 2.0 + waiting.get()


def nothing_there(xs):
    waiting = queue.SimpleQueue()
    try:
        return waiting.get_nowait()
    except queue.Empty:
        return xs[0]


def counted(s):
    found = dict.fromkeys(s, 0)
    for c in s:
        found[c] += 1
    return found


def one_value(n):
    rows = dict.fromkeys(range(n), [])  # noqa: RUF024  # the one list is meant
    rows[0].append(1.0)
    return len(rows[1])


PROGRAMS = [
    (heap_of_lists, (XS,)),
    (heap_with_changes, (XS,)),
    (compared, ([1, 2, 3], [1, 2, 4], 2)),
    (compared, ([1.0, 2.0, 3.0], [1.0, 2.0], 2)),
    (chosen, ([1, 2, 3], [1, 2, 4], 2)),
    (sorted_rows, ([[2.0, 1.0], [1.0, 2.0], [3.0, 0.0]],)),
    (sorted_parts, ([3, 1, 2],)),
    (stable, (20,)),
    (sorted_objects, (XS, 2.0)),
    (sorted_dataclasses, (XS,)),
    (by_comparison, (XS,)),
    (breadth_first, ({0: [1, 2], 1: [2], 2: []}, 0)),
    (by_priority, (XS,)),
    (last_in, (XS,)),
    (nothing_there, (XS,)),
    (counted, ("hello",)),
    (one_value, (3,)),
]


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", None))
def test_value_and_derivative(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    is_right(f, args)


def a_bool_or_an_int(c):
    return (True if c > 0 else 2) is True


def test_what_may_have_been_a_bool_is_refused() -> None:
    with pytest.raises(pb.errors.IdentityError):
        pb.jit(a_bool_or_an_int)(1.0)


def sorted_reversed(xs):
    rows = [[x, 1.0] for x in xs]
    rows.sort()
    return rows[0][0]


def test_a_sort_by_comparisons_takes_n_log_n_steps() -> None:
    small, large = (pb.cost(sorted_reversed, [float(n - k) for k in range(n)]) for n in (128, 1024))
    assert large < 8 * 10 / 7 * 1.2 * small
    assert pb.cost(pb.grad(sorted_reversed), [float(-k) for k in range(1024)]) < 4 * large
