"""None where something else is needed: what Python raises, if that place is reached at all."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pullback as pb
from tests.foreign.__main__ import verdict

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

XS = [1.0, 2.0, 4.0]


def differences(xs):
    before, total = None, 0.0
    for k, x in enumerate(xs):
        if k > 0:
            total += (x - before) ** 2 + abs(before) * max(before, x) - (-before)
        before = x
    return total


def rising(xs):
    before, total = None, 0.0
    for k, x in enumerate(xs):
        if k > 0 and before < x:
            total += x * math.sin(before) + np.cos(before) + float(before)
        before = x
    return total


def pairs(xs):
    before, total = None, 0.0
    for k, x in enumerate(xs):
        if k > 0:
            for v in before:
                total += v * len(before)
            first, second = before
            total += first * second + before[0] + (x in before)
        before = (x, 1.0)
    return total


def functions(xs):
    f, total = None, 0.0
    for k, x in enumerate(xs):
        if k > 0:
            total += f(x)
        f = lambda y: y * y
    return total


def an_argument_that_is_none(xs, shift=None):
    total = 0.0
    for x in xs:
        total += x - shift if x > 100.0 else x
    return total


@pytest.mark.parametrize(
    "f", [differences, rising, pairs, functions, an_argument_that_is_none],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_where_it_is_not_reached(f: Any) -> None:
    assert verdict(f, (XS,)) == ("right", "")


class Place:
    def __init__(self, k=None):
        self.k = k


def test_an_index_of_an_array_that_is_none() -> None:
    """``v[None]`` has an axis more than ``v[1]``: it is refused when it is met, by no clause."""

    def f(v: Any, n: int) -> Any:
        places = [Place(k) for k in range(2)]
        places.append(Place())
        total = 0.0
        for place in places[:n]:
            try:
                total += v[place.k] * v[1]
            except TypeError:
                total += 100.0
        return np.sum(total)

    v = np.array([1.5, 2.5])
    assert pb.jit(f)(v, 2) == f(v, 2)
    assert pb.grad(f)(v, 2) == pytest.approx([2.5, 6.5])
    with pytest.raises(TypeError, match="is None, which would add an axis"):
        pb.jit(f)(v, 3)


def unpacked(x, z):
    if x > 1.0:
        a, _ = z
        x += a
    return x


def gone_through(x, z):
    if x > 1.0:
        for v in z:
            x += v
    return x


def stored(x, z):
    if x > 1.0:
        z[0] = 1.0
    return x


def added(x, z):
    if x > 1.0:
        x += z
    return x


RAISING = [
    unpacked, gone_through, stored, added,
    lambda x, z: x - z if x > 1.0 else x,
    lambda x, z: z * 2 if x > 1.0 else x,
    lambda x, z: z**2 if x > 1.0 else x,
    lambda x, z: z + z if x > 1.0 else x,
    lambda x, z: 1.0 if x > 1.0 and z < x else x,
    lambda x, z: -z if x > 1.0 else x,
    lambda x, z: abs(z) if x > 1.0 else x,
    lambda x, z: z[0] if x > 1.0 else x,
    lambda x, z: sum(z) if x > 1.0 else x,
    lambda x, z: len(z) if x > 1.0 else x,
    lambda x, z: math.sin(z) if x > 1.0 else x,
    lambda x, z: np.sin(z) if x > 1.0 else x,
    lambda x, z: z(x) if x > 1.0 else x,
    lambda x, z: float(z) if x > 1.0 else x,
    lambda x, z: int(z) if x > 1.0 else x,
    lambda x, z: round(z) if x > 1.0 else x,
    lambda x, z: z.shape if x > 1.0 else x,
    lambda x, z: z.append(x) if x > 1.0 else x,
    lambda x, z: x in z if x > 1.0 else x,
    lambda x, z: max(z, x) if x > 1.0 else x,
    lambda x, z: [x, 2.0][z] if x > 1.0 else x,
    lambda x, z: (x, 2.0)[z] if x > 1.0 else x,
    lambda x, z: range(4)[z] * x if x > 1.0 else x,
    lambda x, z: len("ab"[z]) * x if x > 1.0 else x,
    lambda x, z: z in "ab" if x > 1.0 else x,
]  # fmt: skip


@pytest.mark.parametrize("f", RAISING)
def test_where_it_is(f: Any) -> None:
    compiled = pb.jit(f)
    assert compiled(0.5, None) == 0.5
    with pytest.raises(Exception) as expected:  # the one of Python
        f(1.5, None)
    with pytest.raises(expected.type) as caught:
        compiled(1.5, None)
    assert str(caught.value) == str(expected.value)
