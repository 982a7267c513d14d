"""Sets that a function finds around it: what they hold is known, and may be another time other."""

from __future__ import annotations

import copy
from collections import UserDict, deque
from typing import Any

import pytest

import pullback as pb
from pullback.errors import MutationError

# mypy: disable-error-code="no-untyped-def, no-untyped-call, type-arg"

WORDS = {"c", "d"}
NUMBERS = {1, 2}
MANY = set(range(0, 200, 3))
WIDE = {2**70 + k for k in range(12)} | {1, 2}
COSTS = {2**70 + k: 1.0 * k for k in range(12)} | {1: 5.0, 2: 7.0}
NAMES = frozenset(f"name {k}" for k in range(40))
FLOATS = frozenset([1.0, 2.0, float("nan")])
PAIRS = {("a", 1), ("b", 2)}
MIXED = {1, "a"}
HELD = {"s": {"a"}}
QUEUE = deque([1.0, 2.0])
OTHER = UserDict({"a": 1.0})


def word(x, k):
    return x if k in WORDS else 2 * x


def number(x, k):
    return x if k in MANY else 2 * x


def wide(x, k):
    return (x if k in WIDE else 2 * x) + (3.0 if k in COSTS else 0.0)


def name(x, k):
    return x if k in NAMES else 2 * x


def real(x, k):
    return x if k in FLOATS else 2 * x


def pair(x, k):
    return x if (k, 1) in PAIRS else 2 * x


def mixed(x, k):
    return x if k in MIXED and k not in HELD["s"] else 2 * x


def without_arguments(x, k):
    return x * len(WORDS) + (1.0 if "c" in WORDS and 7 not in NUMBERS else 0.0) + len(NAMES)


def in_order(x, k):
    out = 0.0
    for v in sorted(NUMBERS):
        out = 10.0 * out + v * x
    return out * sum(NUMBERS) + max(NUMBERS) - min(NUMBERS)


def algebra(x, k):
    more = WORDS.union({"z"})
    more |= {"y"}
    return x * (len(WORDS - {"c"}) + 10 * len({"c"} - WORDS) + 100 * len(WORDS ^ {"u"})
                + 1000 * len(more & {"z", "d"}) + 10000 * WORDS.isdisjoint({"c"}))  # fmt: skip


def in_a_loop(x, k):
    return sum(x * v for v in range(50) if v in MANY)


@pytest.mark.parametrize(
    ("f", "keys"),
    [
        (word, ["c", "zz"]), (number, [0, 3, 4, -3, 198, 500]), (name, ["name 3", "name", "c"]),
        (wide, [1, 2, 4, -5, 2**62]),
        (real, [1.0, 3.0, float("nan"), 2]), (pair, ["a", "b"]), (mixed, [1, 2, "a", "b"]),
        (without_arguments, [0]), (in_order, [0]), (algebra, [0]), (in_a_loop, [0]),
    ],
    ids=lambda v: v.__name__ if callable(v) else "",
)  # fmt: skip
def test_value_and_derivative(f: Any, keys: list[Any]) -> None:
    for k in keys:
        value, slope = pb.value_and_grad(f)(0.5, k)
        assert value == f(0.5, k)
        assert slope == pytest.approx((f(1.5, k) - f(0.5, k)), rel=1e-9)


@pytest.mark.parametrize(
    ("f", "held", "change"),
    [
        (lambda x: x if {"c", "d"} == WORDS else 2 * x, WORDS, lambda s: s.add("b")),
        (lambda x: x if "b" in WORDS else 2 * x, WORDS, lambda s: s.add("b")),
        (lambda x: x if WORDS else 2 * x, WORDS, lambda s: s.clear()),
        (lambda x: x * len(f"{NUMBERS}"), NUMBERS, lambda s: s.add(1000)),
        (lambda x: x * len(NUMBERS), NUMBERS, lambda s: s.add(1000)),
        (lambda x: x if HELD["s"] == {"a"} else 2 * x, HELD["s"], lambda s: s.add("b")),
        (lambda x: x if QUEUE else 2 * x, QUEUE, lambda s: s.clear()),
        (lambda x: x * len(str(QUEUE)), QUEUE, lambda s: s.append(1000.0)),
        (lambda x: x if OTHER else 2 * x, OTHER, lambda s: s.clear()),
        (lambda x: x * len(f"{OTHER}"), OTHER, lambda s: s.update(b=2.0)),
    ],
)
def test_what_changes_between_calls_is_seen(f: Any, held: Any, change: Any) -> None:
    before, compiled = copy.copy(held), pb.jit(f)
    try:
        assert compiled(1.0) == f(1.0)
        change(held)
        assert compiled(1.0) == f(1.0)
    finally:
        held.clear()
        (held.extend if isinstance(held, deque) else held.update)(before)


def under_another_name(x):
    words = WORDS
    words |= {"q"}
    return x


def in_a_dict(x):
    HELD["s"] |= {"q"}
    return x


def by_a_function(x):
    def put(s):
        s.discard("c")

    put(WORDS)
    return x


@pytest.mark.parametrize("f", [under_another_name, by_a_function])
def test_an_update_is_seen(f: Any) -> None:
    before = set(WORDS)
    try:
        f(1.0)
        want = set(WORDS)
        for operator, value in ((pb.jit, 1.0), (pb.grad, 1.0)):
            WORDS.clear()
            WORDS.update(before)
            assert operator(f)(1.0) == value and want == WORDS
    finally:
        WORDS.clear()
        WORDS.update(before)


def test_an_update_is_refused() -> None:
    with pytest.raises(MutationError, match="the set is outside of compiled code"):
        pb.jit(in_a_dict)(1.0)
    assert {"s": {"a"}} == HELD
