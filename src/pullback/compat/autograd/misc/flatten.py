"""Structures as vectors, with the keys of dicts in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.compat.leaf_trees import in_order
from pullback.structures import leaves, rebuilt


def flatten(value: Any) -> tuple[Any, Callable[..., Any]]:
    """Return the numbers of a structure as a vector, and the function from such a vector to a
    structure."""
    tree = in_order(value)
    parts = leaves(tree)

    def unflatten(vector: Any) -> Any:
        made: tuple[Any, ...] = ()
        start = 0
        for part in parts:
            end = start + np.size(part)
            number = np.ndim(part) == 0
            made = (*made, vector[start] if number else vector[start:end].reshape(np.shape(part)))
            start = end
        return rebuilt(tree, made)

    if len(parts) == 0:
        return np.zeros(0), unflatten
    return np.concatenate([np.ravel(part) for part in parts]), unflatten


def flatten_func(
    func: Callable[..., Any], example: Any
) -> tuple[Callable[..., Any], Callable[..., Any], Any]:
    """Return ``func`` as a function from a vector to a vector, the function that makes its argument
    of a vector, and the vector of the example."""
    vector, unflatten = flatten(example)

    def of_vector(x: Any, *args: Any, **kwargs: Any) -> Any:
        return flatten(func(unflatten(x), *args, **kwargs))[0]

    return of_vector, unflatten, vector


__all__ = ["flatten", "flatten_func"]
