"""Maxima, minima, their places, ``any`` and ``all`` have lanes, however they are written, and give
the bits of one round after the other."""

import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from pullback.call.request import Request, What
from tests.lower.agreement import agree

NAN, INF = math.nan, math.inf
RNG = np.random.default_rng(7)


def first_max(x):
    """NumPy's rule, one round after the other: NaN wins, then the first of equal numbers stays."""
    best, at = x[0], 0
    for i in range(len(x)):
        if not x[i] <= best and best == best:
            best, at = x[i], i
    return x[at], at


def running(x):
    best = x[0]
    for v in x:
        best = max(best, v)
    return best


def smallest(x):
    low, high = INF, -INF
    for v in x:
        low = min(low, v)
        if v > high:
            high = v
    return low, high


def last_best(x):
    best, at, weight = -1.0, -7, 0.5
    for i in range(len(x)):
        if x[i] >= best:
            best = x[i]
            at = i
            weight = 2.0 * x[i] + i
    return best, at, weight


def last_least(x):
    least, at = x[0], 0
    for i in range(1, len(x)):
        if least >= x[i]:
            least, at = x[i], i - 1
    return least, at


def from_outside(x):
    best, at = 0.0, 100
    for i in range(len(x)):
        if best < x[i]:
            best, at = x[i], i
    return best, at


def flags(x):
    some, every = False, True
    for v in x:
        some = some or v > 1.5
        every = every and v < 1.5
    return some, every


def any_all(x):
    return np.any(x > 1.5), np.all(x < 1.5)


LOOPS = [first_max, running, smallest, last_best, last_least, from_outside, flags, any_all]


def nan_resets(x):
    """Python's rule with the number in front: a NaN is forgotten by the next number."""
    best = x[0]
    for v in x:
        best = max(v, best)
    return best


def nan_taken(x):
    best, at = x[0], 0
    for i in range(len(x)):
        if not x[i] <= best:
            best, at = x[i], i
    return best, at


def counting(x):
    """How often the best one was replaced: what is carried tells the order."""
    best, times = -INF, 0
    for v in x:
        if v > best:
            best = v
            times += 1
    return best, times


def other_value(x):
    """What is compared is not what is kept."""
    best = -1.0
    for v in x:
        if v > best:
            best = v + 0.25
    return best


IN_ORDER = [nan_resets, nan_taken, counting, other_value]


def samples(nan: bool = True) -> list[np.ndarray]:
    some = [-0.0, 0.0, 1.0, -1.0, 2.0, INF, -INF, *((NAN,) if nan else ())]
    sizes = (1, 31, 33, 64, 90, 131)
    out = [RNG.choice(some[:k], size=n) for k in (2, 4, len(some)) for n in sizes]
    few = np.full(200, -2.0)
    few[[70, 151]] = 0.0, -0.0
    return [*out, few, -few, RNG.normal(size=333), np.where(few < 0, NAN, few)[:100]]


def bits(x: Any) -> Any:
    if isinstance(x, tuple):
        return tuple(map(bits, x))
    if isinstance(x, float):
        return "nan" if x != x else struct.pack("d", x)
    return type(x), x


def plain(x: Any) -> Any:
    if isinstance(x, tuple):
        return tuple(map(plain, x))
    return x.item() if isinstance(x, np.generic) else x


def plan(f: Callable[..., Any], *args: Any) -> str:
    return pb.show(f, *args, stage="plan")


@pytest.mark.parametrize("f", [*LOOPS, *IN_ORDER], ids=lambda f: f.__name__)
def test_the_bits_are_those_of_one_round_after_the_other(f) -> None:
    text = plan(f, np.ones(3))
    assert ("choice: 8 rounds at a time" in text) == (f in LOOPS)
    g = pb.jit(f)
    for x in samples():
        for given in (x, np.repeat(x, 2)[::2], x[::-1]):
            assert bits(plain(g(given))) == bits(plain(f(given))), (f.__name__, given)


EXTREMA = [np.max, np.min, np.argmax, np.argmin]


@pytest.mark.parametrize("f", EXTREMA, ids=lambda f: f.__name__)
def test_numpy(f) -> None:
    sign = -1.0 if f in (np.min, np.argmin) else 1.0
    place = f in (np.argmax, np.argmin)

    def g(x):
        return f(x)

    assert "choice: 8 rounds at a time" in plan(g, np.ones(3))
    for x in samples():
        best, at = first_max(sign * x)
        want = at if place else sign * float(best)
        assert bits(plain(pb.jit(g)(x))) == bits(want)
        assert np.array_equal(f(x), want, equal_nan=not place)
    with pytest.raises(ValueError):
        pb.jit(g)(np.ones(0))
    whole = RNG.integers(-5, 5, size=77)
    assert pb.jit(g)(whole) == f(whole)
    assert pb.jit(g)(RNG.normal(size=(3, 40)) @ np.eye(40)) is not None


