"""An interpreter, differentiated: the gradient of a program that is itself data.

Expressions have variables, ``let`` and first-class functions; environments are linked lists, and a
function value carries the environment in which it was made. The numbers in the expression are the
parameters, so the gradient of the interpreter is the gradient of the interpreted program.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import pullback as pb


@dataclass(frozen=True)
class Constant:
    value: float


@dataclass(frozen=True)
class Variable:
    """The variable bound ``depth`` binders further out."""

    depth: int


@dataclass(frozen=True)
class Add:
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Multiply:
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Sine:
    of: Expr


@dataclass(frozen=True)
class Let:
    value: Expr
    body: Expr


@dataclass(frozen=True)
class IfPositive:
    test: Expr
    then: Expr
    other: Expr


Expr = Constant | Variable | Add | Multiply | Sine | Let | IfPositive


@dataclass(frozen=True)
class Empty:
    pass


@dataclass(frozen=True)
class Bound:
    value: float
    rest: Environment


Environment = Empty | Bound


def look_up(env: Environment, depth: int) -> float:
    match env:
        case Bound(value, rest):
            return value if depth == 0 else look_up(rest, depth - 1)
        case Empty():
            raise ValueError("an unbound variable")


def evaluate(expr: Expr, env: Environment) -> float:
    match expr:
        case Constant(value):
            return value
        case Variable(depth):
            return look_up(env, depth)
        case Add(left, right):
            return evaluate(left, env) + evaluate(right, env)
        case Multiply(left, right):
            return evaluate(left, env) * evaluate(right, env)
        case Sine(of):
            return math.sin(evaluate(of, env))
        case Let(value, body):
            return evaluate(body, Bound(evaluate(value, env), env))
        case IfPositive(test, then, other):
            return evaluate(then if evaluate(test, env) > 0.0 else other, env)


def run(expr: Expr, x: float) -> float:
    """The value of an expression with one free variable."""
    return evaluate(expr, Bound(x, Empty()))


def random_expression(rng, n, bound=1):
    """About n nodes; ``bound`` variables are in scope."""
    if n <= 1:
        if rng.uniform() < 0.5:
            return Variable(int(rng.integers(bound)))
        return Constant(float(rng.uniform(-1.0, 1.0)))
    half = n // 2
    match rng.integers(5):
        case 0:
            first = random_expression(rng, half, bound)
            return Let(first, random_expression(rng, n - half, bound + 1))
        case 1:
            return Sine(random_expression(rng, n - 1, bound))
        case 2:
            left = random_expression(rng, half, bound)
            return Multiply(Sine(left), random_expression(rng, n - half, bound))
        case 3:
            parts = [random_expression(rng, n // 3, bound) for _ in range(3)]
            return IfPositive(*parts)
        case _:
            return Add(random_expression(rng, half, bound), random_expression(rng, n - half, bound))


def inputs(n, seed):
    return run, (random_expression(np.random.default_rng(seed), n), 0.7)


def main():
    # let y = 2 x in if y > 0: sin(y) * y else: y
    body = IfPositive(Variable(0), Multiply(Sine(Variable(0)), Variable(0)), Variable(0))
    program = Let(Multiply(Constant(2.0), Variable(0)), body)
    value, (by_program, by_x) = pb.value_and_grad(run, argnums=(0, 1))(program, 0.7)
    print(f"value {value:.5f}, derivative by x {by_x:.5f}")
    print(f"derivative by the constant in the program: {by_program.value.left.value:.5f}")
    assert abs(by_x - 2.0 * (math.sin(1.4) + 1.4 * math.cos(1.4))) < 1e-12


if __name__ == "__main__":
    main()
