"""Attributes of arguments that are themselves no arguments (a lock, an open file): they are there,
nobody reads them, and the caller's objects keep them."""

from __future__ import annotations

import copy
import io
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import pullback as pb

LOCK = memoryview(b"")
OTHERS: tuple[dict[str, object], ...] = ({}, {"more": LOCK}, {"more": 2.0}, {"more": io.StringIO()})


class Rate:
    def __init__(self, a: float, more: dict[str, object]) -> None:
        self.a = a
        for name, value in more.items():
            setattr(self, name, value)


class Slotted:
    __slots__ = ("a", "more")

    def __init__(self, a: float, more: dict[str, object]) -> None:
        self.a = a
        for name, value in more.items():
            setattr(self, name, value)


class Asking(Rate):
    def __getattr__(self, name: str) -> float:
        if name == "twice":
            return 2.0 * self.a
        raise AttributeError(name)


def asked(u: Any, x: float) -> float:
    return u.a * x * (1.0 if hasattr(u, "more") else 2.0)


def in_loop(u: Any, x: float) -> float:
    total = 0.0
    for _ in range(3):
        u.a = u.a + x
        if hasattr(u, "more"):
            total += u.a
    return total


def assigned(u: Any, x: float) -> float:
    u.more = x
    return 2.0 * u.more + u.a


def state(u: Any) -> dict[str, object]:
    return {n: getattr(u, n) for n in ("a", "more") if hasattr(u, n)}


@pytest.mark.parametrize("cls", [Rate, Slotted, Asking])
@pytest.mark.parametrize("f", [asked, in_loop, assigned])
def test_they_are_there(f: Callable[[Any, float], float], cls: Any) -> None:
    """One function of objects with and without one, in turn: results, slopes, what is left."""
    compiled, derived = pb.jit(f), pb.value_and_grad(f, argnums=(0, 1))
    for more in (*OTHERS, *OTHERS[::-1]):
        plain, mine, theirs = (cls(1.5, more) for _ in range(3))
        expected = f(plain, 2.0)
        assert compiled(mine, 2.0) == expected and state(mine) == state(plain)
        value, (by_u, by_x) = derived(theirs, 2.0)
        assert value == expected and state(theirs) == state(plain)
        h = 1e-6
        up, down = f(cls(1.5, more), 2.0 + h), f(cls(1.5, more), 2.0 - h)
        assert by_x == pytest.approx((up - down) / (2 * h), rel=1e-6)
        up, down = f(cls(1.5 + h, more), 2.0), f(cls(1.5 - h, more), 2.0)
        assert by_u.a == pytest.approx((up - down) / (2 * h), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("count", [2, 100])
def test_in_lists(count: int) -> None:
    """An update of objects in a list leaves them and their locks where they are."""

    def f(us: Any, x: float) -> float:
        for u in us:
            u.a *= x
        return float(sum(u.a for u in us if hasattr(u, "more")))

    compiled = pb.jit(f)
    for more in ({}, {"more": LOCK}):
        us = [Rate(float(i), dict(more)) for i in range(count)]
        same = [*us]
        total = 2.0 * sum(range(count)) if more else 0.0
        assert compiled(us, 2.0) == total
        assert all(u is v for u, v in zip(us, same, strict=True))
        assert [state(u) for u in us] == [{"a": 2.0 * i, **more} for i in range(count)]


def test_in_some_of_a_list() -> None:
    """What only some have, nobody can ask for; the rest of the objects is as it was."""

    def f(us: Any, x: float) -> float:
        return float(sum(u.a * x for u in us))

    def g(us: Any, x: float) -> float:
        return sum(x for u in us if hasattr(u, "more"))

    us = [Rate(float(i), {"more": LOCK} if i % 2 else {}) for i in range(6)]
    assert pb.jit(f)(us, 2.0) == 30.0
    by_us = pb.grad(f)(us, 2.0)
    assert [vars(u) for u in by_us] == [{"a": 2.0}] * 6
    with pytest.raises(pb.PullbackError, match="only some objects"):
        pb.jit(g)(us, 2.0)
    assert pb.jit(g)([Rate(1.0, {"more": LOCK}) for _ in range(6)], 2.0) == 12.0
    assert pb.jit(g)([Rate(1.0, {}) for _ in range(6)], 2.0) == 0.0


class Empty:
    pass


class EmptySlots:
    __slots__ = ("more",)


class Row(list[float]):
    pass


class Given(dict[str, float]):
    pass


@dataclass
class Plain:
    pass


INSIDE: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "itself": (lambda u: u, lambda at: at),
    "item": (lambda u: [u], lambda at: at[0]),
    "many": (lambda u: [u, copy.copy(u)] * 60, lambda at: at[-1]),
    "tuple": (lambda u: (1.0, u), lambda at: at[1]),
    "dict": (lambda u: {"u": u}, lambda at: at["u"]),
    "attribute": (lambda u: SimpleNamespace(u=u), lambda at: at.u),
}


