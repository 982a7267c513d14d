"""Time the derivative operators against their functions, and against JAX's on the same text.

The bars (in functions f, gradients g, tangents t, and Hessian-vector products h): jvp 2.5 f; hvp
6 f and 2.5 g; the Hessian of n inputs n/4 h; the Jacobian of m inputs, forward, m/4 t; the diagonal
of a diagonal Hessian one h. ``counted``: in steps of the evaluator, which knows no lanes.
"""

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

import pullback as pb
from benchmarks.common import interleaved, seconds

RNG = np.random.default_rng(0)
FEATURES, LABELS = RNG.normal(size=(1000, 32)), (RNG.uniform(size=1000) > 0.5) * 1.0
PLACES = RNG.normal(size=(200, 3))


def logistic(x):
    """The likelihood of a logistic regression: 1000 cases, 32 features."""
    score = FEATURES @ x
    return np.sum(np.logaddexp(0.0, score) - LABELS * score) + np.sum(x**2)


def perceptron(x):
    """A network with one layer of 10 hidden numbers, on 200 places: 40 weights."""
    hidden = np.tanh(PLACES @ x[:30].reshape(3, 10))
    return np.mean((hidden @ x[30:40] - PLACES[:, 0] * PLACES[:, 1]) ** 2)


def molecules(x):
    """The energy of 32 molecules in a plane, pair by pair: 64 coordinates."""
    across = x[:32, None] - x[None, :32]
    up = x[32:, None] - x[None, 32:]
    square = across**2 + up**2 + 0.1
    return np.sum(1.0 / square**3 - 1.0 / square) + np.sum(x**2)


def weather(x):
    """The state of Lorenz's model of 40 places after 20 steps of Runge and Kutta's second order."""
    for _ in range(20):
        half = x + 0.005 * ((np.roll(x, -1) - np.roll(x, 2)) * np.roll(x, 1) - x + 8.0)
        x = x + 0.01 * ((np.roll(half, -1) - np.roll(half, 2)) * np.roll(half, 1) - half + 8.0)
    return x


def residuals(x):
    """What is left of 200 observations by the network of ``perceptron``."""
    hidden = np.tanh(PLACES @ x[:30].reshape(3, 10))
    return hidden @ x[30:40] - PLACES[:, 0] * PLACES[:, 1]


def separate(x):
    """A sum of functions of one number each."""
    return np.sum(np.exp(np.sin(x)) * x)


POINTS = {
    logistic: 0.1 * RNG.normal(size=32),
    perceptron: RNG.normal(size=40),
    molecules: 3.0 * RNG.normal(size=64),
    weather: 8.0 + RNG.normal(size=40),
    residuals: RNG.normal(size=40),
}
SCALAR = (logistic, perceptron, molecules)
VECTOR = (weather, residuals)


class Bar(NamedTuple):
    """One claim: what is divided by what, and what it may be."""

    name: str
    work: str
    by: str
    at_most: Callable[[int], float]


BARS = (
    Bar("jvp / f", "jvp", "f", lambda n: 2.5),
    Bar("hvp / f", "hvp", "f", lambda n: 6.0),
    Bar("hvp / g", "hvp", "grad", lambda n: 2.5),
    Bar("hessian / h", "hessian", "hvp", lambda n: n / 4),
    Bar("jacfwd / t", "jacfwd", "jvp", lambda n: n / 4),
)


def derivatives(f: Callable[..., Any], ad: Any) -> dict[str, Callable[..., Any]]:
    """The derivatives of a function of a vector, as functions of a point and a direction; ``ad``:
    Pullback, or JAX, which has no ``hvp``."""
    found: dict[str, Callable[..., Any]] = {
        "f": lambda x, v: f(x),
        "jvp": lambda x, v: ad.jvp(f, (x,), (v,))[1],
    }
    if f.__name__ in {g.__name__ for g in SCALAR}:
        product = (
            (lambda x, v: ad.hvp(f, (x,), (v,))[0])
            if ad is pb
            else lambda x, v: ad.jvp(ad.grad(f), (x,), (v,))[1]
        )
        return found | {
            "grad": lambda x, v: ad.grad(f)(x),
            "hvp": product,
            "hessian": lambda x, v: ad.hessian(f)(x),
        }
    return found | {"jacfwd": lambda x, v: ad.jacfwd(f)(x)}