def of_a_matrix(a):
    best, row, column, lowest = -INF, -1, -1, INF
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            lowest = min(lowest, a[i, j])
            if a[i, j] > best:
                best, row, column = a[i, j], i, j
    return best, row, column, lowest


def last_of_a_matrix(a):
    best, at = -INF, (-1, -1)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] >= best:
                best, at = a[i, j], (i, j)
    return best, at


def test_nests_are_one_choice() -> None:
    def numpys(a):
        return np.max(a), np.argmax(a), np.any(a > 1.5)

    for f in (of_a_matrix, last_of_a_matrix, numpys):
        text = plan(f, np.ones((2, 2)))
        assert "choice over 2 indices: 8 rounds at a time" in text
        assert "one round after the other" not in text
        g = pb.jit(f)
        for shape in ((3, 100), (100, 3), (70, 70), (1, 64), (64, 1)):
            for some in ([-0.0, 0.0], [0.0, 1.0, -1.0, 2.0]):
                a = RNG.choice(some, size=shape)
                for given in (a, a.T, a[::-1, ::-1]):
                    found, want = plain(g(given)), plain(f(given))
                    assert found == want if f is numpys else bits(found) == bits(want)


def test_axes_and_what_is_computed_on_the_way() -> None:
    def f(x):
        return np.max(x, axis=0), np.argmin(x, axis=1), np.max(np.exp(-x)), np.any(x > 3.0, axis=1)

    for shape in ((3, 50), (50, 3), (40, 40), (1, 33)):
        x = RNG.normal(size=shape)
        for found, want in zip(pb.jit(f)(x), f(x), strict=True):
            assert np.allclose(found, want, rtol=1e-15)


def test_the_loop_code_means_the_same() -> None:
    for f in (first_max, last_best, smallest, flags):
        for x in (samples()[3], samples()[8], RNG.normal(size=75)):

            def use(g: Any, unit: Any, x: Any = x) -> None:
                agree(unit.program(True), unit.special.values(g, (x,)))

            driver.using(f, (x,), Request(What.VALUE), use)


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_the_first_winner_takes_the_cotangent(method: str) -> None:
    x = np.zeros(70)
    x[[20, 43, 61]] = 3.0
    x[[5, 33]] = -3.0
    for f, at in ((np.max, 20), (np.min, 5)):

        def g(x, f=f):
            return 2.0 * f(x)

        want = np.zeros(70)
        want[at] = 2.0
        assert np.array_equal(pb.grad(g, method=method)(x), want)
    want = pb.grad(lambda x: running(x) * 2.0, method=method)(x)
    assert (want[20], np.sum(want)) == (2.0, 2.0)


def test_derivatives_of_other_orders() -> None:
    def f(x):
        m = np.max(x)
        return m * m + np.log(np.sum(np.exp(x - m))) + m

    x, v = RNG.normal(size=60), RNG.normal(size=60)
    e = np.exp(x - np.max(x)) / np.sum(np.exp(x - np.max(x)))
    top = np.arange(60) == np.argmax(x)
    assert np.allclose(pb.grad(f)(x), e + 2.0 * np.max(x) * top, rtol=1e-12)
    want = e * v - e * np.dot(e, v) + 2.0 * v * top
    assert np.allclose(pb.hvp(f, (x,), (v,))[0], want, rtol=1e-10, atol=1e-14)
    assert np.isclose(pb.jvp(f, (x,), (v,))[1], np.dot(pb.grad(f)(x), v), rtol=1e-12)


def test_threads_give_the_same_bits() -> None:
    def f(x, y):
        return np.max(x), np.argmin(x), np.sum(np.array([np.max(row) for row in y]))

    x = RNG.normal(size=100_000)
    y = RNG.normal(size=(300, 400))
    before, found = pb.config.threads, []
    try:
        for n in (1, 2, 3):
            pb.config.threads = n
            found.append(bits(plain(pb.jit(f)(x, y))))
    finally:
        pb.config.threads = before
    assert found[0] == found[1] == found[2]
    assert found[0][0] == bits(float(np.max(x)))
