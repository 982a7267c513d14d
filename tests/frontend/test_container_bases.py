"""Classes whose base is a container: made in functions, as arguments and results, from outside."""

from __future__ import annotations

import copy
import math
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.errors import PullbackError
from tests import harness
from tests.campaign import part
from tests.foreign.__main__ import is_right
from tests.frontend import (
    container_base_abstract,
    container_base_examples,
    container_base_methods,
    container_base_programs,
)
from tests.frontend.container_base_examples import AttrDict

PROGRAMS = [
    *container_base_programs.PROGRAMS, *container_base_methods.PROGRAMS,
    *container_base_examples.PROGRAMS, *container_base_abstract.PROGRAMS,
]  # fmt: skip


@pytest.mark.parametrize("f", part("values", PROGRAMS, 12), ids=lambda f: f.__name__)
def test_programs(f):
    is_right(f, (1.3,))
    slope = pb.grad(f)(1.3)
    assert pb.grad(f, method="dual")(1.3) == pytest.approx(slope, rel=1e-12)
    assert pb.jvp(f, (1.3,), (1.0,)) == pytest.approx((f(1.3), slope), rel=1e-12)
    assert harness.run(f, (1.3,), "eval") == pytest.approx(f(1.3), rel=1e-12)


class Row(list[float]):
    def __getitem__(self, k: Any) -> Any:
        return 7.0


class Params(dict[str, Any]):
    def norm(self) -> Any:
        return sum(np.sum(v * v) for v in self.values())

    def scaled(self, k: float) -> Params:
        return Params({n: v * k for n, v in self.items()})


class Named(list[float]):
    def __init__(self, items: Any = (), name: str = "s") -> None:
        super().__init__(items)
        self.name = name
        self.scale = 2.0

    def top(self) -> float:
        return self[-1] * self.scale


class Ordered(OrderedDict[str, float]):
    pass


class Lasting(deque[float]):
    def mean(self) -> float:
        return sum(self) / len(self)


class Factory(defaultdict[str, float]):
    pass


class Counts(Counter[str]):
    pass


class Memo(dict[int, float]):
    def __missing__(self, k: int) -> float:
        v = self[k] = k * 1.5
        return v


def first(xs):
    return xs[0] * 2.0


def by_name(d):
    return d["a"] * d["a"] * 2.0


GIVEN = [
    (first, Row([1.0]), [0.0]), (first, Lasting([1.0], maxlen=3), [2.0]),
    (by_name, Params(a=3.0), {"a": 12.0}), (by_name, Ordered(a=3.0), {"a": 12.0}),
    (by_name, Factory(float, a=3.0), {"a": 12.0}), (by_name, Counts(a=3.0), {"a": 12.0}),
]  # fmt: skip


@pytest.mark.parametrize(("f", "value", "gradient"), GIVEN, ids=lambda v: type(v).__name__)
def test_arguments_and_results(f, value, gradient):
    """They keep their class, in both directions and inside of other data."""
    for method in ("chad", "dual"):
        found = pb.grad(f, method=method)(value)
        assert type(found) is type(value) and (list(found) if f is first else found) == gradient
    assert pb.jit(f)(value) == f(value)
    assert pb.jvp(f, (value,), (value,)) == (f(value), pytest.approx(pb.vjp(f, value)[0] * (
        0.0 if type(value) is Row else 1.0 if f is first else 2.0)))  # fmt: skip
    again = pb.jit(lambda v: {"inside": (v, 1.0)})(value)["inside"][0]
    assert type(again) is type(value) and again == value and vars(again) == vars(value)
    assert pb.unpack(pb.pack(value)) == value
    assert pb.jit(lambda vs: f(vs[0]) + f(vs[1]))([value, value]) == 2.0 * f(value)


def test_attributes_and_updates():
    def pushed(s):
        s.append(s[0] * 2.0)
        s.scale += 1.0
        return s.top()

    mine, theirs = Named([1.0, 2.0]), Named([1.0, 2.0])
    assert pb.jit(pushed)(mine) == pushed(theirs)
    assert mine == theirs and vars(mine) == vars(theirs)
    slope = pb.grad(lambda s: s.top() * len(s) + sum(s))(Named([1.0, 2.0, 3.0]))
    assert slope == [1.0, 1.0, 7.0] and vars(slope) == {"name": None, "scale": 9.0}
    made = pb.jit(lambda s: Named([v * v for v in s], "new"))(mine)
    assert made == [1.0, 4.0, 4.0] and vars(made) == {"name": "new", "scale": 2.0}


def test_cotangents():
    p = Params(w=np.array([1.0, 2.0]), b=3.0)
    assert type(pb.jit(lambda p: p.scaled(3.0))(p)) is Params
    _, pullback = pb.vjp(lambda p: p.scaled(3.0), p)
    (back,) = pullback(Params(w=np.array([1.0, 0.0]), b=1.0))
    assert type(back) is Params and back["w"].tolist() == [3.0, 0.0] and back["b"] == 3.0
    with pytest.raises(TypeError, match="the cotangent of a Params is a Params or None"):
        pullback({"w": np.array([1.0, 0.0]), "b": 1.0})
    gradient = pb.grad(lambda p: p.norm() * p["b"])(p)
    assert gradient["w"].tolist() == [6.0, 12.0] and gradient["b"] == 32.0


ROW, LOG, ORDERED = Row([1.0]), Named(), Ordered(a=1.0, b=2.0)
LAST, MEMO = Lasting([1.0, 3.0]), Memo()
CONFIG = container_base_programs.AttrDict(
    lr=0.5, sub=container_base_programs.AttrDict(a=2.0), name="x"
)


