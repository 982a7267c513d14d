"""Tuples of a length that only the run knows are lists; what tells the two apart is refused."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

import pullback as pb
from pullback.errors import PullbackError, UnsupportedError


def by_isinstance(xs):
    t = tuple(2.0 * x for x in xs)
    return 1.0 * sum(t) if isinstance(t, tuple) else 2.0 * sum(t)


def by_isinstance_before(xs):
    """The tuple comes only after the question."""
    t = [x for x in xs]
    for _ in range(2):
        s = 1.0 if isinstance(t, list) else 2.0
        t = tuple(x * s for x in t)
    return sum(t)


def in_a_function(xs):
    def weight(t):
        return 1.0 if isinstance(t, list) else 2.0

    return weight(xs) * weight(tuple(xs))


def by_pattern(xs):
    match tuple(xs):
        case tuple():
            return xs[0]
        case _:
            return 2.0 * xs[0]


def by_type(xs):
    t = tuple(xs)
    return xs[0] if type(t) is tuple else 2.0 * xs[0]


def by_equality(xs):
    return xs[0] if tuple(xs) == [x for x in xs] else 2.0 * xs[0]


@dataclass(frozen=True)
class Rose:
    value: float
    children: "tuple[Rose, ...]"


@dataclass(frozen=True)
class Fern:
    value: float
    leaves: "Sequence[Fern]"


def rose(r):
    s = r.value if isinstance(r.children, tuple) else 2.0 * r.value
    for c in r.children:
        s += rose(c)
    return s


def fern(r):
    s = r.value if isinstance(r.leaves, list) else 2.0 * r.value
    for c in r.leaves:
        s += fern(c)
    return s


XS = [0.5, -1.0, 2.0]


@pytest.mark.parametrize(
    ("f", "x"),
    [
        *((f, XS) for f in (by_isinstance, by_isinstance_before, in_a_function, by_pattern)),
        *((f, XS) for f in (by_type, by_equality)),
        (rose, Rose(1.0, (Rose(2.0, ()),))),
        (fern, Fern(1.0, (Fern(2.0, ()),))),
    ],
)
def test_told_apart(f: Callable[[Any], float], x: Any) -> None:
    with pytest.raises(UnsupportedError, match="list or a tuple") as e:
        pb.grad(f)(x)
    assert "Instead" in str(e.value)


def only_lists(xs):
    """Ask the same questions without tuples of unknown length; one of known length is no list."""
    pair = tuple([xs[0], xs[1]])
    s = 1.0 if isinstance(xs, list) and isinstance(pair, tuple) and xs == [*xs] else 2.0
    match xs:
        case list():
            return s * sum(xs)
        case _:
            return 0.0


def only_tuples(xs):
    """Use tuples of unknown length without asking the questions."""
    t = tuple(x * x for x in xs)
    return sum(t[1:]) * t[0] * (2.0 if isinstance(t, list | tuple) else 1.0)


@pytest.mark.parametrize("f", [only_lists, only_tuples])
def test_not_told_apart(f: Callable[[list[float]], float]) -> None:
    value, ct = pb.value_and_grad(f)(XS)
    assert value == pytest.approx(f(XS))
    step = 1e-6
    for k in range(len(XS)):
        more, less = ([x + d * (i == k) for i, x in enumerate(XS)] for d in (step, -step))
        assert ct[k] == pytest.approx((f(more) - f(less)) / (2 * step), abs=1e-6)


def that_grows(xs):
    t = ()
    for x in xs:
        t = t + (x,)
    return sum(t)


def test_a_tuple_that_grows_in_a_loop_is_refused_with_the_rewrite() -> None:
    with pytest.raises(PullbackError, match="a list may grow in a loop"):
        pb.grad(that_grows)(XS)
