"""Derivatives inside of loops and branches that make arrays, differentiated by what they are of."""

import numpy as np
import pytest

import pullback as pb

X = np.array([0.3, 0.5, -0.7, 1.1])


def jacobian_by_rows(x):
    _, back = pb.vjp(lambda z: np.array([z[0] * z[1], np.sin(z[2])]), x)
    rows = np.array([back(np.eye(2)[i])[0] for i in range(2)])
    return np.sum(rows @ rows.T)


def same_row_again(x):
    _, back = pb.vjp(lambda z: z[0] * z[1], x)
    rows = [back(1.0)[0] for _ in range(2)]
    return np.sum(rows[0] ** 2) + np.sum(rows[1])


def hessian_by_rows(x):
    def row(i):
        return pb.grad(lambda z: pb.grad(lambda u: np.sum(u**4) * u[0])(z)[i])(x)

    return np.sum(np.stack([row(i) for i in range(4)]) ** 2)


def rows_of_some(x):
    rows = [pb.grad(lambda z, i=i: np.sum(z**3) * z[i])(x) for i in range(4) if x[i] > 0]
    return sum(np.sum(r) for r in rows)


def one_of_two(x):
    _, back = pb.vjp(lambda z: z**3, x)
    chosen = back(x)[0] if x[0] > 0 else x * 2
    return np.sum(chosen**2)


def one_after_the_other(x):
    _, back = pb.vjp(lambda z: z**3, x)
    v = x
    for _ in range(3):
        v = back(v)[0]
    return np.sum(v**2)


def collected(x):
    _, back = pb.vjp(lambda z: z[0] * z[1], x)
    rows = []
    for i in range(2):
        rows.append(back(1.0 + i)[0])
    return np.sum(rows[0] ** 2) + np.sum(rows[1] ** 3)


@pytest.mark.parametrize("f", [jacobian_by_rows, same_row_again, hessian_by_rows, rows_of_some,
                               one_of_two, one_after_the_other, collected])  # fmt: skip
def test_reverse_is_forward(f):
    by_forward = [pb.jvp(f, (X,), (e,))[1] for e in np.eye(4)]
    for method in ("chad", "dual"):
        value, found = pb.value_and_grad(f, method=method)(X)
        np.testing.assert_allclose(found, by_forward, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(value, f(X), rtol=1e-12)