def test_from_outside():
    """What they hold is read in each call, and updates are seen."""
    def configured(x):
        return x * CONFIG.lr * CONFIG.sub.a + len(CONFIG.name)

    def read(x):
        return x * ROW[0] + LAST.mean() * ORDERED["b"] + sum(ORDERED.values())

    compiled, other = pb.jit(configured), pb.jit(read)
    assert compiled(2.0) == configured(2.0) and other(2.0) == read(2.0) and pb.grad(read)(2.0) == 7
    CONFIG["lr"], CONFIG.sub["a"] = 3.0, 5.0
    LAST.append(100.0)
    ORDERED["c"] = 7.0
    assert compiled(2.0) == configured(2.0) and other(2.0) == read(2.0)

    def logged(x):
        LOG.append(x)
        LOG.scale += 1.0
        return LOG.top() + MEMO[3]

    assert pb.jit(logged)(2.0) == 10.5 and LOG == [2.0] and LOG.scale == 3.0 and MEMO == {3: 4.5}
    assert pb.grad(logged)(2.0) == 4.0 and LOG == [2.0, 2.0]


def test_they_are_no_lists_and_dicts():
    """What is compiled for a list is not taken for an object of a class derived from it."""
    compiled, slope = pb.jit(first), pb.grad(first)
    assert [compiled(v) for v in ([1.0], Row([1.0]), [1.0])] == [2.0, 14.0, 2.0]
    assert [list(slope(v)) for v in ([1.0], Row([1.0]))] == [[2.0], [0.0]]
    assert pb.jit(lambda m: m[0][0] + m[1][0])([[2.0], Row([1.0])]) == 9.0
    _, pullback = pb.vjp(lambda x: [x, x * x], 2.0)
    with pytest.raises(TypeError, match="a Row: a subclass of list"):
        pullback(Row([1.0, 1.0]))
    with pytest.raises(TypeError, match="a Row: a subclass of list"):
        pb.jvp(first, ([1.0],), (Row([1.0]),))


class Growing(list[float]):
    pass


class Linked:
    def __init__(self, value: float) -> None:
        self.value = value
        self.next: Any = None
        self.held: Any = None


def in_a_graph(x):
    p, q = Linked(x), Linked(2.0 * x)
    p.next, q.next = q, p
    p.held = Growing([x])
    return p


def copied_user_dict(x):
    d = container_base_abstract.UD(a=x)
    e = copy.copy(d)
    e["a"] = 5.0
    return d["a"]


def has_a_method(x):
    return x + hasattr(container_base_abstract.UD(), "fromkeys")


def taken_out(x):
    d = Lasting([x, 2.0])
    del d[0]
    return d[0] * x


def built_in_a_loop(x):
    return [Growing([x * k]) for k in range(int(x) + 2)]


SETTINGS = AttrDict(lr=2.0, opt=AttrDict(beta=0.5))


def test_an_object_that_is_its_own_dict():
    def read(c):
        return c.lr * c["w"].sum() + c.opt.beta

    def changed(c):
        c.lr += 1.0
        c.new = c.lr
        return AttrDict(a=c.lr, b=AttrDict(z=c.opt.beta * 2.0))

    def configured(x):
        SETTINGS.last = x * 2.0
        return SETTINGS.last * SETTINGS.lr * SETTINGS.opt.beta

    given = AttrDict(lr=2.0, w=np.array([1.0, 2.0]), opt=AttrDict(beta=0.5))
    assert pb.jit(read)(given) == read(given)
    slope = pb.grad(read)(given)
    assert slope.lr == 3.0 and slope.__dict__ is slope and slope.opt.beta == 1.0
    made = pb.jit(changed)(given)
    assert made.__dict__ is made and made.b.z == 1.0 and given.new == given["lr"] == 3.0
    compiled = pb.jit(configured)
    assert compiled(1.0) == 2.0 and SETTINGS["last"] == 2.0
    SETTINGS.lr, SETTINGS.opt.beta = 5.0, 3.0
    assert compiled(1.0) == 30.0 and pb.grad(configured)(1.0) == 30.0


def loop_that_grows(x):
    g, t = Growing([x, 2.0]), 0.0
    for v in g:
        if len(g) < 5:
            g.append(v * 2.0)
        t += v
    return t


def copied_by_methods(x):
    s = container_base_programs.Logged([x])
    return sum(copy.copy(s))


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (in_a_graph, "refers to, seen outside|or leads to one, as a result"),
        (built_in_a_loop, "a Growing is not supported as a result"),
        (copied_user_dict, "a copy of UD, which has a __copy__ of its own"),
        (has_a_method, "whether a UD has 'fromkeys'"),
        (taken_out, r"deque.__delitem__ is not supported"),
        (loop_that_grows, "the loop runs over an array or list that its body updates"),
        (copied_by_methods, "a copy of Logged, which Python makes by methods of its own"),
    ],
)
def test_refused(f, why):
    with pytest.raises(PullbackError, match=why):
        pb.jit(f)(1.3)


def test_the_cost_of_an_item():
    """An item that is put in costs what it costs in a list."""
    def pushed(n, x):
        s = Named()
        for k in range(n):
            s.append(x * k)
        return s[n - 1] + math.sin(s[0])

    def listed(n, x):
        s = []
        for k in range(n):
            s.append(x * k)
        return s[n - 1] + math.sin(s[0])

    own, other = (
        harness.steps(f, (2000, 1.5)) - harness.steps(f, (1000, 1.5)) for f in (pushed, listed)
    )
    assert own <= 1.1 * other
