"""``pb.check_grads``: derivatives compared with each other and with differences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback.api.finite_differences import Slope, fixed, slope_of
from pullback.api.gradients import grad
from pullback.api.operator_objects import check_pure, with_updates
from pullback.api.vector_products import jvp, vjp
from pullback.call import pytrees
from pullback.call.binding import register_operators
from pullback.call.leaving import on_purpose, public
from pullback.call.misuse import require_function, values_of
from pullback.call.packed import plain
from pullback.call.tangents import differentiable
from pullback.errors import ArgumentValueError

MOST_GROUPS = 24
"""Leaves of about one size move together where there are more."""


@public
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
    """Compare reverse mode, forward mode and finite differences of ``f`` at ``args``.

    They are compared along random directions. Each leaf of the arguments is moved by steps of its
    own, from 0.02 of its size (at least 1) downwards, and the differences are extrapolated. ``f``
    is run as plain Python.

    Args:
        f: a function with any result that has a real number in it.
        args: a tuple of the arguments, which may be of any structure.
        order: 1 for the derivative of ``f``; 2 for that of its gradient, too (of a function that
            returns one number); 3 for that of the gradient of the gradient; and so on.
        modes: which modes are compared: ``"fwd"``, ``"rev"`` or both.
        atol: by how much the three may differ: 1e-5, with float32 arguments 1e-2.
        rtol: the same, relative to their size.
        eps: one step for the differences, in place of the sequence of steps.
        seed: the seed of the random directions.

    Returns:
        Nothing.

    Raises:
        AssertionError: two of them disagree. The message names the two and the leaves where they
            do, and says so if ``f`` has a kink at or near the point.
        ValueError: there is no such mode or order.
        PullbackError: ``f`` is outside the language.

    Source:
        That two modes agree along a random direction: Krawiec et al., Lemma 1. The differences:
        Richardson's extrapolation with Ridders' estimate of the error (1982).

    Example:
        >>> import pullback as pb
        >>> def square(x):
        ...     return x * x
        >>> pb.check_grads(square, (3.0,), order=2)
    """
    if not set(modes) <= {"fwd", "rev"} or not modes:
        raise ArgumentValueError(f"modes are 'fwd' and 'rev', not {modes!r}")
    require_function(f, "check_grads", "pb.check_grads(f, (x,))")
    if type(order) is not int or order < 1:
        raise ArgumentValueError(f"order is 1, 2, ..., not {order!r}")
    values = plain(values_of(args, "check_grads"))

    def check(f: Callable[..., Any]) -> None:
        check_pure(f, values)
        _checked(f, values, order, modes, (atol, rtol), eps, seed)

    with_updates(check, f, values, writes=False)


def _checked(
    f: Callable[..., Any], values: tuple[Any, ...], order: int, modes: Sequence[str],
    tolerances: tuple[float | None, float | None], eps: float | None, seed: int,
) -> None:  # fmt: skip
    short = any(map(pytrees.has_float32, values))
    limits = tuple(v if v is not None else 1e-2 if short else 1e-5 for v in tolerances)
    for k in range(1, order + 1):
        _Check(f, values, modes, limits, eps, np.random.default_rng(seed + k - 1), short).run(k)
        if k < order:
            chosen = differentiable(values)
            f = grad(f, chosen if len(chosen) > 1 else chosen[0])


@dataclass(frozen=True)
class _Group:
    """Leaves that move together: which they are, what they are called, and their size."""

    wanted: tuple[bool, ...]
    name: str
    size: float


class _Check:
    """The check of one function at one point: along a random direction, for a random combination of
    its results."""

    def __init__(
        self, f: Callable[..., Any], values: tuple[Any, ...], modes: Sequence[str],
        limits: tuple[float, ...], eps: float | None, rng: np.random.Generator, short: bool,
    ) -> None:  # fmt: skip
        self.f, self.values, self.modes, self.eps, self.short = f, values, modes, eps, short
        self.atol, self.rtol = limits
        self.tangents = tuple(pytrees.direction(rng, x) for x in values)
        self.out, pullback = vjp(f, *values)
        self.cotangent = pytrees.direction(rng, self.out)
        self.pulled = pullback(self.cotangent) if "rev" in modes else ()
        self.leaves = [
            (i, leaf) for i, x in enumerate(values) for leaf in pytrees.leaves(x)
        ]

    def run(self, order: int) -> None:
        """Raise AssertionError where two derivatives disagree."""
        wrong: list[tuple[str, str, float, float, str]] = []
        kink: Slope | None = None
        for group in self.groups():
            found, slope = self.derivatives(group)
            names = list(found)
            for i, first in enumerate(names):
                for second in names[i + 1 :]:
                    if not self.near(found[first], found[second]):
                        known = ", ".join(f"{n} {v:.10g}" for n, v in found.items())
                        line = f"{group.name}: {known} (their error: {slope.error:.1g})"
                        wrong.append((first, second, found[first], found[second], line))
                        kink = slope if slope.kink else kink
        if not wrong:
            return
        first, second, a, b, _ = wrong[0]
        lines = list(dict.fromkeys(line for *_, line in wrong))
        text = f"{first} and {second} disagree: {a!r} and {b!r} (order {order})\n  "
        text += "\n  ".join(lines[:8]) + ("\n  ..." if len(lines) > 8 else "")
        if kink is not None:
            text += (
                f"\nthe function has a kink at the point or nearer to it than {kink.near:.1g}: the "
                f"slope is {kink.left:.6g} to the left and {kink.right:.6g} to the right; what a "
                "derivative is there is a rule (docs/LANGUAGE.md), and no limit: check another "
                "point"
            )
        raise on_purpose(AssertionError(text))

    def near(self, a: float, b: float) -> bool:
        return abs(a - b) <= self.atol + self.rtol * max(abs(a), abs(b))

    def groups(self) -> list[_Group]:
        """Return the leaves as groups: each leaf by itself; of many leaves, those whose sizes have
        as many digits together."""
        keys: dict[object, list[int]] = {}
        for k, (_, leaf) in enumerate(self.leaves):
            size = round(np.log10(leaf.size)) if leaf.size else 0
            keys.setdefault(k if len(self.leaves) <= MOST_GROUPS else size, []).append(k)
        out = []
        for members in keys.values():
            wanted = tuple(k in members for k in range(len(self.leaves)))
            argument, leaf = self.leaves[members[0]]
            name = f"args[{argument}]{leaf.path}"
            more = f" and {len(members) - 1} more leaves" if len(members) > 1 else ""
            size = max(self.leaves[k][1].size for k in members)
            out.append(_Group(wanted, name + more, size))
        return out

    def derivatives(self, group: _Group) -> tuple[dict[str, float], Slope]:
        """Return the derivatives along the leaves of a group, by each way to compute them."""
        tangents, start = [], 0
        for i, (x, t) in enumerate(zip(self.values, self.tangents, strict=True)):
            count = sum(j == i for j, _ in self.leaves)
            tangents.append(pytrees.only(x, t, group.wanted[start : start + count]))
            start += count
        found: dict[str, float] = {}
        if "rev" in self.modes:
            parts = zip(self.values, self.pulled, tangents, strict=True)
            found["reverse mode"] = sum(pytrees.inner(*part) for part in parts)
        if "fwd" in self.modes:
            moved = jvp(self.f, self.values, tangents)[1]
            found["forward mode"] = pytrees.inner(self.out, moved, self.cotangent)

        def at(step: float) -> float:
            moved = [pytrees.moved(x, t, step) for x, t in zip(self.values, tangents, strict=True)]
            return pytrees.inner(self.out, self.f(*moved), self.cotangent)

        slope = self.slope(at, group, next(iter(found.values())))
        found["finite differences"] = slope.value
        return found, slope

    def slope(self, at: Callable[[float], float], group: _Group, wanted: float) -> Slope:
        """Return the derivative by differences; if it is not the one that is wanted, also by steps
        as small as the leaf that moves."""
        if self.eps is not None:
            return fixed(at, self.eps)
        noise = 1e-7 if self.short else 2e-16
        whole = slope_of(at, max(group.size, 1.0) * (10.0 if self.short else 1.0), noise)
        if self.near(whole.value, wanted) or whole.kink or not 0.0 < group.size < 0.1:
            return whole
        close = slope_of(at, group.size, noise)
        return close if close.error < whole.error else whole


register_operators(check_grads=check_grads)


__all__ = ["check_grads"]
