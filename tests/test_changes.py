"""The values around a function can change: each call sees them as they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

import pullback as pb

LIST: list[float] = []
DICT: dict[str, float] = {}
FUNCTIONS: list[Callable[[float], float]] = []
NESTED: list[list[float]] = []


@dataclass(frozen=True)
class Settings:
    items: list[float]
    named: dict[str, float]


SETTINGS = Settings([], {})


def of_list(x):
    return x * (1.0 + sum(LIST)) + len(LIST)


def of_dict(x):
    return x * (1.0 + sum(DICT.values())) + len(DICT)


def of_functions(x):
    total = x
    for f in FUNCTIONS:
        total += f(x)
    return total


def of_nested(x):
    return x * (1.0 + sum(sum(row) for row in NESTED))


def of_record(x):
    return x * (1.0 + sum(SETTINGS.items) + sum(SETTINGS.named.values()))


def of_default(x, ys=[], named={}):  # noqa: B006  # shared by all calls, as in Python
    return x * (1.0 + sum(ys) + sum(named.values()))


def calls_default(x):
    return of_default(x) * x


def of_keyword(x, *, ys=[]):  # noqa: B006  # shared by all calls, as in Python
    return x * (1.0 + sum(ys))


def of_cells() -> tuple[Callable[[float], float], list[float], dict[str, float]]:
    ys: list[float] = []
    named: dict[str, float] = {}
    return lambda x: x * (1.0 + sum(ys) + sum(named.values())), ys, named


HELD, CELL_LIST, CELL_DICT = of_cells()


def square(x):
    return x * x


def grow(xs: list[Any], *items: object) -> Iterator[None]:
    for item in items:
        xs.append(item)
        yield
    xs.pop(0)
    yield
    xs.clear()
    yield
    xs.append(items[-1])
    yield


def fill(d: dict[str, float]) -> Iterator[None]:
    d["a"] = 2.0
    yield
    d["b"] = 3.0
    yield
    del d["a"]
    yield
    d.clear()
    yield


CASES = [
    (of_list, lambda: grow(LIST, 2.0, 3.0)),
    (of_dict, lambda: fill(DICT)),
    (of_functions, lambda: grow(FUNCTIONS, math.sin, square, lambda x: 3.0 * x, math.exp)),
    (of_nested, lambda: grow(NESTED, [1.0], [2.0, 3.0])),
    (of_record, lambda: grow(SETTINGS.items, 2.0, 3.0)),
    (of_record, lambda: fill(SETTINGS.named)),
    (of_default, lambda: grow(of_default.__defaults__[0], 2.0, 3.0)),
    (of_default, lambda: fill(of_default.__defaults__[1])),
    (calls_default, lambda: grow(of_default.__defaults__[0], 2.0, 3.0)),
    (calls_default, lambda: fill(of_default.__defaults__[1])),
    (of_keyword, lambda: grow(of_keyword.__kwdefaults__["ys"], 2.0, 3.0)),
    (HELD, lambda: grow(CELL_LIST, 2.0, 3.0)),
    (HELD, lambda: fill(CELL_DICT)),
]


@pytest.mark.parametrize("f, change", CASES, ids=[f"{c[0].__name__}" for c in CASES])
def test_each_call_sees_it_as_it_is(f, change):
    jitted = pb.jit(f)
    assert jitted(2.0) == f(2.0)
    for _ in change():
        assert jitted(2.0) == pytest.approx(f(2.0), rel=1e-14)


def passed_on(x, g):
    return g(x) * x


@pytest.mark.parametrize(
    "g, change",
    [(f, c) for f, c in CASES if f in (HELD, of_default)],
    ids=["default-list", "default-dict", "cell-list", "cell-dict"],
)
def test_what_a_function_that_is_passed_finds(g, change):
    gradient = pb.grad(passed_on)
    assert gradient(2.0, g) == 2.0 * g(2.0)
    for _ in change():
        assert gradient(2.0, g) == 2.0 * g(2.0)


# --- methods --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Base:
    x: float

    def method(self):
        return self.x

    @property
    def twice(self):
        return 2.0 * self.x

    @staticmethod
    def static(v):
        return 3.0 * v

    @classmethod
    def made(cls, v):
        return cls(4.0 * v)

    def __add__(self, other):
        return Base(self.x + other.x)


@dataclass(frozen=True)
class Derived(Base):
    def method(self):
        return super().method() + 1.0


def uses_methods(d):
    return d.method() + d.twice + d.static(d.x) + d.made(d.x).x + Derived.static(1.0) + (d + d).x


def test_methods_that_are_replaced(monkeypatch):
    jitted, d = pb.jit(uses_methods), Derived(1.5)
    assert jitted(d) == uses_methods(d)
    for name, method in [
        ("method", lambda self: self.x * 10.0),
        ("twice", property(lambda self: self.x * 20.0)),
        ("static", staticmethod(lambda v: v * 30.0)),
        ("made", classmethod(lambda cls, v: cls(v * 40.0))),
        ("__add__", lambda self, other: Base(self.x * other.x)),
    ]:
        monkeypatch.setattr(Base, name, method)
        assert jitted(d) == uses_methods(d)
    monkeypatch.setattr(Derived, "twice", 5.0)
    assert jitted(d) == uses_methods(d)
    monkeypatch.delattr(Derived, "method")
    assert jitted(d) == uses_methods(d)


# --- names ----------------------------------------------------------------------------------------


def main(x):
    return x * x


def calls_main(x):
    return main(x) + main(2.0 * x)


def fast(entry, make):
    return entry * make


def test_names_of_functions_are_the_users():
    """``main`` is also what the program calls its entry; ``entry`` and others occur in calls."""
    assert (pb.jit(main)(3.0), pb.grad(main)(3.0)) == (9.0, 6.0)
    assert (pb.jit(calls_main)(3.0), pb.grad(calls_main)(3.0)) == (45.0, 30.0)
    assert pb.grad(main, method="dual")(3.0) == 6.0
    assert pb.grad(fast, argnums=(0, 1))(2.0, 3.0) == (3.0, 2.0)


# --- lists of functions, and text -----------------------------------------------------------------


def weighted(x, pairs):
    return sum(w * f(x) for w, f in pairs)


def chosen(x, fs, k):
    return fs[k](x)


def test_lists_of_functions():
    pairs = [(2.0, math.sin), (3.0, square), (1.0, lambda x: x)]
    assert pb.grad(weighted)(1.5, pairs) == pytest.approx(2 * math.cos(1.5) + 3 * 3.0 + 1.0)
    assert pb.grad(chosen)(1.5, [math.sin, square], 1) == 3.0
    assert pb.grad(chosen)(1.5, [math.sin, square], -2) == math.cos(1.5)
    with pytest.raises(IndexError):
        pb.grad(chosen)(1.5, [math.sin, square], 2)


def by_name(x, name):
    kind, *rest = name.lower().split("-")
    scale = 2.0 if name.endswith("2") else 1.0
    if kind.startswith("s"):
        return math.sin(x) * scale * len(rest)
    return x * scale


@pytest.mark.parametrize("name", ["SIN-2", "sin", "Cube-3-2", ""])
def test_methods_of_known_text(name):
    assert pb.jit(by_name)(0.5, name) == by_name(0.5, name)
    pb.check_grads(lambda x: by_name(x, name), (0.5,))
