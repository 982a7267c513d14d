"""MPI, by mpi4py: losses over shards of data that the processes of a communicator hold.

All processes run the same program and call the function together, with the same parameters; each
passes the shards that it holds. The shards are numbered in the order of the ranks, and sums are the
binary tree over these numbers that ``pb.interop.dask`` has: a result depends on how the data is
divided into shards, and not on how many processes there are, bit by bit. A process adds up what is
whole in its part of the tree, and the others get the few sums that are left.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from mpi4py import MPI

from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.interop import shards
from pullback.interop.nested import leaves
from pullback.interop.shards import Made, add

Nodes = dict[tuple[int, int], Any]
"""Sums of the tree, by level and place. The shards are level 0."""


def value_and_grad(loss: Made, comm: Any = None, argnums: Any = 0) -> Made:
    """Return a function of parameters and data that gives the sum of ``loss`` and its gradient.

    Args:
        loss: a function ``loss(params, *shard)`` that returns a float.
        comm: a communicator of mpi4py. None stands for ``MPI.COMM_WORLD``.
        argnums: by which argument, as for ``pb.value_and_grad``: the parameters.

    Returns:
        A function ``call(params, *data)``. Each of the data is a list of the shards that this
        process holds, which may be empty. All processes call it, and all get the same result.

    Raises:
        ValueError: the processes have different parameters, or nobody has a shard.
        RuntimeError: another process has raised an exception, whose text is in this one. The
            process in which it arose raises that itself, so nobody waits for ever.
    """
    return _Summed(loss, comm, shards.value_and_grad, argnums)


def grad(loss: Made, comm: Any = None, argnums: Any = 0) -> Made:
    """Return the gradient alone, as ``value_and_grad`` does both."""
    both = value_and_grad(loss, comm, argnums)
    return lambda params, *data: both(params, *data)[1]


def hvp(loss: Made, comm: Any = None) -> Made:
    """Return a function ``call(params, vector, *data)`` that gives the product of the Hessian of
    the summed loss, by the parameters, with a vector of their form."""
    summed = _Summed(loss, comm, shards.hvp, None)
    return lambda params, vector, *data: summed((params, vector), *data)


class _Summed:
    """The sum over the shards of all processes."""

    def __init__(self, f: Made, comm: Any, how: Made, argnums: Any) -> None:
        self.f, self.comm = how(f, argnums), MPI.COMM_WORLD if comm is None else comm
        if not hasattr(self.comm, "allgather"):
            raise ArgumentTypeError(
                f"a {type(comm).__name__} is no communicator", "pass one of mpi4py's"
            )
        self.compiled = False

    def __call__(self, params: Any, *data: Any) -> Any:
        held, error = _tried(_shards, data)
        told = self._all((len(held or ()), _digest(params)), error)
        counts = [count for count, _ in told]
        if not any(counts):
            raise ArgumentValueError("no process has a shard", "pass lists of shards")
        if len({digest for _, digest in told}) > 1:
            raise ArgumentValueError(
                "the processes have different parameters", "compute them alike, or comm.bcast them"
            )
        first = next(rank for rank, count in enumerate(counts) if count)
        if not self.compiled:  # one process compiles; the others find that on disk
            ahead = self.comm.rank == first
            _, error = _tried(self.f, (params, *held[0])) if ahead and held else (None, None)
            self._all(None, error)
            self.compiled = True
        start = sum(counts[: self.comm.rank])
        widths = _widths(sum(counts))
        own, error = _tried(self._own, (params, held, start, widths))
        whole: Nodes = {}
        for nodes in self._all(own, error):
            for place, value in nodes.items():
                _put(whole, widths, place, value)
        return whole[len(widths) - 1, 0]

    def _own(self, params: Any, held: Sequence[Any], start: int, widths: list[int]) -> Nodes:
        """Return the sums of this process."""
        nodes: Nodes = {}
        for k, shard in enumerate(held):
            _put(nodes, widths, (0, start + k), self.f(params, *shard))
        return nodes

    def _all(self, own: Any, error: Exception | None) -> list[Any]:
        """Return what all processes have, or raise in all of them if one has an error."""
        text = None if error is None else f"{type(error).__name__}: {error}"
        told = self.comm.allgather((own, text))
        if error is not None:
            raise error
        for rank, (_, other) in enumerate(told):
            if other is not None:
                raise RuntimeError(f"process {rank} of the communicator failed with {other}")
        return [value for value, _ in told]


def _tried(f: Made, args: Sequence[Any]) -> tuple[Any, Exception | None]:
    """Return the result and the exception of a call: one of them is None."""
    try:
        return f(*args), None
    except Exception as error:
        return None, error


def _shards(*data: Any) -> list[tuple[Any, ...]]:
    """Return the shards of this process, with the part of each of the data."""
    if not data:
        raise ArgumentTypeError("there is no data to divide", "pass lists of shards")
    for x in data:
        if not isinstance(x, list | tuple):
            raise ArgumentTypeError(
                f"a {type(x).__name__} has no shards",
                "pass a list of this process's shards: np.array_split(x, 8)",
            )
    if len({len(x) for x in data}) > 1:
        raise ArgumentValueError(
            f"the data is divided in different ways: {', '.join(str(len(x)) for x in data)} shards",
            "divide all of it alike",
        )
    return list(zip(*data, strict=True))


def _digest(params: Any) -> str:
    """Return what differs if numbers or arrays of the parameters differ."""
    found = hashlib.sha256()
    for x in leaves(params):
        found.update(type(x).__name__.encode())
        if isinstance(x, bool | int | float | np.generic | np.ndarray):
            array = np.ascontiguousarray(x)
            found.update(f"{array.dtype} {array.shape}".encode())
            found.update(array.tobytes())
    return found.hexdigest()


# --- the tree -------------------------------------------------------------------------------------


def _widths(count: int) -> list[int]:
    """Return how many sums each level of the tree has, from the shards to the root."""
    widths = [count]
    while widths[-1] > 1:
        widths.append((widths[-1] + 1) // 2)
    return widths


def _put(nodes: Nodes, widths: list[int], place: tuple[int, int], value: Any) -> None:
    """Put a sum into the tree, and add it to its neighbour wherever that is there. The last one of
    an odd number has no neighbour, and goes up as it is."""
    level, k = place
    while level < len(widths) - 1:
        if k ^ 1 < widths[level]:
            if (level, k ^ 1) not in nodes:
                break
            other = nodes.pop((level, k ^ 1))
            value = add(other, value) if k % 2 else add(value, other)
        level, k = level + 1, k // 2
    nodes[level, k] = value


__all__ = ["grad", "hvp", "value_and_grad"]
