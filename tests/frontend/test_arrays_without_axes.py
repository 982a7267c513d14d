"""Arrays without axes (``np.empty(())``, ``np.asarray(x)``) that are updated, and their views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb


def whole(x):
    a = np.empty(())
    a[()] = np.nan
    a[()] = x * 2
    return a[()]


def by_ellipsis(x):
    a = np.zeros(())
    a[...] = x
    a += 1.0
    b = a
    b[...] = 3.0 * b
    b[...] += x
    return a * b


def by_masks(x):
    """The way of pymap3d, whose values are arrays of one axis then."""
    u = np.sin(x)
    a = np.empty_like(u)
    bad = np.isclose(u, 0.0)
    a[~bad] = np.arctan(u[~bad]) * x
    a[~bad] += x / np.cos(a[~bad])
    a[bad] = 0.5 * x
    return a * 2.0


def results_are_put(x):
    """The way of empyrical."""
    out = np.empty(())
    np.add(x, 1.0, out=out)
    np.multiply(out, out, out=out)
    other = np.empty(())
    np.nanmean(np.array([x, 2.0 * x]), axis=0, out=other)
    return out.item() + other.item()


def in_a_loop(x):
    out = np.empty(())
    for k in range(3):
        out[()] = out * k + x if k else x
    return out.item()


def put(a, v):
    a[()] = v


def by_a_function(x):
    a = np.zeros(())
    put(a, x * 3.0)
    return a * x


def of_ints(x):
    a = np.zeros((), dtype=int)
    a[()] = 3
    return a * x


def of_a_copy(x):
    a = np.array(x)
    b = a.copy()
    b[()] = 3.0
    return a * b


def of_the_same(x):
    a = np.array(x)
    b = np.asarray(a)
    c = a[...]
    b[()] = 3.0
    return a * c * x


def squeezed(x):
    a = np.array(x)
    b = a.squeeze()
    c = np.squeeze(a)
    b[()] = 3.0
    return a * c * x


def read_before(x):
    a = np.array(x)
    b = a[()]
    c = a + 0.0
    a[()] = 3.0
    return a * b * c


def together(x):
    a, b = np.broadcast_arrays(x, 2.0)
    return a * b + np.broadcast_to(x, ())


def chosen(x):
    a = np.where(x > 0.0, x, 2.0)
    a[()] = 3.0 * x
    return a * x


PROGRAMS = [
    whole, by_ellipsis, by_masks, results_are_put, in_a_loop, by_a_function, of_ints, of_a_copy,
    of_the_same, squeezed, read_before, together, chosen,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_updated_as_in_numpy(f: Callable[[float], Any]) -> None:
    for x in (0.4, -0.7):
        np.testing.assert_allclose(pb.jit(f)(x), f(x), rtol=1e-15)
        by_differences = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
        np.testing.assert_allclose(pb.grad(f)(x), by_differences, atol=1e-8)


def alone(x):
    return np.asarray(x)


def made(x):
    a = np.zeros(())
    a[...] = x
    named = {"a": np.where(x > 0.0, x, 1.0), "b": a[()]}
    return [np.asarray(x), a], named, np.asarray(x).astype(int)


def in_a_loop_of(x):
    m = np.array([[x]])
    return [np.asarray(x * k) for k in range(3)], m.reshape(()), m[0, 0, ...]


def numbers(x):
    v = np.array([x, 2.0])
    found = v[0].copy(), v[0].squeeze(), np.squeeze(v[0]), v[0].astype(np.float32), np.nanmax(v)
    found += np.asarray(x) + 1.0, np.imag(x), np.imag(v[0]), np.cov(v), np.isin(x, v)
    return found, np.modf(x)


@pytest.mark.parametrize("f", [alone, made, in_a_loop_of, numbers], ids=lambda f: f.__name__)
def test_results_are_arrays_where_numpys_are(f: Callable[[float], Any]) -> None:
    assert repr(pb.jit(f)(0.75)) == repr(f(0.75))


def test_derivatives_of_arrays_without_axes() -> None:
    value, slope = pb.value_and_grad(alone)(0.75)
    assert isinstance(value, np.ndarray) and slope == 1.0
    items, back = pb.vjp(lambda x: in_a_loop_of(x)[0], 0.75)
    assert all(isinstance(v, np.ndarray) for v in items)
    assert back([1.0, np.array(1.0), 2.0]) == (5.0,)


def raveled(x):
    a = np.array(x)
    b = np.ravel(a)
    a[()] = 3.0
    return a * b[0]


def repeated(x):
    a = np.array(x)
    b, c = np.broadcast_arrays(a, 2.0)
    a[()] = 3.0
    return b * c


def with_an_axis(x):
    a = np.array(x)
    b = a[None]
    a[()] = 3.0
    return b[0]


def part(x):
    a = np.array([x, x])
    b = a[0, ...]
    b[()] = 3.0
    return a[0]


def in_a_list(x):
    a = np.array(x)
    rows = [a, a]
    a[()] = 3.0
    return rows[0] * rows[1]


@pytest.mark.parametrize(
    "f", [raveled, repeated, with_an_axis, part, in_a_list], ids=lambda f: f.__name__
)
def test_views_do_not_miss_an_update(f: Callable[[float], Any]) -> None:
    with pytest.raises(pb.PullbackError, match="may share memory"):
        pb.jit(f)(0.4)


def test_other_indices_are_errors() -> None:
    def f(x: float) -> str:
        a = np.zeros(())
        try:
            a[0] = x
        except IndexError as e:
            return str(e)
        return ""

    assert pb.jit(f)(0.4) == f(0.4) != ""
