"""An int and a float that meet stay what they are in Python, by value and by type."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call.driver import steps
from pullback.call.request import Request, What
from pullback.errors import IntRangeError, PullbackError
from tests.campaign import seeds
from tests.frontend.harness import run
from tests.frontend.test_random_control import function_of


def branch(x: float) -> Any:
    v = 1 if x > 1.0 else 2.5
    return v, isinstance(v, int), f"{v}", [v, v * 2, v // 2, v % 2, v / 2, -v, abs(v), v**2]


def loop(x: float) -> Any:
    s = 0
    for k in range(3):
        if x > k:
            s += x
    return s, str(s)


def half(x: float) -> Any:
    return 0 if x > 1.0 else x / 2


def helper(x: float) -> Any:
    return half(x) + half(x + 2.0), half(x) * 3, {"a": half(x)}, [half(x)]


def recursion(x: float, n: int) -> Any:
    return 0 if n == 0 else recursion(x, n - 1) + (x if x > 1.0 else 1)


def recurses(x: float) -> Any:
    return recursion(x, 3), recursion(x, 0)


def table(x: float) -> Any:
    xs = [0] * 3
    for k in range(3):
        if x > k:
            xs[k] = x
    return xs, sum(xs), max(xs), [f"{v}" for v in xs]


def defaults(x: float) -> Any:
    some = [t for t in [x, 2.0] if t > 2.5]
    return max(some, default=0), min(some, default=1), math.prod(some), sum(some)


def generated(x: float) -> Any:
    def large() -> Iterator[float]:
        for t in [x, 2.0]:
            if t > 2.5:
                yield t

    return sum(large()), sum(large()) + 1, sum(1 if t > 2.5 else t for t in [x, x])


@dataclass
class Account:
    total: float = 0

    def add(self, x: float) -> None:
        if x > 1.0:
            self.total += x


def attribute(x: float) -> Any:
    a = Account()
    a.add(x)
    return a.total, f"{a.total}"


def matched(x: float) -> Any:
    match x > 1.0:
        case True:
            v = 3
        case _:
            v = x
    return v, isinstance(v, float)


def rounded(x: float) -> Any:
    v = 7 if x > 1.0 else 7.25
    whole = round(v), int(v), float(v), math.floor(v)
    return round(v, 1), whole, v == 7, v < 8, max(v, 1), min(v, 9.5)


PROGRAMS = [
    branch, loop, helper, recurses, table, defaults, generated, attribute, matched, rounded,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [0.5, 1.5, 3.0])
def test_is_what_it_is_in_python(f: Callable[[float], Any], x: float) -> None:
    expected = repr(f(x))
    assert repr(run(f, x)) == expected
    assert repr(pb.jit(f)(x)) == expected


def test_derivatives_are_those_of_floats() -> None:
    def loss(x: float) -> Any:
        s = 0
        for k in range(4):
            s += x * x if x > k else 1
        return s

    for x in (0.5, 1.5):
        value, slope = pb.value_and_grad(loss)(x)
        assert type(value) is float and type(slope) is float
        assert slope == pb.value_and_grad(loss, method="dual")(x)[1]
        assert slope == pb.jvp(loss, (x,), (1.0,))[1] == pb.jacobian(loss)(x)
        ahead, behind = loss(x + 1e-6), loss(x - 1e-6)
        assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-6)
    assert pb.jit(loss)(-1.0) == 4 and type(pb.jit(loss)(-1.0)) is int


def test_an_auxiliary_result_keeps_its_type() -> None:
    def loss(x: float) -> Any:
        v = 1 if x > 1.0 else 0.5
        return x * v, (v, sum(t for t in [x] if t > 9.0))

    for x in (0.5, 2.0):
        _, aux = pb.grad(loss, has_aux=True)(x)
        assert repr(aux) == repr(loss(x)[1])


def test_arrays_of_both_are_floats() -> None:
    def f(x: float) -> Any:
        xs = [1 if x > 1.0 else 0.5, 2.0, 0.25]
        return np.array(xs), sorted(xs), np.sum(np.array(xs))

    for x in (0.5, 2.0):
        assert repr(pb.jit(f)(x)) == repr(f(x))


def test_a_large_int_is_not_rounded_in_silence() -> None:
    def f(n: int, x: float) -> Any:
        return n if x > 1.0 else x

    assert pb.jit(f)(2**53 - 1, 2.0) == 2**53 - 1
    assert type(pb.jit(f)(5, 2.0)) is int
    with pytest.raises(IntRangeError):
        pb.jit(f)(2**53 + 1, 2.0)


def test_gradients_do_not_carry_it() -> None:
    def of_int(xs: list[float]) -> Any:
        s = 0
        for x in xs:
            if x > 0.5:
                s += x * x
        return s

    def of_float(xs: list[float]) -> Any:
        s = 0.0
        for x in xs:
            if x > 0.5:
                s += x * x
        return s

    request = Request(What.GRADIENT, (0,))
    xs = list(np.linspace(0.0, 1.0, 40))
    assert steps(of_int, [xs], request) == steps(of_float, [xs], request)


class Writer:
    """Writes one random function in which ints and floats meet on many paths."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def value(self, depth: int = 0) -> str:
        pick = self.random.choice
        kind = self.random.randrange(9 if depth < 2 else 3)
        if kind == 0:
            return pick(["x", "a", "b", "c"])
        if kind == 1:
            return str(pick([0, 1, 2, 3, -1]))
        if kind == 2:
            return pick(["x", "0.5", "2.5", "u"])
        one, other = self.value(depth + 1), self.value(depth + 1)
        return pick([
            f"({one} {pick(['+', '-', '*'])} {other})", f"({one} if {other} > 1 else {other})",
            f"{pick(['max', 'min'])}({one}, {other})", f"helper({one})", f"abs(-{one})",
            f"({one} {pick(['//', '%'])} {pick(['2', '3', '1.5'])})",
        ])  # fmt: skip

    def block(self, indent: int, depth: int = 0) -> list[str]:
        pick, pad, out = self.random.choice, "    " * indent, list[str]()
        for _ in range(self.random.randrange(1, 4)):
            name, kind = pick("abc"), self.random.randrange(8)
            if kind == 2 and depth < 2:
                out += [f"{pad}if {self.value(1)} > {pick(['0', '1', 'x'])}:"]
                out += self.block(indent + 1, depth + 1)
            elif kind == 3 and depth < 2:
                out += [f"{pad}for i in range({pick(['m', '2', '0'])}):"]
                out += self.block(indent + 1, depth + 1)
            elif kind == 4:
                out.append(f"{pad}{name} += {self.value(1)}")
            elif kind == 5:
                of, least = pick(["t", "t * 2", "1 if t > 1 else t"]), pick(["0.5", "9.0", "u"])
                out.append(f"{pad}{name} = sum({of} for t in [x, u, 1.5] if t > {least})")
            elif kind == 6:
                out.append(f"{pad}xs[{pick('012')}] = {self.value(1)}")
            elif kind == 7:
                out.append(f"{pad}{name} = xs[{pick('01m')}]")
            else:
                out.append(f"{pad}{name} = {self.value()}")
        return out

    def program(self) -> str:
        pick = self.random.choice
        last = [
            'return a, b, c, isinstance(a, int), f"{b} {c}"', 'return [a, b], {"k": c}, xs'
        ]  # fmt: skip
        return "\n".join([
            "def helper(v):",
            f"    if v > {pick('012')}:",
            f"        return {pick(['v', '1', 'v * 2', '2.5'])}",
            f"    return {pick(['0', 'v', '0.5', '-v', 'v + 1'])}",
            "",
            "def f(x, u, m):",
            f"    a, b, c = {pick('01x')}, {pick(['0', '2.5'])}, {pick('1u')}",
            f"    xs = [{pick('0x')}] * 3",
            *self.block(1), *self.block(1), f"    {pick(last)}", "",
        ])  # fmt: skip


@pytest.mark.parametrize("seed", seeds("random", 6, 8, 400))
def test_random_programs(seed: int) -> None:
    text = Writer(seed).program()
    f = function_of(text, f"numbers {seed}")
    for args in ((1.5, 0.25, 2), (0.75, 3.5, 1), (2.25, 1.0, 0)):
        expected = repr(f(*args))
        try:
            found = repr(pb.jit(f)(*args))
        except PullbackError as refusal:
            assert not isinstance(refusal, pb.InternalError), text
            continue
        assert found == expected, text
