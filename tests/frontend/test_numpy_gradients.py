"""Gradients of NumPy code by the evaluator against finite differences; also where it is easy to be
wrong: the middle of expit and log_expit, equal arguments of logaddexp, the norm of zero."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special as sc

from pullback import combinators as pb
from tests.harness import difference, direction, gradient, inner

X = np.random.default_rng(0).normal(size=5)
Y = np.random.default_rng(1).uniform(0.2, 0.9, size=5)
M = np.random.default_rng(2).normal(size=(3, 5))
FIRST = np.array([0, 0])
SIGNS = np.array([0.5, -1.0, -0.2, 2.0])

CASES: list[tuple[Callable[..., Any], Any]] = [
    (lambda x: np.sum(sc.expit(x)), X * 0),
    (lambda x: np.sum(sc.log_expit(x)), X * 0),
    (lambda x: np.sum(np.logaddexp(x, 0.0)), X * 0),
    (lambda x: np.sum(sc.expit(x) * sc.log_expit(2 * x)), X),
    (lambda x: np.sum(np.logaddexp(x, x * x)), X),
    (lambda x: np.sum(sc.xlogy(x, x) + sc.logit(x) + sc.ndtr(x)), Y),
    (lambda x: np.sum(sc.gammaln(x) + sc.erf(x) + sc.erfc(x * 2) + np.sinc(x)), Y),
    (lambda x: np.linalg.norm(x), X),
    (lambda x: np.linalg.norm(x), M),
    (lambda x: np.sum(np.linalg.norm(x, axis=1) ** 2), M),
    (lambda x: np.linalg.norm(x, 1) * np.linalg.norm(x, -np.inf), M),
    (lambda x: np.linalg.norm(x, -1) * np.sum(np.linalg.norm(x, np.inf, keepdims=True)), M),
    (lambda x: np.vdot(x, 1 / x.T) + sum(x.tolist()[1]), M),
    (lambda x: np.sum(x[None][FIRST, :, FIRST] ** 2), M),
    (lambda x: sc.logsumexp(x), X),
    (lambda x: np.sum(sc.logsumexp(x, axis=0) * np.arange(5)), M),
    (lambda x: np.max(x) * np.min(x), X),
    (lambda x: np.sum(np.max(x, axis=1) * np.min(x, axis=1)), M),
    (lambda x: np.sum(np.max(x)), M),
    (lambda x: np.var(x) + np.std(x), X),
    (lambda x: np.sum(np.std(x, axis=0) * np.mean(x, axis=0)), M),
    (lambda x: np.sum(np.cumsum(x) ** 2) + np.sum(np.cumprod(x) ** 2), X),
    (lambda x: np.sum(np.cumsum(x, axis=0) ** 2) + np.sum(np.cumsum(x, axis=1) ** 3), M),
    (lambda x: np.prod(x) + np.prod(x * 2), X),
    (lambda x: np.sum(np.einsum("ij,kj->ik", x, x) ** 2), M),
    (lambda x: np.sum((x @ x.T) ** 2), M),
    (lambda x: np.sum(np.concatenate([x, x[1:] ** 2]) ** 2), X),
    (lambda x: np.sum(np.stack([x, x * x])[1] * x), X),
    (lambda x: np.sum(np.where(x > 0, np.log(np.abs(x)), x)), X),
    (lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0.0)), SIGNS),
    (lambda x: np.sum(np.clip(x, -0.5, 0.5) ** 2), X),
    (lambda x: np.sum(x[np.array([0, 0, 3])] ** 2), X),
    (lambda x: np.sum(x[:, np.array([0, 0, 3])] ** 2), M),
    (lambda x: np.sum(x[::-1] * x[:1] * x[1:4].sum()), X),
    (lambda x: np.sum(x[:, None] * x[None]), X),
    (lambda x: np.sum(x.reshape(5, 3)[1:] ** 3), M),
    (lambda x: np.sum(x.T.ravel()[1:4] ** 3), M),
    (lambda x: np.sum(np.diag(x) @ np.tril(np.outer(x, x))), X),
    (lambda x: np.sum(np.roll(x, 2) * np.flip(x) * np.tile(x, 2)[:5] * np.repeat(x, 2)[5:]), X),
    (lambda x: np.sum(np.diff(x, n=2) ** 2), X),
    (lambda x: max(v * v for v in x) + min(x), X),
    (lambda x: sum(v * v for v in x if v > 0), X),
    (lambda x: sum(m @ m for m in x), M),
    (lambda x: np.sum(sum(x) ** 2), M),
    (lambda x: max(x, key=abs) ** 2, X),
    (lambda x: np.sum(pb.scan(lambda a, b: a * b, 1.0, x) ** 2), X),
    (lambda x: pb.fold(lambda a, b: a * b, 2.0, x), X),
    (lambda x: np.sum(np.array([[a * b for b in x] for a in x]) ** 2), X),
    (
        lambda x: np.sum(
            np.array([x[0], x[1] * 2, x[2]]) * np.array([[1.0, 2, 3], [x[0], x[1], x[2]]])
        ),
        X,
    ),
    (lambda x: np.sum(np.cross(x, np.array([1.0, 2.0, 3.0])) ** 2), X[:3]),
    (lambda x: np.sum(np.broadcast_to(x, (3, 5)) * M), X),
    (lambda x: math.hypot(x[0], x[1]), X),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_gradient(case: int) -> None:
    f, x = CASES[case]
    tangent = direction(np.random.default_rng(case), x)
    _, slope = gradient(f, (x,), (0,), "eval")
    with np.errstate(invalid="ignore"):
        wanted = difference(f, (x,), (tangent,))
    assert inner(slope, (tangent,)) == pytest.approx(wanted, rel=1e-6, abs=1e-7)


def test_zero_norm() -> None:
    _, (slope,) = gradient(lambda x: np.linalg.norm(x), (np.zeros(3),), (0,), "eval")
    np.testing.assert_array_equal(slope, np.zeros(3))


def test_first_maximum_gets_it() -> None:
    _, (slope,) = gradient(lambda x: np.max(x), (np.array([1.0, 3.0, 3.0]),), (0,), "eval")
    np.testing.assert_array_equal(slope, [0.0, 1.0, 0.0])


def test_arm_that_is_not_taken() -> None:
    x = np.array([0.0, 4.0])
    _, (slope,) = gradient(lambda x: np.sum(np.where(x > 0.0, np.sqrt(x), 1.0)), (x,), (0,), "eval")
    np.testing.assert_array_equal(slope, [0.0, 0.25])
