"""The sum of no floats is the int 0, also in texts; where that is not known, asking is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import pullback as pb
from pullback.call.driver import steps
from pullback.call.request import Request, What
from pullback.errors import PullbackError
from tests.frontend.harness import agrees, run


def type_of_sum(x: float) -> float:
    s = sum(t for t in [x, 2.0] if t > 100.0)
    return x if type(s) is int else -x


def of_a_filter_that_may_raise(x: float) -> float:
    s = sum(t for t in [x, 2.0] if 1.0 / t > 100.0)
    return x if isinstance(s, int) else -x


def matched(x: float) -> float:
    match sum(t for t in [x, 2.0] if t > 100.0):
        case float():
            return -x
        case _:
            return x


@pytest.mark.parametrize(
    "f", [type_of_sum, matched], ids=lambda f: f.__name__
)
def test_refused(f: Callable[[float], float]) -> None:
    with pytest.raises(PullbackError, match="an int and a float have met here") as caught:
        run(f, 1.5)
    assert "sum(xs, 0.0)" in str(caught.value)


def asked(x: float) -> float:
    s = sum([t for t in [x, 2.0] if t > 100.0])
    return x if isinstance(s, int) else -x


def asked_whether_a_float(x: float) -> float:
    s = sum(t for t in [x, 2.0] if t > 100.0)
    if isinstance(s, float):
        return s * x
    return -x


def texts(x: float) -> str:
    s = sum(t for t in [x, 2.0] if t > 100.0)
    return f"{s} {s!r} {s:>5} {[s]} {(s, {'a': s})} " + str(s) + repr(s) + format(s)


def texts_of_a_list(x: float) -> tuple[str, str]:
    s = sum([t * t for t in [x, -x] if t > 2.0])
    return f"{s}", f"{s * 2.0} {s + 1.0}"


def texts_in_a_loop(x: float) -> list[str]:
    return [f"{sum(t * k for t in [x, 2.0, -x] if t > 1.75 * k)}" for k in range(90)]


def sum_that_cancels(x: float) -> str:
    s = sum(t for t in [x, 2.0, -x, -2.0] if abs(t) < 3.0)
    return f"{s} {isinstance(s, int)}"


def made_a_float(x: float) -> tuple[bool, bool, str]:
    s = float(sum(t for t in [x, 2.0] if t > 100.0))
    return isinstance(s, float), type(s) is float, f"{s}"


def of_a_generator(x: float) -> float:
    def large() -> Iterator[float]:
        for t in [x, 2.0]:
            if t > 100.0:
                yield t

    s = sum(large())
    return x if isinstance(s, int) else -x


def from_a_float(x: float) -> float:
    s = sum([t for t in [x, 2.0] if t > 100.0], 0.0)
    return x if isinstance(s, int) else -x


def of_some(x: float) -> float:
    s = sum(x * k for k in range(3))
    return x if isinstance(s, float) else -x


def number_of_any_class(x: float) -> float:
    s = sum(t for t in [x, 2.0] if t > 100.0)
    return x if isinstance(s, (int, float)) else -x


@pytest.mark.parametrize(
    "f",
    [
        asked, asked_whether_a_float, texts, texts_of_a_list, texts_in_a_loop, sum_that_cancels,
        made_a_float, from_a_float, of_some, number_of_any_class, of_a_generator,
        of_a_filter_that_may_raise,
    ],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("x", [1.5, 300.0])
def test_as_in_python(f: Callable[[float], object], x: float) -> None:
    agrees(f, x)


def test_message_of_an_exception() -> None:
    def fails(xs: list[float]) -> float:
        s = sum(xs[1:])
        raise ValueError(f"the sum is {s}", s)

    for xs in ([1.0], [1.0, 0.5]):
        with pytest.raises(ValueError) as expected:
            fails(xs)
        with pytest.raises(ValueError) as caught:
            pb.jit(fails)(xs)
        assert repr(caught.value) == repr(expected.value)


def loss(xs: list[float]) -> float:
    return sum(x * x for x in xs if x > 0.5)


def loss_of_float(xs: list[float]) -> float:
    return sum((x * x for x in xs if x > 0.5), 0.0)


def test_costs_nothing_where_nobody_asks() -> None:
    xs = [0.25, 0.75, 1.5]
    request = Request(What.GRADIENT, (0,))
    assert steps(loss, [xs], request) == steps(loss_of_float, [xs], request)
