"""Numbers and arrays at the edges of what they can hold: as in Python and NumPy, or refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver

INT_MIN, INT_MAX = -(2**63), 2**63 - 1


def floordiv(a, b):
    return a // b


def absolute(a):
    return abs(a)


def power(a, b):
    return a**b


def shift(a, b):
    return a << b


def add(a, b):
    return a + b


def less(a, b):
    return a < b


def same(f: Any, *args: Any) -> None:
    """The value and its type, or the exception, as in plain Python."""
    try:
        with np.errstate(all="ignore"):
            expected = f(*args)
    except Exception as e:
        with pytest.raises(type(e)):
            pb.jit(f)(*args)
        return
    found = pb.jit(f)(*args)
    assert type(found) is type(expected)
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(found, expected)


def test_quotients_and_sizes_that_do_not_fit() -> None:
    same(floordiv, INT_MIN, 1)
    same(floordiv, np.int64(INT_MIN), np.int64(-1))
    for f, args in ((floordiv, (INT_MIN, -1)), (absolute, (INT_MIN,))):
        with pytest.raises(OverflowError):
            pb.jit(f)(*args)


@pytest.mark.parametrize("a", [0.0, -0.0, 1.0, -1.0, -2.0, math.inf, -math.inf, math.nan])
def test_powers_of_floats(a: float) -> None:
    for b in (0.0, 2.0, -1.0, math.inf, -math.inf, math.nan):
        same(power, a, b)
    if not (math.isfinite(a) and a < 0):
        same(power, a, 0.5)


def test_half_powers_of_arrays_are_roots() -> None:
    def root(x):
        return x**0.5

    x = np.array([0.0, -0.0, 2.0, math.inf, -math.inf])
    same(root, x)
    same(root, x.astype(np.float32))
    assert np.signbit(pb.jit(root)(x))[1]


def test_python_ints_take_the_type_of_numpy_ints() -> None:
    few, many = np.array([1, 2], np.int32), 2**40
    same(add, few, 3)
    same(add, few, many)
    same(add, np.int32(5), many)
    same(less, few, many)
    same(less, np.int32(5), many)
    same(shift, np.int32(5), 2)
    same(shift, few, 2)


def test_items_of_an_array_are_not_weak() -> None:
    same(lambda x: np.array([x[0], 1.0]), np.ones(2, np.float32))
    same(lambda x: np.array([x[0], 1]), np.ones(2, np.float32))
    same(lambda x: np.array([x[0], x[1]]), np.ones(2, np.float32))


def test_updates_in_place_keep_the_type() -> None:
    def f(x, y):
        a = x.copy()
        a += y
        return a

    same(f, np.ones(3, np.float32), np.arange(3.0) / 7.0)
    with pytest.raises(TypeError):
        pb.jit(f)(np.arange(3), np.arange(3.0))
    same(f, np.ones(3), np.ones((2, 3)))


def test_unaligned_arrays_everywhere() -> None:
    def f(x):
        return x * x

    x = np.zeros(35, np.uint8)[3:].view(np.float64)
    x[:] = np.arange(4.0)
    assert not x.flags.aligned
    np.testing.assert_array_equal(pb.jvp(f, (x,), (x,))[1], 2 * x * x)
    np.testing.assert_array_equal(pb.vjp(f, x)[1](x)[0], 2 * x * x)
    np.testing.assert_array_equal(pb.grad(lambda x: np.sum(x * x))(x), 2 * x)


def test_sizes_that_overflow_are_refused() -> None:
    f = pb.jit(lambda n, m: np.zeros((n, m)))
    for n, m in ((2**33, 2**33), (2**32, 2**32), (2**61, 8), (2**61, 1)):
        with pytest.raises((MemoryError, ValueError)):  # NumPy's: too big, or no memory for it
            f(n, m)
    assert f(2**40, 0).shape == (2**40, 0)


def test_wrong_counts_and_truth_values() -> None:
    def unpacked(x):
        a, b, c = x
        return a + b + c

    with pytest.raises(ValueError, match="unpack"):
        pb.jit(unpacked)((1.0, 2.0))
    with pytest.raises(ValueError, match="ambiguous"):
        pb.jit(lambda x: 1.0 if x else 2.0)(np.ones(3))
    with pytest.raises(TypeError, match="argnums"):
        pb.grad(lambda x: x, -2)(1.0)


# --- extents that are assumed to be equal -------------------------------------------------------


def weighted(x, y):
    return np.sum(x * y + y)


def test_a_run_time_broadcast_compiles_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0
    original = driver.specialise_anew

    def counted(*args: Any) -> Any:
        nonlocal count
        count += 1
        return original(*args)

    def f(x, y):
        return np.sum(x * y + y)

    monkeypatch.setattr(driver, "specialise_anew", counted)
    gradient = pb.grad(f, (0, 1))
    for n in (3, 1, 5):
        gradient(np.ones(n), np.ones(n))
    assert count == 1
    for n, m in ((3, 1), (1, 3), (4, 4)):
        x, y = np.arange(1.0, n + 1), np.arange(1.0, m + 1)
        dx, dy = gradient(x, y)
        assert (dx.shape, dy.shape) == (x.shape, y.shape)
        np.testing.assert_allclose(np.sum(dx * x), np.sum(x * y))
    assert count == 2


def test_every_way_in_broadcasts() -> None:
    x, y = np.arange(1.0, 4.0), np.array([2.0])
    value, dy = np.sum(x * y + y), np.array([9.0])
    # A function of its own for each, so that each is the first to meet the extent of 1.
    fresh = [lambda x, y, k=k: np.sum(x * y + y) * k for k in ("", 1.0, np.float64(1.0), 1, True)]
    _, vjp, jvp, jit, cost = fresh
    assert pb.vjp(vjp, x, y)[0] == value
    np.testing.assert_allclose(pb.vjp(vjp, x, y)[1](1.0)[1], dy)
    np.testing.assert_allclose(pb.jvp(jvp, (x, y), (np.zeros(3), np.ones(1)))[1], dy[0])
    compiled = pb.jit(jit)
    assert compiled(x, x) == np.sum(x * x + x) and compiled(x, y) == value
    assert pb.cost(cost, x, y) > 0
    assert driver.run(weighted, (x, y), tier="eval") == value


def test_shapes_that_do_not_fit_stay_errors() -> None:
    gradient = pb.grad(weighted)
    for _ in range(2):
        with pytest.raises(ValueError, match="broadcast"):
            gradient(np.ones(3), np.ones(2))
        np.testing.assert_array_equal(gradient(np.ones(2), np.ones(2)), np.ones(2))


def scaled(a, xs):
    total = 0.0
    for x in xs:
        total += math.tanh(a[1]) * x
        total -= a[0]
    return total


def test_what_all_rounds_read_is_read_only_if_there_is_one() -> None:
    """(And the reverse sweep does so once, before its loop.)"""
    gradient = pb.grad(scaled, argnums=(0, 1))
    for a, xs in (([], []), ([2.0], []), ([2.0, 0.5], []), ([2.0, 0.5], [1.0, 3.0])):
        assert pb.jit(scaled)(np.array(a), np.array(xs)) == scaled(a, xs)
        da, dxs = gradient(np.array(a), np.array(xs))
        expected = [-len(xs), sum(xs) / math.cosh(0.5) ** 2]
        np.testing.assert_allclose(da, expected[: len(a)], rtol=1e-14)
        np.testing.assert_allclose(dxs, [math.tanh(0.5)] * len(xs), rtol=1e-14)
    with pytest.raises(IndexError) as raised:
        gradient(np.array([2.0]), np.array([1.0]))
    assert raised.traceback[-1].lineno + 1 == scaled.__code__.co_firstlineno + 3


def far_apart(n):
    total = 0
    for i in range(0, n, 10**9):
        total = i * i
    return total


def items_of_a_range(a, b, c):
    r, total = range(a, b, c), 0
    for i in r:
        total = 3 * total + i * i
    last = r[-1] if len(r) else 7
    return total, len(r), last, 5 in r, sum(r), [v for v in reversed(r)], bool(r)


def test_ranges_with_any_step() -> None:
    same(far_apart, 3 * 10**9)
    with pytest.raises(OverflowError):
        pb.jit(far_apart)(10**10)
    same(lambda n: range(n)[n - 1] ** 2 + len(range(n)) ** 2, 2**31)
    with pytest.raises(OverflowError):
        pb.jit(lambda n: len(range(n)) * len(range(n)))(10**12)
    compiled = pb.jit(items_of_a_range)
    for a in (-4, 0, 3):
        for b in range(-5, 6):
            for c in (-9, -2, -1, 1, 2, 3):
                assert compiled(a, b, c) == items_of_a_range(a, b, c)
    same(items_of_a_range, 1, 2, 0)


def test_the_length_of_ranges_that_end_far_away() -> None:
    def by(lo, hi, step):
        s = 0.0
        for i in range(lo, hi, step):
            s = 0.5 * s + i % 7
        return s

    def leaps(lo, hi):
        s = 0.0
        for i in range(lo, hi, 2**62):
            s = 0.5 * s + i % 7
        return s

    for args in [(0, INT_MAX, 2**61), (3, -4, INT_MIN), (INT_MIN, -1, 2**62), (9, 2, -3), (5, 0, 1),
                 (INT_MIN, INT_MIN + 1, INT_MAX), (INT_MAX, INT_MAX, INT_MIN)]:  # fmt: skip
        assert pb.jit(by)(*args) == by(*args)
        assert pb.jit(leaps)(*args[:2]) == leaps(*args[:2])
    for lo, hi, step in [(INT_MIN, INT_MAX, 2**62), (0, INT_MIN, -1), (INT_MAX, -1, -(2**62))]:
        with pytest.raises(OverflowError):
            pb.jit(by)(lo, hi, step)
