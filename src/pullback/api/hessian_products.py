"""``pb.hvp`` and ``pb.vhp``: the Hessian times a vector, without forming the Hessian."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pullback.api.derived import product
from pullback.api.gradients import grad
from pullback.api.vector_products import jvp, vjp
from pullback.structures import along, arguments, once, picked, reals, replaced


@product
def hvp(f: Callable[..., Any], primals: Any, vectors: Any) -> Any:
    """Return the Hessian of ``f``, a function that returns one real number, times ``vectors``, one
    for each of ``primals``: a tuple with one entry for each. Forward over reverse mode.

    >>> hvp(_product, (2.0, 3.0), (1.0, 0.0))
    (6.0, 4.0)
    """
    values, numbers, gradient = _gradient(*once(f, primals))
    moving = picked(along(vectors, values), numbers)
    found = jvp(gradient, picked(values, numbers), moving)[1]
    return replaced(tuple([None for _ in values]), numbers, found)


@product
def vhp(f: Callable[..., Any], primals: Any, vectors: Any) -> Any:
    """Return ``vectors`` times the Hessian of ``f``: the result of ``hvp``, by reverse over reverse
    mode.

    >>> vhp(_product, (2.0, 3.0), (1.0, 0.0))
    (6.0, 4.0)
    """
    values, numbers, gradient = _gradient(*once(f, primals))
    moving = picked(along(vectors, values), numbers)
    found = vjp(gradient, *picked(values, numbers))[1](moving)
    return replaced(tuple([None for _ in values]), numbers, found)


def _gradient(f: Callable[..., Any], primals: Any) -> Any:
    """Return the values, the numbers of those that have reals, and the gradient as a function of
    these."""
    values = arguments(primals)
    numbers = reals(values)

    def gradient(*new: Any) -> Any:
        return grad(f, numbers)(*replaced(values, numbers, new))

    return values, numbers, gradient


def _product(x: float, y: float) -> float:
    """For the examples."""
    return x * x * y


__all__ = ["hvp", "vhp"]
