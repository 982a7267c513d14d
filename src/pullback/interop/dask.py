"""Dask: losses, Jacobians and products over shards of data that the workers of a cluster hold.

A shard is a chunk of a Dask array along its first axis, a partition of a bag, or an item of a list.
Each shard is one task, and sums are a binary tree over the numbers of the shards. So a result
depends on how the data is divided, and not on how many workers there are, bit by bit. All of it is
one graph on Dask's own scheduler: what a lost worker had is computed again by another one.
"""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import cloudpickle
import dask
from dask.array import Array
from dask.bag import Bag
from dask.delayed import Delayed

from pullback.call.pickled import ByName
from pullback.call.travelled_texts import tell_cloudpickle
from pullback.errors import ArgumentTypeError, ArgumentValueError
from pullback.interop import shards
from pullback.interop.shards import add, stacked

Made = Callable[..., Any]


# --- what one may ask -----------------------------------------------------------------------------


def value_and_grad(loss: Made, client: Any, argnums: Any = 0) -> Made:
    """Return a function of parameters and data that gives the sum of ``loss`` and its gradient.

    Args:
        loss: a function ``loss(params, *shard)`` that returns a float.
        client: of the cluster (``distributed.Client``).
        argnums: by which argument, as for ``pb.value_and_grad``: the parameters.

    Returns:
        A function ``call(params, *data)``, for Dask arrays, bags, and lists of shards, all with
        the same number of shards.
    """
    return _Summed(loss, client, shards.value_and_grad, argnums)


def grad(loss: Made, client: Any, argnums: Any = 0) -> Made:
    """Return the gradient alone, as ``value_and_grad`` does both."""
    both = value_and_grad(loss, client, argnums)
    return lambda params, *data: both(params, *data)[1]


def hvp(loss: Made, client: Any) -> Made:
    """Return a function ``call(params, vector, *data)`` that gives the product of the Hessian of
    the summed loss, by the parameters, with a vector of their form."""
    summed = _Summed(loss, client, shards.hvp, None)
    return lambda params, vector, *data: summed((params, vector), *data)


def jacobian(f: Made, client: Any) -> Made:
    """Return a function ``call(params, *data)`` that gives the Jacobian, by the parameters, of the
    results of ``f`` at all shards, one below the other. ``f`` returns an array of rank 1."""
    return _Stacked(f, client, shards.jacobian)


def vmap(f: Made, client: Any, chains: int = 1) -> Made:
    """Return a function ``call(xs, *others)`` that gives the results of ``f`` for each item of the
    first axis of ``xs``, such as the chains of a sampler; ``chains`` of them are one task."""
    sent = _Sent(f, shards.vmap, None)

    def call(xs: Any, *others: Any) -> Any:
        parts = [xs[k : k + chains] for k in range(0, len(xs), chains)]
        if not parts:
            raise ArgumentValueError("there is no chain", "pass at least one")
        return stacked(_Map(sent, client)(others, [parts]))

    return call


# --- the graph ------------------------------------------------------------------------------------


class _Map:
    """Tasks of one function, one for each shard. The first task that compiles goes ahead: the other
    workers find on disk what it has compiled."""

    def __init__(self, sent: _Sent, client: Any) -> None:
        if not hasattr(client, "compute"):
            raise ArgumentTypeError(
                f"a {type(client).__name__} is no client of a cluster",
                "pass distributed.Client(...)",
            )
        self.sent, self.client = sent, client
        self.compiled: set[Any] = set()

    def tasks(self, params: Any, data: Sequence[Any]) -> list[Delayed]:
        """Return the tasks, in the order of the shards."""
        function = dask.delayed(self.sent, traverse=False, pure=False)
        given = dask.delayed(params, traverse=False, pure=False)
        run = dask.delayed(_run, pure=False)
        made = [run(function, given, *shard) for shard in _shards(data)]
        kind = tuple(map(type, data)), _kind(params)
        if kind not in self.compiled:
            self.client.compute(made[0]).result()
            self.compiled.add(kind)
        return made

    def __call__(self, params: Any, data: Sequence[Any]) -> list[Any]:
        found = self.client.compute(self.tasks(params, data))
        return [future.result() for future in found]


