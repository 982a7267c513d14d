"""``collections.deque``: queues, windows, stacks and rings, both ends, against Python's own."""

from __future__ import annotations

import collections
import collections.abc
from collections import deque
from collections.abc import Callable
from typing import Any

import pytest

import pullback as pb
from pullback.errors import PullbackError
from tests.campaign import part
from tests.foreign.__main__ import is_right

XS = [1.0, 2.0, 3.0, 4.0, 5.0]


def queue(xs):
    d, s = deque(), 0.0
    for x in xs:
        d.append(x * x)
    while d:
        s = s * 0.5 + d.popleft()
    return s


def moving(xs):
    d, s = deque(maxlen=3), 0.0
    for x in xs:
        d.append(x)
        s += sum(d) / len(d) * d[-1] * d[0]
    return s


def moving_left(xs):
    d = deque(xs, maxlen=2)
    d.appendleft(xs[0] * 7.0)
    return d[0] * d[1] if d.maxlen == 2 else 0.0


def both_ends(xs):
    d = collections.deque(xs)
    d.appendleft(3.0 * xs[0])
    s = d.pop() * d[0]
    while len(d) > 1:
        s = s * d.popleft() + d.pop()
        d.append(s)
        d.popleft()
    return s


def breadth_first(x, n):
    q, s = deque([(0, x)]), 0.0
    while q:
        k, v = q.popleft()
        s += v
        if 2 * k + 2 < n:
            q.append((2 * k + 1, v * 0.5))
            q.append((2 * k + 2, v * v))
    return s


def rotated(xs):
    d, s = deque(xs), 0.0
    for _ in range(len(xs)):
        d.rotate(2)
        s = s * 0.7 + d[0] * d[1]
    d.rotate(-1)
    d.reverse()
    d.extend(xs)
    d.extendleft(xs[:2])
    return s + sum((i + 1) * v for i, v in enumerate(d)) + d.count(xs[0]) + (xs[0] in d)


def ring(x, n):
    d, s = deque(range(n)), 0.0
    while len(d) > 1:
        d.rotate(-2)
        s += x * d.popleft()
    return s + d[0]


def maximum_of_windows(xs, k):
    q, out = deque(), []
    for i, x in enumerate(xs):
        while q and xs[q[-1]] <= x:
            q.pop()
        q.append(i)
        if q[0] == i - k:
            q.popleft()
        if i >= k - 1:
            out.append(xs[q[0]])
    return sum(v * v for v in out)


def backwards(xs):
    return sum(x * (i + 1) for i, x in enumerate(reversed(deque(xs))))


def copied(xs):
    d = deque(xs)
    e = d.copy()
    d.clear()
    d.append(xs[0])
    d += xs[1:3]
    return d[0] * sum(e) + len(d) * sum(a * b for a, b in zip(d, e, strict=False))


def assigned(xs):
    d = deque(xs)
    d[0] += xs[1]
    d[-1] *= 2.0
    d.appendleft(xs[2])
    d[1] = d[0] * d[2]
    return d[0] + 2.0 * d[1] + 3.0 * d[5]


def changed_inside(xs):
    d = deque(xs)
    d.insert(1, 10.0 * xs[0])
    d.remove(xs[2])
    return d[0] + 2.0 * d[1] + 3.0 * d[2] + d.index(xs[3]) + len(d)


def equal(xs):
    same = deque(xs) == deque(xs) and deque(xs) != deque(xs[1:]) and deque(xs) != xs
    kinds = isinstance(deque(), deque) and isinstance(deque(), collections.abc.Sequence)
    return sum(xs) if same and kinds and not isinstance(deque(), list) else 0.0


class Line:
    def __init__(self):
        self.waiting = deque()

    def put(self, x):
        self.waiting.append(x)

    def get(self):
        return self.waiting.popleft()


def in_an_object(xs):
    line = Line()
    for x in xs:
        line.put(x * x)
    return line.get() * line.get()


class Guarded:
    """A queue that is taken from in front of the error, as people write it."""

    def __init__(self):
        self.items = []
        self.first = 0

    def push(self, x):
        self.items.append(x)
        if len(self.items) - self.first > 3:
            self.take()

    def take(self):
        if len(self.items) > self.first:
            self.first += 1
            return self.items[self.first - 1]
        raise IndexError("an empty queue")


def guarded(xs):
    line = Guarded()
    for x in xs:
        line.push(x * x)
    return line.take() * line.take()


def turned(xs):
    d, s = deque(xs), 0.0
    while len(d) > 1:
        d.rotate(-1)
        s = 0.5 * s + d.popleft()
    return s * d[0]


def several(xs):
    lines = [deque() for _ in range(3)]
    for i, x in enumerate(xs):
        lines[i % 3].append(x)
    return sum(lines[0]) * sum(lines[1])


def chosen(xs):
    d = deque(xs) if xs[0] > 0 else deque()
    return sum(x * x for x in d)


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (queue, (XS,)), (moving, (XS,)), (moving_left, (XS,)), (both_ends, (XS,)),
    (breadth_first, (0.7, 15)), (rotated, (XS,)), (ring, (2.0, 7)),
    (maximum_of_windows, ([1.0, 3.0, -1.0, -3.0, 5.0, 3.5, 6.0, 7.0], 3)), (backwards, (XS,)),
    (copied, (XS,)), (assigned, (XS,)), (changed_inside, (XS,)), (equal, (XS,)),
    (in_an_object, (XS,)), (guarded, (XS,)), (turned, (XS,)), (several, (XS,)), (chosen, (XS,)),
]  # fmt: skip
TAKEN = part("values", CASES, 3)


@pytest.mark.parametrize(("f", "args"), TAKEN, ids=[f.__name__ for f, _ in TAKEN])
def test_value_and_derivative(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    is_right(f, args)


def empty_left(x):
    return x + deque().popleft()


def too_far(x):
    return deque([x])[1]


def no_room(x):
    return deque([x], -1)[0]


def not_there(x):
    deque([x]).remove(2.5)
    return x


@pytest.mark.parametrize("f", [empty_left, too_far, no_room, not_there], ids=lambda f: f.__name__)
def test_errors_are_python_s(f: Callable[[float], float]) -> None:
    with pytest.raises(Exception) as expected:
        f(1.0)
    with pytest.raises(type(expected.value), match=str(expected.value)):
        pb.jit(f)(1.0)


def longer_and_longer(xs):
    d = deque(xs)
    for x in d:
        d.append(x)
    return 0.0


def named_anew(xs):
    d = deque(xs)
    d.whatever = 3.0
    return d.whatever


def test_one_that_changes_while_it_is_looked_through() -> None:
    with pytest.raises(RuntimeError, match="deque mutated during iteration"):
        longer_and_longer(XS)
    with pytest.raises(RuntimeError, match="deque mutated during iteration"):
        pb.jit(longer_and_longer)(XS)


@pytest.mark.parametrize(
    ("f", "given", "text"),
    [(named_anew, XS, "no attribute 'whatever'")],
)
def test_refused(f: Callable[..., Any], given: object, text: str) -> None:
    with pytest.raises(PullbackError, match=text):
        pb.jit(f)(given)


@pytest.mark.parametrize("f", [queue, moving, guarded, turned], ids=lambda f: f.__name__)
def test_methods_of_the_ends_take_one_step(f: Callable[..., Any]) -> None:
    small, large = (pb.cost(f, [0.5] * n) for n in (100, 1000))
    assert large < 11 * small
    assert pb.cost(pb.grad(f), [0.5] * 1000) < 8 * large
