"""``milp`` of ``scipy.optimize`` as plain Python that the front end compiles: SciPy's solution.
Whole numbers do not move; the others are those of the linear program that is left."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant
from pullback.frontend.library.solver_words import described
from pullback.frontend.library.text.constrained_minima import Condition, program
from pullback.frontend.library.text.domains import Vector
from pullback.frontend.library.text.solver_answers import packed, told
from pullback.frontend.library.text.trust_reflective import are_given
from pullback.frontend.library.text_helpers import unsupported


class IntegerResult:
    """What ``milp`` gives."""

    def __init__(self, x: Vector, fun: float, numbers: Vector) -> None:
        self.status = int(numbers[0])
        self.success = bool(numbers[0] == 0.0)
        self._numbers = numbers
        self._x = x
        self._fun = float(fun)

    def _solved(self) -> None:
        if self.status != 0:
            raise NotImplementedError("milp has found no solution: ask for status")

    @property
    def x(self) -> Vector:
        """The solution."""
        self._solved()
        return self._x

    @property
    def fun(self) -> float:
        """The least value."""
        self._solved()
        return self._fun

    def _told(self, k: int) -> float:
        if np.isnan(self._numbers[k]):
            raise NotImplementedError("what milp tells of whole numbers where there are none")
        return float(self._numbers[k])

    @property
    def mip_node_count(self) -> int:
        """How many programs were solved."""
        return int(self._told(1))

    @property
    def mip_dual_bound(self) -> float:
        """A bound of the least value."""
        return self._told(2)

    @property
    def mip_gap(self) -> float:
        """How far the value may lie from that."""
        return self._told(3)

    @property
    def message(self) -> str:
        """How it ended."""
        return unsupported("the message of milp", "ask for status")

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def milp(c: Any, *, integrality: Any = None, bounds: Any = None, constraints: Any = None,
         options: Any = None) -> IntegerResult:  # fmt: skip
    if options is not None:
        unsupported("milp with options", "leave them away")
    costs = np.ravel(np.asarray(c)) * 1.0
    n = costs.size
    kinds = np.zeros(n) + np.asarray(0.0 if integrality is None else integrality)
    low, high = np.zeros(n), np.full(n, np.inf)
    if bounds is not None:
        from_, to = (bounds.lb, bounds.ub) if are_given(bounds) else bounds
        low, high = low + np.asarray(from_), np.zeros(n) + np.asarray(to)
    given = constraints if isinstance(constraints, (list, tuple)) else (constraints,)
    rows, least, most = np.zeros((0, n)), np.zeros(0), np.zeros(0)
    if constraints is not None:
        rows = np.concatenate([one.matrix for one in given])
        least = np.concatenate([one.low for one in given])
        most = np.concatenate([one.high for one in given])
    numbers = packed((costs, kinds, rows, least, most, low, high))
    found = told(described("milp"), constant(numbers))
    x = found[:n]
    if np.all(kinds != 0.0) or np.any(np.isnan(x)):
        return IntegerResult(x, costs @ x, found[n:])
    fixed = kinds != 0.0
    low, high = np.where(fixed, x, low), np.where(fixed, x, high)
    limits = Condition("linear", lambda x: rows @ x, least, most, None, rows)
    y, value = program(costs, (limits,), x, low, high)
    return IntegerResult(y, value, found[n:])
