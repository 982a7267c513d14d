"""Objects whose attributes can be assigned, as arguments: compiled code reads them where they are,
and each call reads what they have then."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call.packed import conversion_of
from pullback.call.space import Space
from pullback.frontend.python.pytypes import type_of


class Plain:
    y = 100.0

    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y


class Inherited(Plain):
    pass


class Other(Plain):
    """In another order, and with one attribute more that only some objects have."""

    def __init__(self, x: Any, y: Any) -> None:
        self.first = True
        del self.first
        self.y, self.x = y, x


@dataclass
class Data:
    x: Any
    y: Any


@dataclass(slots=True)
class Slotted:
    x: Any
    y: Any


class Half:
    __slots__ = ("x",)

    def __init__(self, x: Any) -> None:
        self.x = x


class Mixed(Half):
    """A slot and a dictionary."""

    def __init__(self, x: Any, y: Any) -> None:
        super().__init__(x)
        self.y = y


class Computed:
    def __init__(self, x: Any, y: Any) -> None:
        self.half, self.y = 0.5 * x, y

    @property
    def x(self) -> Any:
        return self.half * 2.0


class Missing:
    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


class Looked:
    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y

    def __getattribute__(self, name: str) -> Any:
        return object.__getattribute__(self, name)


class Space2(SimpleNamespace):
    pass


def space(x: Any, y: Any) -> Any:
    return SimpleNamespace(x=x, y=y)


def space2(x: Any, y: Any) -> Any:
    return Space2(x=x, y=y)


READ = Plain, Inherited, Other, Data, Slotted, Mixed, Computed, space
STAND_INS = Missing, Looked, space2
MAKERS = [*READ, *STAND_INS]
SOME = Plain, Mixed, Computed, Looked, space


def total(ps: Any) -> Any:
    return sum(p.x * p.y for p in ps)


def rows(pss: Any) -> Any:
    return sum(sum(p.x * p.y for p in ps) for ps in pss)


value, gradient = pb.jit(total), pb.grad(total)


def made(make: Callable[..., Any], n: int = 20) -> list[Any]:
    return [make(0.5 * k, 2.0 + k) for k in range(n)]


def by_x(g: Any) -> float:
    return float(g.half if isinstance(g, Computed) else g.x)


def scale(p: Any) -> float:
    return 2.0 if isinstance(p, Computed) else 1.0


def calls_of_python(f: Callable[..., Any], *args: Any) -> int:
    """How many Python functions a call runs."""
    count = 0

    def seen(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(seen)
    try:
        f(*args)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("make", READ)
def test_no_python_runs_for_an_object(make: Callable[..., Any]) -> None:
    data = made(make)
    assert conversion_of(type_of(data), Space.FORWARD).by_itself
    f, g = pb.grad(rows), pb.jit(lambda p: p.x * p.y)
    f([data, data[:3]])
    few, many = ([made(make, n), made(make, n)] for n in (2, 200))
    assert calls_of_python(f, few) == calls_of_python(f, many) < 10
    assert g(data[1]) == data[1].x * data[1].y
    assert calls_of_python(g, data[1]) < 10


@pytest.mark.parametrize("make", MAKERS)
def test_what_the_objects_are_now(make: Callable[..., Any]) -> None:
    data = made(make)
    for change in range(4):
        if change == 1:
            data[3].y = -7.5
        if change == 2:
            data[4] = data[5]  # one object, twice
        if change == 3:
            data.append(make(1.0, 1.0))
        assert value(data) == total(data)
        found = gradient(data)
        assert [type(g) for g in found] == [type(p) for p in data]
        assert [by_x(g) for g in found] == [scale(p) * p.y for p in data]


@pytest.mark.parametrize("make", SOME)
def test_every_operator(make: Callable[..., Any]) -> None:
    data = made(make, 6)
    expected = [scale(p) * p.y for p in data]
    out, pull = pb.vjp(total, data)
    assert out == total(data) and [by_x(g) for g in pull(1.0)[0]] == expected
    along = pb.jvp(total, (data,), (data,))
    assert along == (total(data), pytest.approx(2 * total(data)))
    assert pb.jvp(total, (data,), ([None] * 6,))[1] == 0.0
    assert [by_x(g) for g in pb.grad(total, method="dual")(data)] == expected
    packed = pb.pack(data)
    assert value(packed) == total(data)
    assert [by_x(g) for g in pb.unpack(gradient(packed))] == expected
    assert total(pb.unpack(packed)) == total(data)


@pytest.mark.parametrize("make", SOME)
def test_attributes_of_another_type(make: Callable[..., Any]) -> None:
    data = made(make, 6)
    assert value(data) == total(data)
    data[2].y = 3
    assert value(data) == total(data)
    data[2].y = 3.0
    assert value(data) == total(data)


@pytest.mark.parametrize("make", SOME)
def test_an_attribute_that_is_missing(make: Callable[..., Any]) -> None:
    data = made(make, 6)
    assert value(data) == total(data)
    del data[2].y
    try:
        expected = total(data)
    except AttributeError:
        with pytest.raises((AttributeError, pb.PullbackError)):
            value(data)
    else:
        assert value(data) == expected  # the class has a variable of this name
    data[2].y = 3.0
    assert value(data) == total(data)


@pytest.mark.parametrize("make", SOME)
def test_attributes_of_which_the_program_does_not_know(make: Callable[..., Any]) -> None:
    data = made(make, 6)
    assert value(data) == total(data)
    for more in (4.0, open, {1, 2}):
        data[2].more = more
        assert value(data) == total(data)
    found = gradient(data)
    assert [by_x(g) for g in found] == [scale(p) * p.y for p in data]
    assert not hasattr(found[2], "more")
    del data[2].more
    assert value(data) == total(data)


def test_a_dictionary_of_its_own() -> None:
    data = made(Plain, 6)
    assert value(data) == total(data)
    data[2].__dict__ = {"y": 1.5, "x": 4.0}
    data[3].__dict__ = made(Other, 1)[0].__dict__
    assert value(data) == total(data)
    data[4].__dict__.clear()
    data[4].x = 7.0
    assert value(data) == total(data)  # y is the class's
    data[5].__dict__ = {"x": 4.0, "z": 1.0}
    assert value(data) == total(data)


def test_arrays_and_lists_as_attributes() -> None:
    def f(ps: Any) -> Any:
        return sum(p.x * np.sum(p.y * p.y) for p in ps)

    def g(ps: Any) -> Any:
        return sum(p.x * sum(v * v for v in p.y) for p in ps)

    for function, wrap in ((f, np.array), (g, list)):
        data = [Plain(1.0 + k, wrap([0.5 * j for j in range(k + 1)])) for k in range(5)]
        for _ in range(2):
            assert pb.jit(function)(data) == pytest.approx(function(data))
            for p, d in zip(data, pb.grad(function)(data), strict=True):
                assert type(d.y) is type(p.y)
                assert np.allclose(d.y, 2 * p.x * np.array(p.y))
            data[1].y[0] = 9.0  # in place
            data[2].y = wrap([1.0])
    unaligned = np.frombuffer(b"." + np.ones(3).tobytes(), np.uint8)[1:].view(np.float64)
    assert pb.jit(f)([Plain(2.0, unaligned)]) == 6.0


def test_objects_in_objects_tuples_and_dicts() -> None:
    def f(d: Any) -> Any:
        return d["a"].x * d["a"].y.x + d["b"][0].y * d["b"][1]

    data = {"a": Plain(2.0, Data(3.0, None)), "b": (Slotted(1.0, 5.0), 7.0)}
    assert pb.jit(f)(data) == f(data)
    found = pb.grad(f)(data)
    assert (found["a"].x, found["a"].y.x, found["b"][0].y, found["b"][1]) == (3.0, 2.0, 7.0, 5.0)
    data["a"].y = Data(4.0, None)
    assert pb.jit(f)(data) == f(data)


def test_a_dict_with_more_keys_or_in_another_order_is_another_one() -> None:
    def total(d: Any) -> Any:
        seen = 0.0
        for k, p in d.items():
            seen = 2.0 * seen + k * p.x
        return seen + len(d)

    run, gradient = pb.jit(total), pb.grad(total)
    for keys in ((1, 2), (1, 2, 3), (2, 1), (1,), (1, 2, 3, 4)):
        for more in (False, True):  # an attribute that the program does not know
            data = {k: Plain(0.5 + k, 1.0) for k in keys}
            if more:
                data[1].unknown = "text"
            assert run(data) == total(data)
            assert list(gradient(data)) == list(keys)


def test_what_is_made_is_an_ordinary_object() -> None:
    def several(x: float) -> list[Plain]:
        return [Plain(x * k, x + k) for k in range(4)]

    found = pb.jit(several)(2.0)
    assert [vars(p) for p in found] == [vars(p) for p in several(2.0)]
    found.append(pb.grad(lambda p: p.x * p.y)(Plain(1.0, 2.0)))
    gone = []
    while found:
        one = found.pop()
        one.own = one  # a cycle, which the collector must see
        gone.append(weakref.ref(one))
    del one
    gc.collect()
    assert [ref() for ref in gone] == [None] * 5


def test_an_array_that_is_taken_away_lives_as_long_as_the_call() -> None:
    """As another thread may do it: by a function of Python in the middle of the call."""
    held: list[Any] = []
    alive: list[bool] = []

    def take_away(x: float) -> float:
        gone = [weakref.ref(held[0].y), weakref.ref(held[1][0])]
        held[0].y, held[1][0] = None, None
        alive.extend(ref() is not None for ref in gone)
        held.extend(gone)
        return x

    callback = pb.pure_callback(take_away, 0.0)
    f = pb.jit(lambda p, rows, x: callback(x) + np.sum(p.y) + np.sum(rows[0]))
    for _ in range(2):
        held[:] = [Plain(1.0, np.ones(3)), [np.full(2, 2.0), np.zeros(2)]]
        assert f(held[0], held[1], 1.0) == 8.0
        assert [ref() for ref in held[2:]] == [None, None]
    assert alive == [True] * 4


def joined() -> Any:
    """Has no arguments; two of its objects are one."""
    out: list[Any] = []
    for p in sorted([Plain(3.0, 4.0), Plain(1.0, 2.0), Plain(2.0, 9.0)], key=lambda p: p.x):
        if out and p.x <= out[-1].y:
            out[-1].y = max(out[-1].y, p.y)
        else:
            out += (p,)
    return out[0], out


def test_objects_that_a_function_without_arguments_makes() -> None:
    one, (same, *others) = pb.jit(joined)()
    assert one is same and not others
    assert type(one) is Plain and vars(one) == {"x": 1.0, "y": 9.0} == vars(joined()[0])
