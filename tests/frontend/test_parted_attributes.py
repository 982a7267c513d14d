"""Attributes of objects that are of another type after a round or on another path: whoever assigns
them anew before they are read is compiled; a read where the types have met is refused."""

import copy

import numpy as np
import pytest

import pullback as pb
from tests.campaign import rotated
from tests.frontend.harness import agrees


class Filter:
    """A filter whose innovation is something else before the first measurement."""

    def __init__(self, n):
        self.x, self.y, self.gain = np.zeros(n), {"of": n}, 0.5
        self.log = None

    def update(self, z):
        self.y = z - self.x
        self.x = self.x + self.gain * self.y
        self.log = self.y.sum()


class Pair:
    """Two of them."""

    def __init__(self, n):
        self.first, self.second = Filter(n), Filter(n)


def in_a_loop(a):
    f = Filter(2)
    for k in range(4):
        f.update(np.array([a, k * a]))
    return f.x[0] * f.x[1] + f.log


def on_a_path(a):
    f = Filter(2)
    if a > 0.2:
        f.update(np.array([a, 2.0]))
    f.update(np.array([1.0, a]))
    return f.x[1] + f.y[0]


def inside_another(a):
    p, n = Pair(1), 5
    while n > 0:
        p.first.update(np.array([a * n]))
        if n % 2:
            p.second.update(np.array([a]))
        n -= 1
    return p.first.x[0] + 3.0 * p.second.x[0]


def left_early(a):
    f = Filter(1)
    for k in range(9):
        f.update(np.array([a * k]))
        if f.x[0] > 1.0:
            break
        f.y = "nothing"
    g = copy.deepcopy(f)
    g.update(np.array([a]))
    return f.x[0] + g.x[0] * g.y[0]


def in_a_recursion(a):
    f = Filter(1)

    def down(k):
        if k == 0:
            return f
        f.update(np.array([a * k]))
        return down(k - 1)

    return down(4).x[0]


def never_gone_round(a):
    f = Filter(1)
    for k in range(int(a)):
        f.update(np.array([a * k]))
    return f.x[0] + a


PROGRAMS = [in_a_loop, on_a_path, inside_another, left_early, in_a_recursion, never_gone_round]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_python(f):
    for a in (0.1, 0.3):
        agrees(f, a)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients(f):
    for method in rotated("values", f.__name__, ("chad", "dual")):
        slope = pb.grad(f, method=method)(0.3)
        difference = (f(0.3 + 1e-6) - f(0.3 - 1e-6)) / 2e-6
        assert slope == pytest.approx(difference, rel=1e-6)


def read_after(f):
    return f.y.sum()


def read_in_the_next_round(f):
    g = Filter(1)
    for _ in range(3):
        g.update(np.array([len(g.y)]))
    return g.x[0]


def read_by_vars(f):
    return len(vars(f)["y"])


def read_by_name(f):
    return [len(getattr(f, name)) for name in ("y",)]


@pytest.mark.parametrize(
    "look", [read_after, read_in_the_next_round, read_by_vars, read_by_name, lambda f: f],
    ids=["after", "next_round", "vars", "name", "result"],
)  # fmt: skip
def test_what_nobody_knows_is_not_read(look):
    def f(a):
        g = Filter(1)
        for _ in range(int(a)):
            g.update(np.array([a]))
        return look(g)

    with pytest.raises(pb.PullbackError, match=r"on one path|unusable"):
        pb.jit(f)(3.0)


def test_those_of_callers_are_what_python_leaves():
    def f(g, a):
        for k in range(3):
            g.update(np.array([a * k]))
        return g.x[0]

    ours, pythons = Filter(1), Filter(1)
    assert pb.jit(f)(ours, 0.5) == f(pythons, 0.5)
    assert ours.y.tolist() == pythons.y.tolist() and ours.log == pythons.log
