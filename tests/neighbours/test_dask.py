"""``pb.interop.dask`` on clusters of processes: the same bits for any number of workers."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import dask.bag as db
import numpy as np
import pytest
from distributed import Client, LocalCluster

import pullback as pb
from pullback.call import journal
from pullback.native import object_cache

RNG = np.random.default_rng(0)
X, W = RNG.normal(size=(1200, 3)), np.array([0.5, -1.0, 2.0])
Y = X @ W + 0.1 * RNG.normal(size=1200)
P = {"w": np.array([0.1, 0.2, 0.3]), "b": 0.5}


def residuals(p, x, y):
    return np.tanh(x @ p["w"] + p["b"]) - y


def loss(p, x, y):
    return np.sum(residuals(p, x, y) ** 2)


@pytest.fixture(scope="module", params=[2, 4])
def client(request: Any, tmp_path_factory: Any) -> Iterator[Client]:
    kept = {"PULLBACK_CACHE": str(tmp_path_factory.mktemp("kept")), "PULLBACK_CACHE_PROGRAMS": "1"}
    before = {name: os.environ.get(name) for name in kept}
    os.environ |= kept
    cluster = LocalCluster(
        n_workers=request.param, threads_per_worker=1, dashboard_address=None, processes=True
    )
    try:
        with cluster, Client(cluster) as client:
            client.wait_for_workers(request.param, timeout=60)
            yield client
    finally:
        for name, value in before.items():
            del os.environ[name]
            os.environ |= {} if value is None else {name: value}


BITS: dict[str, list[Any]] = {}


def same_bits(name: str, value: Any) -> None:
    """Compare with what the other cluster has found."""
    first = BITS.setdefault(name, value)
    assert np.array_equal(first, value)


def test_a_gradient_over_shards(client: Client) -> None:
    x, y = da.from_array(X, chunks=(100, 2)), da.from_array(Y, chunks=100)
    call = pb.interop.dask.value_and_grad(loss, client)
    value, gradient = call(P, x, y)
    wanted, slope = pb.value_and_grad(loss)(P, X, Y)
    assert value == pytest.approx(wanted, rel=1e-12)
    np.testing.assert_allclose(gradient["w"], slope["w"], rtol=1e-10)
    same_bits("gradient", [value, gradient["b"], *gradient["w"]])
    again = call(P, x.persist(), y)
    assert again[0] == value and (again[1]["w"] == gradient["w"]).all()
    sums = [pb.value_and_grad(loss)(P, X[k : k + 100], Y[k : k + 100]) for k in range(0, 1200, 100)]
    level = [(v, g["b"]) for v, g in sums]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [(a + c, b + d) for (a, b), (c, d) in pairs] + level[len(level) // 2 * 2 :]
    assert (value, gradient["b"]) == level[0]


def test_one_workers_compilation_serves_all(client: Client) -> None:
    def own_loss(p, x):
        return np.sum(np.cos(x * p) * p)

    call = pb.interop.dask.value_and_grad(own_loss, client)
    before = client.run(_written)
    call(0.7, da.from_array(X, chunks=(100, 3)))
    new = [n - before[worker] for worker, n in client.run(_written).items()]
    assert sorted(n > 0 for n in new) == [*[False] * (len(new) - 1), True]
    assert len([n for n in client.run(_made_of, "own_loss").values() if n]) > 1


def _written() -> int:
    """How many files this process has written: of machine code, and of kept programs."""
    return object_cache._writes


def _made_of(name: str) -> int:
    """How many programs of this function this process has."""
    found = [code() for code, _ in tuple(journal._written)]
    return sum(code is not None and code.co_name == name for code in found)


def test_products_and_jacobians(client: Client) -> None:
    x, y = da.from_array(X, chunks=(300, 3)), da.from_array(Y, chunks=300)
    v = {"w": np.array([1.0, 0.0, -1.0]), "b": 2.0}
    found = pb.interop.dask.hvp(loss, client)(P, v, x, y)
    wanted = pb.hvp(lambda p: loss(p, X, Y), (P,), (v,))[0]
    np.testing.assert_allclose(found["w"], wanted["w"], rtol=1e-10)
    same_bits("product", [found["b"], *found["w"]])
    rows = pb.interop.dask.jacobian(residuals, client)(P, x, y)
    whole = pb.jacobian(residuals)(P, X, Y)
    np.testing.assert_allclose(rows["w"], whole["w"], rtol=1e-13)
    assert rows["b"].shape == (1200,)


def test_bags_and_lists(client: Client) -> None:
    def spread(p, items):
        return sum((item - p) ** 2 for item in items)

    items = [float(v) for v in range(50)]
    call = pb.interop.dask.value_and_grad(spread, client)
    bag = call(3.0, db.from_sequence(items, npartitions=5))
    assert bag == pb.value_and_grad(spread)(3.0, items)
    parts = call(3.0, [items[:20], items[20:]])
    assert parts == bag


def test_chains(client: Client) -> None:
    def walk(x, steps):
        for _ in range(20):
            x = x - 0.1 * steps * np.sin(x)
        return x

    xs = RNG.normal(size=(7, 3))
    found = pb.interop.dask.vmap(walk, client, chains=2)(xs, 0.5)
    np.testing.assert_allclose(found, [walk(x, 0.5) for x in xs], rtol=1e-14)


def slow_loss(p, x):
    total = 0.0
    for _ in range(400):
        total = total + np.sum(np.sin(x * p))
    return total


def test_a_worker_is_killed(client: Client) -> None:
    x = da.from_array(np.tile(X, (40, 1)), chunks=(1200, 3))
    call = pb.interop.dask.value_and_grad(slow_loss, client)
    wanted = call(0.7, x)
    victims = sorted(client.run(os.getpid).values())
    killed = threading.Timer(0.3, os.kill, (victims[0], signal.SIGKILL))
    killed.start()
    found = call(0.7, x)
    killed.join(60)
    assert found == wanted
    deadline = time.monotonic() + 60
    while victims[0] in client.run(os.getpid).values() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert victims[0] not in client.run(os.getpid).values()
    client.wait_for_workers(len(victims), timeout=60)


def test_what_is_wrong_is_said(client: Client) -> None:
    call = pb.interop.dask.value_and_grad(loss, client)
    x, y = da.from_array(X, chunks=(100, 3)), da.from_array(Y, chunks=150)
    with pytest.raises(ValueError, match="different ways"):
        call(P, x, y)
    with pytest.raises(TypeError, match="no shards"):
        call(P, X, Y)
    with pytest.raises(TypeError, match="no data"):
        call(P)
    with pytest.raises(TypeError, match="no client"):
        pb.interop.dask.value_and_grad(loss, None)

    def failing(p, x):
        if p > 0.0:
            raise ArithmeticError("too large")
        return p * np.sum(x)

    g = pb.interop.dask.value_and_grad(failing, client)
    with pytest.raises(ArithmeticError, match="too large"):
        g(1.0, x)
    assert g(-1.0, x)[0] == pytest.approx(-X.sum())


def test_a_program_of_a_file_that_workers_do_not_have(client: Client, tmp_path: Path) -> None:
    file = tmp_path / "away.py"
    file.write_text("import numpy as np\n\n\ndef f(p, x):\n    return np.sum(p * x)\n")
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(file.read_text(), str(file), "exec"), names)
    call = pb.interop.dask.value_and_grad(names["f"], client)
    file.unlink()
    value, slope = call(2.0, da.from_array(X, chunks=(300, 3)))
    assert slope == pytest.approx(X.sum()) and value == pytest.approx(2 * X.sum())


def test_data_beyond_the_memory_of_a_worker(tmp_path: Path) -> None:
    """Each worker may have 400 MB, and the data has 480: its shards are made when they are used."""

    def chunk(k: int) -> np.ndarray:
        return np.random.default_rng(k).normal(size=(250_000, 4)) + np.arange(4.0)

    def misfit(p, x):
        return np.sum((x - p) ** 2) / 1e6

    with LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit="400MB", dashboard_address=None
    ) as cluster, Client(cluster) as client:
        shards = [dask.delayed(chunk)(k) for k in range(60)]
        call = pb.interop.dask.value_and_grad(misfit, client)
        p = np.zeros(4)
        _, g = call(p, shards)
        p = p - g / (2 * 60 * 250_000 / 1e6)
        np.testing.assert_allclose(p, np.arange(4.0), atol=1e-3)
