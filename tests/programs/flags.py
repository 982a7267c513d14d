"""Flags that choose what a function returns, takes or calls: only what is chosen is looked at."""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from tests.programs import Program


@dataclass(frozen=True)
class Fit:
    """How a line is fitted: ``parameters`` is an array, or with ``intercept`` an array and it."""

    intercept: bool
    robust: bool = False
    penalty: float = 0.1


def regression(parameters, x, y, fit):
    """Squared or absolute residuals of a linear model, with or without an intercept."""
    if fit.intercept:
        weights, constant = parameters
        residuals = x @ weights + constant - y
    else:
        weights = parameters
        residuals = x @ weights - y
    error = np.sum(np.sqrt(residuals**2 + 1.0)) if fit.robust else np.sum(residuals**2)
    return error + fit.penalty * np.sum(weights**2)


def both_regressions(weights, constant, x, y):
    plain, full = Fit(False), Fit(True, robust=True)
    return regression(weights, x, y, plain) + regression((weights, constant), x, y, full)


def step(f, y, t, h, with_error=False):
    """A step of Heun's method, with an estimate of its error if that is wanted."""
    k1 = f(t, y)
    k2 = f(t + h, y + h * k1)
    made = y + 0.5 * h * (k1 + k2)
    if with_error:
        return made, abs(0.5 * h * (k2 - k1))
    return made


def integrate(f, y, steps, adaptive=False, tolerance=1e-2):
    if not adaptive:
        for k in range(steps):
            y = step(f, y, k / steps, 1.0 / steps)
        return y
    t, h = 0.0, 1.0 / steps
    while t < 1.0:
        h = min(h, 1.0 - t)
        tried, error = step(f, y, t, h, with_error=True)
        if error < tolerance:
            y, t = tried, t + h
        h = h * (1.2 if error < tolerance else 0.5)
    return y


def decay(rate, steps, adaptive):
    """The same problem with fixed and with chosen steps."""
    return integrate(lambda t, y: -rate * y + math.sin(t), 1.0, steps, adaptive=adaptive)


def dense(x, layer, activation="tanh", residual=False, norm=None):
    weights, offset = layer
    out = weights @ x + offset
    if activation is not None:
        out = np.tanh(out) if activation == "tanh" else np.maximum(out, 0.0)
    if norm is not None:
        scale, shift = norm
        out = scale * out + shift
    return out + x if residual else out


hidden = partial(dense, residual=True)
last = partial(dense, activation=None)


def network(first, second, scale, x):
    made = hidden(x, first, norm=(scale, 0.1))
    made = hidden(made, first, activation="relu")
    return float(np.sum(last(made, second) ** 2))


def _layer(rng, n):
    return 0.3 * rng.normal(size=(n, n)), rng.normal(size=n)


PROGRAMS = [
    Program(
        "regression_flags", both_regressions,
        lambda r, n: (r.normal(size=3), r.normal(), r.normal(size=(n, 3)), r.normal(size=n)),
        (0, 1),
    ),
    Program("fixed_steps", decay, lambda r, n: (r.uniform(0.5, 1.5), n + 2, False)),
    Program("chosen_steps", decay, lambda r, n: (r.uniform(0.5, 1.5), n + 2, True)),
    Program(
        "layers_with_flags", network,
        lambda r, n: (_layer(r, n), _layer(r, n), r.uniform(0.5, 1.5), r.normal(size=n)),
        (0, 1, 2, 3), (2, 5),
    ),
]  # fmt: skip