class _Summed:
    """The sum over all shards."""

    def __init__(self, f: Made, client: Any, how: Made, argnums: Any) -> None:
        self.map, self.client = _Map(_Sent(f, how, argnums), client), client

    def __call__(self, params: Any, *data: Any) -> Any:
        level = self.map.tasks(params, data)
        adding = dask.delayed(add, pure=False)
        while len(level) > 1:
            pairs = [adding(a, b) for a, b in zip(level[::2], level[1::2], strict=False)]
            level = pairs + level[len(level) - len(level) % 2 :]
        return self.client.compute(level[0]).result()


class _Stacked:
    """The results of all shards, one below the other."""

    def __init__(self, f: Made, client: Any, how: Made) -> None:
        self.map = _Map(_Sent(f, how, None), client)

    def __call__(self, params: Any, *data: Any) -> Any:
        return stacked(self.map(params, data))


def _shards(data: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return for each shard its part of each of the data."""
    if not data:
        raise ArgumentTypeError(
            "there is no data to divide", "pass Dask arrays, bags, or lists of shards"
        )
    parts = [_parts(x) for x in data]
    counts = {len(p) for p in parts}
    sizes = {x.chunks[0] for x in data if isinstance(x, Array)}
    if len(counts) > 1 or len(sizes) > 1 or 0 in counts:
        raise ArgumentValueError(
            f"the data is divided in different ways: {', '.join(map(str, map(len, parts)))} shards",
            "rechunk it: x.rechunk({0: 1000})",
        )
    return list(zip(*parts, strict=True))


def _parts(x: Any) -> list[Any]:
    if isinstance(x, Array):
        if x.ndim == 0 or any(math.isnan(n) for n in x.shape):
            raise ArgumentTypeError(
                "a Dask array without a first axis, or with unknown sizes, has no shards",
                "call x.compute_chunk_sizes() before",
            )
        whole = x.rechunk(dict.fromkeys(range(1, x.ndim), -1))
        return list(whole.to_delayed().ravel())
    if isinstance(x, Bag):
        return list(x.to_delayed())
    if isinstance(x, list | tuple):
        return [dask.delayed(part, traverse=False) if not isinstance(part, Delayed) else part
                for part in x]  # fmt: skip
    raise ArgumentTypeError(
        f"a {type(x).__name__} has no shards", "pass a Dask array, a bag, or a list of shards"
    )


def _kind(x: Any) -> Any:
    """What compiled code depends on in parameters, roughly: a second program is compiled twice."""
    if isinstance(x, dict):
        return tuple((key, _kind(item)) for key, item in x.items())
    if isinstance(x, list | tuple):
        return type(x), tuple(map(_kind, x))
    return type(x), getattr(x, "dtype", None), getattr(x, "ndim", None)


# --- on the workers -------------------------------------------------------------------------------


def _run(sent: _Sent, params: Any, *shard: Any) -> Any:
    return sent.made()(params, *shard)


# --- functions that travel ------------------------------------------------------------------------


class _Sent:
    """A function and what is made of it, as bytes: with the texts of its files, which the compiler
    on the worker proves to be the source of its code. A worker makes it once."""

    def __init__(self, f: Made, how: Made, argnums: Any) -> None:
        tell_cloudpickle()
        self.image = cloudpickle.dumps((ByName(f), how, argnums))
        self.version = sys.version_info[:2]
        self.key = hashlib.sha256(self.image).hexdigest()

    def __dask_tokenize__(self) -> str:
        return self.key

    def made(self) -> Made:
        """Return the function, on a worker."""
        return _made(self.key, self)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Sent) and other.key == self.key


@lru_cache(maxsize=64)
def _made(key: str, sent: _Sent) -> Made:
    if sent.version != sys.version_info[:2]:
        raise ArgumentTypeError(
            f"a function from Python {'.'.join(map(str, sent.version))}, on a worker with another",
            "run the same Python on client and workers",
        )
    f, how, argnums = cloudpickle.loads(sent.image)
    made: Made = how(f, argnums)
    return made


__all__ = ["grad", "hvp", "jacobian", "value_and_grad", "vmap"]
