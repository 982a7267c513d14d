"""The search for who owns what a function returns ends, also where one fact speaks against another.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.convert import ownership
from pullback.convert.roots import Facts, roots_of_function
from pullback.core.terms import Function


def push(room: Any, sent: Any, seen: Any, at: int, goal: int, most: int) -> int:
    """Send along a path from one node to another; what is sent is noted in rows of ``sent``."""
    if at == goal:
        return most
    seen[at] = True
    for to in range(len(room)):
        if not seen[to] and sent[at][to] < room[at][to]:
            got = push(room, sent, seen, to, goal, min(most, room[at][to] - sent[at][to]))
            if got:
                sent[at][to] += got
                sent[to][at] -= got
                return got
    return 0


def sent_in_all(room: Any, start: int, goal: int) -> int:
    n, total = len(room), 0
    sent = [[0] * n for _ in range(n)]
    while True:
        more = push(room, sent, [False] * n, start, goal, 1 << 40)
        if not more:
            return total
        total += more


def weighted(x: float, room: Any, rounds: int) -> float:
    """The same with floats, so that there is a gradient: what is sent is a part of ``x``."""
    n = len(room)
    sent = [[0.0] * n for _ in range(n)]
    total = 0.0
    for _ in range(rounds):
        total += flow_of(x, room, sent, [False] * n, 0, n - 1)
    return total + sent[0][1] * sent[0][1]


def flow_of(x: float, room: Any, sent: Any, seen: Any, at: int, goal: int) -> float:
    if at == goal:
        return x
    seen[at] = True
    for to in range(len(room)):
        if not seen[to] and sent[at][to] < room[at][to]:
            got = flow_of(0.5 * x, room, sent, seen, to, goal)
            if got > 0.0:
                sent[at][to] += got
                sent[to][at] -= got
                return got
    return 0.0


@pytest.fixture
def few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: dict[str, int] = {}

    def counted(p: Facts, f: Function) -> None:
        counts[f.name] = counts.get(f.name, 0) + 1
        assert counts[f.name] < 20, f"{f.name} is looked at again and again"
        roots_of_function(p, f)

    monkeypatch.setattr(ownership, "roots_of_function", counted)


@pytest.mark.usefixtures("few_rounds")
def test_a_search_that_updates_rows_of_a_list_of_lists() -> None:
    fast = pb.jit(sent_in_all)
    small = [[0, 3, 2, 0], [0, 0, 1, 2], [0, 0, 0, 3], [0, 0, 0, 0]]
    assert fast(small, 0, 3) == sent_in_all(small, 0, 3) == 5
    rng = np.random.default_rng(0)
    for n in (5, 9):
        room = rng.integers(0, 9, (n, n)).tolist()
        assert fast(room, 0, n - 1) == sent_in_all(room, 0, n - 1)


@pytest.mark.usefixtures("few_rounds")
def test_its_gradient() -> None:
    room = [[0.0, 3.0, 2.0, 0.0], [0.0, 0.0, 1.0, 2.0], [0.0, 0.0, 0.0, 3.0], [0.0] * 4]
    assert pb.jit(weighted)(0.8, room, 7) == pytest.approx(weighted(0.8, room, 7), rel=1e-14)
    step = 1e-6
    ends = [weighted(0.8 + h, room, 7) for h in (step, -step)]
    slope = (ends[0] - ends[1]) / (2 * step)
    assert pb.grad(weighted)(0.8, room, 7) == pytest.approx(slope, rel=1e-7)
