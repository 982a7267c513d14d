"""What type checkers say of operators: mypy reads this file (``tests/house/test_types.py``), and so
does pyright (``make test-pyright``). It is not run."""

from collections.abc import Callable
from dataclasses import dataclass
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


def of_dict(p: dict[str, Floats], x: Floats) -> float:
    return float(np.sum(p["w"] * x))


@dataclass
class Line:
    slope: float
    start: float


def of_object(line: Line) -> float:
    return line.slope * 2.0 + line.start


class Scaled:
    def loss(self, x: float) -> float:
        return x * 2.0


@pb.grad
def decorated(x: float, n: int) -> float:
    return x * n


def of_many(*xs: float) -> float:
    return xs[0] * xs[1]


def by_name_only(*, x: float) -> float:
    return x * x


def takes(f: Callable[[Floats], Floats]) -> Floats:
    return f(x)


x = np.ones(3)

assert_type(pb.jit(loss)(x, scale=2.0), float)
assert_type(pb.grad(loss)(x), Floats)
assert_type(pb.grad(loss)(x, scale=2.0), Floats)
assert_type(pb.grad(loss)(x=x, scale=2.0), Floats)
assert_type(pb.grad(loss)(scale=2.0, x=x), Floats)
assert_type(pb.grad(Scaled().loss)(x=1.0), float)
assert_type(decorated(x=1.0, n=2), float)
assert_type(pb.value_and_grad(loss)(x=x), tuple[float, Floats])
both = pb.value_and_grad(with_count, has_aux=True)
assert_type(both(x=1.0, n=2), tuple[tuple[float, int], float])
assert_type(pb.grad(by_name_only)(x=1.0), Any)
assert_type(pb.grad(loss, 1)(x=x, scale=2.0), float)
assert_type(pb.value_and_grad(loss)(x), tuple[float, Floats])
assert_type(pb.grad(of_dict)({"w": x}, x), dict[str, Floats])
assert_type(pb.value_and_grad(of_dict)({"w": x}, x), tuple[float, dict[str, Floats]])
assert_type(pb.grad(of_object)(Line(1.0, 2.0)), Line)
assert_type(pb.grad(Scaled().loss)(1.0), float)
assert_type(decorated(1.0, 2), float)
assert_type(pb.grad(of_many)(1.0, 2.0), float)
assert_type(pb.grad(loss, 1)(x, 2.0), float)
assert_type(pb.value_and_grad(loss, 1)(x, 2.0), tuple[float, float])
assert_type(pb.grad(loss, 2)(x, 2.0), Any)
assert_type(pb.grad(loss, "x")(x, 2.0), Any)
assert_type(pb.grad(loss, (0, 1))(x, 2.0), tuple[Any, ...])
assert_type(pb.value_and_grad(loss, ("x", "scale"))(x, 2.0), tuple[float, tuple[Any, ...]])
assert_type(pb.grad(with_count, has_aux=True)(1.0, 2), tuple[float, int])
assert_type(pb.value_and_grad(with_count, has_aux=True)(1.0, 2), tuple[tuple[float, int], float])
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
assert_type(pb.grad(pb.grad(Scaled().loss))(x=1.0), float)
assert_type(pb.grad(pb.grad(Scaled().loss))(1.0), float)
takes(pb.grad(loss))
takes(pb.grad(lambda v: np.sum(v)))
pb.grad(lambda v, k: v * v * k)(1.0, 2)

# What follows is wrong, and is said to be: an unused ignore is an error, too.
pb.jit(loss)("text")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
pb.grad(loss)(x, factor=1.0)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
pb.grad(loss)(x="text")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
pb.grad(of_object)(2.0)  # type: ignore[call-overload]  # pyright: ignore
pb.hessian(loss)()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
pb.grad(loss)(scale=1.0)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
