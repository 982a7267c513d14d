"""The directional derivatives of a program of the corpus, of orders 1 to 3, by every mode and every
combination of modes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import pullback as pb
from tests import harness
from tests.programs import Program

Way = Callable[[], Any]


@dataclass(frozen=True)
class Direction:
    """A function at a point, and a direction; ``chosen``: that of the arguments with a derivative.
    """

    f: Callable[..., Any]
    wrt: tuple[int, ...]
    args: tuple[Any, ...]
    along: tuple[Any, ...]

    @staticmethod
    def of(program: Program, size: int) -> Direction:
        args = program.make_args(np.random.default_rng(size), size)
        rng = np.random.default_rng(1000 + size)
        along = tuple(
            harness.direction(rng, x) if i in program.argnums else harness.still(x)
            for i, x in enumerate(args)
        )
        return Direction(program.f, program.argnums, args, along)

    @property
    def chosen(self) -> tuple[Any, ...]:
        return tuple(self.along[i] for i in self.wrt)

    def inner(self, products: Any) -> float:
        """Return the product with a gradient by all arguments."""
        return harness.inner(tuple(products[i] for i in self.wrt), self.chosen)

    def slope(self, *args: Any) -> Any:
        """Return the derivative along the direction at another point."""
        return pb.jvp(self.f, args, self.along)[1]

    def products(self, *args: Any) -> Any:
        """Return the Hessian times the direction at another point."""
        return pb.hvp(self.f, args, self.along)

    def tower(self, order: int) -> Any:
        """Return the last derivative of f(args + t along) that a jet of this order has."""
        still = harness.map_leaves(lambda t: t if t is None else 0.0 * t, self.along)
        series = tuple(
            (t, *[z] * (order - 1)) if i in self.wrt else None
            for i, (t, z) in enumerate(zip(self.along, still, strict=True))
        )
        return pb.jet(self.f, self.args, series)[1][-1]


def first(d: Direction) -> dict[str, Way]:
    """The first derivative along a direction: Lemma 1 of Krawiec et al. (2022)."""
    return {
        "grad": lambda: harness.inner(pb.grad(d.f, d.wrt)(*d.args), d.chosen),
        "pullback": lambda: d.inner(pb.vjp(d.f, *d.args)[1](1.0)),
        "dual numbers": lambda: harness.inner(
            pb.grad(d.f, d.wrt, method="dual")(*d.args), d.chosen
        ),
        "jvp": lambda: d.slope(*d.args),
        "linearize": lambda: pb.linearize(d.f, *d.args)[1](*d.along),
        "jet": lambda: d.tower(1),
    }


def second(d: Direction) -> dict[str, Way]:
    """The second derivative along a direction."""
    gradient = pb.grad(d.f, d.wrt)
    return {
        "hvp": lambda: d.inner(d.products(*d.args)),
        "vhp": lambda: d.inner(pb.vhp(d.f, d.args, d.along)),
        "jvp of grad": lambda: harness.inner(
            tuple(pb.jvp(gradient, d.args, d.along)[1]), d.chosen
        ),
        "grad of jvp": lambda: harness.inner(pb.grad(d.slope, d.wrt)(*d.args), d.chosen),
        "pullback of grad": lambda: d.inner(pb.vjp(gradient, *d.args)[1](d.chosen)),
        "jvp of jvp": lambda: pb.jvp(d.slope, d.args, d.along)[1],
        "dual numbers of jvp": lambda: harness.inner(
            pb.grad(d.slope, d.wrt, method="dual")(*d.args), d.chosen
        ),
        "jet": lambda: d.tower(2),
    }


def third(d: Direction) -> dict[str, Way]:
    """The third derivative along a direction."""
    return {
        "jvp of hvp": lambda: d.inner(pb.jvp(d.products, d.args, d.along)[1]),
        "hvp of jvp": lambda: d.inner(pb.hvp(d.slope, d.args, d.along)),
        "jet": lambda: d.tower(3),
    }


def gradient(d: Direction, *args: Any) -> Any:
    """Return the gradient by the chosen arguments at another point."""
    return pb.grad(d.f, d.wrt)(*args)


REFUSED = ("has None where these have something", "by nodes", "where a", "results in a cache",
           "of None items")  # fmt: skip
"""What is said of derivatives of data with something discrete inside: "Not yet" in LANGUAGE.md."""


def values(ways: dict[str, Way]) -> dict[str, float]:
    """Return the value by each way; a way that is refused has none."""
    found = {}
    for name, way in ways.items():
        try:
            found[name] = float(way())
        except pb.PullbackError as error:
            if not any(words in str(error) for words in REFUSED):
                raise
    return found


def apart(found: dict[str, float], size: float = 0.0) -> float:
    """Return the largest difference of two ways, over the larger of their values and ``size``."""
    numbers = list(found.values())
    if any(map(math.isnan, numbers)):
        return 0.0 if all(map(math.isnan, numbers)) else math.inf
    if not numbers or min(numbers) == max(numbers):
        return 0.0
    return (max(numbers) - min(numbers)) / max(size, *map(abs, numbers))
