"""``pb.vjp`` and ``pb.jvp`` again and again: the compiled calls that are remembered for a function,
tangents and cotangents of every form, and what they must not keep alive."""

import gc
import sys
import weakref
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import pullback as pb


@dataclass(frozen=True)
class Point:
    x: float
    y: float


class Pair(NamedTuple):
    a: np.ndarray
    b: list[float]


def scaled(xs, s):
    return [x * s for x in xs]


def moved(p, s):
    return Point(p.x * s, p.y * p.x)


def both(x, y):
    return x * y, x + y


def of_dict(d):
    return {"a": d["a"] * 2.0, "b": d["b"] * d["a"]}


def wave(x, y):
    return np.sin(x) * y


def product(m, v):
    return [sum(a * x for a, x in zip(row, v)) for row in m]


A, B = np.array([0.5, 1.0, 2.0]), np.array([1.0, -1.0, 3.0])
CASES = [
    (both, (1.5, 2.5), (1.0, 2.0)),
    (wave, (A, B), B),
    (scaled, ([1.0, 2.0, 3.0], 2.0), [1.0, 0.5, 0.25]),
    (moved, (Point(1.0, 2.0), 3.0), Point(0.5, 0.25)),
    (of_dict, ({"a": 1.5, "b": 2.0},), {"a": 1.0, "b": -1.0}),
    (product, ([[1.0, 2.0], [3.0, 4.0]], [0.5, 0.25]), [1.0, 2.0]),
]


def flat(x: object) -> list[float]:
    if x is None:
        return []
    if isinstance(x, Point):
        return [x.x, x.y]
    if isinstance(x, dict):
        return flat(list(x.values()))
    if isinstance(x, list | tuple):
        return [y for part in x for y in flat(part)]
    return list(np.ravel(x))


@pytest.mark.parametrize("case", range(len(CASES)))
def test_the_second_call_is_the_first(case):
    """The first call compiles, the second goes through what is remembered."""
    f, primals, cotangent = CASES[case]
    for _ in range(3):
        out, pullback = pb.vjp(f, *primals)
        value, tangent = pb.jvp(f, primals, primals)
        assert flat(out) == pytest.approx(flat(f(*primals)), rel=1e-14)
        assert flat(value) == flat(out)
        for _ in range(2):
            found = pullback(cotangent)
            assert len(found) == len(primals)
            assert [type(x) for x in found] == [type(x) for x in primals]
            assert np.dot(flat(found), flat(primals)) == pytest.approx(
                np.dot(flat(tangent), flat(cotangent)), rel=1e-12)  # fmt: skip


@pytest.mark.parametrize(
    ("f", "primals", "given", "want"),
    [
        (both, (1.5, 2.5), (1, None), (2.5, 1.5)),
        (both, (1.5, 2.5), (np.float64(1.0), np.float32(0.0)), (2.5, 1.5)),
        (both, (1.5, 2.5), [1.0, 0.0], (2.5, 1.5)),
        (both, (1.5, 2.5), None, (0.0, 0.0)),
        (wave, (A, B), [1.0, 1, 1.0], (np.cos(A) * B, np.sin(A))),
        (wave, (A, B), np.ones(6)[::2], (np.cos(A) * B, np.sin(A))),
        (scaled, ([1.0, 2.0], 2.0), (1, np.float64(0.5)), ([2.0, 1.0], 2.0)),
        (scaled, ([1.0, 2.0], 2.0), np.array([1.0, 0.5]), ([2.0, 1.0], 2.0)),
        (moved, (Point(1.0, 2.0), 3.0), Point(1, None), (Point(3.0, 0.0), 1.0)),
        (of_dict, ({"a": 1.5, "b": 2.0},), {"b": 1, "a": 0}, ({"a": 2.0, "b": 1.5},)),
    ],
)
def test_cotangents_of_other_forms(f, primals, given, want):
    pullback = pb.vjp(f, *primals)[1]
    for _ in range(2):
        try:
            found = pullback(given)
        except TypeError:
            assert isinstance(given, np.ndarray | dict)
            continue
        assert flat(found) == pytest.approx(flat(want), rel=1e-12)


def test_wrong_cotangents_and_tangents_are_refused():
    pullback = pb.vjp(wave, A, B)[1]
    for wrong in (np.ones(4), np.ones((3, 1)), "abc", 1.0, np.ones(3, complex)):
        with pytest.raises((TypeError, ValueError)):
            pullback(wrong)
        with pytest.raises((TypeError, ValueError)):
            pb.jvp(wave, (A, B), (wrong, B))
    assert flat(pullback(np.ones(3))[1]) == flat(np.sin(A))
    pullback = pb.vjp(scaled, [1.0, 2.0], 2.0)[1]
    for wrong in ([1.0], [1.0, 2.0, 3.0], [1.0, "x"], 1.0):
        with pytest.raises((TypeError, ValueError)):
            pullback(wrong)
    assert pullback([1.0, 1.0]) == ([2.0, 2.0], 3.0)


