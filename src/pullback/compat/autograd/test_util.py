"""``autograd.test_util.check_grads``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import pullback as pb
from pullback.compat.autograd.differential_operators import of_arguments
from pullback.structures import chosen, leaves


def check_grads(
    f: Callable[..., Any], argnum: Any = 0, modes: Sequence[str] = ("fwd", "rev"), order: int = 2
) -> Callable[..., None]:
    """Return a function of the arguments of ``f`` that compares its derivatives with differences.

    Raises ``AssertionError`` if they disagree."""

    numbers = chosen(f, argnum)

    def check(*args: Any, **kwargs: Any) -> None:
        of_chosen, values = of_arguments(f, numbers, args, kwargs)
        pb.check_grads(of_chosen, values, modes=modes)
        if order > 1:
            draws = np.random.default_rng(0)
            weights = [draws.normal(size=np.shape(x)) for x in leaves(f(*args, **kwargs), True)]

            def number(*new: Any) -> Any:
                parts = leaves(of_chosen(*new), True)
                return sum([np.sum(np.real(x * w)) for x, w in zip(parts, weights, strict=True)])

            pb.check_grads(number, values, order=order, modes=modes)

    return check


__all__ = ["check_grads"]
