"""Arrays of one element where Python asks for a truth value, and numbers where NumPy asks for an
array: both as NumPy has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb


def until_it_is_small(x):
    """The loop of least squares: the norm of a column as a matrix of one element."""
    m = np.array([[2.0, 0.3], [0.1, 1.5]])
    v = np.array([[x], [0.5]])
    rounds = 0
    for _ in range(20):
        step = np.linalg.inv(m) @ v * 0.5
        v = v - m @ step
        rounds += 1
        if step.T @ step < 1e-3:
            break
    return v[0, 0] + rounds


def by_while(x):
    a = np.array([x])
    rounds = 0
    while a < 10.0:
        a = a * 1.7
        rounds += 1
    return a[0] + rounds


def by_words(x):
    a, b = np.array([x]), np.array([[1.0 - x]])
    known = a > 0.1 and not b
    return (a * 2.0 if known or b > 0.2 else b[0])[0] * x


def in_a_comprehension(x):
    rows = [np.array([x * k]) for k in range(5)]
    return sum(r[0] for r in rows if r > 1.0) + len([1 for r in rows if not r])


class Box:
    def __init__(self, x):
        self.state = np.array([x])

    def __bool__(self):
        return bool(self.state > 1.0)

    def step(self):
        self.state = self.state * 1.5 if self else self.state + 0.25
        return self


def in_a_method(x):
    b = Box(x)
    for _ in range(4):
        b.step()
    return b.state[0]


def of_ints_and_bools(x):
    n, flags = np.array([3]), np.array([[x > 0.5]])
    while n:
        n = n - 1
        if flags:
            x = x * 1.1
    return x


def complex_ones(x):
    z = np.array([complex(x, 0.0)])
    return x * 2.0 if z else x


def caught(x):
    total = 0.0
    for n in range(3):
        try:
            large = bool(np.ones(n) * x > 0.1)
            total += x if large else 0.0
        except ValueError as e:
            total += len(str(e)) * x * x
    return total


def sizes(x):
    """Norms of numbers."""
    v = np.array([x, -2.0 * x, 3.0])
    nearest = [min([np.linalg.norm(v.max() - c), np.linalg.norm(c - v.min())]) for c in v]
    return sum(nearest) + np.linalg.norm(-x) * 3.0 + np.linalg.norm(np.array(-x))


PROGRAMS = [
    until_it_is_small, by_while, by_words, in_a_comprehension, in_a_method, of_ints_and_bools,
    complex_ones, caught, sizes,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_value_and_derivatives(f: Callable[[float], Any]) -> None:
    x = 0.7
    assert pb.jit(f)(x) == pytest.approx(f(x), rel=1e-14)
    difference = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    ways = [pb.grad(f)(x), pb.grad(f, method="dual")(x), pb.jvp(f, (x,), (1.0,))[1]]
    assert ways == pytest.approx([difference] * 3, rel=1e-7)
    assert pb.vmap(f)(np.array([x, 0.71])) == pytest.approx([f(x), f(0.71)], rel=1e-14)


def chosen(a):
    return 1.0 if a > 0.0 else 2.0


@pytest.mark.parametrize("shape", [(0,), (1,), (2,), (1, 1), (2, 0), (1, 3)])
def test_what_the_run_gives(shape: tuple[int, ...]) -> None:
    """How many elements an argument has only the run knows: then it is NumPy's error."""
    a = np.ones(shape)
    try:
        expected = chosen(a)
    except ValueError as e:
        with pytest.raises(ValueError) as found:
            pb.jit(chosen)(a)
        assert str(found.value) == str(e)
    else:
        assert pb.jit(chosen)(a) == expected


def looked_for(a):
    return 1.0 if a in [a + 1.0, a] else 0.0


def counted(a):
    return [a, a + 1.0].count(a)


def at(a):
    return [a + 1.0, a].index(a)


@pytest.mark.parametrize("f", [looked_for, counted, at], ids=lambda f: f.__name__)
def test_arrays_as_items_are_objects_first(f: Callable[[Any], Any]) -> None:
    with pytest.raises(pb.PullbackError, match="compared by their identity"):
        pb.jit(f)(np.ones(1))
