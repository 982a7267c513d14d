"""What ``solve_ivp`` gives, as classes that the front end compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.library.solutions import constant
from pullback.frontend.library.text.domains import Array, Matrix, Vector
from pullback.frontend.library.text.runge_kutta import at_of


class OdeSolution:
    """The solution as a function of time, which ``dense_output`` asks for."""

    def __init__(
        self, ts: Vector, starts: Matrix, insides: Array, way: float, method: str, lengths: Vector
    ) -> None:  # fmt: skip
        self.ts = ts
        self._starts = starts
        self._insides = insides
        self._way = way
        self._method = method
        self._lengths = lengths

    def _one(self, t: float) -> Vector:
        at, last = self._way * constant(t), len(self.ts) - 2
        k = max(min(np.searchsorted(self._way * constant(self.ts), at) - 1, last), 0)
        if self._way < 0.0:
            k = max(min(np.searchsorted(self._way * constant(self.ts), at, "right") - 1, last), 0)
        h = self._lengths[k]
        x = (t - self.ts[k]) / h if h != 0.0 else 0.0 * t
        return at_of(self._insides[k], x, self._starts[k], self._method)

    def __call__(self, t: Any) -> Any:
        if np.ndim(t) == 0:
            return self._one(1.0 * np.asarray(t).item())
        return np.stack([self._one(1.0 * v) for v in np.asarray(t)], axis=1)


class OdeResult:
    """What ``solve_ivp`` gives. ``happened``: of how many kinds events are looked for, their times
    and places, and where those of each kind begin."""

    def __init__(self, t: Vector, y: Array, sol: Any, nfev: int, status: int,
                 calls: tuple[int, int] = (0, 0), happened: Any = None) -> None:  # fmt: skip
        self.t = t
        self.y = y
        self.sol = sol
        self.njev, self.nlu = calls
        self.status = status
        self.success = status >= 0
        self._nfev = nfev
        self._happened = happened

    @property
    def nfev(self) -> int:
        """How often the function was called."""
        if self._nfev < 0:
            raise NotImplementedError("nfev of DOP853 with events")
        return self._nfev

    @property
    def t_events(self) -> Any:
        """The times of the events of each kind."""
        if self._happened is None:
            return None
        count, times, _, firsts = self._happened
        return [times[firsts[k] : firsts[k + 1]] for k in range(count)]

    @property
    def y_events(self) -> Any:
        """The solution at the events of each kind."""
        if self._happened is None:
            return None
        count, _, places, firsts = self._happened
        for k in range(count):
            if firsts[k] == firsts[k + 1]:
                raise NotImplementedError("y_events where one of the events has not happened")
        return [places[firsts[k] : firsts[k + 1]] for k in range(count)]

    @property
    def message(self) -> str:
        """How it ended."""
        if self.status == 1:
            return "A termination event occurred."
        if self.success:
            return "The solver successfully reached the end of the integration interval."
        return "Required step size is less than spacing between numbers."

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)
