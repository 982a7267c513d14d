"""Functions see a variable as it is when they are called.

Where that cannot be followed (the function has become data, by a choice, a call, a tuple, or a
loop) and the variable is assigned again, its use is refused. The same goes for arrays that a value
shares and that are updated."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
import pytest

from pullback.errors import PullbackError
from tests.frontend.harness import agrees, run


@dataclass(frozen=True)
class Link:
    array: np.ndarray
    rest: Link | None


@dataclass(frozen=True)
class State:
    p: float
    v: np.ndarray
    k: int


def identity(f):
    return f


def seen_late(x):
    k = 1.0
    f, pair = lambda v: v * k, (lambda v: v + k, x)
    k = 3.0 * x
    return f(x) + pair[0](x)


def branches(x):
    k = 1.0
    if x > 1.0:
        k = x * x
        f = lambda v: v * k
    else:
        f = lambda v: v
    return f(x)


def set_again_in_loop(x):
    k, f, total = 2.0, lambda v: v, 0.0
    for _ in range(4):
        total += f(x)
        k = k * x
        f = lambda v: v * k
    return total


def bound_in_loop(x):
    f, total = lambda v: v, 0.0
    for i in range(4):
        total += f(x)
        f = lambda v, i=i: v * i
    return total


def deep(n, s):
    if n == 0:
        return s
    q = deep(n - 1, State(s.p * 1.1, s.v * s.p, s.k + 1))
    return State(q.p + s.p, q.v, q.k)


def recursion_on_records(x):
    """The result of a recursion may share memory with an array of any round."""
    s = deep(4, State(x, np.array([x, 2.0]), 0))
    return s.p * np.sum(s.v) * s.k


def array_in_a_default(x):
    a = np.zeros(3) + x
    f = lambda i, b=a: b[i]
    a[0] = 5.0 * x
    return f(0)


def array_in_a_list(x):
    a = np.zeros(3) + x
    rows = [a for _ in range(3)]
    a[0] = 5.0 * x
    return rows[0][0]


class Model:
    def __init__(self, x):
        self.x = x
        self.rule = lambda y: y


def partial_of_its_own_object(x):
    model = Model(x)
    model.rule = functools.partial(lambda f, y: math.sin(f(y)) + model.x, model.rule)
    return model.rule(model.x)


def partial_on_some_paths(x):
    model = Model(x)
    if x > 1.0:
        model.rule = functools.partial(lambda z, y: y * z + model.x, 2.0)
    return model.rule(model.x)


def partial_in_each_round(x):
    model = Model(x)
    model.k = 0
    for model.k in range(3):
        model.rule = functools.partial(lambda f, y: math.sin(f(y)) + model.x, model.rule)
    return model.rule(model.x)


def partial_in_a_dict(x):
    d = {"x": x, "rule": lambda y: y}
    if x > 1.0:
        d["rule"] = functools.partial(lambda f, y: math.sin(f(y)) + d["x"], d["rule"])
    return d["rule"](d["x"])


def from_a_call(x):
    k = 1.0
    f = identity(lambda v: v * k)
    k = 3.0 * x
    return f(x)


def made_by_a_call(x):
    k = 1.0

    def make():
        return lambda v: v * k

    f = make()
    k = 3.0 * x
    return f(x)


def reached_by_two_ways(x):
    """A function captures another one, and a made one that captures it: both update one array."""
    w = np.zeros(1)

    def f(v):
        w[0] = w[0] + v * x
        return v * v * x

    def drive(f):
        def made(g):
            return lambda t: g(t) + g(-2.0 * t)

        h = made(f)

        def chosen(v):
            return f(v) if v < x else h(v)

        return chosen(0.5) * chosen(1.1)

    return drive(f) + w[0]


@pytest.mark.parametrize(
    "f",
    [
        seen_late, branches, set_again_in_loop, bound_in_loop, recursion_on_records,
        array_in_a_default, array_in_a_list, partial_of_its_own_object, partial_on_some_paths,
        partial_in_each_round, partial_in_a_dict, from_a_call, made_by_a_call, reached_by_two_ways,
    ],
)  # fmt: skip
@pytest.mark.parametrize("x", [0.7, 1.3])
def test_as_python(f, x):
    agrees(f, x)


def chosen(x):
    k = 1.0
    f = (lambda v: v * k, x) if x > 1.0 else (lambda v: v + k, x)
    k = 3.0 * x
    return f[0](x)


def loop_variable(x):
    f, total = lambda v: v, 0.0
    for i in range(4):
        total += f(x)
        f = lambda v: v * i
    return total


def changed_before_call(x):
    k, f, total = 2.0, lambda v: v, 0.0
    for _ in range(4):
        k = k * x
        total += f(x)
        f = lambda v: v * k
    return total


def in_a_tuple(x):
    k, total = 2.0, 0.0
    f = lambda v: v * k
    pair = (f, x)
    while total < 30.0:
        k = k * x
        total += pair[0](x)
        pair = (f, k)
    return total


def in_a_list(x):
    k = 1.0
    fs = [lambda v, i=i: v * i * k for i in range(3)]
    k = x
    return fs[1](x)


def in_a_short_list(x):
    fs = [lambda v: v * i for i in (x, 2.0)]
    return fs[0](x)


def array_in_a_node(x):
    a = np.zeros(3) + x
    link = Link(a, Link(a, None))
    link = identity(link)
    a[0] = 5.0 * x
    return link.array[0]


def array_in_nodes(x):
    chain, a = None, np.zeros(3)
    for i in range(3):
        a[i] = x
        chain = Link(a, chain)
    total = 0.0
    while chain is not None:
        total += np.sum(chain.array)
        chain = chain.rest
    return total


def chosen_in_a_list(x):
    n = int(4 * x)
    fs = [
        (lambda y: y * x) if i % 2 == 0 else (lambda y: y + x * i)
        for i in range(n)
    ]
    total = x
    for f in fs:
        total = f(total)
    return total


def iterator_used_twice(x):
    pairs = zip([x, 2.0], [x, 3.0])
    return sum(a * b for a, b in pairs) + sum(a for a, _ in pairs)


def test_an_iterator_that_is_used_twice_has_nothing_left():
    assert run(iterator_used_twice, 1.3) == iterator_used_twice(1.3)


@pytest.mark.parametrize(
    "f",
    [
        chosen, loop_variable, changed_before_call, in_a_tuple,
        in_a_list, in_a_short_list, array_in_a_node, array_in_nodes, chosen_in_a_list,
    ],
)  # fmt: skip
def test_refused(f):
    with pytest.raises(PullbackError, match=r"assigned again|share|captures the loop|only once"):
        run(f, 1.3)
