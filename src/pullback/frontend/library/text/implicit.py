"""The numbers of a structure as one vector, leaf by leaf, for implicit derivatives."""

from __future__ import annotations

import math

import numpy as np

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
