"""Functions that are kept see their variables as these are when they are called: as in Python, or
refused."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from pullback.errors import PullbackError
from tests.frontend.harness import agrees, run

Function = Callable[..., float]


class Box:
    def __init__(self, value: Any) -> None:
        self.value = value


def appended(x: float, n: int) -> float:
    fs: list[Function] = []
    for k in range(n):
        fs.append(lambda: k * x)
    return fs[0]()


def called_in_later_rounds(x: float, n: int) -> float:
    total, fs = 0.0, []
    for k in range(n):
        fs.append(lambda: k * x)
        total += fs[0]()
    return total


def by_def(x: float, n: int) -> float:
    fs: list[Function] = []
    for k in range(n):

        def g() -> float:
            return k * x

        fs.append(g)
    return sum(f() for f in fs)


def of_a_while(x: float, n: int) -> float:
    fs: list[Function] = []
    k = 0
    while k < n:
        fs.append(lambda: k * x)
        k += 1
    return fs[0]()


def left_by_a_break(x: float, n: int) -> float:
    fs: list[Function] = []
    for k in range(n):
        fs.append(lambda: k * x)
        if k == 1:
            break
    return fs[0]()


def assigned_after_the_loop(x: float, n: int) -> float:
    fs: list[Function] = []
    for k in range(n):
        fs.append(lambda: k * x)
    k = 10
    return fs[0]()


def in_a_dict(x: float, n: int) -> float:
    d: dict[int, Function] = {}
    for k in range(n):
        d[k] = lambda: k * x
    return d[0]()


def by_setdefault(x: float, n: int) -> float:
    d: dict[int, Function] = {}
    for k in range(n):
        d.setdefault(k, lambda: k * x)
    return d[0]()


def stored(x: float, n: int) -> float:
    fs: list[Function] = [lambda: 0.0 for _ in range(n)]
    for k in range(n):
        fs[k] = lambda: k * x
    return fs[0]()


def inserted(x: float, n: int) -> float:
    fs: list[Function] = []
    for k in range(n):
        fs.insert(0, lambda: k * x)
    return fs[-1]()


def extended(x: float, n: int) -> float:
    fs: list[Function] = []
    for k in range(n):
        fs += [lambda: k * x, lambda: x]
    return fs[0]()


def in_tuples(x: float, n: int) -> float:
    fs: list[tuple[int, Function]] = []
    for k in range(n):
        fs.append((k, lambda: k * x))
    return fs[0][1]()


def in_objects(x: float, n: int) -> float:
    boxes = []
    for k in range(n):
        boxes.append(Box(lambda: k * x))
    return boxes[0].value()


def in_a_deque(x: float, n: int) -> float:
    q: deque[Function] = deque()
    for k in range(n):
        q.append(lambda: k * x)
    return q[0]()


def by_partial(x: float, n: int) -> float:
    fs: list[Function] = []
    for k in range(n):
        fs.append(partial(lambda a: k * a, x))
    return fs[0]()


def in_a_function_in_it(x: float, n: int) -> float:
    fs: list[Function] = []
    for k in range(n):
        fs.append(lambda: (lambda: k * x)())
    return fs[0]()


def in_a_comprehension(x: float, n: int) -> float:
    fs = [lambda: k * x for k in range(n)]
    return fs[0]()


def yielded(x: float, n: int) -> float:
    def each() -> Iterator[Function]:
        for k in range(n):
            yield lambda: k * x

    fs = list(each())
    return fs[0]()


def with_a_list_that_grows(x: float, n: int) -> float:
    xs, fs = [1.0], []
    for _ in range(n):
        fs.append(lambda: xs[0])
    xs[0] = x
    return fs[0]()


def with_an_object_that_changes(x: float, n: int) -> float:
    box, fs = Box(1.0), []
    for _ in range(n):
        fs.append(lambda: box.value)
    box.value = x
    return fs[0]()


REFUSED = [
    appended, called_in_later_rounds, by_def, of_a_while, left_by_a_break, assigned_after_the_loop,
    in_a_dict, by_setdefault, stored, inserted, extended, in_tuples, in_objects, in_a_deque,
    by_partial, in_a_function_in_it, in_a_comprehension, yielded,
]  # fmt: skip


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_what_would_see_a_later_value_is_refused(f: Callable[..., Any]) -> None:
    text = "captured '|captures the loop variable|may share memory with 'xs'"
    with pytest.raises(PullbackError, match=text) as caught:
        run(f, 1.5, 3)
    assert "test_late_binding.py" in str(caught.value)


def bound_by_default(x: float, n: int) -> float:
    fs: list[Function] = []
    for k in range(n):
        fs.append(lambda k=k: k * x)
    return sum(f() for f in fs)


def made_by_a_function(x: float, n: int) -> float:
    def times(k: int) -> Function:
        return lambda: k * x

    fs: list[Function] = []
    for k in range(n):
        fs.append(times(k))
    return fs[0]() + 10.0 * fs[1]()


def called_in_its_round(x: float, n: int) -> float:
    total = 0.0
    for k in range(n):
        fs = [lambda: k * x, lambda: k + x]
        total += fs[0]() * fs[1]()
    return total


def variables_that_stay(x: float, n: int) -> float:
    y = 2.0 * x
    fs: list[Function] = []
    for _ in range(n):
        fs.append(lambda: x * y)
    return sum(f() for f in fs)


def known_one_by_one(x: float, n: int) -> float:
    k = 1.0
    fs = [lambda: k * x]
    k = float(n)
    return fs[0]()


def of_an_unrolled_loop(x: float, n: int) -> float:
    d = {}
    for name in ("a", "b"):
        d[name] = lambda: x if name == "b" else -x
    return d["a"]()


def yielded_and_called_at_once(x: float, n: int) -> float:
    def each() -> Iterator[Function]:
        for k in range(n):
            yield lambda: k * x

    return sum(f() for f in each())


def recursion_that_appends(x: float, n: int) -> float:
    fs: list[Function] = []

    def step(k: int) -> None:
        if k == n:
            return
        fs.append(lambda: k * x)
        step(k + 1)

    step(0)
    return fs[1]() + 10.0 * fs[2]()


@pytest.mark.parametrize(
    "f",
    [
        bound_by_default, made_by_a_function, called_in_its_round, variables_that_stay,
        with_an_object_that_changes, with_a_list_that_grows,
        known_one_by_one, of_an_unrolled_loop, yielded_and_called_at_once, recursion_that_appends,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_what_sees_the_right_value_is_as_in_python(f: Callable[..., Any]) -> None:
    agrees(f, 1.5, 3)
