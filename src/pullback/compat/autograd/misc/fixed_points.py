"""Fixed points, with the derivative of the point and not of the iteration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pullback as pb

Function = Callable[..., Any]


def fixed_point(f: Function, a: Any, x0: Any, distance: Function, tol: float) -> Any:
    """Return the fixed point of ``f(a)``, a function of x: it is iterated from ``x0`` on until two
    values are no farther apart than ``tol``."""

    def solve(a: Any) -> Any:
        step = f(a)
        before, x = x0, step(x0)
        while distance(x, before) > tol:
            before, x = x, step(x)
        return x

    return pb.implicit_fixed_point(lambda x, a: f(a)(x), solve)(a)


__all__ = ["fixed_point"]
