"""The numbers of a structure as one vector, leaf by leaf, for implicit derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.solutions import along, constant
from pullback.frontend.library.text.domains import Array, Vector


def flat(x: Array) -> Vector:
    """The numbers of an array."""
    return np.ravel(x)


def single(x: float) -> Vector:
    """A number as a vector."""
    return np.array([x])


def joined(first: Vector, second: Vector) -> Vector:
    """Both, one after the other."""
    return np.concatenate((first, second))


def unit(like: Array, k: int) -> Array:
    """An array of this shape that is 1 in place ``k``, if it has that, and else 0."""
    e = np.zeros(like.size)
    if 0 <= k < like.size:
        e[k] = 1.0
    return e.reshape(like.shape)


def unit_number(like: float, k: int) -> float:
    """1 where ``k`` is 0, else 0."""
    return 1.0 if k == 0 else 0.0


def part(v: Vector, start: int, like: Array) -> Array:
    """The numbers from ``start`` on, in this shape."""
    return v[start : start + like.size].reshape(like.shape)


def size_of(x: Array) -> int:
    """How many numbers there are."""
    n: int = x.size
    return n


def solved(columns: Array, b: Vector) -> Vector:
    """The solution of the linear system whose matrix has these columns (as rows)."""
    return np.linalg.solve(columns.T, b)


def moved(y: Any, there: Any) -> Any:
    """The numbers of another place, with the derivative of y."""
    return y + constant(there - y)


def settled(f: Callable[..., Array], args: Any, y: Array, near: float) -> Array:
    """The solution of ``f(y, *args) = 0`` beside y, by steps of Newton's method; y if they do not
    go to one, or go far away."""

    def g(z: Array) -> Array:
        return f(z, *args)

    push, z = along(g), y.copy()
    for _ in range(_ROUNDS):
        columns = np.zeros((y.size, y.size))
        for k in range(y.size):
            columns[k] = np.ravel(push(z, unit(z, k)))
        step = solved(columns, np.ravel(g(z))).reshape(y.shape)
        z = z - step
        if not np.all(np.abs(z - y) <= _WIDE * near):
            return y
        if np.all(np.abs(step) <= _CLOSE * near):
            return z
    return y


def settled_number(f: Callable[..., float], args: Any, y: float, near: float) -> float:
    """The same of a number."""

    def g(z: float) -> float:
        return f(z, *args)

    push, z = along(g), np.float64(y)
    for _ in range(_ROUNDS):
        step = g(z) / np.float64(push(z, 1.0))
        z = z - step
        if not abs(z - y) <= _WIDE * near:
            return y
        if abs(step) <= _CLOSE * near:
            return z
    return y


_ROUNDS = 12
"""How many steps lead to a solution at most."""

_WIDE, _CLOSE = 30.0, 1e-3
"""How far away it may be, and how long a last step is."""


def plus_unit(e: Vector, column: Vector) -> Vector:
    """A column of the identity less a matrix."""
    return e - column


def negative(v: Vector) -> Vector:
    """-v"""
    return -v


def total(v: Array) -> float:
    """The sum of all numbers."""
    s: float = np.sum(v)
    return s


def lost(tangent: float, step: float, near: float) -> float:
    """What is added to a tangent: 0, or NaN if the step is too long."""
    return tangent * (0.0 if abs(step) <= near else math.nan)


def lost_of_all(tangent: float, step: Vector, near: float) -> float:
    """What is added to all tangents: 0, or NaN if the step is too long."""
    return tangent * (0.0 if np.all(np.abs(step) <= near) else math.nan)
