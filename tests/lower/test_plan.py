"""The plan says how each loop runs, and why not otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb


def far(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            s += math.exp(-((x[i] - x[j]) ** 2))
    return s


def scaled(x):
    return np.sum(2.0 * x)


def filtered(x):
    m = 0.0
    for i in range(len(x)):
        m = 0.9 * m + 0.1 * x[i] * m
    return m


def halved(x):
    t = x[0]
    while t > 1.0:
        t = t * 0.5
    return t


def by_search(x):
    """The number of rounds inside differs from round to round."""
    out = []
    for i in range(len(x)):
        t = x[i]
        for _ in range(i):
            t = math.sin(t) + t * 0.5
        out.append(t)
    return sum(out)


def multiplied(x):
    a = x.reshape(-1, 2)
    return np.sum(np.linalg.inv(a.T @ a))


CASES: list[tuple[Callable[..., Any], bool, list[str]]] = [
    (far, False, ["sum over 2 indices: 8 rounds at a time", "in chunks on threads"]),
    (far, True, ["additions to cotangents over 2 indices: 8 rounds", "in chunks on threads"]),
    (scaled, False, ["sum: 8 rounds at a time; on one thread: its rounds are short"]),
    (filtered, False, ["loop, one round after the other"]),
    (filtered, True, ["loop, one round after the other; keeps 1 value of each round"]),
    (halved, False, ["while, one round after the other"]),
    (by_search, False, ["differs from round to round", "in chunks on threads"]),
    (multiplied, False, ["product: BLAS", "LAPACK"]),
]


@pytest.mark.parametrize(("f", "derivative", "wanted"), CASES)
def test_the_plan(
    f: Callable[..., Any], derivative: bool, wanted: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    text = pb.show(pb.grad(f) if derivative else f, np.arange(1.0, 9.0), stage="plan")
    for words in wanted:
        assert words in text
    assert text in capsys.readouterr().out


def test_a_program_without_loops_has_a_plan() -> None:
    assert pb.show(lambda x: x * x, 2.0, stage="plan") == "no loops"