def test_tangents_of_other_forms():
    assert pb.jvp(both, (1.5, 2.5), (1, None)) == ((3.75, 4.0), (2.5, 1.0))
    value, tangent = pb.jvp(scaled, ([1.0, 2.0], 2.0), (None, 1))
    assert (value, tangent) == ([2.0, 4.0], [1.0, 2.0])
    assert pb.jvp(scaled, ([1.0, 2.0], 2.0), ([1, 0.0], 0.0))[1] == [2.0, 0.0]
    discrete = pb.jvp(lambda x, n: x * n, (2.0, 3), (1.0, None))
    assert discrete == (6.0, 3.0)
    assert pb.vjp(lambda x, n: x * n, 2.0, 3)[1](1.0) == (3.0, None)


def test_the_pullback_owns_what_it_needs():
    x, y, xs = A.copy(), B.copy(), [1.0, 2.0]
    arrays, lists = pb.vjp(wave, x, y)[1], pb.vjp(scaled, xs, 2.0)[1]
    x[:], y[:] = 7.0, 8.0
    xs.append(5.0)
    assert flat(arrays(np.ones(3))) == pytest.approx(flat((np.cos(A) * B, np.sin(A))))
    assert lists([1.0, 1.0]) == ([2.0, 2.0], 3.0)


def test_globals_and_captures_are_read_anew():
    factor = 2.0

    def f(x):
        return x * factor

    for k in range(4):
        factor = float(k)
        assert pb.jvp(f, (3.0,), (1.0,)) == (3.0 * k, float(k))
        out, pullback = pb.vjp(f, 3.0)
        assert (out, pullback(1.0)) == (3.0 * k, (float(k),))
    factor = 2  # another kind
    assert pb.jvp(f, (3.0,), (1.0,)) == (6.0, 2.0)
    assert pb.vjp(f, 3.0)[1](1.0) == (2.0,)


def test_extents_of_one_are_noticed_in_what_is_remembered():
    def f(x, y):
        return x * y

    for y in (B, np.array([2.0]), B):
        out, pullback = pb.vjp(f, A, y)
        assert flat(out) == flat(A * y)
        assert pullback(np.ones(3))[1].shape == y.shape
        assert flat(pb.jvp(f, (A, y), (A, y))[1]) == flat(2.0 * A * y)


def test_functions_die():
    """The calls that are remembered for a function do not keep it alive."""

    def made(c):
        def f(x):
            return x * c

        assert pb.vjp(f, 2.0)[1](1.0) == (c,)
        assert pb.jvp(f, (2.0,), (1.0,)) == (2.0 * c, c)
        return weakref.ref(f)

    first = made(3.0)  # this one is known to the compiled code
    assert made(4.0)() is None
    assert first() is None or first()(1.0) == 3.0


def test_nothing_is_left_behind():
    def many():
        for f, primals, cotangent in CASES:
            pullback = pb.vjp(f, *primals)[1]
            pullback(cotangent)
            pullback(None)
            pb.jvp(f, primals, primals)

    many()  # compiles
    while gc.collect():  # what other tests left may keep more
        pass
    gc.disable()  # a pullback must go without it
    try:
        many()
        assert gc.collect() == 0
        growth = []
        for _ in range(20):  # in the first ones, lists of free objects and held floats fill up
            before = sys.getallocatedblocks()
            for _ in range(100):
                many()
            gc.collect()  # empties CPython's lists of free objects
            growth.append(sys.getallocatedblocks() - before)
            if growth[-1] < 60:
                break
        assert min(growth) < 60, growth  # a leak of one block in each call gives 100 in each
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("f", "cotangent"),
    [
        (lambda xs, n: [k for k in range(n)], [None, None]),
        (lambda xs, n: (xs[0] ** 2, [k > 0 for k in range(n)]), (1.0, [None, None])),
        (lambda xs, n: {"a": xs[0] ** 2, "b": [k for k in range(n)]}, {"a": 1.0, "b": None}),
    ],
)
def test_results_with_lists_of_ints(f: Any, cotangent: Any) -> None:
    """They were an internal error: nothing of them goes into a pullback."""
    value, pullback = pb.vjp(f, [0.5, 2.0], 2)
    assert value == f([0.5, 2.0], 2)
    assert pullback(cotangent) == ([0.0 if isinstance(value, list) else 1.0, 0.0], None)
