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


def teller(callback: Any, f: Any, start: Vector, how: str) -> Told:
    """Return the function that tells the callback of a search for the minimum of ``f``."""
    if callback is None:
        return lambda x, value: False
    named = takes_only(callback, "intermediate_result") and how != "tnc"
    if how == "trust-constr" and not named:
        unsupported("minimize by trust-constr with a callback of x and a state",
                    "a callback whose only parameter is intermediate_result")  # fmt: skip
    if how == "cobyla" and named:
        unsupported("minimize by COBYLA with a callback of intermediate_result",
                    "a callback of the place")  # fmt: skip

    def tell(x: Vector, value: float) -> bool:
        place, fun = underway((f, start), x.copy()), underway((f, start), value)
        try:
            if named and how in ("l-bfgs-b", "newton-cg"):
                ends = callback(intermediate_result=_Value(fun))
            elif named:
                ends = callback(intermediate_result=_Round(place, fun))
            else:
                ends = callback(place)
        except StopIteration:
            return how != "tnc" or _raised()
        return how == "trust-constr" and bool(ends)

    return tell


def _raised() -> bool:
    """Return what the method of SciPy that does not catch the end of a callback does."""
    raise StopIteration


__all__ = ["STOPPED", "Told", "teller"]
