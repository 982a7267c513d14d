"""``pb.check_grads``: derivatives compared with each other and with differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pullback.api.gradients import grad
from pullback.api.vector_products import jvp, vjp
from pullback.call import driver, pytrees
from pullback.call.driver import plain
from pullback.call.misuse import require_function, values_of
from pullback.errors import ArgumentValueError


def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int = 1,
    modes: Sequence[str] = ("fwd", "rev"),
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
    seed: int = 0,
) -> None:
    """Compare reverse mode, forward mode and finite differences of ``f`` at ``args``, along random
    directions, on any structured type; ``order`` 2 also does so for the gradient (of a function
    that returns one number), ``order`` 3 for the gradient of that, and so on.

    ``eps`` is the step of the differences (1e-4; with float32 arguments 1e-2), ``atol`` and
    ``rtol`` say how far the three may be apart (1e-5; with float32 arguments 1e-2). Returns
    nothing. Raises ``AssertionError`` that names the two that disagree, and by how much;
    ``ValueError`` for a mode that is none. That two modes agree along a random direction is Lemma
    1 of Krawiec et al.

    >>> check_grads(_square, (3.0,), order=2)
    """
    if not set(modes) <= {"fwd", "rev"} or not modes:
        raise ArgumentValueError(f"modes are 'fwd' and 'rev', not {modes!r}")
    require_function(f, "check_grads", "pb.check_grads(f, (x,))")
    if type(order) is not int or order < 1:
        raise ArgumentValueError(f"order is 1, 2, ..., not {order!r}")
    values = plain(values_of(args, "check_grads"))
    short = any(map(pytrees.has_float32, values))
    atol, rtol = (v if v is not None else 1e-2 if short else 1e-5 for v in (atol, rtol))
    eps = eps if eps is not None else 1e-2 if short else 1e-4
    rng = np.random.default_rng(seed)
    tangents = tuple(pytrees.direction(rng, x) for x in values)
    out, pullback = vjp(f, *values)
    cotangent = pytrees.direction(rng, out)
    found: dict[str, float] = {}
    if "rev" in modes:
        cotangents = pullback(cotangent)
        parts = zip(values, cotangents, tangents, strict=True)  # two arguments share nothing
        found["reverse mode"] = sum(pytrees.inner(*part) for part in parts)
    if "fwd" in modes:
        found["forward mode"] = pytrees.inner(out, jvp(f, values, tangents)[1], cotangent)
    found["finite differences"] = _difference(f, values, tangents, (out, cotangent), eps)
    names = list(found)
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            a, b = found[first], found[second]
            if not abs(a - b) <= atol + rtol * max(abs(a), abs(b)):
                raise AssertionError(
                    f"{first} and {second} disagree: {a!r} and {b!r} (order {order})"
                )
    if order > 1:
        chosen = driver.differentiable(values)
        gradient = grad(f, chosen if len(chosen) > 1 else chosen[0])
        check_grads(gradient, values, order - 1, modes, atol, rtol, eps, seed + 1)


def _difference(
    f: Callable[..., Any], args: tuple[Any, ...], tangents: tuple[Any, ...], along: tuple[Any, Any],
    h: float,
) -> float:  # fmt: skip
    """The directional derivative by central differences of f as plain Python, extrapolated;
    ``along``: its result and a cotangent of that."""
    out, cotangent = along

    def at(step: float) -> float:
        moved = [pytrees.moved(x, t, step) for x, t in zip(args, tangents)]
        return pytrees.inner(out, f(*moved), cotangent)

    def central(step: float) -> float:
        return (at(step) - at(-step)) / (2 * step)

    return (4 * central(h) - central(2 * h)) / 3


def _square(x: float) -> float:
    """For the examples above."""
    return x * x


driver.register_operators(check_grads=check_grads)


__all__ = ["check_grads"]
