"""Data of pandas, polars, xarray, Arrow and DLPack as arguments; gradients in the same form."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
import xarray as xr

import pullback as pb

COLUMNS = {"x": np.array([0.5, 1.0, 2.0]), "y": np.array([1.0, -1.0, 0.25]), "k": np.arange(3)}


def column(a):
    return np.sum(np.sin(a) * a)


def frame(t, w):
    return np.sum((t["x"] * w[0] + t["y"] * w[1] - t["k"]) ** 2)


W = np.array([2.0, 3.0])
WANTED = pb.grad(frame, (0, 1))(COLUMNS, W)
SLOPE = pb.grad(column)(COLUMNS["x"])

ONE: list[tuple[Any, Callable[[Any], Any]]] = [
    (pd.Series(COLUMNS["x"], index=list("abc"), name="x"), lambda g: g.to_numpy()),
    (pd.Series(COLUMNS["x"], dtype="Float64"), lambda g: g.to_numpy(float)),
    (pl.Series("x", COLUMNS["x"]), lambda g: g.to_numpy()),
    (xr.DataArray(COLUMNS["x"], dims="t", coords={"t": [3, 4, 5]}), lambda g: g.values),
    (pa.array(COLUMNS["x"]), lambda g: g.to_numpy()),
    (pa.chunked_array([COLUMNS["x"][:1], COLUMNS["x"][1:]]), lambda g: g.to_numpy()),
    (torch.tensor(COLUMNS["x"]), np.asarray),
    (jnp.asarray(COLUMNS["x"], jnp.float32), np.asarray),
]


def name_of(value: Any) -> str:
    return f"{type(value).__module__.partition('.')[0]}.{type(value).__name__}"


@pytest.mark.parametrize("data, back", ONE, ids=[name_of(d) for d, _ in ONE])
def test_a_column(data: Any, back: Callable[[Any], Any]) -> None:
    exact = {"rtol": 1e-6} if "jax" in name_of(data) else {"rtol": 1e-15}
    for _ in range(2):
        np.testing.assert_allclose(float(pb.jit(column)(data)), column(COLUMNS["x"]), **exact)
        gradient = pb.grad(column)(data)
        np.testing.assert_allclose(back(gradient), SLOPE, **exact)
    _, gradient = pb.value_and_grad(column)(data)
    np.testing.assert_allclose(back(gradient), SLOPE, **exact)
    out, pullback = pb.vjp(column, data)
    np.testing.assert_allclose(back(pullback(out * 0 + 1)[0]), SLOPE, **exact)


def test_index_and_coordinates_stay() -> None:
    s = pd.Series(COLUMNS["x"], index=pd.date_range("2024-01-01", periods=3), name="load")
    g = pb.grad(column)(s)
    assert type(g) is pd.Series and g.index.equals(s.index) and g.name == "load"
    a = xr.DataArray(np.ones((2, 3)), dims=("lat", "lon"), coords={"lat": [1, 2]}, name="t")
    d = pb.grad(column)(a)
    assert d.dims == a.dims and d.name == "t" and (d.lat == a.lat).all()
    p = pb.grad(column)(pl.Series("load", COLUMNS["x"]))
    assert type(p) is pl.Series and p.name == "load"
    j = pb.grad(column)(jnp.ones(3))
    assert isinstance(j, type(jnp.ones(3)))


FRAMES = [
    pd.DataFrame(COLUMNS, index=list("abc")), pl.DataFrame(COLUMNS), pa.table(COLUMNS),
    xr.Dataset({k: ("t", v) for k, v in COLUMNS.items()}, coords={"t": [3, 4, 5]}),
]  # fmt: skip


@pytest.mark.parametrize("data", FRAMES, ids=[name_of(d) for d in FRAMES])
def test_a_frame(data: Any) -> None:
    value, (t, w) = pb.value_and_grad(frame, (0, 1))(data, W)
    assert value == pytest.approx(frame(COLUMNS, W))
    np.testing.assert_allclose(w, WANTED[1])
    for name in ("x", "y"):
        np.testing.assert_allclose(np.asarray(t[name]), WANTED[0][name])
    names = t.data_vars if isinstance(data, xr.Dataset) else (
        t.column_names if isinstance(data, pa.Table) else t.columns
    )  # fmt: skip
    assert list(names) == ["x", "y"]  # an int has no gradient
    if isinstance(data, pd.DataFrame):
        assert t.index.equals(data.index)
    if isinstance(data, xr.Dataset):
        assert (t.t == data.t).all()


def test_inside_of_structures_and_by_name() -> None:
    s = pd.Series(COLUMNS["x"], index=list("abc"))
    g = pb.grad(lambda p, k: k * np.sum(p["a"] ** 2) + p["b"])({"a": s, "b": 2.0}, k=3.0)
    assert g["a"].index.equals(s.index) and g["b"] == 1.0
    np.testing.assert_allclose(g["a"], 6.0 * COLUMNS["x"])
    by_name = pb.grad(lambda a, k: k * np.sum(a), "a")(k=2.0, a=s)
    assert by_name.index.equals(s.index) and (by_name == 2.0).all()
    both, aux = pb.grad(lambda a: (np.sum(a**2), a[0]), has_aux=True)(s)
    assert aux == 0.5 and both.index.equals(s.index)
    h = pb.hessian(lambda a: np.sum(a**3))(s)
    np.testing.assert_allclose(h, np.diag(6.0 * COLUMNS["x"]))


REFUSED: list[tuple[Any, str]] = [
    (pd.Series(["a", "b"]), "not of numbers"),
    (pd.Series([1, None], dtype="Int64"), "missing"),
    (pl.Series([1.0, None]), "missing"),
    (pl.Series(["a"]), "not of numbers"),
    (pa.array([1.0, None]), "missing"),
    (pa.array(["a"]), "not of numbers"),
    (xr.DataArray(np.array(["a"])), "not of numbers"),
    (pd.Series(pd.date_range("2024-01-01", periods=2)), "not of numbers"),
    (torch.ones(2, requires_grad=True), "requires a gradient"),
    (torch.ones(2, dtype=torch.bfloat16), "."),
]


@pytest.mark.parametrize("data, text", REFUSED, ids=[name_of(d) for d, _ in REFUSED])
def test_refused(data: Any, text: str) -> None:
    with pytest.raises((TypeError, ValueError, pb.PullbackError, BufferError), match=text):
        pb.grad(column)(data)


def test_nothing_is_changed_in_another_library() -> None:
    def f(a):
        a[0] = 5.0
        return np.sum(a * a)

    for data in (pd.Series([1.0, 2.0]), torch.ones(2), pl.Series([1.0, 2.0])):
        for operator in (pb.jit, pb.grad):
            with pytest.raises((ValueError, pb.PullbackError)):
                operator(f)(data)
        assert float(data[0]) == 1.0


def test_empty_and_strided_columns() -> None:
    assert pb.grad(column)(pd.Series([], dtype=float)).shape == (0,)
    whole = pd.DataFrame(np.arange(12.0).reshape(4, 3), columns=list("abc"))
    np.testing.assert_allclose(pb.grad(column)(whole["b"][::2]),
                               pb.grad(column)(np.array([1.0, 7.0])))  # fmt: skip
    assert pb.grad(column)(whole["b"].astype(np.float32)).dtype == np.float32


def test_a_type_of_ones_own() -> None:
    class Track:
        def __init__(self, points: np.ndarray, unit: str) -> None:
            self.points, self.unit = points, unit

    name = f"{Track.__module__}.{Track.__qualname__}"
    pb.interop.register(name, lambda t: t.points, lambda t, g: Track(g, t.unit))
    g = pb.grad(column)(Track(COLUMNS["x"], "m"))
    assert isinstance(g, Track) and g.unit == "m"
    np.testing.assert_array_equal(g.points, SLOPE)


def test_a_second_call_is_fast() -> None:
    s, gradient = pd.Series(COLUMNS["x"]), pb.jit(column)
    gradient(s)
    before, count = time.thread_time(), 2000
    for _ in range(count):
        gradient(s)
    assert (time.thread_time() - before) / count < 200e-6


def test_two_columns_of_one_name() -> None:
    two = np.ones((1, 2))
    for frame in (pd.DataFrame(two, columns=["a", "a"]),
                  pa.table([pa.array([1.0]), pa.array([2.0])], names=["a", "a"])):  # fmt: skip
        with pytest.raises(ValueError, match="two columns of one name"):
            pb.grad(lambda d: np.sum(d["a"]))(frame)
