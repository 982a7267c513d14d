"""``_asdict`` of named tuples: a new dict of the fields."""

import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import pullback as pb
from pullback.errors import PullbackError
from tests.foreign.__main__ import is_right
from tests.frontend.harness import agrees


class Stats(NamedTuple):
    mean: float
    std: float
    n: int = 3


class Rows(NamedTuple):
    rows: list[float]
    k: float


class Record:
    def __init__(self, x: float) -> None:
        self.x = x


Point = namedtuple("Point", "x y")


def updated(x: float) -> float:
    s = Stats(x, 2.0 * x)
    d = s._asdict()
    d["mean"] *= 3.0
    d["more"] = x
    return sum(v * v for v in d.values()) + len(d) + d["std"] * s.mean


def in_order(p: Any) -> float:
    total = 0.0
    for i, (name, v) in enumerate(p._asdict().items()):
        total += v * (i + 1) if name != "y" else math.sin(v)
    return total


def as_keywords(x: float) -> float:
    def f(mean: float, std: float, n: int) -> float:
        return mean * std**n

    return f(**Stats(x, x + 1.0)._asdict())


def shared(x: float) -> float:
    """The dict has the tuple's own list."""
    t = Rows([x, 1.0], x)
    d = t._asdict()
    d["rows"].append(3.0 * x)
    return sum(t.rows) * d["k"]


def shared_other_way(x: float) -> float:
    t = Rows([x, 1.0], x)
    d = t._asdict()
    t.rows[0] += 1.0
    return sum(d["rows"]) * float(d["k"])


def of_an_object(x: float) -> float:
    r: Any = Record(x)
    return float(r._asdict()["x"])


CASES = [
    (updated, (1.3,)), (in_order, (Point(0.4, 0.7),)), (as_keywords, (0.6,)), (shared, (0.7,)),
    (shared_other_way, (0.7,)),
]  # fmt: skip
REFUSED = [(of_an_object, "_asdict")]


@pytest.mark.parametrize(("f", "args"), CASES)
def test_value_and_derivative(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)  # the evaluator
    is_right(f, args)  # native code, and finite differences
    pb.check_grads(f, args)  # forward and reverse mode
    assert pb.grad(f, method="dual")(*args) == pytest.approx(pb.grad(f)(*args), rel=1e-13)


@pytest.mark.parametrize(("f", "text"), REFUSED)
def test_refused(f: Callable[..., Any], text: str) -> None:
    with pytest.raises(PullbackError, match=text):
        pb.jit(f)(0.7)
