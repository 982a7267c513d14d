"""Types of other libraries are read by a row under their name (the libraries themselves:
``tests/neighbours/test_data.py``)."""

from __future__ import annotations

import time

import numpy as np
import pytest

import pullback as pb
from pullback.call import data_types


class Track:
    def __init__(self, points: np.ndarray, unit: str = "m") -> None:
        self.points, self.unit = points, unit


class Shorter(Track):
    """A subclass has the row of its base."""


class Shared:
    """An array of a library that shares memory by DLPack."""

    def __init__(self, array: np.ndarray, device: int = 1) -> None:
        self.array, self.device = array, device

    def __dlpack__(self, **options: object) -> object:
        return self.array.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0


@pytest.fixture(autouse=True)
def rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_types, "ROWS", dict(data_types.ROWS))
    data_types._known.clear()
    name = f"{Track.__module__}.Track"
    pb.interop.register(name, lambda t: t.points, lambda t, g: type(t)(g, t.unit))


def squares(t):
    return np.sum(t**2)


X = np.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize("cls", [Track, Shorter])
def test_operators_take_it(cls: type[Track]) -> None:
    t = cls(X, "km")
    for _ in range(2):
        assert pb.jit(squares)(t) == 14.0
        g = pb.grad(squares)(t)
        assert type(g) is cls and g.unit == "km"
        np.testing.assert_array_equal(g.points, 2 * X)
    value, pullback = pb.vjp(squares, t)
    assert value == 14.0 and pullback(2.0)[0].points[2] == 12.0
    np.testing.assert_array_equal(pb.hessian(squares)(t), 2 * np.eye(3))


def test_places_of_gradients() -> None:
    def f(a, b, c):
        return np.sum(a * b["t"]) * c, b["t"][0]

    a, b = Track(X, "a"), {"t": Track(X + 1.0, "b")}
    (value, aux), (by_b, by_a) = pb.value_and_grad(f, (1, 0), has_aux=True)(a, b, c=2.0)
    assert (value, aux) == (40.0, 2.0) and by_a.unit == "a" and by_b["t"].unit == "b"
    np.testing.assert_array_equal(by_a.points, 2 * (X + 1.0))
    by_c, aux = pb.grad(f, 2, has_aux=True)(a, b, 2.0)
    assert (by_c, aux) == (20.0, 2.0)
    assert pb.grad(f, -3, has_aux=True)(a, b, 2.0)[0].unit == "a"


def test_dlpack() -> None:
    np.testing.assert_array_equal(pb.grad(squares)(Shared(X)), 2 * X)
    with pytest.raises(TypeError, match="memory of the CPU"):
        pb.grad(squares)(Shared(X, device=2))


def test_it_is_not_changed() -> None:
    def f(a):
        a[0] = 9.0
        return np.sum(a)

    for operator in (pb.jit, pb.grad):
        with pytest.raises((ValueError, pb.PullbackError)):
            operator(f)(Track(X))
    assert X[0] == 1.0


def test_arrays_are_not_looked_up() -> None:
    assert data_types.row_of(np.ndarray) is None and data_types.row_of(np.float64) is None
    assert data_types.read(([1.0] * 10, {"a": X}, (X, None))) is None


def test_a_later_call_is_fast() -> None:
    t, f = Track(X), pb.jit(squares)
    f(t)
    before = time.thread_time()
    for _ in range(1000):
        f(t)
    assert time.thread_time() - before < 0.2
