"""StopIteration that leaves a generator is a RuntimeError (PEP 479); everything else goes as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import pullback as pb


def asks_twice(x: float) -> Iterator[float]:
    it = iter([x])
    yield next(it)
    yield next(it)


def uncaught(x: float) -> float:
    return sum(asks_twice(x))


def caught_outside(x: float) -> float:
    try:
        return sum(asks_twice(x))
    except StopIteration:
        return 100.0
    except RuntimeError as e:
        return 200.0 if e.args[0] == "generator raised StopIteration" else 300.0


def raised_by_hand(x: float) -> float:
    def g() -> Iterator[float]:
        yield x
        raise StopIteration(3)

    return sum(g())


def caught_inside(x: float) -> float:
    def g() -> Iterator[float]:
        it = iter([x, 2.0 * x])
        while True:
            try:
                v = next(it)
            except StopIteration:
                return
            yield v

    return sum(g())


def handed_on(x: float) -> float:
    def h() -> Iterator[float]:
        yield from asks_twice(x)

    try:
        return sum(h())
    except RuntimeError:
        return 200.0


def advanced(x: float) -> float:
    g = asks_twice(x)
    try:
        return next(g) + next(g)
    except RuntimeError:
        return 200.0


def its_own_end(x: float) -> float:
    def g() -> Iterator[float]:
        yield x

    it = g()
    try:
        return next(it) + next(it)
    except StopIteration:
        return 100.0


def in_a_generator_expression(x: float) -> float:
    it = iter([x, 2.0])
    try:
        return sum(next(it) for _ in range(5))
    except StopIteration:
        return 100.0
    except RuntimeError:
        return 200.0


def in_a_list(x: float) -> float:
    it = iter([x, 2.0])
    try:
        return sum([next(it) for _ in range(5)])
    except StopIteration:
        return 100.0
    except RuntimeError:
        return 200.0


def in_the_body_of_a_loop(x: float) -> float:
    def g() -> Iterator[float]:
        yield x
        yield 2.0

    it, s = iter([x]), 0.0
    try:
        for v in g():
            s += v * next(it)
    except StopIteration:
        return 100.0
    return s


class Pairs:
    def __init__(self, xs: list[float]) -> None:
        self.xs = xs

    def __iter__(self) -> Iterator[float]:
        it = iter(self.xs)
        for _ in range(2):
            yield next(it) * next(it)


def by_a_method(x: float) -> float:
    try:
        return sum(Pairs([x, 2.0, x]))
    except RuntimeError:
        return 200.0


def outcome(f: Callable[..., Any], *args: Any) -> Any:
    try:
        return f(*args)
    except Exception as e:
        cause = e.__cause__
        return type(e), e.args, type(cause), None if cause is None else cause.args


@pytest.mark.parametrize(
    "f",
    [
        uncaught, caught_outside, raised_by_hand, caught_inside, handed_on, advanced, its_own_end,
        in_a_generator_expression, in_a_list, in_the_body_of_a_loop, by_a_method,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_as_in_python(f: Callable[..., Any]) -> None:
    assert outcome(pb.jit(f), 1.5) == outcome(f, 1.5)


def second(it: Iterator[float]) -> float:
    next(it)
    return next(it)


def test_a_helper_that_may_stop_is_refused() -> None:
    def f(x: float) -> float:
        def g() -> Iterator[float]:
            yield second(iter([x]))

        return sum(g())

    with pytest.raises(pb.PullbackError, match="may raise StopIteration") as caught:
        pb.jit(f)(1.5)
    assert "yield second(iter([x]))" in str(caught.value)
