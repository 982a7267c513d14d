"""How often the front end runs a program: once as it is, and where that is refused once more with
references to its objects, if what these hold was seen in the first run."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import pullback as pb
from pullback.frontend import specialise


class Node:
    def __init__(self, value: float) -> None:
        self.value, self.seen, self.log, self.next = value, 0, [0.0], None


class Box:
    def __init__(self, node: Node) -> None:
        self.node = node


def shared_numbers(x: float) -> float:
    one = Node(x)
    for k in range(3):
        one.seen += k
        one.log.append(one.value * k)
    other = one if x > 0.0 else Node(1.0)
    other.value *= 2.0
    return one.value * x + other.seen + sum(one.log)


def shared_objects(x: float) -> float:
    box = Box(Node(x))
    other = box if x > 0.0 else Box(Node(1.0))
    other.node.value *= x
    return box.node.value + x


def caught_extents(x: float) -> float:
    """No extents meet, so nothing was assumed of them that may be caught."""
    try:
        if x > 5.0:
            raise ValueError("large")
        return x * x
    except ValueError:
        return x


def printed(x: float) -> float:
    print("value", x)
    return x * x


def compared(x: float) -> float:
    a, b = np.array([x, 1.0]), np.array([x, 2.0])
    try:
        return float((a[: int(x)] + b).sum())
    except ValueError:
        return -x


@pytest.mark.parametrize(
    "f, most",
    [(shared_numbers, 2), (shared_objects, 2), (caught_extents, 1), (printed, 1), (compared, 2)],
)
def test_runs_of_a_program(
    f: Callable[[float], float], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = 0
    run = specialise._Attempt.run

    def counted(attempt: specialise._Attempt) -> specialise.Specialised:
        nonlocal runs
        runs += 1
        return run(attempt)

    monkeypatch.setattr(specialise._Attempt, "run", counted)
    for x in (1.5, 2.5):
        assert pb.jit(f)(x) == f(x)
    assert runs == most
