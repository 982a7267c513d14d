"""Measure what one call from Python costs: f(x, y) = x * y and its gradient, and gradients by
lists, by lists of lists, by records and by dicts of arrays; microseconds."""

import timeit
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import pullback as pb


def product(x, y):
    return x * y


def microseconds(f: Callable[..., Any], *args: Any) -> tuple[float, float]:
    """Return the least and the median time of a call, without that of the loop around it."""
    f(*args)
    number = 200_000 if timeit.timeit(lambda: f(*args), number=100) < 1e-3 else 2_000
    names = {"f": f, "x": args[0], "y": args[1]}
    timer = timeit.Timer("f(x, y)", globals=names)
    empty = min(timeit.repeat("pass", number=number, repeat=9))
    times = sorted((t - empty) / number * 1e6 for t in timer.repeat(9, number))
    return times[0], times[4]


@dataclass(frozen=True)
class Line:
    slope: float
    height: float


def dot(xs, ys):
    return sum(x * y for x, y in zip(xs, ys))


def matrix_vector(matrix, vector):
    return sum(dot(row, vector) for row in matrix)


def residuals(line, points):
    return sum((line.slope * x + line.height - y) ** 2 for x, y in points)


def network(parameters, x):
    h = np.tanh(parameters["w1"] @ x + parameters["b1"])
    for layer in parameters["layers"]:
        h = np.tanh(layer @ h)
    return np.sum(h)


def data() -> None:
    """Time calls whose arguments are lists, records and dicts, by the number of numbers in the
    result."""
    eye, ones = np.eye(4), np.ones(4)
    rows: list[tuple[str, Callable[..., Any], tuple[Any, Any]]] = [
        (f"dot product of lists of {n}", dot, ([1.0] * n, [2.0] * n)) for n in (1, 10, 100, 1000)
    ]
    rows += [
        ("10 x 10 lists, a list", matrix_vector, ([[1.0] * 10 for _ in range(10)], [2.0] * 10)),
        ("a record, 10 pairs", residuals, (Line(1.0, 2.0), [(1.0, 2.0)] * 10)),
        ("a dict of 4 arrays", network, ({"w1": eye, "b1": ones, "layers": [eye, eye]}, ones)),
    ]
    print(f"{'gradient by both':<26} {'least us':>10} {'median us':>10}")
    for name, f, args in rows:
        least, median = microseconds(pb.grad(f, argnums=(0, 1)), *args)
        print(f"{name:<26} {least:10.3f} {median:10.3f}", flush=True)


def scaled(xs, s):
    return [x * s for x in xs]


def wave(x, y):
    return np.sin(x) * y


def _of(pullback: Callable[..., Any], cotangent: Any, x: Any, y: Any) -> Any:
    return pullback(cotangent)


def _along(f: Callable[..., Any], x: Any, y: Any) -> Any:
    return pb.jvp(f, (x, y), (x, y))


def products() -> None:
    """Time products with the Jacobian at one place: whole calls of the three operators."""
    ten, numbers = np.arange(10.0), [float(i) for i in range(10)]
    rows: list[tuple[str, Callable[..., Any], tuple[Any, Any], Any]] = [
        ("numbers", product, (1.5, 2.5), 1.0),
        ("arrays of 10", wave, (ten, ten), ten),
        ("a list of 10", scaled, (numbers, 2.0), numbers),
    ]
    print(f"{'least us':<26} {'vjp':>10} {'pullback':>10} {'jvp':>10}")
    for name, f, args, cotangent in rows:
        pullback = pb.vjp(f, *args)[1]
        calls: tuple[Callable[..., Any], ...] = (
            partial(pb.vjp, f), partial(_of, pullback, cotangent), partial(_along, f),
        )  # fmt: skip
        cells = " ".join(f"{microseconds(call, *args)[0]:10.3f}" for call in calls)
        print(f"{name:<26} {cells}", flush=True)


def main(jax: Any) -> None:
    rows = {
        "Python": product,
        "Pullback jit": pb.jit(product),
        "Pullback grad": pb.grad(product),
        "Pullback value_and_grad": pb.value_and_grad(product, argnums=(0, 1)),
    }
    if jax:
        rows |= {"JAX jit": jax.jit(product), "JAX jit(grad)": jax.jit(jax.grad(product))}
    print(f"{'f(x, y) = x * y':<26} {'least us':>10} {'median us':>10}")
    for name, f in rows.items():
        least, median = microseconds(f, 1.5, 2.5)
        print(f"{name:<26} {least:10.3f} {median:10.3f}", flush=True)
    data()
    products()
