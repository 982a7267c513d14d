"""``jax.nn``: activations, and functions of logits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special
from scipy.special import expit, logsumexp


def identity(x: Any) -> Any:
    """Return ``x``."""
    return x


def relu(x: Any) -> Any:
    """Return ``max(x, 0)``; its derivative at 0 is 0."""
    return np.where(x <= 0, 0, x)


def relu6(x: Any) -> Any:
    """Return x between 0 and 6."""
    return np.where(x >= 6, 6, relu(x))


def sigmoid(x: Any) -> Any:
    """Return ``1 / (1 + exp(-x))``."""
    return expit(x)


def softplus(x: Any) -> Any:
    """Return ``log(1 + exp(x))``."""
    return np.logaddexp(x, 0.0)


def squareplus(x: Any, b: Any = 4) -> Any:
    """Return ``(x + sqrt(x**2 + b)) / 2``."""
    return 0.5 * (x + np.sqrt(x * x + b))


def sparse_plus(x: Any) -> Any:
    """Return 0 up to -1, x from 1 on, and ``(x + 1)**2 / 4`` between."""
    return np.where(x <= -1.0, 0.0, np.where(x >= 1.0, x, 0.25 * (x + 1.0) ** 2))


def soft_sign(x: Any) -> Any:
    """Return ``x / (1 + abs(x))``."""
    return x / (np.abs(x) + 1)


def silu(x: Any) -> Any:
    """Return ``x * sigmoid(x)``."""
    return x * expit(x)


swish = silu


def mish(x: Any) -> Any:
    """Return ``x * tanh(softplus(x))``."""
    return x * np.tanh(softplus(x))


def log_sigmoid(x: Any) -> Any:
    """Return ``log(sigmoid(x))``."""
    return -softplus(-x)


def elu(x: Any, alpha: Any = 1.0) -> Any:
    """Return x where it is positive, and ``alpha * (exp(x) - 1)`` elsewhere."""
    return np.where(x > 0, x, alpha * np.expm1(np.where(x > 0, 0.0, x)))


def leaky_relu(x: Any, negative_slope: Any = 0.01) -> Any:
    """Return x where it is not negative, and ``negative_slope * x`` elsewhere."""
    return np.where(x >= 0, x, negative_slope * x)


def hard_tanh(x: Any) -> Any:
    """Return x between -1 and 1."""
    return np.where(x > 1, 1, np.where(x < -1, -1, x))


def celu(x: Any, alpha: Any = 1.0) -> Any:
    """Return x where it is positive, and ``alpha * (exp(x / alpha) - 1)`` elsewhere."""
    return np.where(x > 0, x, alpha * np.expm1(np.where(x > 0, 0.0, x) / alpha))


def selu(x: Any) -> Any:
    """Return the self-normalizing unit (Klambauer and others, 2017)."""
    return 1.0507009873554804934193349852946 * elu(x, 1.6732632423543772848170429916717)


def gelu(x: Any, approximate: bool = True) -> Any:
    """Return x times the normal distribution function of x; ``approximate``: by ``tanh``."""
    if approximate:
        return x * (0.5 * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3))))
    return x * (0.5 * (1.0 + scipy.special.erf(x / math.sqrt(2.0))))


def hard_sigmoid(x: Any) -> Any:
    """Return ``relu6(x + 3) / 6``."""
    return relu6(x + 3.0) / 6.0


def hard_silu(x: Any) -> Any:
    """Return ``x * hard_sigmoid(x)``."""
    return x * hard_sigmoid(x)


hard_swish = hard_silu


def glu(x: Any, axis: int = -1) -> Any:
    """Return the first half along an axis times the sigmoid of the second half."""
    if np.shape(x)[axis] % 2 != 0:
        raise AssertionError("axis size must be divisible by 2")
    first, second = np.split(x, 2, axis)
    return first * expit(second)


def softmax(x: Any, axis: Any = -1) -> Any:
    """Return ``exp(x)``, divided by its sum along an axis."""
    return scipy.special.softmax(x, axis=axis)


def log_softmax(x: Any, axis: Any = -1) -> Any:
    """Return the logarithm of ``softmax(x)``."""
    return scipy.special.log_softmax(x, axis=axis)


def logmeanexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return ``log(mean(exp(x)))``."""
    total = logsumexp(x, axis=axis, keepdims=keepdims)
    return total - np.log(np.size(x) / np.size(total))


def log1mexp(x: Any) -> Any:
    """Return ``log(1 - exp(-x))``."""
    return np.where(x < math.log(2.0), np.log(-np.expm1(-x)), np.log1p(-np.exp(-x)))


def standardize(
    x: Any, axis: Any = -1, mean: Any = None, variance: Any = None, epsilon: Any = 1e-5
) -> Any:
    """Return x without its mean, divided by its standard deviation along an axis."""
    if mean is None:
        mean = np.mean(x, axis=axis, keepdims=True)
    if variance is None:
        variance = np.mean(np.square(x), axis=axis, keepdims=True) - np.square(mean)
    return (x - mean) / np.sqrt(variance + epsilon)


def one_hot(x: Any, num_classes: int, *, dtype: Any = np.float64, axis: int = -1) -> Any:
    """Return a new axis with a one at the place that x says, and zeros elsewhere."""
    places = np.expand_dims(np.asarray(x), -1)
    rows = (places == np.arange(num_classes)).astype(dtype)
    return rows if axis == -1 else np.moveaxis(rows, -1, axis)


tanh = np.tanh

__all__ = [
    "celu", "elu", "gelu", "glu", "hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh",
    "identity", "leaky_relu", "log1mexp", "log_sigmoid", "log_softmax", "logmeanexp", "logsumexp",
    "mish", "one_hot", "relu", "relu6", "selu", "sigmoid", "silu", "soft_sign", "softmax",
    "softplus", "sparse_plus", "squareplus", "standardize", "swish", "tanh",
]  # fmt: skip
