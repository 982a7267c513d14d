"""Numbers inside Python values: random tangents, steps along them, inner products.

A *tree* is a number, an array, a tuple, list, dict, NamedTuple or dataclass of trees, or anything
else (a discrete leaf). ``check_grads`` compares derivatives by these, on the user's own classes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass

import numpy as np

from pullback.marshal import bare


def is_real(x: object) -> bool:
    """Whether x is a differentiable leaf."""
    if isinstance(x, np.ndarray | np.generic):
        return bool(np.issubdtype(x.dtype, np.floating))
    return isinstance(x, float)


def parts(x: object) -> dict[str, object] | None:
    """The subtrees by name or position; None of a leaf."""
    if isinstance(x, list | tuple):
        names = getattr(x, "_fields", range(len(x)))
        return dict(zip(map(str, names), x))
    if type(x) is dict:
        return dict(x)
    if is_dataclass(x) and not isinstance(x, type):
        return {f.name: getattr(x, f.name) for f in fields(x)}
    return None


def map_leaves(change: Callable[..., object], x: object, *others: object) -> object:
    """A tree like x, every leaf changed together with the leaves of the others at its place."""
    inside = parts(x)
    if inside is None:
        return change(x, *others)
    rest = [parts(other) or {} for other in others]
    made = {
        name: map_leaves(change, part, *(r.get(name) for r in rest))
        for name, part in inside.items()
    }
    if isinstance(x, dict):
        return made
    if isinstance(x, list):
        return list(made.values())
    if isinstance(x, tuple) and not hasattr(x, "_fields"):
        return tuple(made.values())
    return bare(type(x), made)


def leaves(x: object, where: str = "") -> Iterator[tuple[str, object]]:
    """Every leaf with its place."""
    inside = parts(x)
    if inside is None:
        yield where, x
    else:
        for name, part in inside.items():
            yield from leaves(part, f"{where}.{name}" if where else name)


def direction(rng: np.random.Generator, x: object) -> object:
    """A random tangent of x; ``None`` at its discrete leaves."""

    def leaf(value: object) -> object:
        if not is_real(value):
            return None
        if isinstance(value, np.ndarray | np.generic):
            return np.asarray(rng.normal(size=value.shape), value.dtype)[()]
        return float(rng.normal())

    return map_leaves(leaf, x)


def moved(x: object, tangent: object, by: float) -> object:
    """x + by * tangent; discrete leaves stay."""

    def leaf(value: object, t: object) -> object:
        if t is None or not is_real(value):
            return value
        if isinstance(value, np.ndarray | np.generic):
            return np.asarray(value + np.asarray(by * np.asarray(t), value.dtype), value.dtype)[()]
        assert isinstance(value, float) and isinstance(t, int | float)
        return value + by * t

    return map_leaves(leaf, x, tangent)


def inner(x: object, y: object) -> float:
    """The inner product over all real leaves; ``None`` is zero."""
    total = 0.0
    found = dict(leaves(y))
    for where, a in leaves(x):
        b = found.get(where)
        if a is not None and b is not None and is_real(a):
            total += math.fsum(
                np.ravel(np.asarray(a, np.float64) * np.asarray(b, np.float64)).tolist()
            )
    return total
