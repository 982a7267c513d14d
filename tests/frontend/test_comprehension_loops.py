"""``:=`` inside comprehensions: what is refused, and what it costs."""

import math

import pytest

import pullback as pb
from pullback.call import driver


def test_the_condition_is_evaluated_once():
    def level(n, x):
        if n == 0:
            return [x]
        return [y for v in level(n - 1, x) if (y := math.sin(v)) > 0.0]

    def f(n, x):
        return sum(level(n, x))

    costs = [pb.cost(f, n, 0.5) for n in (8, 16, 32)]
    assert costs[2] - costs[1] <= 2.1 * (costs[1] - costs[0])


def test_any_stops_where_python_does():
    def f(xs):
        found = any(1.0 / (v := x) > 2.0 for x in xs)
        return v if found else -v

    assert driver.run(f, ([4.0, 0.25, 0.0],)) == 0.25
    assert pb.grad(f)([4.0, 0.25, 0.0]) == [0.0, 1.0, 0.0]
    with pytest.raises(ZeroDivisionError):
        driver.run(f, ([4.0, 0.0],))


def test_a_name_that_no_item_set():
    def f(xs):
        ys = [(z := x) for x in xs if x > 1.0]
        return z + len(ys)

    assert driver.run(f, ([2.0, 0.0],)) == 3.0
    for g in (f, lambda xs: driver.run(f, (xs,))):
        with pytest.raises(UnboundLocalError, match="'z'"):
            g([0.5])


def read_early(xs, y=0.0):
    return sum([z for x in xs for y in [x, y] if (z := y) > 0.0])


def test_a_variable_of_the_comprehension_that_is_read_before_it_is_set():
    with pytest.raises(pb.PullbackError):
        driver.run(read_early, ([1.0, 2.0],))
