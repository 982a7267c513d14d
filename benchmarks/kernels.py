"""Time kernels of textbooks in several spellings, beside JAX and the fastest of them in Python: a
convolution, attention with one head, a stencil, covariances, and a state that is driven by sums.
Spellings share nothing.

Values and gradients of all spellings are compared before the times."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pullback as pb
from benchmarks.common import interleaved, seconds, worst_difference
from benchmarks.spellings import Group

Array = NDArray[np.float64]


# --- a convolution --------------------------------------------------------------------------------


def convolution_by_loops(x: Array, w: Array) -> float:
    k = len(w)
    out = np.zeros((x.shape[0] - k + 1, x.shape[1] - k + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            s = 0.0
            for a in range(k):
                for b in range(k):
                    s += x[i + a, j + b] * w[a, b]
            out[i, j] = s
    return np.sum(np.tanh(out))


def convolution_by_windows(x: Array, w: Array) -> float:
    k = len(w)
    rows, columns = x.shape[0] - k + 1, x.shape[1] - k + 1
    out = np.array(
        [[np.sum(x[i : i + k, j : j + k] * w) for j in range(columns)] for i in range(rows)]
    )
    return np.sum(np.tanh(out))


def convolution_by_sums_of_windows(x: Array, w: Array) -> float:
    k = len(w)
    total = 0.0
    for i in range(x.shape[0] - k + 1):
        for j in range(x.shape[1] - k + 1):
            total += np.tanh((w * x[i : i + k, j : j + k]).sum())
    return total


# --- attention with one head ----------------------------------------------------------------------


def attention_by_arrays(x: Array, wq: Array, wk: Array, wv: Array) -> float:
    q, k, v = x @ wq, x @ wk, x @ wv
    s = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return np.sum((e / e.sum(axis=1, keepdims=True) @ v) ** 2)


def attention_by_queries(x: Array, wq: Array, wk: Array, wv: Array) -> float:
    q, k, v = x @ wq, x @ wk, x @ wv
    total = 0.0
    for query in q:
        s = np.array([np.dot(query, key) for key in k]) / math.sqrt(len(query))
        e = np.exp(s - np.max(s))
        total += np.sum((e / np.sum(e) @ v) ** 2)
    return total


def attention_by_lists(x: Array, wq: Array, wk: Array, wv: Array) -> float:
    def project(w: Array) -> list[list[float]]:
        columns = range(w.shape[1])
        return [[sum(a * w[i, j] for i, a in enumerate(row)) for j in columns] for row in x]

    def softmax(s: list[float]) -> list[float]:
        e = [math.exp(a - max(s)) for a in s]
        z = sum(e)
        return [a / z for a in e]

    q, k, v = project(wq), project(wk), project(wv)
    total = 0.0
    for query in q:
        s = [sum(a * b for a, b in zip(query, key)) / math.sqrt(len(query)) for key in k]
        p = softmax(s)
        for c in range(len(v[0])):
            total += sum(a * row[c] for a, row in zip(p, v)) ** 2
    return total


# --- a stencil: the border stays as it is ---------------------------------------------------------


def stencil_by_loops(a: Array, steps: int) -> float:
    n, m = a.shape
    for _ in range(steps):
        b = np.zeros((n, m))
        for i in range(n):
            for j in range(m):
                if i > 0 and i < n - 1 and j > 0 and j < m - 1:
                    b[i, j] = 0.2 * (
                        a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j]
                    )
                else:
                    b[i, j] = a[i, j]
        a = b
    return np.sum(a * a)


def stencil_by_choices(a: Array, steps: int) -> float:
    n, m = a.shape
    for _ in range(steps):
        b = np.empty((n, m))
        for i in range(n):
            for j in range(m):
                if i == 0 or i == n - 1 or j == 0 or j == m - 1:
                    b[i, j] = a[i, j]
                    continue
                s = a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j]
                b[i, j] = 0.2 * s
        a = b
    return np.sum(a * a)


def stencil_by_comprehensions(a: Array, steps: int) -> float:
    n, m = a.shape

    def at(a: Array, i: int, j: int) -> float:
        if 0 < i < n - 1 and 0 < j < m - 1:
            return 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
        return a[i, j]

    for _ in range(steps):
        a = np.array([[at(a, i, j) for j in range(m)] for i in range(n)])
    return np.sum(a * a)


# --- covariances ----------------------------------------------------------------------------------


def covariance_by_arrays(x: Array) -> float:
    y = x - np.mean(x, axis=0)
    return np.sum((y.T @ y / (len(x) - 1)) ** 2)


def covariance_by_loops(x: Array) -> float:
    """Each entry of the upper triangle, and its mirror image."""
    n, m = x.shape
    mean = [sum(x[i, j] for i in range(n)) / n for j in range(m)]
    c = np.zeros((m, m))
    for i in range(m):
        for j in range(i, m):
            s = 0.0
            for k in range(n):
                s += (x[k, i] - mean[i]) * (x[k, j] - mean[j])
            c[i, j] = c[j, i] = s / (n - 1)
    return np.sum(c * c)


def covariance_by_rows(x: Array) -> float:
    n, m = x.shape
    y = x - x.mean(axis=0)
    c = np.zeros((m, m))
    for i in range(m):
        c[i:, i] = y[:, i] @ y[:, i:] / (n - 1)
        c[i, i:] = c[i:, i]
    return np.sum(c**2)


# --- a state that is moved by sums of its own input -----------------------------------------------


def driven_by_sums(x: Array, w: Array) -> float:
    s = 0.0
    for i in range(x.shape[1]):
        force = 0.0
        for k in range(x.shape[0]):
            force += x[k, i] * w[k]
        s = np.tanh(0.5 * s + force)
    return s


def driven_by_a_product(x: Array, w: Array) -> float:
    s = 0.0
    for force in w @ x:
        s = np.tanh(0.5 * s + force)
    return s


def driven_by_dot(x: Array, w: Array) -> float:
    return reduce(lambda s, column: np.tanh(0.5 * s + np.dot(column, w)), x.T, 0.0)


# --- the table ------------------------------------------------------------------------------------


def normal(*shape: int) -> Array:
    return np.random.default_rng(len(shape)).normal(size=shape)


def groups(scale: int = 1) -> list[Group]:
    """The kernels; ``scale``: by how much their axes are longer than those of the tests."""
    k = scale
    weights = (0.2 * normal(8 * k, 8 * k) for _ in range(3))
    return [
        Group("convolution",
              (convolution_by_loops, convolution_by_windows, convolution_by_sums_of_windows),
              (normal(20 * k, 21 * k), normal(3, 3)), (0, 1)),
        Group("attention", (attention_by_arrays, attention_by_queries, attention_by_lists),
              (normal(16 * k, 8 * k), *weights), (0, 1, 2, 3)),
        Group("stencil", (stencil_by_loops, stencil_by_choices, stencil_by_comprehensions),
              (normal(30 * k, 26 * k), 3), (0,)),
        Group("covariance", (covariance_by_arrays, covariance_by_loops, covariance_by_rows),
              (normal(24 * k, 17 * k),), (0,)),
        Group("a driven state", (driven_by_a_product, driven_by_sums, driven_by_dot),
              (normal(24 * k, 40 * k), 0.2 * normal(24 * k)), (0, 1)),
    ]  # fmt: skip


def in_jax(jax: Any) -> dict[str, Callable[..., Any]]:
    """The kernels in idiomatic JAX."""
    jnp, lax = jax.numpy, jax.lax

    def convolution(x: Any, w: Any) -> Any:
        return jnp.sum(jnp.tanh(lax.conv(x[None, None], w[None, None], (1, 1), "VALID")))

    def attention(x: Any, wq: Any, wk: Any, wv: Any) -> Any:
        q, k, v = x @ wq, x @ wk, x @ wv
        return jnp.sum((jax.nn.softmax(q @ k.T / jnp.sqrt(q.shape[1]), axis=1) @ v) ** 2)

    def stencil(a: Any, steps: int) -> Any:
        def sweep(_: Any, a: Any) -> Any:
            new = a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
            return a.at[1:-1, 1:-1].set(0.2 * new)

        return jnp.sum(lax.fori_loop(0, steps, sweep, a) ** 2)

    def covariance(x: Any) -> Any:
        y = x - jnp.mean(x, axis=0)
        return jnp.sum((y.T @ y / (len(x) - 1)) ** 2)

    def driven(x: Any, w: Any) -> Any:
        def move(s: Any, force: Any) -> Any:
            return jnp.tanh(0.5 * s + force), None

        return lax.scan(move, 0.0, w @ x)[0]

    found = (convolution, attention, stencil, covariance, driven)
    return dict(zip((g.name for g in groups()), found, strict=True))


def main(jax: Any) -> None:
    kernels = in_jax(jax) if jax else {}
    columns = f"{'Python':>9} {'f':>9} {'g':>9} {'f/Python':>8} {'g/f':>6} {'g/JAX g':>8}"
    print(f"{'kernel':<32} {columns}")
    for group in groups(5):
        calls: list[tuple[Callable[[], Any], Callable[[], Any]]] = []
        for spelling in group.spellings:
            f, g = pb.jit(spelling), pb.value_and_grad(spelling, argnums=group.argnums)
            calls.append((partial(f, *group.args), partial(g, *group.args)))
        value, slopes = calls[0][1]()
        for f, g in calls:
            far = worst_difference((f(), *_flat(g())), (value, *_flat((value, slopes))))
            assert far <= 1e-9, "the spellings disagree"
        if group.name in kernels:
            calls.append(_of_jax(jax, kernels[group.name], group))
            far = worst_difference(_flat(calls[-1][1]()), _flat((value, slopes)))
            assert far <= 1e-6, "the tools disagree"
        once = [seconds(partial(f, *group.args)) for f in group.spellings]
        fastest = partial(group.spellings[once.index(min(once))], *group.args)
        plain = min(seconds(fastest) for _ in range(5))
        times = interleaved([call for pair in calls for call in pair], budget=3.0)
        last = times[-1].least if group.name in kernels else math.nan
        names = [f.__name__ for f in group.spellings] + ["JAX"]
        for name, f, g in zip(names, times[::2], times[1::2]):
            words = " ".join(f"{1e3 * t:9.4f}" for t in (plain, f.least, g.least))
            ratios = f"{f.least / plain:8.2f} {g.least / f.least:6.2f} {g.least / last:8.2f}"
            print(f"{name:<32} {words} {ratios}", flush=True)


def _flat(found: Any) -> list[Any]:
    """A value and gradients, one after the other."""
    value, slopes = found
    return [value, *(slopes if isinstance(slopes, list | tuple) else [slopes])]


def _of_jax(
    jax: Any, kernel: Callable[..., Any], group: Group
) -> tuple[Callable[[], Any], Callable[[], Any]]:
    static = tuple(k for k, a in enumerate(group.args) if isinstance(a, int))
    args = [a if k in static else jax.numpy.asarray(a) for k, a in enumerate(group.args)]
    f = jax.jit(kernel, static_argnums=static)
    g = jax.jit(jax.value_and_grad(kernel, argnums=group.argnums), static_argnums=static)
    return lambda: jax.block_until_ready(f(*args)), lambda: jax.block_until_ready(g(*args))
