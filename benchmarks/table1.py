"""Measure Table 1 of the dual-numbers paper (Smeding and Vákár): ``make bench-table1``.

The rows are full gradients (for the quaternion the whole 3x7 Jacobian), by both native methods,
called from Python: with lists and tuples in and out as in the paper, and with NumPy arrays, which
are read in place, so that the time is that of native code. The two programs of constant size are
also called from inside compiled code. Beside them stand the times of the two Haskell libraries that
the paper compares, ``ad`` 4.5.6 and the authors' ``ad-dualrev-th``, measured again with GHC 9.0.2;
not on this machine, and not in this run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import pullback as pb
from benchmarks.common import interleaved, pin_to_one_core
from benchmarks.scaling import exponent

SIZES = [100, 10_000, 1_000_000]
METHODS = ("chad", "dual")

HASKELL: dict[str, tuple[list[float], list[float]]] = {
    "scalar multiplication": ([349e-9], [121e-9]),
    "dot product": ([25.8e-6, 11.3e-3, 1.94], [11.1e-6, 5.0e-3, 1.40]),
    "matrix-vector": ([22.5e-6, 6.5e-3, 1.47], [10.8e-6, 3.0e-3, 0.80]),
    "quaternion": ([3.98e-6], [3.13e-6]),
}
"""Seconds of a gradient by ``ad`` and by ``ad-dualrev-th``, for every size."""


def scalar_multiplication(x, y):
    return x * y


def dot_product(xs, ys):
    return sum(x * y for x, y in zip(xs, ys))


def matrix_vector(matrix, vector):
    """Return the sum of the product."""
    return sum(sum(a * x for a, x in zip(row, vector)) for row in matrix)


def rotate(v, q):
    """Return the vector v rotated by the quaternion q (the cross products are the right ones)."""
    x, y, z = v
    a, b, c, w = q
    tx, ty, tz = 2.0 * (b * z - c * y), 2.0 * (c * x - a * z), 2.0 * (a * y - b * x)
    return (
        x + w * tx + (b * tz - c * ty),
        y + w * ty + (c * tx - a * tz),
        z + w * tz + (a * ty - b * tx),
    )


def lists(n: int, rows: bool) -> tuple[Any, Any]:
    """Return two lists of n numbers, or a square matrix of n numbers and a vector."""
    rng = np.random.default_rng(n)
    if not rows:
        return rng.normal(size=n).tolist(), rng.normal(size=n).tolist()
    side = round(n**0.5)
    return rng.normal(size=(side, side)).tolist(), rng.normal(size=side).tolist()


def gradients(f: Callable[..., Any], args: tuple[Any, ...]) -> list[Callable[[], Any]]:
    """Return one call per method of the gradient by all arguments."""
    both = tuple(range(len(args)))
    made = [pb.grad(f, argnums=both, method=method) for method in METHODS]
    return [lambda g=g: g(*args) for g in made]


def jacobians(v: Any, q: Any) -> list[Callable[[], Any]]:
    """Return one call per method of the whole Jacobian of the rotation: the gradients of its
    components."""

    def jacobian(method: str) -> Callable[[], Any]:
        first, second, third = (
            pb.grad(lambda v, q, k=k: rotate(v, q)[k], argnums=(0, 1), method=method)
            for k in range(3)
        )
        return lambda: (first(v, q), second(v, q), third(v, q))

    return [jacobian(method) for method in METHODS]


def products(xs, ys):
    """Compute gradients of a product inside compiled code, each from the result of the one
    before."""
    total = 0.0
    for i in range(len(xs)):
        dx, dy = pb.grad(scalar_multiplication, argnums=(0, 1))(xs[i] + total * 1e-9, ys[i])
        total += dx * dy
    return total


def rotations(vs, qs):
    """Compute Jacobians of a rotation inside compiled code."""
    total = 0.0
    for i in range(len(vs)):
        v = (vs[i, 0] + total * 1e-9, vs[i, 1], vs[i, 2])
        q = (qs[i, 0], qs[i, 1], qs[i, 2], qs[i, 3])
        for k in (0, 1, 2):
            component = lambda v, q: rotate(v, q)[k]  # noqa: B023, E731  # differentiated at once
            dv, dq = pb.grad(component, argnums=(0, 1))(v, q)
            total += sum(dv) + sum(dq)
    return total


def inside(name: str, f: Callable[..., Any], columns: tuple[tuple[int, ...], ...]) -> None:
    """Print a row for gradients that compiled code computes itself (always by CHAD)."""
    n = 10_000
    rng = np.random.default_rng(0)
    args = tuple(rng.normal(size=(n, *shape)) for shape in columns)
    compiled = pb.jit(f)
    (least,) = in_turns([lambda: compiled(*args)], 1)
    (ad,), (th,) = HASKELL[name]
    row(name, None, "inside", [least / n], ad, th)


def in_turns(calls: list[Callable[[], Any]], repeat: int) -> list[float]:
    """Return the seconds of one call, the least of many, measured in turns; the first call only
    compiles."""
    for call in calls:
        call()

    def many(call: Callable[[], Any]) -> Callable[[], Any]:
        def run() -> None:
            for _ in range(repeat):
                call()

        return run

    times = interleaved([many(call) for call in calls], budget=1.5)
    return [t.least / repeat for t in times]


def shown(seconds: float) -> str:
    """Return seconds in a readable unit."""
    for unit, size in (("s ", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:7.2f} {unit}"
    return f"{seconds / 1e-9:7.1f} ns"


def row(name: str, n: int | None, data: str, times: list[float], ad: float, th: float) -> None:
    size = "" if n is None else f"{n:,}"
    cells = " ".join(f"{shown(t):>11}" for t in times) + " " * 12 * (len(METHODS) - len(times))
    cells += " " + " ".join(f"{shown(t):>11}" for t in (ad, th))
    ahead = " ".join(f"{th / t:9.1f}" for t in times)
    print(f"{name:<22} {size:>9} {data:<7} {cells} {ahead}", flush=True)


def growing(name: str, f: Callable[..., Any], rows: bool) -> None:
    """Print the rows of a program of n numbers, and how its times grow."""
    found: dict[str, list[list[float]]] = {"lists": [], "arrays": []}
    for n, ad, th in zip(SIZES, *HASKELL[name]):
        plain = lists(n, rows)
        for data, args in (("lists", plain), ("arrays", tuple(map(np.array, plain)))):
            times = in_turns(gradients(f, args), max(1, 10_000 // n))
            found[data].append(times)
            row(name, n, data, times, ad, th)
    for data, every in found.items():
        slopes = [exponent(SIZES, [times[k] for times in every]) for k in range(len(METHODS))]
        grown = ", ".join(f"{m} {s:.2f}" for m, s in zip(METHODS, slopes))
        print(f"{'':<22} exponent of the growth of the time in n, {data}: {grown}")
    theirs = ", ".join(f"{exponent(SIZES, times):.2f}" for times in HASKELL[name])
    print(f"{'':<22} exponent of ad, of ad-dualrev-th: {theirs}")


def main() -> None:
    pin_to_one_core()
    heads = " ".join(f"{h:>11}" for h in (*METHODS, "ad", "dualrev-th"))
    print(f"{'program':<22} {'n':>9} {'data':<7} {heads}   dualrev-th / chad, / dual")
    scalars = gradients(scalar_multiplication, (1.5, 2.5))
    (ad,), (th,) = HASKELL["scalar multiplication"]
    row("scalar multiplication", None, "floats", in_turns(scalars, 10_000), ad, th)
    inside("scalar multiplication", products, ((), ()))
    growing("dot product", dot_product, rows=False)
    growing("matrix-vector", matrix_vector, rows=True)
    v, q = (1.0, 2.0, 3.0), (0.1, 0.2, 0.3, 0.9)
    (ad,), (th,) = HASKELL["quaternion"]
    row("quaternion", None, "tuples", in_turns(jacobians(v, q), 1000), ad, th)
    inside("quaternion", rotations, ((3,), (4,)))


if __name__ == "__main__":
    main()
