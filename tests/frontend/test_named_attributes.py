"""``getattr`` and ``hasattr`` by names that only the run knows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests.frontend.harness import same


class Gate:
    step = 2.0

    def __init__(self) -> None:
        self.state, self.coins, self.odd = "locked", 0.0, 0

    def locked_on_coin(self, amount):
        self.coins += amount
        return "open"

    def locked_on_push(self, amount):
        return "locked"

    def open_on_push(self, amount):
        self.coins *= amount
        return "locked"

    def handle(self, event, amount):
        method = getattr(self, f"{self.state}_on_{event}", None)
        if method is None:
            self.odd += 1
        else:
            self.state = method(amount)


def gate(x, events):
    g = Gate()
    for e in events:
        g.handle(e, x)
    return g.coins + g.odd


class Robot:
    def __init__(self, x):
        self.x, self.n = x, 0

    def do_add(self, v):
        self.x += v
        self.n += 1
        return self

    def do_scale(self, v=3.0):
        self.x *= v
        return self

    def do_twice(self, v):
        return self.run("add", v).run("add", v)

    def run(self, name, v):
        return getattr(self, "do_" + name)(v)


def robot(x, names):
    robots = [Robot(x), Robot(2.0 * x)]
    for k, name in enumerate(names):
        try:
            getattr(robots[k % 2], "do_" + name.lower())(x)
        except AttributeError as e:
            robots[0].x -= len(str(e))
        if hasattr(robots[0], f"do_{name}"):
            robots[1].x += 1.0
    return robots[0].x + robots[1].x * robots[1].n


def fields(x, names):
    g = Gate()
    g.coins = x
    return sum(getattr(g, n) * getattr(Gate, n, x) + hasattr(Gate, n) for n in names)


def taken_once(x, names):
    it, r = iter(names), Robot(x)
    getattr(r, "do_" + next(it))(2.0)
    getattr(r, f"do_{next(it)}")(v=x)
    return r.x + len(list(it))


def with_an_effect(x, names):
    log = []

    def noted():
        log.append(x)
        return 5.0 * x

    return sum(getattr(Gate, n, noted()) for n in names) + sum(log)


def asked_first(x, names):
    r = Robot(x)
    for n in names:
        if hasattr(r, n):
            now = getattr(r, n)(x).x
            r.x += now
        else:
            r.x *= 2.0
    return r.x


def missing(x, names):
    r = Robot(x)
    for n in names:
        getattr(r, "do_" + n)(x)
    return r.x


def methods_with_a_name(x, names):
    r = Robot(x)
    for n in names:
        step = getattr(r, n)
        step(x)
    return r.x


def of_a_module(x, names):
    total, known = 0.0, ("sin", "tanh", "exp", "cosh")
    for n in names:
        total += getattr(math, known[n])(x)
        f = getattr(np, known[n] if n < 3 else "sin" + "h")
        total += f(np.array([x, 2.0])).sum()
        g = getattr(math, "sin" + ("h" if n else ""))
        try:
            total += g(x) * getattr(math, "tan" if n < 2 else "tangens")(x)
        except AttributeError as e:
            print(e)
    return float(total)


CASES = [
    (methods_with_a_name, ["do_add", "do_scale", "do_add"]), (of_a_module, [0, 2, 1, 3]),
    (gate, ["coin", "coin", "push", "kick", "push", "coin"]),
    (robot, ["add", "SCALE", "nix", "twice"]),
    (fields, ["coins", "step", "coins"]), (taken_once, ["scale", "add", "add"]),
    (missing, ["add", "scale", "twice"]), (with_an_effect, ["step", "scale", "step"]),
    (asked_first, ["do_add", "fly", "do_scale"]),
]  # fmt: skip


@pytest.mark.parametrize(("f", "names"), CASES)
def test_a_name_of_the_run(f: Callable[..., Any], names: list[str]) -> None:
    value, slope = pb.value_and_grad(f)(1.3, names)
    same(value, f(1.3, names))
    assert slope == pytest.approx((f(1.3 + 1e-6, names) - f(1.3 - 1e-6, names)) / 2e-6, rel=1e-6)
    if f is robot:
        assert pb.grad(f, method="dual")(1.3, names) == pytest.approx(slope, rel=1e-12)


def test_a_name_that_no_class_has() -> None:
    with pytest.raises(AttributeError) as plain:
        missing(1.3, ["add", "gone"])
    with pytest.raises(AttributeError) as found:
        pb.jit(missing)(1.3, ["add", "gone"])
    assert found.value.args == plain.value.args


def test_a_function_of_a_module_that_is_not_written() -> None:
    f = pb.jit(lambda x, names: sum(getattr(math, n)(x) for n in names))
    with pytest.raises(pb.UnsupportedError, match="by a name that stands nowhere in the function"):
        f(1.3, ["sin", "cos"])
    with pytest.raises(AttributeError, match="module 'math' has no attribute 'sinus'"):
        f(1.3, ["sinus", "cos"])


def special(x, names):
    r = Robot(x)
    return sum(x for n in names if getattr(r, n, None) is not None)


def test_a_special_attribute() -> None:
    with pytest.raises(pb.UnsupportedError, match="by a name that only the run knows"):
        pb.jit(special)(1.3, ["n", "__class__"])


KEPT = Gate()


def of_an_object_outside(x, names):
    return sum(x * getattr(KEPT, n) for n in names)


def test_an_attribute_that_an_object_gets_later() -> None:
    f = pb.jit(of_an_object_outside)
    assert f(1.5, ["coins", "step"]) == of_an_object_outside(1.5, ["coins", "step"])
    KEPT.later = 4.0
    try:
        assert f(1.5, ["later", "step"]) == 9.0
    finally:
        del KEPT.later
