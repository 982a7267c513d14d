"""Time the six programs of the papers' benchmarks in native code, by both native methods, against
the function itself, compiled without lanes too: ``python -m benchmarks methods``.

They are the four of Table 1 of the dual-numbers paper (scalar multiplication and rotation are
repeated n times, each step on the result of the one before), a recurrent network and a perceptron.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import pullback as pb
from benchmarks.common import interleaved
from benchmarks.scaling import exponent

SIZES = [1_000, 10_000, 100_000, 1_000_000]


def products(x, n):
    """n multiplications, one after the other."""
    y = 1.0
    for _ in range(n):
        y = y * x + 1e-3
    return y


def dot(x, y):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


def matrix_vector(a, x):
    """Return the sum of the product."""
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += a[i, j] * x[j]
    return total


def rotations(v, q, n):
    """Return a vector rotated n times by a quaternion."""
    x, y, z = v
    a, b, c, w = q
    for _ in range(n):
        tx, ty, tz = 2.0 * (b * z - c * y), 2.0 * (c * x - a * z), 2.0 * (a * y - b * x)
        x, y, z = (
            x + w * tx + (b * tz - c * ty),
            y + w * ty + (c * tx - a * tz),
            z + w * tz + (a * ty - b * tx),
        )
    return x + 2.0 * y + 3.0 * z


def network(w, u, xs):
    """Run a recurrent network of 4 states over a sequence."""
    state = np.zeros(4)
    for t in range(len(xs)):
        new = np.zeros(4)
        for i in range(4):
            total = u[i] * xs[t]
            for j in range(4):
                total += w[i, j] * state[j]
            new[i] = np.tanh(total)
        state = new
    return np.sum(state**2)


def perceptron(w1, w2, x):
    """Run a perceptron of two layers."""
    hidden = np.zeros(w1.shape[0])
    for i in range(w1.shape[0]):
        total = 0.0
        for j in range(w1.shape[1]):
            total += w1[i, j] * x[j]
        hidden[i] = np.tanh(total)
    out = 0.0
    for i in range(w2.shape[0]):
        total = 0.0
        for j in range(w2.shape[1]):
            total += w2[i, j] * hidden[j]
        out += total * total
    return out


def inputs(name: str, n: int) -> tuple[Any, ...]:
    """Return arguments with about n operations."""
    rng = np.random.default_rng(n)
    side = max(2, round(n**0.5))
    half = max(2, round((n / 2) ** 0.5))
    q = np.array([0.1, 0.2, 0.3, 0.9])
    match name:
        case "multiplication":
            return 1.0 - 1e-7, n  # its powers stay far from the limits of floats
        case "dot product":
            return rng.normal(size=n), rng.normal(size=n)
        case "matrix-vector":
            return rng.normal(size=(side, side)), rng.normal(size=side)
        case "rotation":
            return (1.0, 2.0, 3.0), tuple((q / np.linalg.norm(q)).tolist()), n
        case "recurrent network":
            w, u = rng.normal(size=(4, 4)) / 4, rng.normal(size=4)
            return w, u, rng.normal(size=max(1, n // 20))
        case _:
            layers = rng.normal(size=(2, half, half)) / half
            return layers[0], layers[1], rng.normal(size=half)


PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[int, ...]]] = {
    "multiplication": (products, (0,)),
    "dot product": (dot, (0, 1)),
    "matrix-vector": (matrix_vector, (0, 1)),
    "rotation": (rotations, (0, 1)),
    "recurrent network": (network, (0, 1)),
    "perceptron": (perceptron, (0, 1)),
}
"""By name: the function, and by which arguments it is differentiated."""


def main(jax: Any) -> None:
    heads = " ".join(f"{h:>10}" for h in ("Mstep/s", "chad/f", "dual/f", "dual/chad"))
    print(f"{'methods':<18} {'n':>9} {heads}")
    for name, (f, argnums) in PROGRAMS.items():
        value = pb.jit(f)
        chad = pb.value_and_grad(f, argnums)
        dual = pb.value_and_grad(f, argnums, method="dual")
        steps = pb.cost(f, *inputs(name, 1000)) / 1000
        found: list[list[float]] = []
        for n in SIZES:
            args = inputs(name, n)
            calls = [lambda g=g, args=args: g(*args) for g in (value, chad, dual)]
            for call in calls:
                call()
            found.append([t.least for t in interleaved(calls, budget=1.0)])
            one, two, three = found[-1]
            row = f"{steps * n / one / 1e6:10.0f} {two / one:10.2f} {three / one:10.2f}"
            print(f"{name:<18} {n:>9,} {row} {three / two:10.2f}", flush=True)
        slopes = (exponent(SIZES, [times[k] for times in found]) for k in range(3))
        print(f"{'':<18} growth of the times: " + ", ".join(
            f"{m} {s:.2f}" for m, s in zip(("f", "chad", "dual"), slopes)
        ))  # fmt: skip
