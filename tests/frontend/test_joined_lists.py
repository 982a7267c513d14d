"""Lists of arrays of unknown length, joined by NumPy's functions, and added up from a start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb

SHAPES = [(2, 3), (2, 4, 4), (1, 4, 4), (2, 2, 3, 2), (2, 2, 1, 3, 2), (0, 3), (0, 2, 2)]


def parts_of(x: Any) -> list[Any]:
    parts = []
    for i in range(x.shape[0]):
        parts.append(x[i] * 2.0)
    return parts


def outcome(f: Callable[..., Any], *args: Any) -> Any:
    try:
        return f(*args)
    except ValueError as e:
        return e.args


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(
    "join",
    [np.dstack, np.vstack, np.hstack, np.column_stack, np.stack, np.concatenate],
    ids=lambda f: f.__name__,
)
def test_joined(join: Callable[..., Any], shape: tuple[int, ...]) -> None:
    def f(x: Any) -> Any:
        return join(parts_of(x))

    x = np.random.default_rng(0).standard_normal(shape)
    want, got = outcome(f, x), outcome(pb.jit(f), x)
    assert type(got) is type(want)
    assert np.shape(got) == np.shape(want)
    assert np.array_equal(got, want)


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize(
    "f",
    [
        lambda xs: sum([x * 2.0 for x in xs], np.zeros(2)),
        lambda xs: sum((x * 2.0 for x in xs if x[0] > 0.5), np.ones(2)),
        lambda xs: sum(map(np.sin, xs), np.ones((2, 2))),
        lambda xs: sum([np.sum(x) for x in xs], np.ones(2)),
    ],
)
def test_sums_from_a_start(f: Callable[..., Any], n: int) -> None:
    xs = [np.array([0.5 * k, 1.0]) for k in range(n)]
    got = pb.jit(f)(xs)
    assert np.allclose(got, f(xs), rtol=1e-14) and np.shape(got) == np.shape(f(xs))
