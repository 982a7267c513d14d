"""What runs a nested term: function values, the cost so far, and the instruments."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

from pullback.core.messages import PLACE


class OutOfSteps(RuntimeError):
    """An evaluation took more steps than it may. It leaves a public call as it is: somebody asked
    for the limit."""

    def __init__(self, most: float) -> None:
        super().__init__(f"more than {most} steps")
        vars(self)[PLACE] = None


class Machine:
    """The state of one evaluation.

    cost     steps so far
    counts   how often: "prim:sin", "op:one", "con:Add", "role:op" (closures made with that role),
             and whatever a library row counts by ``count``
    roles    the role of every closure made that has one, in the order of making
    calls    how often each of those was called
    wide     whether the elements of an array are computed beside each other: the cost of all is
             that of the most expensive one
    most     how many steps it may take: the call of a function after that raises OutOfSteps, and
             so does ``spend``
    peaks    the largest value that a library row reported under a name (sizes of arrays, maps)
    """

    wide = False
    most = math.inf

    def __init__(self) -> None:
        self.cost = 0
        self.counts: dict[str, int] = {}
        self.roles: list[str] = []
        self.calls: list[int] = []
        self.peaks: dict[str, int] = {}

    def spend(self, n: int) -> None:
        """Count the steps of a library row whose cost is that of its values; raise OutOfSteps after
        ``most``."""
        self.cost += n
        if self.cost > self.most:
            raise OutOfSteps(self.most)

    def count(self, what: str, n: int = 1) -> None:
        """Add to a counter."""
        self.counts[what] = self.counts.get(what, 0) + n

    def peak(self, what: str, n: int) -> None:
        """Report a size."""
        self.peaks[what] = max(n, self.peaks.get(what, 0))

    def call(self, f: object, *args: object) -> object:
        """Apply a function value to one argument after the other. The cost of the bodies is
        counted, that of an application node is the caller's business."""
        for x in args:
            f = cast("Callable[[object], object]", f)(x)
        return f


class Code:
    """A translated lambda: what a closure of it needs to run."""

    __slots__ = ("captured", "run", "size")

    def __init__(self) -> None:
        self.size = 1  # slots of a frame; the argument is slot 0
        self.captured: list[int] = []
        self.run: Callable[[list[object]], object] = lambda f: f[0]


class Closure:
    """A function value: code and the values of the variables that it captured."""

    __slots__ = ("code", "machine", "serial", "values")

    def __init__(
        self, machine: Machine, code: Code, values: list[object], serial: int = -1
    ) -> None:
        self.machine = machine
        self.code = code
        self.values = values
        self.serial = serial

    def __call__(self, x: object) -> object:
        code, m = self.code, self.machine
        if m.cost > m.most:
            raise OutOfSteps(m.most)
        if self.serial >= 0:
            m.calls[self.serial] += 1
        frame: list[object] = [None] * code.size
        frame[0] = x
        for slot, v in zip(code.captured, self.values, strict=True):
            frame[slot] = v
        return code.run(frame)
