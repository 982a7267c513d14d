"""Calls of solvers of SciPy by texts, which answer what the solvers ask
(``core/solver_calls.py``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.library.asked_values import library_value
from pullback.frontend.library.solver_words import going_on
from pullback.frontend.library.text.domains import Vector


def packed(vectors: Any) -> Vector:
    """Return vectors as one, each behind its length; numbers are vectors of one item."""
    parts = []
    for v in vectors:
        numbers = np.ravel(np.atleast_1d(np.asarray(v))).astype(float)
        parts.append(np.array([1.0 * numbers.size]))
        parts.append(numbers)
    return np.concatenate(parts)


def answered(words: Any, given: Vector, answer: Callable[[int, Vector], Vector]) -> Vector:
    """Return what a solver finds: ``words`` is what it is told (``described``), ``given`` its
    numbers (``packed``); ``answer`` gives what it asks for, by the number of that and the place."""
    at = library_value("begun", given, words, 3)
    while going_on(at):
        value = answer(int(at[1]), library_value("asked", at[:1], (), int(at[2])))
        at = library_value("resumed", np.concatenate((at[:1], value)), (), 3)
    return library_value("asked", at[:1], (), int(at[2]))


def told(words: Any, given: Vector) -> Vector:
    """Return what a solver finds that asks nothing."""
    at = library_value("begun", given, words, 3)
    going_on(at)
    return library_value("asked", at[:1], (), int(at[2]))
