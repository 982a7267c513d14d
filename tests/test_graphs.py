"""Objects that lead to each other as arguments and results: what they are afterwards, and what
leads where, is as in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.frontend.python.object_classes import attributes_of
from tests import graph_programs as programs
from tests.campaign import part
from tests.foreign.__main__ import verdict

Made = Callable[[float], tuple[Any, ...]]


def told(x: Any, seen: dict[int, int]) -> Iterator[Any]:
    """All that can be seen of a value: what is met again is told by its number."""
    if isinstance(x, float):
        yield "float", type(x).__name__, f"{x:.12g}"
    elif x is None or isinstance(x, int | str | np.generic | Enum | programs.Rate):
        yield type(x).__name__, x
    elif id(x) in seen:
        yield "again", seen[id(x)]
    else:
        seen[id(x)] = len(seen)
        yield type(x).__name__
        if isinstance(x, np.ndarray):
            yield str(x.dtype), x.shape, [f"{v:.12g}" for v in x]
        elif isinstance(x, list | tuple):
            for v in x:
                yield from told(v, seen)
        else:
            for name, v in sorted(attributes_of(x).items()):
                yield name
                yield from told(v, seen)


def everything(*values: Any) -> list[Any]:
    return list(told(values, {}))


def held(args: tuple[Any, ...]) -> list[Any]:
    """All objects, lists and arrays that arguments lead to, so that these are seen after a call."""
    found: dict[int, Any] = {}
    todo: list[Any] = [*args]
    while todo:
        x = todo.pop()
        if x is None or isinstance(x, int | float | str | programs.Rate) or id(x) in found:
            continue
        found[id(x)] = x
        if not isinstance(x, np.ndarray):
            todo += x if isinstance(x, list | tuple) else attributes_of(x).values()
    return list(found.values())


def outcome(f: Callable[..., Any], args: tuple[Any, ...]) -> list[Any]:
    before = held(args)
    try:
        result = f(*args)
    except ValueError as error:
        result = str(error)
    return everything(result, args, before)


def ids(cases: list[tuple[Callable[..., Any], Made]]) -> list[str]:
    return [f"{f.__name__}{k}" for k, (f, _) in enumerate(cases)]


TAKEN = part("values", programs.UPDATES, 3)


@pytest.mark.parametrize(("f", "made"), TAKEN, ids=ids(TAKEN))
def test_as_in_python(f: Callable[..., Any], made: Made) -> None:
    compiled = pb.jit(f)
    for x in (0.7, 1.5):
        assert outcome(compiled, made(x)) == outcome(f, made(x))


@pytest.mark.parametrize(("f", "made"), programs.PLAIN, ids=ids(programs.PLAIN))
def test_what_is_shared(f: Callable[..., Any], made: Made) -> None:
    compiled = pb.jit(f)
    for x in (0.7, 1.5):
        programs.KNOWN.v = 1.0
        want = outcome(f, made(x))
        programs.KNOWN.v = 1.0
        assert outcome(compiled, made(x)) == want


def places(x: Any, seen: set[int]) -> Iterator[tuple[Any, Any]]:
    """Where the floats of a value are: objects with names, lists and arrays with indices."""
    if id(x) in seen or x is None or isinstance(x, int | float | str | programs.Rate):
        return
    seen.add(id(x))
    inside = enumerate(x) if isinstance(x, list | np.ndarray) else attributes_of(x).items()
    for key, v in [*inside]:
        if isinstance(v, float):
            yield x, key
        else:
            yield from places(v, seen)


def item(x: Any, key: Any) -> float:
    return float(x[key] if isinstance(x, list | np.ndarray) else getattr(x, key))


def moved(x: Any, key: Any, h: float) -> None:
    if isinstance(x, list | np.ndarray):
        x[key] += h
    else:
        setattr(x, key, getattr(x, key) + h)


@pytest.mark.parametrize(("f", "made"), TAKEN, ids=ids(TAKEN))
def test_the_gradient_is_such_objects(f: Callable[..., Any], made: Made) -> None:
    args = made(0.7)
    gradient = pb.grad(f)(*args)
    cotangents = [item(*at) for at in places(gradient, set())]
    wanted = []
    for k in range(len(cotangents)):
        values = []
        for h in (1e-6, -1e-6):
            other = made(0.7)
            moved(*list(places(other[0], set()))[k], h)
            values.append(f(*other))
        wanted.append((values[0] - values[1]) / 2e-6)
    assert cotangents == pytest.approx(wanted, rel=1e-6, abs=1e-6)
    other = made(0.7)
    f(*other)
    assert everything(*args) == everything(*other)


def test_the_gradient_by_several_arguments() -> None:
    (a, b), (c, d) = ((programs.ring(0.7), programs.ring(1.4)) for _ in range(2))
    value, (first, second) = pb.value_and_grad(programs.two, argnums=(0, 1))(a, b)
    assert value == programs.two(c, d)
    assert (first.v, first.next.v) == (1.4 * 2.0, 2.7 * 1.4)
    assert (second.v, second.next.v) == (2.7 * 2.0, 1.4 * 2.0)
    assert first.next.next is first and second.next.next is second
    with pytest.raises(pb.PullbackError):
        pb.grad(programs.two, argnums=(0, 1))(a, a.next)


@pytest.mark.parametrize("f", programs.RESULTS, ids=lambda f: f.__name__)
def test_results(f: Callable[..., Any]) -> None:
    compiled = pb.jit(f)
    for args in ((0.7, 2.0), (1.5, -0.3)):
        assert outcome(compiled, args) == outcome(f, args)


@pytest.mark.parametrize("f", programs.GIVEN, ids=lambda f: f.__name__)
def test_results_that_are_given(f: Callable[..., Any]) -> None:
    compiled = pb.jit(f)
    for x in (0.7, 1.5):
        assert outcome(compiled, (programs.ring(x),)) == outcome(f, (programs.ring(x),))


@pytest.mark.parametrize(("f", "made"), programs.REFUSED, ids=ids(programs.REFUSED))
def test_refused(f: Callable[..., Any], made: Made) -> None:
    args = made(0.7)
    before = everything(*args)
    with pytest.raises(pb.PullbackError) as caught:
        pb.jit(f)(*args)
    assert "graph_programs.py" in str(caught.value) and everything(*args) == before


def test_long_chains_and_methods() -> None:
    compiled = pb.jit(programs.summed)
    for n in (3, 300, 3000):
        one, two = programs.chain(0.5, n), programs.chain(0.5, n)
        assert compiled(one) == pytest.approx(programs.summed(two), rel=1e-12)
        while two is not None:
            assert one.v == two.v
            one, two = one.next, two.next
    assert verdict(lambda x: total_of(programs.linked(x, 1.0)), (0.7,))[0] == "right"


def total_of(n: Any) -> Any:
    s = 0.0
    while n is not None:
        s, n = s + n.v * n.v, n.next
    return s
