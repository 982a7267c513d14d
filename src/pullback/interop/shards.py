"""What is done with shards of data, whoever holds them: the operators of one shard, and sums.

The operators have one form, ``how(f, argnums)``, and return a function ``call(params, *shard)``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import pullback as pb
from pullback.errors import ArgumentTypeError

Made = Callable[..., Any]


def add(a: Any, b: Any) -> Any:
    """The sum of two values of one form."""
    if a is None:
        return None
    if isinstance(a, dict):
        return {key: add(item, b[key]) for key, item in a.items()}
    if isinstance(a, tuple | list):
        items = [add(x, y) for x, y in zip(a, b, strict=True)]
        return type(a)(*items) if hasattr(a, "_fields") else type(a)(items)
    if not isinstance(a, float | int | np.number | np.ndarray):
        raise ArgumentTypeError(
            f"gradients of a {type(a).__name__} cannot be added", "use dicts, tuples and arrays"
        )
    return a + b


def stacked(parts: Sequence[Any]) -> Any:
    first = parts[0]
    if isinstance(first, dict):
        return {key: stacked([p[key] for p in parts]) for key in first}
    if isinstance(first, tuple | list):
        items = [stacked(list(p)) for p in zip(*parts, strict=True)]
        return type(first)(*items) if hasattr(first, "_fields") else type(first)(items)
    return np.concatenate([np.asarray(p) for p in parts])


def value_and_grad(f: Made, argnums: Any) -> Made:
    made: Made = pb.value_and_grad(f, argnums)
    return made


def jacobian(f: Made, _: Any) -> Made:
    made: Made = pb.jacobian(f)
    return made


def hvp(f: Made, _: Any) -> Made:
    def product(both: Any, *shard: Any) -> Any:
        params, vector = both
        return pb.hvp(f, (params, *shard), (vector, *[None] * len(shard)))[0]

    return product


def vmap(f: Made, _: Any) -> Made:
    def mapped(others: Any, xs: Any) -> Any:
        return pb.vmap(f, (0, *[None] * len(others)))(xs, *others)

    return mapped


__all__ = ["Made", "add", "hvp", "jacobian", "stacked", "value_and_grad", "vmap"]
