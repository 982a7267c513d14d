"""Objects of plain classes: what a function makes and updates itself, and what comes from outside.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.errors import MutationError, PullbackError
from tests.campaign import part
from tests.foreign.__main__ import is_right
from tests.frontend import object_parts, object_programs, object_refused

CASES = [*object_programs.CASES, *object_parts.CASES]
TAKEN = part("values", CASES, 3)


@pytest.mark.parametrize(
    ("f", "args"), TAKEN, ids=[f"{f.__name__}{k}" for k, (f, _) in enumerate(TAKEN)]
)
def test_value_and_derivative(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    is_right(f, args)


SHARED = [
    ("alias_branch", (0.7,)), ("two_lists", (0.7,)), ("escape_init_mut", (0.7,)),
    ("linked", (0.7, 4)), ("tree_of_objects", (0.7, 4)), ("linked_mut2", (0.7,)),
    ("shape_chosen", (0.7,)), ("obj_arg_twice", (0.7,)), ("filtered_mut", (0.7, 4)),
    ("shared_arr", (np.array([0.7, -1.3]), 3)), ("momentum", (np.array([0.7, -1.3]),)),
    ("iterator", (0.7,)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "args"), SHARED, ids=[name for name, _ in SHARED])
def test_objects_with_several_names(name: str, args: tuple[Any, ...]) -> None:
    is_right(getattr(object_refused, name), args)


REFUSED = [
    ("mutable_default2", (0.7,), "may be in other places too"),
    ("deep_maybe_shared", (0.7,), "two parts may be one object"),
    ("of_outside_in_a_list", (0.7,), "may be in other places too"),
    ("of_outside_in_turn", (0.7,), "while others may look at it"),
]


@pytest.mark.parametrize(("name", "args", "text"), REFUSED, ids=[name for name, *_ in REFUSED])
def test_refused(name: str, args: tuple[Any, ...], text: str) -> None:
    with pytest.raises(PullbackError, match=text) as caught:
        pb.jit(getattr(object_refused, name))(*args)
    assert "object_refused.py" in str(caught.value)


@pytest.mark.parametrize("f", [object_refused.mutation_iter, object_refused.shared_field])
def test_a_list_with_two_names(f: Any) -> None:
    assert pb.jit(f)(0.7) == f(0.7)


# --- from outside ---------------------------------------------------------------------------------


class Model:
    scale = 2.0

    def __init__(self, X: Any, k: float, parts: tuple[Any, ...] = ()) -> None:
        self.X, self.k, self.parts = X, k, list(parts)
        self.kept: Any = None

    def loss(self, w: Any) -> Any:
        r = self.X @ w
        return float(r @ r) * self.k * self.scale

    @property
    def size(self) -> int:
        return len(self.X)

    def __getitem__(self, i: int) -> Any:
        return self.X[i]

    def __len__(self) -> int:
        return len(self.X)

    def __call__(self, w: Any) -> Any:
        return self.loss(w) + self.size + len(self) + self[0] @ w

    def remembered(self, w: Any) -> Any:
        if self.kept is None:
            self.kept = self.k * 2
        return self.kept * w.sum()


W = np.array([0.3, -0.7])
INNER = Model(np.eye(2), 1.0), Model(np.ones((2, 2)), 2.0)
MODEL: Any = Model(np.array([[1.0, 2.0], [3.0, 4.0]]), 3.0, INNER)
MODEL.other = {1, 2}
MODEL.unknown = memoryview(b"")  # matters only if it is read


def captured(w: Any) -> Any:
    return MODEL(w) + MODEL.k + sum(m.loss(w) for m in MODEL.parts)


def passed(m: Any, w: Any) -> Any:
    return m(w) + m.loss(w) * m.k + m.parts[1].k


def copied(m: Any, w: Any) -> Any:
    own = Model(m.X, m.k)
    own.k += w[0]
    return own.loss(w) + m.k


@pytest.mark.parametrize(("f", "args"), [(captured, (W,)), (MODEL.loss, (W,)), (MODEL, (W,))])
def test_captured(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    is_right(f, args)


def test_passed() -> None:
    for f in (passed, copied):
        by_model, by_w = pb.grad(f, argnums=(0, 1))(MODEL, W)
        assert type(by_model) is Model and by_model.kept is None
        h = 1e-6
        pushed = Model(MODEL.X, 3.0 + h, INNER)
        assert by_model.k == pytest.approx((f(pushed, W) - f(MODEL, W)) / h, rel=1e-4)
        pushed = Model(MODEL.X + h, 3.0, INNER)
        slope = (f(pushed, W) - f(MODEL, W)) / h
        assert by_model.X.sum() == pytest.approx(slope, rel=1e-4)
        slope = (f(MODEL, W + h) - f(MODEL, W)) / h
        assert by_w.sum() == pytest.approx(slope, rel=1e-4)


@pytest.mark.parametrize("make", [SimpleNamespace, argparse.Namespace])
def test_namespaces(make: Any) -> None:
    p = make(a=2.0, omega=3.0, steps=4)
    g = pb.grad(lambda p, t: p.a * np.sin(p.omega * t) ** p.steps)(p, 0.5)
    assert type(g) is make and g.steps is None
    assert g.a == pytest.approx(np.sin(1.5) ** 4)
    assert pb.jit(lambda t: t * p.a)(3.0) == 6.0
    p.a = 5.0
    assert pb.jit(lambda t: t * p.a)(3.0) == 15.0


class Rated:
    rate = 0.5

    def __init__(self, b: Any) -> None:
        self.b = b

    def worth(self) -> Any:
        return self.b * self.rate


def test_what_changes_outside_is_seen() -> None:
    r = Rated(2.0)
    inside, given = pb.jit(lambda x: x * r.worth()), pb.jit(lambda r: r.worth())
    for change in (
        lambda: setattr(r, "b", 10.0),
        lambda: setattr(r, "rate", 7.0),
        lambda: delattr(r, "rate"),
        lambda: setattr(Rated, "rate", 1.5),
        lambda: setattr(r, "b", 3),
        lambda: setattr(r, "worth", lambda: 4.0),
        lambda: delattr(r, "worth"),
        lambda: setattr(Rated, "worth", lambda self: self.b),
    ):
        change()
        assert inside(2.0) == 2.0 * r.worth()
        if "worth" not in vars(r):
            assert given(r) == r.worth()


def test_attributes_of_arguments_that_come_and_go() -> None:
    f = pb.grad(lambda r: r.b[0] @ r.b[1] * r.rate)
    r = Rated([np.ones(2), np.ones(2)])
    for rate in (0.5, 3.0, 4.0):
        r.rate = rate
        assert np.all(f(r).b[0] == rate)
    del r.rate
    assert np.all(f(r).b[0] == Rated.rate)
    assert not hasattr(f(r), "other")
    r.owner = r  # type: ignore[attr-defined]  # an object that has itself: matters if it is read
    assert np.all(f(r).b[0] == Rated.rate)


def test_results() -> None:
    made = pb.jit(lambda x: object_programs.P(x, [x, 2 * x]))(3.0)
    assert type(made) is object_programs.P and vars(made) == {"x": 3.0, "v": [3.0, 6.0]}


def test_lists_of_objects() -> None:
    same = pb.grad(lambda rs: sum(r.b**2 for r in rs))([Rated(1.0), Rated(2.0), Rated(3.0)])
    assert [g.b for g in same] == [2.0, 4.0, 6.0]
    mixed = pb.grad(lambda rs: rs[0].b * rs[1].b.sum())([Rated(1.0), Rated(np.ones(2))])
    assert mixed[0].b == 2.0 and np.all(mixed[1].b == 1.0)


def assigned(m: Any, w: Any) -> Any:
    m.k = 1.0
    return w.sum()


def assigned_outside(w: Any) -> Any:
    MODEL.k = 1.0
    return w.sum()


@pytest.mark.parametrize(
    ("operator", "f", "args", "line"),
    [(pb.vmap, MODEL.remembered, (W,), "self.kept = self.k * 2"),
     (lambda f: pb.vmap(f, in_axes=(None, 0)), assigned, (MODEL, np.ones((2, 3))), "m.k = 1.0"),
     (pb.vmap, assigned_outside, (np.ones((2, 3)),), "MODEL.k = 1.0")],
)  # fmt: skip
def test_updates_that_would_be_seen_outside(
    operator: Any, f: Any, args: tuple[Any, ...], line: str
) -> None:
    with pytest.raises(MutationError) as caught:
        operator(f)(*args)
    assert line in str(caught.value)


def test_an_attribute_that_is_not_supported_matters_if_it_is_read() -> None:
    assert pb.jit(lambda w: sum(MODEL.other) * w.sum())(W) == sum(MODEL.other) * W.sum()
    assert pb.jit(lambda m, w: sum(m.other) * w.sum())(MODEL, W) == sum(MODEL.other) * W.sum()
    with pytest.raises(PullbackError, match="attribute 'unknown' of a Model cannot be an argument"):
        pb.jit(lambda m, w: abs(m.unknown) * w.sum())(MODEL, W)


class Sided:
    rate = 2.0

    def __init__(self, x: float) -> None:
        self.x = x
        if x > 0:
            self.side = 2 * x


def test_attributes_that_only_some_paths_set() -> None:
    def read(x: float) -> float:
        return Sided(x).side * 3.0

    assert pb.grad(read)(0.7) == 6.0
    with pytest.raises(AttributeError, match="'Sided' object has no attribute 'side'"):
        pb.jit(read)(-0.7)

    def asked(x: float, n: int) -> float:
        sides = [Sided(x - k) for k in range(n)]
        for s in sides:
            s.x *= 2.0
        return sum(s.side if hasattr(s, "side") else s.x for s in sides)

    def shadowed(x: float) -> float:
        s = Sided(x)
        if x > 1.0:
            s.rate = 3.0 * x
        return s.rate * s.x

    for f, args in ((asked, (1.5, 4)), (shadowed, (0.7,)), (shadowed, (1.7,))):
        is_right(f, args)
