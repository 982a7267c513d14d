"""Objects that lead to themselves, or to others and nothing back, are as in Python; lists, dicts
and functions that would have themselves in them are refused where they are stored."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable
from typing import Any

import pytest

from tests.frontend.harness import agrees


class Link:
    def __init__(self, value: Any, to: Any = None) -> None:
        self.value, self.to = value, to


class Part:
    def __init__(self, whole: Any) -> None:
        self.whole = whole


class Whole:
    def __init__(self, value: float) -> None:
        self.value = value
        self.part = Part(self)


class WithCallback:
    def __init__(self, value: float) -> None:
        self.value = value
        self.call = lambda: self.double()

    def double(self) -> None:
        self.value *= 2.0


def to_itself(x: float) -> float:
    a = Link(x)
    a.to = a
    a.to.value += 1.0
    return a.value


def by_another_name(x: float) -> float:
    a = b = Link(x)
    b.to = a
    a.value += 1.0
    return b.to.value


def of_two(x: float) -> float:
    a = Link(x)
    b = Link(2.0, a)
    a.to = b
    a.value = x * x
    return a.to.to.value


def of_three(x: float) -> float:
    a = Link(x)
    a.to = Link(1.0, Link(2.0, a))
    a.value += 1.0
    return a.to.to.to.value


def only_read(x: float) -> float:
    a = Link(x)
    b = Link(2.0, a)
    a.to = b
    return a.to.to.value * b.value


def part_of_itself(x: float) -> float:
    a = Link(x)
    a.to = Link(2.0)
    a.to.to = a.to
    a.to.to.value += x
    return a.to.value


def list_in_itself(x: float) -> float:
    xs: list[Any] = [x, 0.0]
    xs[1] = xs
    xs[1][0] += 1.0
    return xs[0]


def object_in_its_list(x: float) -> float:
    a = Link(x, [])
    a.to.append(a)
    a.value += 1.0
    return a.to[0].value


def object_in_a_tuple(x: float) -> float:
    a = Link(x)
    a.to = (a, 1.0)
    a.to[0].value += 1.0
    return a.value


def object_in_a_deque(x: float) -> float:
    a = Link(x)
    a.to = deque([a])
    a.to[0].value += 1.0
    return a.value


def dict_in_itself(x: float) -> float:
    d: dict[str, Any] = {"value": x}
    d["me"] = d
    d["me"]["value"] += 1.0
    return d["value"]


def object_in_its_table(x: float, n: int = 3) -> float:
    table: dict[int, Link] = {}
    a = Link(x)
    table[n] = a
    a.to = table
    a.to[n].value += 1.0
    return a.value


def on_one_path(x: float) -> float:
    a = Link(x)
    if x > 0.0:
        a.to = a
    else:
        a.to = Link(2.0)
    a.to.value += 1.0
    return a.value


def by_setattr(x: float) -> float:
    a = Link(x)
    setattr(a, "to", a)  # noqa: B010  # on purpose
    a.to.value += 1.0
    return a.value


def in_a_constructor(x: float) -> float:
    whole = Whole(x)
    whole.part.whole.value += 1.0
    return whole.value


def by_a_function(x: float) -> float:
    a = Link(x)

    def more() -> None:
        a.value += 1.0

    a.to = more
    a.to()
    return a.value


def by_a_callback(x: float) -> float:
    a = WithCallback(x)
    a.call()
    return a.value


SHARED = [
    to_itself, by_another_name, of_two, of_three, only_read, part_of_itself, object_in_its_list,
    object_in_a_tuple, object_in_a_deque, object_in_its_table, on_one_path, by_setattr,
    in_a_constructor, by_a_function, by_a_callback, dict_in_itself, list_in_itself,
]  # fmt: skip


@pytest.mark.parametrize("f", SHARED, ids=lambda f: f.__name__)
def test_objects_may_lead_to_themselves(f: Callable[..., Any]) -> None:
    agrees(f, 1.5)


def chain(x: float) -> float:
    a = Link(x, Link(2.0, Link(3.0)))
    a.to.to.value += x
    a.to.value *= a.to.to.value
    return a.value + a.to.value


def shorter(x: float) -> float:
    a = Link(x, Link(2.0, Link(3.0 * x)))
    a.to = a.to.to
    a.to.value += 1.0
    return a.to.value


def rows_by_number(x: float) -> float:
    links = [Link(x * k, (k + 1) % 3) for k in range(3)]
    at = 0
    for _ in range(4):
        links[at].value += x
        at = links[at].to
    return links[0].value + 10.0 * links[1].value


def own_copy(x: float) -> float:
    a = Link(x)
    a.to = copy.copy(a)
    a.to.value += 1.0
    return a.value + 10.0 * a.to.value


def list_of_itself_copied(x: float) -> float:
    rows = [[x], [2.0]]
    rows[0] = [*rows[0], *rows[1]]
    rows[0].append(x)
    return sum(rows[0])


def ordered(rows: list[list[float]]) -> list[list[float]]:
    taken: list[list[float]] = []
    if len(rows) != 0:
        rows.sort()
        taken.append(rows[0])
        for row in rows[1:]:
            if taken[-1] != row:
                taken.append(row)
    return taken


def rows_of_sorted_numbers(x: float) -> float:
    rows: list[list[float]] = []
    for k in range(4):
        rows.append(sorted([x, 3.0 - k % 3]))
    return sum(a * b for a, b in ordered(rows))


def function_of_another(x: float) -> float:
    a, b = Link(x), Link(2.0)

    def more() -> float:
        return b.value * x

    a.to = more
    return a.to() + a.value


@pytest.mark.parametrize(
    "f",
    [
        chain, shorter, rows_by_number, own_copy, list_of_itself_copied, rows_of_sorted_numbers,
        function_of_another,
    ],
    ids=lambda f: f.__name__,
)
def test_what_leads_to_others_is_as_in_python(f: Callable[..., Any]) -> None:
    agrees(f, 1.5)
