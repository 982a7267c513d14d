"""LAPACK's primitives against the plain programs that say what they mean, and their rules."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from pullback.call.request import Request, What
from pullback.core.build import Builder
from pullback.core.prims_linear import LINEAR
from pullback.core.prims_linear import MATRIX as MATRIX_TYPE
from pullback.core.terms import Program
from pullback.core.types import F64
from tests import campaign, harness
from tests.core.programs import program, var
from tests.frontend import test_numpy_linalg as linalg
from tests.frontend.numpy_cases import tier_of
from tests.lower.agreement import agree

BOTH = campaign.part("agreement", [f for f in linalg.SQUARE if f is not linalg.powers], 4)


@pytest.mark.parametrize("f", BOTH, ids=lambda f: f.__name__)
def test_the_plain_programs_mean_the_same(f: Callable[..., Any]) -> None:
    args = linalg.matrix(3), linalg.weights(3) / 3
    plain = Request(What.VALUE_AND_GRADIENT, (0, 1), plain=True)
    found = driver.call(f, args, plain, tier_of(f))
    value, gradients = found
    same, expected = pb.value_and_grad(f, argnums=(0, 1))(*args)
    np.testing.assert_allclose(value, same, 1e-10, 1e-10)
    for x, y in zip(gradients, expected, strict=True):
        np.testing.assert_allclose(x, y, 1e-8, 1e-8)


WITH_RULES = [
    linalg.solve, linalg.determinant, linalg.log_determinant, linalg.cholesky, linalg.triangular,
]  # fmt: skip


@pytest.mark.parametrize("f", campaign.part("agreement", WITH_RULES, 3), ids=lambda f: f.__name__)
def test_second_derivatives(f: Callable[..., Any]) -> None:
    a, b, h = linalg.matrix(3), linalg.weights(3) / 3, 1e-5
    d = np.random.default_rng(2).normal(size=(3, 3))
    g = pb.grad(f)
    difference = (g(a + h * d, b) - g(a - h * d, b)) / (2 * h)
    again = harness.forward(g, (a, b), (d, 0 * b), tier_of(f))
    np.testing.assert_allclose(again, difference, 1e-5, 1e-5)

    def along(a: Any, b: Any, d: Any) -> Any:
        return np.sum(g(a, b) * d)

    _, (back,) = harness.gradient(along, (a, b, d), (0,), tier_of(f))
    np.testing.assert_allclose(np.sum(back * d), np.sum(again * d), 1e-9, 1e-9)


# --- values that are updated afterwards ----------------------------------------------------------


def updated(a, b):
    m = a.copy()
    total = 0.0
    for i in range(3):
        x = np.linalg.solve(m, b)
        m[0, i] += x[0] * b[i]
        x[1] = x[0] * x[2]
        total += np.sum(x * x)
    return total


def factors(a, b):
    m = a @ a.T + 4.0 * np.eye(3)
    total = 0.0
    while total < 3.0:
        low = np.linalg.cholesky(m)
        m[0, 0] += low[2, 2] * b[0] ** 2
        low[0, 0] = low[1, 0] * 2.0
        total += np.sum(low * low) + np.linalg.slogdet(m)[1] + 1.0
    return total


def mapped(a, b):
    return np.sum(np.array([np.linalg.solve(a + i * np.eye(3), b * i) for i in range(1, 5)]) ** 2)


def chosen(a, b):
    """The branch that is not taken is singular."""
    flat = a * 0.0
    x = np.linalg.solve(flat, b) if b[0] > 100.0 else np.linalg.solve(a, b)
    return np.sum(x**2)


@pytest.mark.parametrize("f", [updated, factors, mapped, chosen], ids=lambda f: f.__name__)
def test_around_updates_loops_and_branches(f: Callable[..., Any]) -> None:
    args = linalg.matrix(3), linalg.weights(3) / 3
    linalg.check_value(f, args, 1e-10)
    linalg.check_derivatives(f, args)


# --- the primitives themselves -------------------------------------------------------------------

MATRIX = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
TALL = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 4.0]])
CALLS: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    "product": ((MATRIX, TALL), ()),
    "solve": ((MATRIX, TALL), ()),
    "solve.ck": ((MATRIX, TALL), ("Singular matrix",)),
    "solve_triangular": ((MATRIX, TALL), (1, 0)),
    "cholesky": ((MATRIX,), ()),
    "cholesky.ck": ((MATRIX,), ("no",)),
    "logdet": ((MATRIX, 3.0), ()),
    "det": ((MATRIX, 3.0), ()),
    "lu": ((MATRIX[[2, 0, 1]],), ()),
    "eigenvectors": ((MATRIX,), ()),
    "right_vectors": ((TALL,), ()),
    "orthonormal": ((TALL,), ()),
    "eigenvalues": ((MATRIX,), ()),
    "singular_values": ((TALL,), ()),
    "upper_factor": ((TALL,), ()),
    "known": ((TALL, TALL + 1e-3), ()),
}


def program_of(name: str, args: tuple[Any, ...], static: tuple[Any, ...]) -> Program:
    b = Builder()
    params = [var("x", F64 if isinstance(a, float) else MATRIX_TYPE) for a in args]
    return program(params, b, b.prim(name, *params, static=static))


@pytest.mark.parametrize("name", LINEAR.rows)
def test_loop_code_does_what_the_row_means(name: str) -> None:
    args, static = CALLS[name]
    agree(program_of(name, args, static), list(args))


@pytest.mark.parametrize("name", ["solve", "cholesky", "eigenvectors"])
def test_what_cannot_be_found_is_nan(name: str) -> None:
    zero = np.zeros((2, 2)) if name != "eigenvectors" else np.full((2, 2), np.nan)
    args = (zero, np.ones((2, 2))) if name == "solve" else (zero,)
    agree(program_of(name, args, ()), list(args))


def test_the_gradient_costs_a_constant_factor() -> None:
    ratios = []
    for n in (4, 8, 16, 32):
        args = linalg.matrix(n), linalg.weights(n)
        ratios.append(harness.steps(linalg.solve, args, "chad") / harness.steps(linalg.solve, args))
    assert max(ratios) < 10 and ratios[-1] < 1.2 * ratios[-2], ratios


def test_float32_and_strides() -> None:
    a, b = linalg.matrix(4), linalg.weights(4)
    big = np.zeros((8, 8))
    big[::2, ::2] = a
    np.testing.assert_allclose(
        pb.grad(linalg.solve)(big[::2, ::2].T, b), pb.grad(linalg.solve)(a.T.copy(), b), 1e-12
    )
    single = pb.jit(np_solve)(a.astype(np.float32), b.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, np.linalg.solve(a, b), 1e-5)


def np_solve(a, b):
    return np.linalg.solve(a, b)
