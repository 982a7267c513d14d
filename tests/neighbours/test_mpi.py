"""``pb.interop.mpi`` in processes that mpiexec starts: the same bits for any number of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from mpi4py import MPI

import pullback as pb
from pullback.interop.mpi import _put, _widths
from tests.house.test_docs import ROOT
from tests.neighbours.mpi_program import P, V, X, Y, loss

SHARDS = 11
CUTS = {1: [], 2: [3], 3: [4, 4], 4: [1, 7, 8]}
"""Where the processes divide the shards: one of three has none."""


def run(processes: int, folder: Path) -> list[str]:
    words = [sys.executable, "-W", "ignore", "-m", "tests.neighbours.mpi_program", str(SHARDS)]
    done = subprocess.run(
        [sys.executable, "-m", "mpiexec", "-n", str(processes), *words, *map(str, CUTS[processes])],
        cwd=ROOT, capture_output=True, text=True, timeout=240, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
             "PULLBACK_CACHE": str(folder), "PULLBACK_CACHE_PROGRAMS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def by_one_tree() -> list[str]:
    """The same sums, level by level in one process."""
    value_and_grad, level = pb.value_and_grad(loss), []
    for x, y in zip(np.array_split(X, SHARDS), np.array_split(Y, SHARDS), strict=True):
        value, slope = value_and_grad(P, x, y)
        product = pb.hvp(lambda p, x=x, y=y: loss(p, x, y), (P,), (V,))[0]
        level.append(np.array([value, slope["b"], *slope["w"], product["b"], *product["w"]]))
    while len(level) > 1:
        pairs = [a + b for a, b in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[len(level) - len(level) % 2 :]
    return [float(v).hex() for v in level[0]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


@pytest.mark.parametrize("processes", CUTS)
def test_any_number_of_processes_gives_the_same_bits(processes: int, folder: Path) -> None:
    lines = [line.split(" ", 2) for line in run(processes, folder)]
    said = {name: [text for _, kind, text in lines if kind == name] for _, name, _ in lines}
    assert said["bits"] == [" ".join(by_one_tree())] * processes

    last = processes - 1
    other = f"RuntimeError: process {last} of the communicator failed with ValueError: a negative"
    assert [line.startswith(other) for line in said["raises"]] == [True] * last + [False]
    assert said["raises"][last] == "ValueError: a negative sum"
    assert said["then"] == [str([4.0 * processes, 2.0 * processes])] * processes
    if processes > 1:
        assert all("different parameters" in line for line in said["differ"])
    assert all("no process has a shard" in line for line in said["nobody"])
    assert "a ndarray has no shards" in said["array"][0]
    assert all("process 0 of the communicator failed" in line for line in said["array"][1:])


def test_what_is_no_communicator() -> None:
    with pytest.raises(TypeError, match="no communicator"):
        pb.interop.mpi.value_and_grad(loss, "world")
    assert pb.interop.mpi.value_and_grad(loss, MPI.COMM_SELF)(P, [X], [Y])[0] > 0.0


@pytest.mark.parametrize("count", range(1, 20))
def test_sums_in_any_order_are_one_tree(count: int) -> None:
    """The order in which the shards come does not matter, to the last bit."""
    level = [[k] for k in range(count)]
    while len(level) > 1:
        pairs = [[a, b] for a, b in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[len(level) - len(level) % 2 :]
    rng = np.random.default_rng(count)
    values = rng.normal(size=count) * 10.0 ** rng.integers(-8, 8, size=count)

    def total(tree):
        return values[tree[0]] if len(tree) == 1 else total(tree[0]) + total(tree[1])

    for _ in range(5):
        nodes, widths = {}, _widths(count)
        for k in rng.permutation(count):
            _put(nodes, widths, (0, int(k)), values[k])
        assert nodes == {(len(widths) - 1, 0): total(level[0])}