@pytest.mark.parametrize("place", INSIDE)
@pytest.mark.parametrize("cls", [Empty, EmptySlots, Row, Given, Plain, SimpleNamespace])
def test_an_object_without_attributes(cls: Any, place: str) -> None:
    """Code for an object that has none is not for one that has one, nor the other way round."""
    put, at = INSIDE[place]

    def f(held: Any, x: float) -> float:
        return x * (1.0 if hasattr(at(held), "more") else 2.0)

    def made(more: object) -> Any:
        u = cls()
        if more is not None:
            u.more = more
        return put(u)

    for first, other in ((None, 3.0), (3.0, None), (None, "text")):
        compiled, derived = pb.jit(f), pb.value_and_grad(f, argnums=1)
        for more in (first, other, first):
            expected = f(made(more), 3.0)
            assert compiled(made(more), 3.0) == expected
            assert derived(made(more), 3.0) == (expected, expected / 3.0)


REFUSED: tuple[Callable[[Any, float], Any], ...] = (
    lambda u, x: x * getattr(u, "more", 3.0),
    lambda u, x: x if u.more is None else 2.0 * x,
    lambda u, x: u,
    lambda u, x: {"u": u, "x": x},
    lambda u, x: copy.copy(u),
    lambda u, x: copy.deepcopy(u).a * x,
)


@pytest.mark.parametrize("k", range(len(REFUSED)))
def test_nobody_reads_them(k: int) -> None:
    f = REFUSED[k]
    f(Rate(1.0, {}), 2.0) if k != 1 else None
    with pytest.raises(pb.PullbackError, match=r"no argument|cannot be an argument"):
        pb.jit(f)(Rate(1.0, {"more": LOCK}), 2.0)


PROGRAM = """
import pullback as pb

class Rate:
    def __init__(self, **all):
        for name, value in all.items():
            setattr(self, name, value)

def f(u, x):
    return u.a * x * (1.0 if hasattr(u, "more") else 2.0)

compiled = pb.jit(f)
print([compiled(u, 3.0) for u in (Rate(a=1.0), Rate(a=1.0, more=memoryview(b"")), Rate(a=2.0))])
bare = pb.jit(lambda u, x: x * (1.0 if hasattr(u, "more") else 2.0))
print([bare(u, 3.0) for u in (Rate(), Rate(more=memoryview(b"")), Rate(more=1.0))])
"""


def test_in_the_second_process(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    env = {**os.environ, "PULLBACK_CACHE": str(tmp_path / "kept"), "PULLBACK_CACHE_PROGRAMS": "1"}
    command = [sys.executable, str(tmp_path / "program.py")]
    for _ in range(2):
        run = subprocess.run(command, env=env, capture_output=True, text=True, check=True,
                             timeout=120)  # fmt: skip
        assert run.stdout == "[6.0, 3.0, 12.0]\n[6.0, 3.0, 3.0]\n"
