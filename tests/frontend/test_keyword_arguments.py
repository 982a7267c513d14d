"""Arguments by keyword that are kept, and spread where only the run knows which ones there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

import pullback as pb
from tests.foreign.__main__ import is_right


def scaled(v, factor=1.0):
    return v * factor


def shifted(v, by=0.0, *, times=1):
    return (v + by) * times


def needing(v, by):
    return v - by


class Undo:
    def __init__(self):
        self.done = []

    def do(self, f, *args, **kwargs):
        self.done.append(lambda: f(*args, **kwargs))

    def undo(self):
        total = 0.0
        while self.done:
            total = total * 0.5 + self.done.pop()()
        return total


def undone(x):
    u = Undo()
    u.do(scaled, x, factor=2.0)
    u.do(shifted, x * x, by=x)
    u.do(scaled, x)
    u.do(shifted, x, times=2.0, by=3.0)
    u.do(needing, x, by=x * x)
    return u.undo()


def scheduled(x):
    queue = []

    def at(when, f, *args, **kwargs):
        queue.append((when, f, args, kwargs))

    at(2.0, scaled, x, factor=3.0)
    at(1.0, shifted, x, by=2.0)
    at(3.0, scaled, x * x)
    queue.sort(key=lambda entry: entry[0])
    return sum(f(*args, **kwargs) * when for when, f, args, kwargs in queue)


def wrong_ones(x):
    total, jobs = 0.0, []
    for k in range(4):
        given = {"by": x}
        if k == 1:
            given["times"] = 2.0
        elif k == 2:
            given["factor"] = x
        elif k == 3:
            given["v"] = x
        jobs.append(given)
    for given in jobs:
        for k in range(3):
            try:
                total += shifted(x, **given) if k == 0 else (
                    needing(x, **given) if k == 1 else shifted(x, by=1.0, **given)
                )
            except TypeError as e:
                total += x * len(str(e))
    return total


def told_by_names(x):
    def f(a, **kw):
        return sum(v for v in kw.values()) * a + len(kw) + kw.get("b", x)

    def g(**kw):
        return f(x, **kw) + f(2.0, b=x, **{"c": 3.0})

    total = g(b=x, c=2.0) + g(c=x)
    try:
        total += f(x, b=1.0, **{"b": 2.0})
    except TypeError as e:
        total += "multiple values for keyword argument 'b'" in str(e)
    try:
        total += needing(x)
    except TypeError as e:
        total += x * len(str(e))
    return total


def kept_by_another(x):
    kept = []

    def keep(**kw):
        kept.append(kw)
        kw["a"] = kw["a"] * 2.0
        return kw

    keep(a=x, b=1.0)["b"] += x
    keep(a=2.0, b=x)
    return sum(d["a"] * d["b"] for d in kept)


@dataclass
class Settings:
    rate: float
    steps: float = 2.0
    decay: float = 3.0


class Place(NamedTuple):
    a: float
    b: float = 5.0


class Scale:
    def __init__(self, a, *, b=1.0):
        self.product = a * b


def named(x, names):
    found = {}
    for n in names:
        found[n] = x
    return found


def of_classes(x):
    s = Settings(**named(x, ["rate", "decay"]))
    total = s.decay * Settings(x, **named(x, ["steps"])).steps + s.steps
    total += sum(Place(**named(x, ["a"]))) + Place(**named(x, ["b", "a"])).b
    total += Scale(**named(x, ["a", "b"])).product + Scale(x, **named(2.0 * x, ["b"])).product
    for make, names in ((Settings, ["steps"]), (Settings, ["rate", "z"]), (Place, ["b"])):
        try:
            make(**named(x, names))
        except TypeError as e:
            print(e)
    try:
        Settings(1.0, **named(x, ["rate"]))
    except TypeError as e:
        print(e)
    return total


PROGRAMS = [of_classes, undone, scheduled, wrong_ones, told_by_names, kept_by_another]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_python(f: Callable[..., Any]) -> None:
    is_right(f, (1.3,))


def test_what_does_not_fit() -> None:
    for f in (lambda x: scaled(x, by=x), lambda x: needing(x), lambda x: scaled(x, x, x)):
        with pytest.raises(TypeError) as plain:
            f(1.3)
        with pytest.raises(TypeError, match=r"scaled|needing") as found:
            pb.jit(f)(1.3)
        assert str(plain.value) in str(found.value)
