"""What one call costs from Python: f(x, y) = x * y and its gradient, microseconds."""

import timeit
from collections.abc import Callable
from typing import Any

import pullback as pb


def product(x, y):
    return x * y


def microseconds(f: Callable[..., Any], *args: Any) -> tuple[float, float]:
    """Least and median time of a call, the loop around it taken off."""
    f(*args)
    number = 200_000 if timeit.timeit(lambda: f(*args), number=100) < 1e-3 else 2_000
    names = {"f": f, "x": args[0], "y": args[1]}
    timer = timeit.Timer("f(x, y)", globals=names)
    empty = min(timeit.repeat("pass", number=number, repeat=9))
    times = sorted((t - empty) / number * 1e6 for t in timer.repeat(9, number))
    return times[0], times[4]


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
