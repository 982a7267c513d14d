"""Run one program in all tiers, with its derivatives, and compare the results.

All wiring to the package is in the first block; the rest is about values: a *tree* is a number, an
array, a tuple, list or dataclass of trees. ``None`` stands for a discrete leaf in a gradient.
"""

import dataclasses
import enum
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

# --- the wiring -------------------------------------------------------------------------------


def run(f: Callable[..., Any], args: tuple[Any, ...], tier: str) -> Any:
    """Return the value of f(*args) in a tier: "python", "eval" or "native"."""
    if tier == "python":
        return f(*args)
    from pullback.call import driver

    return driver.run(f, args, tier=tier)


def gradient(
    f: Callable[..., Any], args: tuple[Any, ...], argnums: tuple[int, ...], tier: str,
    method: str = "chad",
) -> tuple[Any, tuple[Any, ...]]:
    """Return (value, one gradient per argnum), by reverse mode, in a tier: "eval" or "native"."""
    from pullback.call import driver

    return driver.gradient(f, args, argnums, tier=tier, method=method)


def forward(
    f: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...],
    tier: str = "native",
) -> Any:  # fmt: skip
    """Return the tangent of f along tangents, by forward mode, in a tier: "eval" or "native"."""
    import pullback as pb
    from pullback.call import driver

    if tier == "native":
        return pb.jvp(f, primals, tangents)[1]
    return driver.tangent_of(f, primals, tangents, tier)[1]


def steps(f: Callable[..., Any], args: tuple[Any, ...], method: str | None = None) -> int:
    """Return the counted evaluation steps of f, or of its gradient by a method."""
    import pullback as pb

    return pb.cost(f, *args) if method is None else pb.cost(f, *args, method=method)


# --- trees ------------------------------------------------------------------------------------


def is_real(x: Any) -> bool:
    """Whether x is a differentiable leaf."""
    if isinstance(x, np.ndarray | np.generic):
        return bool(np.issubdtype(x.dtype, np.floating))
    return isinstance(x, float)


def is_record(x: Any) -> bool:
    return dataclasses.is_dataclass(x) and not isinstance(x, type)


def children(x: Any) -> list[Any] | None:
    """Return the subtrees, or None for a leaf."""
    if is_record(x):
        return [getattr(x, field.name) for field in dataclasses.fields(x)]
    if isinstance(x, dict):
        return list(x.values())
    return list(x) if isinstance(x, tuple | list) else None


def map_leaves(change: Callable[..., Any], x: Any, *others: Any) -> Any:
    """Return a tree like x, every leaf changed together with the leaves of the others at its
    place."""
    inside = children(x)
    if inside is None:
        return change(x, *others)
    rest = [children(other) for other in others]
    parts = [map_leaves(change, part, *(r[i] for r in rest)) for i, part in enumerate(inside)]
    if isinstance(x, dict):
        return dict(zip(x, parts))
    return type(x)(*parts) if is_record(x) or hasattr(x, "_fields") else type(x)(parts)


def leaves(x: Any) -> Iterator[Any]:
    """Iterate over the leaves from left to right, however deep the tree is."""
    waiting = [x]
    while waiting:
        inside = children(part := waiting.pop())
        if inside is None:
            yield part
        else:
            waiting += reversed(inside)


def gradient_size(args: tuple[Any, ...], argnums: tuple[int, ...]) -> int:
    """Return how many reals the gradient by these arguments has."""
    inside = [leaf for i in argnums for leaf in leaves(args[i])]
    return sum(int(np.size(leaf)) for leaf in inside if is_real(leaf))


def direction(rng: np.random.Generator, x: Any) -> Any:
    """Return a random tangent of x, ``None`` at its discrete leaves."""

    def leaf(value: Any) -> Any:
        if not is_real(value):
            return None
        if isinstance(value, np.ndarray | np.generic):
            return np.asarray(rng.normal(size=value.shape), value.dtype)[()]
        return rng.normal()

    return map_leaves(leaf, x)


def still(x: Any) -> Any:
    """Return the zero tangent of x, ``None`` at its discrete leaves."""
    return map_leaves(lambda leaf: np.zeros_like(leaf)[()] if is_real(leaf) else None, x)


def moved(x: Any, tangent: Any, by: float) -> Any:
    """Return x + by * tangent, in double precision; discrete leaves stay."""
    return map_leaves(
        lambda a, t: (
            a
            if t is None
            else (np.float64(1.0) * a + by * t)
            if isinstance(a, np.ndarray | np.generic)
            else a + by * t
        ),
        x,
        tangent,
    )


def inner(gradient: Any, tangent: Any) -> float:
    """Return the inner product over all real leaves."""
    pairs = list(zip(leaves(gradient), leaves(tangent), strict=True))
    assert all((g is None) == (t is None) for g, t in pairs), "None at different leaves"
    return math.fsum(
        float(np.sum(np.asarray(g, np.float64) * t)) for g, t in pairs if t is not None
    )


def difference(f: Callable[..., Any], args: tuple[Any, ...], tangents: tuple[Any, ...]) -> float:
    """Return the directional derivative by central differences, extrapolated twice (Richardson),
    with the step at which the extrapolation varies least: a long step may cross a kink."""

    def central(h: float) -> float:
        ahead, back = moved(args, tangents, h), moved(args, tangents, -h)
        return float(f(*ahead) - f(*back)) / (2 * h)

    def extrapolated(h: float) -> tuple[float, float]:
        coarse, middle, fine = central(4 * h), central(2 * h), central(h)
        first, second = (4 * middle - coarse) / 3, (4 * fine - middle) / 3
        return abs(second - first), (16 * second - first) / 15

    return min(extrapolated(h) for h in (2e-3, 3e-4, 5e-5))[1]


# --- comparing --------------------------------------------------------------------------------


def distance(a: Any, b: Any) -> float:
    """Return the largest distance of two trees over 1 + size; infinite if their forms differ."""
    inside_a, inside_b = children(a), children(b)
    if inside_a is not None or inside_b is not None:
        if inside_a is None or inside_b is None or len(inside_a) != len(inside_b):
            return math.inf
        if is_record(a) and type(a) is not type(b):
            return math.inf
        return max((distance(x, y) for x, y in zip(inside_a, inside_b)), default=0.0)
    if isinstance(a, str | enum.Enum) or isinstance(b, str | enum.Enum):
        return 0.0 if a == b else math.inf
    if a is None or b is None:
        return 0.0 if a is b else math.inf
    if np.shape(a) != np.shape(b):
        return math.inf
    x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if np.array_equal(x, y, equal_nan=True):
        return 0.0
    far = np.abs(x - y) / (1.0 + np.abs(x) + np.abs(y))
    return math.inf if np.isnan(far).any() else float(far.max())


def disagreements(named: dict[str, Any], tolerance: dict[str, float], exact: float) -> list[str]:
    """Return every pair of names whose values differ, and by how much.

    ``tolerance`` is for pairs with an approximate member (by its name), ``exact`` for the others.
    """
    names, found = list(named), []
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            allowed = max(exact, tolerance.get(first, 0.0), tolerance.get(second, 0.0))
            far = distance(named[first], named[second])
            if not far <= allowed:
                found.append(f"{first} and {second} differ by {far:.2e} (allowed {allowed:.0e})")
    return found
