"""What searches of ``scipy.optimize`` tell a callback of the user's after each round, as plain
Python that the front end compiles.

The places on the way are numbers of the search: what a callback keeps of them has no known
derivative, which is NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pullback.frontend.library.solutions import underway
from pullback.frontend.library.text.domains import Vector
from pullback.frontend.library.text_helpers import takes_only, unsupported

Told = Callable[[Vector, float], bool]
"""Is told the place and the value after a round, and says whether the search ends."""

STOPPED = 99
"""How a search has ended that its callback stopped."""


class _Round:
    """What a callback is told of a round."""

    def __init__(self, x: Vector, fun: float) -> None:
        self.x = x
        self.fun = fun

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


class _Value:
    """The same of a method that goes on to write into the place that it tells."""

    def __init__(self, fun: float) -> None:
        self.fun = fun

    @property
    def x(self) -> Any:
        """The place."""
        return unsupported("the x of an intermediate_result of L-BFGS-B or Newton-CG, into which "
                           "SciPy writes what follows", "a callback of the place")  # fmt: skip

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


class _State:
    """What trust-constr tells of a round."""

    def __init__(self, x: Vector, numbers: Vector) -> None:
        self.x = x
        self.fun = numbers[0]
        self.nit = self.niter = int(numbers[1])
        self.nfev = int(numbers[2])
        self.njev = int(numbers[3])
        self.nhev = int(numbers[4])
        self.cg_niter = int(numbers[5])
        self.cg_stop_cond = int(numbers[6])
        self.optimality = numbers[7]
        self.constr_violation = numbers[8]
        self.tr_radius = numbers[9]
        self.constr_penalty = numbers[10]
        self.barrier_parameter = numbers[11]
        self.barrier_tolerance = numbers[12]

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def state_teller(callback: Any, f: Any, start: Vector) -> Any:
    """Return the function that tells a callback of the states of trust-constr."""
    if callback is None:
        return lambda x, numbers: False
    named = takes_only(callback, "intermediate_result")

    def tell(x: Vector, numbers: Vector) -> bool:
        place = underway((f, start), x.copy())
        state = _State(place, underway((f, start), numbers))
        try:
            ends = callback(intermediate_result=state) if named else callback(place.copy(), state)
        except StopIteration:
            return True
        return bool(ends)

    return tell


def teller(callback: Any, f: Any, start: Vector, how: str) -> Told:
    """Return the function that tells the callback of a search for the minimum of ``f``."""
    if callback is None:
        return lambda x, value: False
    named = takes_only(callback, "intermediate_result") and how != "tnc"
    if how == "cobyla" and named:
        unsupported("minimize by COBYLA with a callback of intermediate_result",
                    "a callback of the place")  # fmt: skip

    def tell(x: Vector, value: float) -> bool:
        place, fun = underway((f, start), x.copy()), underway((f, start), value)
        try:
            if named and how in ("l-bfgs-b", "newton-cg"):
                callback(intermediate_result=_Value(fun))
            elif named:
                callback(intermediate_result=_Round(place, fun))
            else:
                callback(place)
        except StopIteration:
            return how != "tnc" or _raised()
        return False

    return tell


def _raised() -> bool:
    """Return what the method of SciPy that does not catch the end of a callback does."""
    raise StopIteration


__all__ = ["STOPPED", "Told", "state_teller", "teller"]
