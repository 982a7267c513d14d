"""Sums travel as a tag and variables that their variants share; those of other variants hold what
nobody reads."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.core import build
from pullback.core.types import Bool, Int, Real, Type
from tests import harness


@dataclass(frozen=True)
class Parts:
    p: np.ndarray
    n: int


@dataclass(frozen=True)
class Number:
    x: float
    scale: float | None


@dataclass(frozen=True)
class Nothing:
    pass


V = np.array([0.3, -0.8, 1.1])
XS = np.array([0.52, -1.2, 0.7, 1.9, -0.3, 0.8, 1.4])


def read(xs, v):
    u = Nothing()
    s = 0.0
    for x in xs:
        match u:
            case Nothing():
                s += x
            case Parts(p, n):
                s += float(p[n]) * x
            case Number(y, None):
                s += y * x
            case Number(y, k):
                s += math.sin(y * k)
        if s > 0.5:
            u = Parts(v * s, 1)
        elif x > 0.0:
            u = Number(s * x, None if isinstance(u, Parts) else x)
        else:
            u = Nothing()
    return s


def two(xs, v):
    """Two of them change places, and a list of them is changed."""
    first, second, kept = Nothing(), Parts(v, 0), [Nothing(), Number(v[0], None), Parts(v, 2)]
    s = 0.0
    for i, x in enumerate(xs):
        for u in kept:
            if isinstance(u, Parts):
                s += float(np.sum(u.p)) * u.n
        first, second = second, Parts(v * x, i % 3) if x > 0.0 else Number(x * s, s)
        kept[i % 3] = first if isinstance(second, Parts) else kept[0]
        s = math.tanh(s) * (second.x if isinstance(second, Number) else x)
    return s


def asked(xs, v):
    """Whether it is an array is all that is read of it."""
    u = Nothing()
    s = 0.0
    for x in xs:
        s = s + x * v[0] if isinstance(u, Parts) else s * x + 1.0
        u = Parts(v * x, 1) if x > 0.5 else Nothing()
    return s


def text(f: Callable[..., Any], stage: str) -> str:
    return pb.show(pb.grad(f), XS, V, stage=stage)


def test_what_is_in_them_is_in_variables() -> None:
    """The sums are gone, with them what made them; a case is on a number or on a truth value."""
    before, after = text(read, "constructors of halves"), text(read, "unbox sums")
    assert "inject" in before
    assert "inject" not in after
    assert re.search(r"case [\w.]+\n +#0\(\)", after)
    (carried,) = set(re.findall(r"with s:f64 = 0\.0, (.*)", after))
    types = [part.split(":", 1)[1].split(" ")[0] for part in carried.split(", ")]
    # the tag; of Parts the array with its accumulator, and n; the numbers, and whether there is one
    assert sorted(types) == ["bool", "f64", "f64", "f64[:]", "handle[:]", "i32", "i64"]


def test_of_what_only_the_tag_is_read_only_the_tag_is_carried() -> None:
    loops = {line.split(" with ")[1] for line in text(asked, "trim last").splitlines()
             if re.search(r" loop i .* with ", line)}  # fmt: skip
    assert len(loops) == 1
    assert re.fullmatch(r"s:f64 = 0\.0, s\.0:bool = (True|False)", loops.pop())


@pytest.mark.parametrize("method", ["chad", "dual"])
@pytest.mark.parametrize("f", [read, two], ids=lambda f: f.__name__)
def test_nobody_reads_what_is_in_no_variant(
    f: Callable[..., Any], method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other numbers there change nothing, not even to NaN."""
    args = XS.copy(), V.copy()
    expected = harness.gradient(f, args, (0, 1), "eval", method)
    asked_for: list[Type] = []

    def unread(self: build.Builder, t: Type) -> Any:
        asked_for.append(t)
        match t:
            case Real():
                return build.lit(math.nan, t)
            case Int():
                return build.lit(-1000003, t)
            case Bool():
                return build.lit(True, t)
            case _:
                return self.prim("undefined", static=(t,))

    monkeypatch.setattr(build.Builder, "unread", unread)

    def again(xs, v):
        return f(xs, v) + 0.0

    for tier in ("eval", "native"):
        found = harness.gradient(again, args, (0, 1), tier, method)
        assert harness.distance(found, expected) < 1e-12
    assert any(isinstance(t, Real) for t in asked_for)
