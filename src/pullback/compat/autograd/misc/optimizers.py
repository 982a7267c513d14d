"""Stochastic optimizers with a fixed size of step: ``adam(grad, x0, callback, num_iters, ...)``.

``grad(x, i)`` is the gradient in round i; ``callback(x, i, g)`` is called in each round. x may be
any structure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.compat.autograd.misc.flatten import flatten

Function = Callable[..., Any]


def _looked_at(callback: Function | None, unflatten: Function, x: Any, i: int, g: Any) -> None:
    if callback is not None:
        callback(unflatten(x), i, unflatten(g))


def sgd(
    grad: Function, x0: Any, callback: Function | None = None, num_iters: int = 200,
    step_size: float = 0.1, mass: float = 0.9,
) -> Any:  # fmt: skip
    """Gradient descent with momentum."""
    x, unflatten = flatten(x0)
    velocity = np.zeros(len(x))
    for i in range(num_iters):
        g = flatten(grad(unflatten(x), i))[0]
        _looked_at(callback, unflatten, x, i, g)
        velocity = mass * velocity - (1.0 - mass) * g
        x = x + step_size * velocity
    return unflatten(x)


def rmsprop(
    grad: Function, x0: Any, callback: Function | None = None, num_iters: int = 100,
    step_size: float = 0.1, gamma: float = 0.9, eps: float = 1e-8,
) -> Any:  # fmt: skip
    """Root mean square propagation (Hinton)."""
    x, unflatten = flatten(x0)
    square = np.ones(len(x))
    for i in range(num_iters):
        g = flatten(grad(unflatten(x), i))[0]
        _looked_at(callback, unflatten, x, i, g)
        square = gamma * square + (1.0 - gamma) * g**2
        x = x - step_size * g / (np.sqrt(square) + eps)
    return unflatten(x)


def adam(
    grad: Function, x0: Any, callback: Function | None = None, num_iters: int = 100,
    step_size: float = 0.001, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8,
) -> Any:  # fmt: skip
    """Adam (Kingma and Ba, 2014)."""
    x, unflatten = flatten(x0)
    first, second = np.zeros(len(x)), np.zeros(len(x))
    for i in range(num_iters):
        g = flatten(grad(unflatten(x), i))[0]
        _looked_at(callback, unflatten, x, i, g)
        first = b1 * first + (1.0 - b1) * g
        second = b2 * second + (1.0 - b2) * g**2
        corrected = first / (1.0 - b1 ** (i + 1))
        spread = second / (1.0 - b2 ** (i + 1))
        x = x - step_size * corrected / (np.sqrt(spread) + eps)
    return unflatten(x)


__all__ = ["adam", "rmsprop", "sgd"]
