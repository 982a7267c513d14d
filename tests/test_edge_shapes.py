"""Arrays that are made, joined, moved and summed: the dtype, the rank and the errors of NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pullback as pb
from tests.frontend.test_edge_values import differences

ROOT = np.arange(6.0).reshape(2, 3)
CUBE = np.arange(24.0).reshape(2, 3, 4)
ENDS = [(1.0, 4.0), (1, 4), (np.float32(1), np.float32(4)), (np.float32(1), 4.0), (np.int32(1), 4),
        (np.float64(1), np.float32(3)), (np.float32(1), np.int64(4)), (0.0, math.inf),
        (0.0, 5e-324)]  # fmt: skip


def made():
    return [
        lambda a, b: np.linspace(a, b, 3), lambda a, b: np.linspace(a, b, 5, endpoint=False),
        lambda a, b: np.linspace(a, b, 1), lambda a, b: np.linspace(a, b, 0),
        lambda a, b: np.arange(a, b), lambda a, b: np.arange(a, b, 0.3),
        lambda a, b: np.arange(b, a, -1), lambda a, b: np.full(2, a),
        lambda a, b: np.where(a > b, a, b), lambda a, b: np.clip(a, b, b),
        lambda a, b: np.kron(a, b), lambda a, b: np.dot(a, b), lambda a, b: np.inner(a, b),
        lambda a, b: np.array([a, b]), lambda a, b: np.array([a, 1]), lambda a, b: np.real(a),
        lambda a, b: np.meshgrid([a], [b])[0], lambda a, b: np.append(a, b),
        lambda a, b: np.repeat(a, 2), lambda a, b: np.tile(a, 2), lambda a, b: np.outer(a, b),
        lambda a, b: np.full_like(a, b), lambda a, b: np.isclose(a, b),
    ]  # fmt: skip


@pytest.mark.parametrize("f", made())
def test_made_of_numbers(f):
    assert not differences(f, [e for e in ENDS if e[1] != math.inf], 1)


def test_ranges_that_have_no_length():
    for a, b in ((0.0, math.inf), (math.nan, 1.0), (0.0, 1e30)):
        for f in (lambda a, b: np.arange(a, b).sum(), lambda a, b: np.arange(a, b, a).sum()):
            with pytest.raises((ValueError, ZeroDivisionError)):
                pb.jit(f)(a, b)


def huge():
    return [
        lambda k: np.zeros(2**k).sum(), lambda k: np.ones((2**k, 2)).sum(),
        lambda k: np.full(2**k, 1.5)[0], lambda k: np.empty(2**k).shape[0],
        lambda k: np.eye(2**k)[0, 0], lambda k: np.identity(2**k)[0, 0],
        lambda k: np.linspace(0.0, 1.0, 2**k)[0], lambda k: np.arange(2**k)[0],
        lambda k: np.arange(0.0, 2.0**k)[0], lambda k: np.zeros((2**31, 2**31)).sum() + k,
        lambda k: np.repeat(np.ones(4), 2**k).sum(), lambda k: np.tile(np.ones(4), 2**k).sum(),
    ]  # fmt: skip


@pytest.mark.parametrize("f", huge())
def test_no_array_is_larger_than_memory(f):
    for k in (62, 50):
        with pytest.raises((ValueError, MemoryError)):
            pb.jit(f)(k)


def negative():
    return [
        lambda k: np.zeros(k).sum(), lambda k: np.ones((2, k)).sum(), lambda k: np.eye(k).sum(),
        lambda k: np.linspace(0.0, 1.0, k).sum(), lambda k: np.repeat(np.ones(2), k).sum(),
        lambda k: np.tile(np.ones(2), k).sum(), lambda k: np.full(k, 1.0).sum(),
    ]  # fmt: skip


@pytest.mark.parametrize("f", negative())
def test_no_extent_is_negative(f):
    assert not differences(f, [(-1,), (0,), (2,)], 0)


def moved():
    return [
        lambda x: np.moveaxis(x, [0, 1], [1, 2]), lambda x: np.moveaxis(x, (0, -1), (-1, 0)),
        lambda x: np.moveaxis(x, [2, 0], [0, 1]), lambda x: np.moveaxis(x, 0, -1),
        lambda x: np.roll(x, (1, 1), axis=(0, 1)), lambda x: np.roll(x, (1, -5), axis=(2, 0)),
        lambda x: np.roll(x, 2, axis=(0, 1)), lambda x: np.roll(x, (1, 2), axis=1),
        lambda x: np.roll(x, 5, axis=-1), lambda x: np.flip(x, (0, 1)), lambda x: np.flip(x, 2),
        lambda x: np.transpose(x, (2, 0, 1)), lambda x: np.transpose(x, (-1, 0, 1)),
        lambda x: np.sum(x, axis=(0, 2)), lambda x: np.max(x, axis=(-1, 0)),
        lambda x: np.expand_dims(x, (0, -1)), lambda x: np.swapaxes(x, 0, -1),
    ]  # fmt: skip


@pytest.mark.parametrize("f", moved())
def test_several_axes(f):
    np.testing.assert_array_equal(pb.jit(f)(CUBE), f(CUBE))


def refused():
    return [
        lambda x: np.moveaxis(x, [0, 1], [1]), lambda x: np.moveaxis(x, [0, 0], [1, 2]),
        lambda x: np.roll(x, (1, 2, 3), axis=(0, 1)), lambda x: np.cumsum(x, axis=(0, 1)),
        lambda x: np.sort(x, axis=(0, 1)), lambda x: np.argmax(x, axis=(0, 1)),
        lambda x: np.diff(x, axis=(0, 1)), lambda x: np.repeat(x, 2, axis=(0, 1)),
        lambda x: np.concatenate([x, x], axis=(0, 1)), lambda x: np.swapaxes(x, (0, 1), 1),
        lambda x: np.sum(x[0, 0, 0], axis=(0, 1)), lambda x: np.mean(x[0, 0, 0], axis=0),
        lambda x: np.sort(x[0, 0, 0]), lambda x: np.diag(x[0, 0, 0]),
        lambda x: np.roll(x[0, 0, 0], 1), lambda x: np.compress(x > 0, x),
        lambda x: np.exp(x > 0), lambda x: np.sqrt(True), lambda x: np.square(x > 0),
        lambda x: np.round(x > 0, 1), lambda x: round(x), lambda x: +(x > 0),
    ]  # fmt: skip


@pytest.mark.parametrize("f", refused())
def test_what_numpy_refuses_is_refused(f):
    """Or computes in a type that is not supported (float16 and int8, of bools)."""
    with pytest.raises(pb.PullbackError):
        pb.jit(f)(CUBE)


def test_what_numpy_refuses_of_bools_is_its_error():
    with pytest.raises(TypeError, match="numpy boolean subtract"):
        pb.jit(lambda x: np.gradient(x[0, 0] > 0))(CUBE)


def test_sums_of_no_arrays():
    def f(w, k):
        return np.sum(w * sum([w * i for i in range(k)], np.zeros(2)))

    for k in (0, 1, 3):
        assert pb.jit(f)(np.ones(2), k) == f(np.ones(2), k)
        want = pb.grad(lambda w, k: np.sum(w * w) * (k * (k - 1) / 2))(np.ones(2), k)
        np.testing.assert_array_equal(pb.grad(f)(np.ones(2), k), want)
    with pytest.raises(ValueError, match="the sum of no arrays"):
        pb.jit(lambda w, k: sum([w * i for i in range(k)]))(np.ones(2), 0)


def stored(a):
    b = a * 1.0
    b[2**70] = 1.0
    return b


def far():
    return [
        lambda a: a[2**70], lambda a: a[-(2**70)], lambda a: a.reshape(1, -1)[0, 2**70], stored,
        lambda a: [x for x in a][2**70], lambda a: a[np.int64(2**62)],
    ]  # fmt: skip


@pytest.mark.parametrize("f", far())
def test_an_index_far_away(f):
    with pytest.raises(IndexError):
        pb.jit(f)(ROOT[0])


def bounds():
    return [
        lambda a: a[: 2**70], lambda a: a[-(2**70) :], lambda a: a[:: 2**70],
        lambda a: a[2 : 2**63], lambda a: [x for x in a][: 2**70], lambda a: 2**70 * a,
        lambda a: a < 2**70,
    ]  # fmt: skip


@pytest.mark.parametrize("f", bounds())
def test_bounds_far_away(f):
    assert not differences(f, [(ROOT[0],)], 0)


def test_clip_keeps_the_sign_of_zero():
    zeros = np.array([0.0, -0.0, math.nan, 1.0])
    for f in (lambda x: np.clip(x, 0.0, 1.0), lambda x: np.clip(x, -0.0, math.nan),
              lambda x: np.clip(x, None, -0.0), lambda x: np.clip(x, x[1], x[0])):  # fmt: skip
        assert not differences(f, [(zeros,)], 0)


def test_clip_by_a_bound_for_each_element():
    """Numbers as bounds leave equal ones alone, arrays give the bound, as np.maximum does."""
    zeros = np.array([0.0, -0.0, math.nan, 1.0, -0.0])
    for f in (lambda x, b: np.clip(x, b, 1.0), lambda x, b: np.clip(x, -1.0, b),
              lambda x, b: np.clip(x, b, b + 1.0), lambda x, b: np.clip(x[0], b, b),
              lambda x, b: np.clip(x > 0.5, b, b + 1.0)):  # fmt: skip
        assert not differences(f, [(zeros, -zeros), (zeros, zeros[::-1])], 0)


def test_one_exponent_for_all():
    """With one exponent np.power takes the square root at 0.5, with one for each element not."""
    x = np.array([-math.inf, -0.0, 0.0, -1.0, 4.0, math.inf, math.nan])
    for f in (lambda x, y: np.power(x, y), lambda x, y: x**y, lambda x, y: np.power(x[0], y)):
        assert not differences(f, [(x, y) for y in (0.5, np.float64(0.5), 2.0, -1.0, 0.0)], 0)
    assert not differences(lambda x: np.power(x, 0.5), [(x,)], 0)
    assert not differences(lambda x, y: x**y, [(x, np.full(7, 0.5)), (x, np.full(7, 3.0))], 0)


def test_numbers_of_arrays():
    for f in (lambda x: x[:1].item(), lambda x: x.tolist(), lambda x: x[0].item()):
        assert not differences(f, [(ROOT[0].astype(t),) for t in (int, np.int32, np.float32)], 0)


def along_rows():
    return [
        lambda x: np.argsort(x, axis=1), lambda x: np.sort(x, axis=1), lambda x: np.argsort(x),
        lambda x: np.cumsum(x, axis=1), lambda x: np.cumprod(x, axis=1), lambda x: np.sort(x).T,
        lambda x: np.cumsum(x, axis=1).shape, lambda x: np.concatenate([np.cumsum(x, axis=1), x]),
        lambda x: np.average(x, axis=0), lambda x: np.average(x, axis=1),
        lambda x: np.argsort(x.T, axis=0), lambda x: np.argsort(x, axis=1).shape[1],
    ]  # fmt: skip


@pytest.mark.parametrize("f", along_rows())
def test_no_rows_keep_their_columns(f):
    assert not differences(f, [(np.zeros((0, 3)),), (np.zeros((3, 0)),), (ROOT,)], 0)


def without_axes():
    return [
        lambda x: x[:1, :1, 1:2].reshape(()) * 2, lambda x: np.reshape(x[1, 1, 2:3], ()) + 1,
        lambda x: np.resize(x, ()), lambda x: np.asarray(x[0, 1, 1]).reshape(()).ndim,
        lambda x: x[0, 0, :1].reshape(()).shape, lambda x: np.cos(x[0, 0, 1:2].reshape(())) * x[0],
        lambda x: x.reshape(()), lambda x: x[0, 0, :0].reshape(()),
    ]  # fmt: skip


@pytest.mark.parametrize("f", without_axes())
def test_shapes_without_axes(f):
    assert not differences(f, [(CUBE,)], 0)
