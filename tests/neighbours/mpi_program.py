"""A program for mpiexec: every process prints the bits of what it gets, and what it is refused."""

from __future__ import annotations

import sys

import numpy as np
from mpi4py import MPI

import pullback as pb

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(1100, 3)), RNG.normal(size=1100)
P = {"w": np.array([0.1, 0.2, 0.3]), "b": 0.5}
V = {"w": np.array([1.0, 0.0, -1.0]), "b": 2.0}
COMM = MPI.COMM_WORLD


def loss(p, x, y):
    return np.sum((np.tanh(x @ p["w"] + p["b"]) - y) ** 2)


def checked(p, x):
    if np.sum(x) < 0.0:
        raise ValueError("a negative sum")
    return np.sum(x * p)


def held(data: np.ndarray, count: int, cuts: list[int]) -> list[np.ndarray]:
    """The shards of this process: ``cuts`` says where the next process begins."""
    parts = np.array_split(data, count)
    bounds = [0, *cuts[: COMM.size - 1], *[count] * (COMM.size - 1 - len(cuts)), count]
    return parts[bounds[COMM.rank] : bounds[COMM.rank + 1]]


def said(f, *args) -> str:
    try:
        return str([float(v) for v in f(*args)])
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]


def told(*parts: object) -> None:
    """Print a line for each process, from one of them."""
    lines = COMM.gather(" ".join(map(str, parts)))
    if COMM.rank == 0:
        for rank, line in enumerate(lines):
            print(rank, line)


def main(count: int, cuts: list[int]) -> None:
    x, y = held(X, count, cuts), held(Y, count, cuts)
    call = pb.interop.mpi.value_and_grad(loss, COMM)
    value, slope = call(P, x, y)
    product = pb.interop.mpi.hvp(loss)(P, V, x, y)
    numbers = [value, slope["b"], *slope["w"], product["b"], *product["w"]]
    told("bits", *(float(v).hex() for v in numbers))
    again = pb.interop.mpi.grad(loss, COMM)(P, x, y)
    assert again["b"] == slope["b"] and (again["w"] == slope["w"]).all()
    wanted, gradient = pb.value_and_grad(loss)(P, X, Y)
    np.testing.assert_allclose([value, *slope["w"]], [wanted, *gradient["w"]], rtol=1e-11)

    summed = pb.interop.mpi.value_and_grad(checked, COMM)
    bad = np.ones(2) if COMM.rank < COMM.size - 1 else -np.ones(2)
    told("raises", said(summed, 2.0, [bad]))
    told("then", said(summed, 2.0, [np.ones(2)]))
    told("differ", said(summed, 2.0 + COMM.rank, [np.ones(2)]))
    told("nobody", said(summed, 2.0, []))
    told("array", said(summed, 2.0, np.ones(2) if COMM.rank == 0 else [np.ones(2)]))


if __name__ == "__main__":
    main(int(sys.argv[1]), [int(v) for v in sys.argv[2:]])
