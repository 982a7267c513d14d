"""Where all arms but one end in an error, the reverse sweep does not ask which one was taken."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests import harness


@dataclass(frozen=True)
class Parts:
    p: np.ndarray


@dataclass(frozen=True)
class Number:
    x: float


V = np.array([0.3, -0.8, 1.1])
XS = np.array([0.52, -1.2, 0.7, 1.9, -0.3])


def attribute(xs, v):
    u = Parts(v)
    s = 0.0
    for x in xs:
        s += math.sin(x * s + u.p[0])
        u = Parts(u.p) if s < 2.5 else Number(s)
    return s


def work_before_the_error(xs, v):
    """The arm that ends in an error updates, loops and calls."""
    t = np.zeros(4)
    s = 0.0
    for i, x in enumerate(xs):
        if x > 5.0:
            t[0] = attribute(v, v * x)
            w = v * x
            w[1] = t[0]
            while t[0] < 100.0:
                t[0] = t[0] * 2.0 + float(w[1]) ** 2
            raise ValueError(f"large at {i + int(t[0] > w[0])}")
        else:
            t[i % 4] += x * s + v[i % 3]
            w = t * x
        s += w[(i + 1) % 4] * t[i % 4]
    return s


def arrays_are_kept(xs, v):
    z = v
    m = np.outer(v, v)
    for i, x in enumerate(xs):
        if z[0] > 1e3:
            raise OverflowError("z")
        y = m @ z
        m[i % 3, 0] += x
        if y[1] > -1e3:
            z = np.tanh(y * x) + z * v
            z[i % 3] *= y[0]
        else:
            raise IndexError("y")
    return float(np.sum(z))


def kept(f: Callable[..., Any]) -> list[str]:
    """The types of what the forward half gives its reverse half."""
    head = next(
        line for line in pb.show(pb.grad(f), XS, V, stage="ad").splitlines()
        if line.startswith("fun") and ".rev(" in line
    )  # fmt: skip
    return [p.split(":", 1)[1] for p in head.split("(")[1].split(")")[0].split(", ")]


def test_no_tag_is_kept() -> None:
    assert not any("<" in t or "bool" in t for t in kept(attribute))


@pytest.mark.parametrize("f", [work_before_the_error, arrays_are_kept], ids=lambda f: f.__name__)
def test_agree(f: Callable[..., Any]) -> None:
    found = {
        f"{tier} {method}": harness.gradient(f, (XS, V), (0, 1), tier, method)
        for tier in ("native", "eval") for method in ("chad", "dual")
    }  # fmt: skip
    assert harness.disagreements(found, {}, 1e-11) == []
    tangents = np.cos(XS), np.sin(V)
    moved = {
        "reverse": harness.inner(found["native chad"][1], tangents),
        "differences": harness.difference(f, (XS, V), tangents),
    }
    assert harness.disagreements(moved, {"differences": 1e-7}, 1e-11) == []


def failure(call: Callable[[], Any]) -> tuple[type, str, int | None]:
    with pytest.raises(Exception) as caught:
        call()
    lines = [f.lineno for f in traceback.extract_tb(caught.tb) if f.filename == __file__]
    return caught.type, str(caught.value), lines[-1]


@pytest.mark.parametrize(
    ("f", "xs", "v"),
    [
        (attribute, XS * 0.0 + 0.1, V * 5.0),
        (work_before_the_error, XS * 5.0, V),
        (arrays_are_kept, XS, V * 2e3),
        (arrays_are_kept, XS, V * 40.0),
    ],
)
@pytest.mark.parametrize("method", ["chad", "dual"])
def test_the_error_is_that_of_python(
    f: Callable[..., Any], xs: np.ndarray, v: np.ndarray, method: str
) -> None:
    expected = failure(lambda: f(xs, v))
    assert failure(lambda: pb.grad(f, argnums=(0, 1), method=method)(xs, v)) == expected
