"""Derivatives inside differentiated code, by data and of functions that capture data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import pullback as pb
from tests.programs import real

# --- expressions as trees: derivatives by what stands in them -------------------------------------


# (classes of their own: those of interpreters.py belong to another union)
@dataclass(frozen=True)
class Const:
    value: float


@dataclass(frozen=True)
class X:
    pass


@dataclass(frozen=True)
class Op:
    sign: str
    left: Expr
    right: Expr


Expr = Const | X | Op


def value_of(e: Expr, x: float) -> float:
    match e:
        case Const(value):
            return value
        case X():
            return x
        case Op(sign, left, right):
            a, b = value_of(left, x), value_of(right, x)
            return a * b if sign == "*" else a + b


def squares(e: Expr) -> float:
    match e:
        case Const(value):
            return value * value
        case X():
            return 0.0
        case Op(_, left, right):
            return squares(left) + squares(right)


def along(e: Expr, v: Expr) -> float:
    """The inner product of two expressions of one form; one may be a gradient."""
    match e:
        case Const(value):
            return value * v.value
        case X():
            return 0.0
        case Op(_, left, right):
            return along(left, v.left) + along(right, v.right)


def equation(e, x):
    """Physics-informed: how far u(x) = x e(x) is from u'' = -u."""
    first = pb.grad(lambda y: y * value_of(e, y))
    return (pb.grad(first)(x) + x * value_of(e, x)) ** 2


def steepness(e, x):
    return squares(pb.grad(value_of)(e, x))


def hessian_product(e, v, x):
    """The square of a Hessian-vector product, which is data again."""
    slope = pb.grad(lambda t: value_of(t, x) ** 2)
    return squares(pb.grad(lambda t: along(slope(t), v))(e))


def pushed_and_pulled(e, v, x):
    """jvp and vjp by a tree: the one is the other's transpose."""
    value, tangent = pb.jvp(lambda t: value_of(t, x) * x, (e,), (v,))
    _, back = pb.vjp(lambda t, y: value_of(t, y), e, x)
    tree, slope = back(tangent)
    return value * squares(tree) + slope


# --- learning: parameters in lists, dicts and records ---------------------------------------------


@dataclass(frozen=True)
class Layer:
    weights: np.ndarray
    bias: float


def network(layers, x):
    for layer in layers:
        x = np.tanh(layer.weights @ x + layer.bias)
    return np.sum(x * x)


def meta_learning(layers, x, rate):
    """MAML: a step of gradient descent, then the loss elsewhere."""
    slopes = pb.grad(network)(layers, x)
    tuned = [
        Layer(p.weights - rate * g.weights, p.bias - rate * g.bias)
        for p, g in zip(layers, slopes)
    ]
    return network(tuned, 1.0 - x)


def chain(matrices, x):
    for m in matrices:
        x = np.tanh(m @ x)
    return np.sum(x)


def descent(matrices, x):
    for _ in range(3):
        slopes = pb.grad(chain)(matrices, x)
        matrices = [m - 0.1 * g for m, g in zip(matrices, slopes)]
    return chain(matrices, x)


def ragged_slopes(rows):
    def cubes(rows):
        return sum(sum(v**3 for v in row) * len(row) for row in rows) ** 2

    return sum(sum(v * v for v in row) for row in pb.grad(cubes)(rows))


def named_parameters(params, x):
    def model(p):
        return np.sum(np.sin(p["scale"] * x)) * sum(p["weights"]) + p["shift"] ** 3

    slopes = pb.grad(model)(params)
    return np.sum(slopes["scale"] ** 2) + sum(slopes["weights"]) * slopes["shift"]


def composed_slope(factors, x):
    """The slope of a function that a loop has built up."""
    f = lambda y: y
    for a in factors:
        f = (lambda g, a: lambda y: np.sin(a * g(y)) + y)(f, a)
    return pb.grad(f)(x) ** 2


# --- fixed points ---------------------------------------------------------------------------------


def relaxed(tree, x, s):
    """One round of a contraction whose coefficients stand in a tree."""
    return 0.3 * np.cos(s) + 0.1 * np.tanh(value_of(tree, x) + s)


def fixed_point(tree, x):
    s = 0.0
    for _ in range(60):
        s = relaxed(tree, x, s)
    return s


def implicit_gradient(tree, x):
    """The gradient of a fixed point by the implicit function theorem, squared."""
    s = fixed_point(tree, x)
    outer = pb.grad(lambda t: relaxed(t, x, s))(tree)
    inner = pb.grad(lambda z: relaxed(tree, x, z))(s)
    return squares(outer) / (1.0 - inner) ** 2


# --- sharing --------------------------------------------------------------------------------------


def shared_slope(x, y):
    """A node that stands in two places is one variable."""
    twice = Const(x)
    e = Op("+", Op("*", twice, Const(y)), Op("*", twice, twice))
    slope = pb.grad(value_of)(e, 0.5)
    return squares(slope) + slope.left.left.value


def random_expression(rng, n):
    if n <= 1:
        return X() if rng.uniform() < 0.3 else Const(float(rng.uniform(0.5, 1.0)))
    k = int(rng.integers(1, n))
    sign = "*" if rng.uniform() < 0.5 else "+"
    return Op(sign, random_expression(rng, k), random_expression(rng, n - k))


def like(rng, e):
    match e:
        case Const():
            return Const(float(rng.normal()))
        case X():
            return e
        case Op(sign, left, right):
            return Op(sign, like(rng, left), like(rng, right))


def with_direction(rng, n):
    e = random_expression(rng, n)
    return e, like(rng, e), 0.7


def layers_of(rng, n):
    return [Layer(0.5 * rng.normal(size=(3, 3)), float(rng.normal())) for _ in range(n)]


def matrices_of(rng, n):
    return [0.5 * rng.normal(size=(3, 3)) for _ in range(n)]


SIZES = (10, 40, 160)
PROGRAMS = [
    real("equation", equation, lambda r, n: (random_expression(r, n), 0.6), (0, 1), growth=SIZES),
    real("hessian_product", hessian_product, with_direction, (0, 1, 2), growth=SIZES),
    real("meta_learning", meta_learning, lambda r, n: (layers_of(r, n), r.normal(size=3), 0.1),
         (0, 1, 2), (2, 4), growth=(4, 12, 36)),
    real("implicit_gradient", implicit_gradient, lambda r, n: (random_expression(r, n), 0.6),
         (0, 1), growth=SIZES),
]  # fmt: skip
