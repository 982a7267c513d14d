"""A StopIteration of the function that ``map`` or ``filter`` was given ends the items in Python:
refused, since compiled code would let it out."""

from __future__ import annotations

import itertools

import pytest

import pullback as pb


def doubled(x):
    if x > 3.0:
        raise StopIteration
    return 2.0 * x


def outer(x):
    return doubled(x) + 1.0


def careful(x):
    try:
        return doubled(x)
    except StopIteration:
        return 0.0


def looped(xs):
    total = 0.0
    for y in map(doubled, xs):
        total += y
    return total


@pytest.mark.parametrize(
    "f",
    [lambda xs: sum(map(doubled, xs)), looped, lambda xs: sum(map(outer, xs)),
     lambda xs: sum(filter(doubled, xs)), lambda xs: sum(map(lambda x: doubled(x), xs)),
     lambda xs: sum(itertools.takewhile(doubled, xs)),
     lambda xs: sum(itertools.starmap(doubled, [(x,) for x in xs]))],
)  # fmt: skip
def test_the_end_of_items_is_refused(f) -> None:
    with pytest.raises(pb.PullbackError, match="may raise StopIteration, which ends"):
        pb.jit(f)([1.0, 2.0, 5.0, 3.0])


@pytest.mark.parametrize(
    "f",
    [lambda xs: sum(map(careful, xs)), lambda xs: doubled(xs[0]) + sum(map(abs, xs)),
     lambda xs: sum(y for y in filter(careful, xs))],
)  # fmt: skip
def test_what_is_caught_or_outside_of_the_items_compiles(f) -> None:
    xs = [1.0, 2.0, 5.0, 3.0]
    assert pb.jit(f)(xs) == f(xs)