def counted(f: Callable[..., Any]) -> dict[str, float]:
    """Return the steps of the function and of its derivatives."""
    x = POINTS[f]
    return {name: float(pb.cost(g, x, x)) for name, g in derivatives(f, pb).items()}


def ratios(found: dict[str, float], n: int) -> dict[str, tuple[float, float]]:
    """Return, for each bar that applies, the ratio and what it may be."""
    return {
        bar.name: (found[bar.work] / found[bar.by], bar.at_most(n))
        for bar in BARS
        if bar.work in found
    }


def for_jax(f: Any, jax: Any) -> Callable[..., Any]:
    """Return the same text over JAX's NumPy, with the functions and arrays of its module."""
    names = f.__globals__ | {"np": jax.numpy}
    for name, value in f.__globals__.items():
        if isinstance(value, np.ndarray):
            names[name] = jax.numpy.asarray(value)
        elif isinstance(value, FunctionType) and value.__module__ == f.__module__:
            names[name] = FunctionType(value.__code__, names, name)
    found: Callable[..., Any] = names[f.__name__]
    return found


def timed(f: Callable[..., Any], jax: Any) -> list[tuple[str, dict[str, float]]]:
    """Return the seconds of the function and of its derivatives, by Pullback and by JAX."""
    x = POINTS[f]
    v = RNG.normal(size=x.shape)
    ours = {name: pb.jit(g) for name, g in derivatives(f, pb).items()}
    calls = [lambda g=g: g(x, v) for g in ours.values()]
    tools: list[tuple[str, Sequence[str]]] = [("Pullback", list(ours))]
    if jax:
        theirs = {n: jax.jit(g) for n, g in derivatives(for_jax(f, jax), jax).items()}
        there = jax.numpy.asarray(x), jax.numpy.asarray(v)
        for name, g in theirs.items():
            far = np.max(np.abs(np.asarray(g(*there)) - ours[name](x, v)))
            assert far <= 1e-6 * max(1.0, np.max(np.abs(ours[name](x, v)))), (f, name, far)
        calls += [lambda g=g: g(*there).block_until_ready() for g in theirs.values()]
        tools.append(("JAX", list(theirs)))
    for call in calls:
        seconds(call)
    times = iter(interleaved(calls, 3.0))
    return [(tool, {name: next(times).least for name in names}) for tool, names in tools]


def diagonal() -> None:
    """Print what the diagonal of a diagonal Hessian costs."""
    x = RNG.normal(size=100_000)
    sparse = pb.sparse_hessian(separate)
    product = pb.jit(lambda x, v: pb.hvp(separate, (x,), (v,))[0])
    ones = np.ones_like(x)
    seconds(lambda: (sparse(x), product(x, ones)))
    whole, one = interleaved([lambda: sparse(x), lambda: product(x, ones)], 1.0)
    times = f"{1e3 * whole.least:.2f} ms, one hvp {1e3 * one.least:.2f} ms"
    print(f"diagonal Hessian, n = {len(x)}: {sparse.directions}; {times}")


def main(jax: Any) -> None:
    """Print the table, in Markdown: microseconds of f, and the ratios; what misses its bar has an
    exclamation mark."""
    names = [bar.name for bar in BARS]
    print(f"| program | n | | f, µs | {' | '.join(names)} |")
    print("|---" * (4 + len(names)) + "|")
    for f in (*SCALAR, *VECTOR):
        n = len(POINTS[f])
        rows = [("counted", counted(f)), *timed(f, jax)]
        for tool, found in rows:
            all_of = ratios(found, n)
            cells = [
                f"{all_of[b][0]:.2f}{'!' * (all_of[b][0] > all_of[b][1])}" if b in all_of else ""
                for b in names
            ]
            first = "" if tool == "counted" else f"{1e6 * found['f']:.1f}"
            print(f"| {f.__name__} | {n} | {tool} | {first} | {' | '.join(cells)} |", flush=True)
    diagonal()
