"""What type checkers say of operators: mypy reads this file (``tests/house/test_types.py``), and so
does pyright (``make test-pyright``). It is not run."""

from collections.abc import Callable
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import pullback as pb

Floats = NDArray[np.float64]


def loss(x: Floats, scale: float = 1.0) -> float:
    return float(np.sum(x)) * scale


def with_count(x: float, n: int) -> tuple[float, int]:
    return x * n, n


def pair(x: float) -> tuple[float, str]:
    return x, ""


x = np.ones(3)

assert_type(pb.jit(loss)(x, scale=2.0), float)
assert_type(pb.value_and_grad(loss)(x), tuple[float, Any])
assert_type(pb.grad(loss, (0, 1))(x, 2.0), tuple[Any, ...])
assert_type(pb.value_and_grad(loss, ("x", "scale"))(x, 2.0), tuple[float, tuple[Any, ...]])
assert_type(pb.grad(with_count, has_aux=True)(1.0, 2), tuple[Any, int])
assert_type(pb.value_and_grad(with_count, has_aux=True)(1.0, 2), tuple[tuple[float, int], Any])
assert_type(pb.vjp(pair, 1.0)[0], tuple[float, str])
out, pullback, aux = pb.vjp(pair, 1.0, has_aux=True)
assert_type(out, float)
assert_type(aux, str)
assert_type(pullback(1.0), tuple[Any, ...])
assert_type(pb.jvp(loss, (x, 1.0), (x, 0.0)), tuple[float, float])
assert_type(pb.linearize(loss, x, 1.0), tuple[float, Callable[..., float]])
assert_type(pb.loop(3, lambda i, s: s * 2.0, 1.0), float)
assert_type(pb.cost(loss, x), int)
pb.hessian(loss)(x, scale=2.0)
pb.vmap(loss)(x, 1.0)
pb.grad(pb.grad(loss))(x)

# What follows is wrong, and is said to be: an unused ignore is an error, too.
pb.jit(loss)("text")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
pb.grad(loss)(x, factor=1.0)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
pb.hessian(loss)()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
