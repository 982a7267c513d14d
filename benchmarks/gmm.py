"""Time ADBench's Gaussian mixture, d=10, K=25: the program of the demonstration."""

from typing import Any

import pullback as pb
from benchmarks.common import DATA, Case, report
from pullback.demo.inputs import FOLDER, GmmInput, adbench
from pullback.demo.mixture import objective

ARGNUMS = (0, 1, 2, 3)


def pullback_case(data: GmmInput) -> Case:
    args = (data.alphas, data.means, data.qs, data.ls, data.x, data.gamma, data.m)
    f, gradient = pb.jit(objective), pb.value_and_grad(objective, argnums=ARGNUMS)
    return Case("Pullback", lambda: f(*args), lambda: gradient(*args))


def jax_case(jax: Any, data: GmmInput) -> Case:
    """Return the same program in idiomatic, vectorised JAX."""
    import numpy as np

    jnp = jax.numpy
    n, d = data.x.shape
    clusters, m, gamma = len(data.alphas), data.m, data.gamma
    cols, rows = np.triu_indices(d, 1)  # column by column: (row > col), by col, then by row

    def log_sum_exp(v, axis=None):
        return jax.scipy.special.logsumexp(v, axis=axis)

    def log_wishart(qs, ls):
        degrees = d + m + 1
        log_gamma = jax.scipy.special.multigammaln(0.5 * degrees, d)
        constant = degrees * d * jnp.log(gamma / jnp.sqrt(2.0)) - log_gamma
        spread = jnp.sum(jnp.exp(2.0 * qs)) + jnp.sum(ls * ls)
        return clusters * constant - 0.5 * gamma**2 * spread + m * jnp.sum(qs)

    def f(alphas, means, qs, ls, x):
        factors = jnp.zeros((clusters, d, d)).at[:, rows, cols].set(ls)
        factors = factors + jnp.exp(qs)[:, :, None] * jnp.eye(d)
        diff = x[:, None, :] - means
        scaled = jnp.einsum("kij,nkj->nki", factors, diff)
        heights = alphas + jnp.sum(qs, axis=1)
        weights = heights - 0.5 * jnp.sum(scaled * scaled, axis=2)
        constant = -0.5 * n * d * jnp.log(2.0 * jnp.pi) - n * log_sum_exp(alphas)
        return constant + jnp.sum(log_sum_exp(weights, axis=1)) + log_wishart(qs, ls)

    args = [jnp.asarray(a) for a in (data.alphas, data.means, data.qs, data.ls, data.x)]
    value, gradient = jax.jit(f), jax.jit(jax.value_and_grad(f, argnums=ARGNUMS))
    return Case(
        "JAX",
        lambda: jax.block_until_ready(value(*args)),
        lambda: jax.block_until_ready(gradient(*args)),
    )


def main(jax: Any) -> None:
    for name, path in (
        ("gmm d10 K25 n1000", FOLDER / "1k_gmm_d10_K25.txt"),
        ("gmm d10 K25 n10000", DATA / "10k_gmm_d10_K25.txt"),
    ):
        data = adbench(path)
        report(name, [pullback_case(data)] + ([jax_case(jax, data)] if jax else []))
