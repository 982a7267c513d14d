"""Decompositions of complex matrices: NumPy's values and phases, JAX's convention of gradients;
and values alone, for which no vectors are computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import pullback as pb

Loss = Callable[[Any], Any]
RNG = np.random.default_rng(3)


def matrix(rows: int, columns: int) -> Any:
    return RNG.normal(size=(rows, columns)) + 1j * RNG.normal(size=(rows, columns))


def by_differences(f: Loss, a: Any, h: float = 1e-6) -> Any:
    """du/dx - i du/dy by every number."""
    found = np.zeros_like(a)
    for place in np.ndindex(a.shape):
        for step, unit in ((h, 1.0), (1j * h, -1j)):
            up, down = a.copy(), a.copy()
            up[place] += step
            down[place] -= step
            found[place] += unit * (f(up) - f(down)) / (2 * h)
    return found


def eigenvectors(a):
    w, v = np.linalg.eigh(a, "U")
    return np.sum(w**3) + np.sum(v.real * np.array([[1.0, 2.0], [-1.0, 0.5]])) + v[0, 1].imag


def singular_values(a):
    return np.sum(np.linalg.svd(a, compute_uv=False) ** 3)


def factors(a):
    q, r = np.linalg.qr(a)
    return np.sum(q.real * r.imag[0, 1]) + np.sum(np.abs(r) ** 3) + q[2, 1].imag


def determinants(a):
    phase, size = np.linalg.slogdet(a)
    low = np.linalg.cholesky(a @ a.conj().T + np.eye(2))
    return phase.real + 2.0 * phase.imag + size + low[1, 0].imag + low[1, 1].real


def eliminated(a):
    lu, rows = scipy.linalg.lu_factor(a)
    x = scipy.linalg.lu_solve((lu, rows), a[0], trans=2)
    return np.sum(np.abs(lu) ** 3) + lu[1, 0].imag + x[0].real + 2.0 * x[1].imag


LOSSES: list[tuple[Loss, Any, str]] = [
    (eigenvectors, matrix(2, 2), "chad"), (singular_values, matrix(2, 3), "chad"),
    (factors, matrix(3, 2), "dual"), (determinants, matrix(2, 2), "dual"),
    (eliminated, matrix(2, 2), "chad"),
]  # fmt: skip


@pytest.mark.parametrize(("f", "a", "method"), LOSSES, ids=lambda v: getattr(v, "__name__", ""))
def test_derivatives_are_those_of_numpys_functions(f: Loss, a: Any, method: str) -> None:
    value, gradient = pb.value_and_grad(f, method=method)(a)
    assert abs(value - f(a)) < 1e-12
    np.testing.assert_allclose(gradient, by_differences(f, a), 1e-6, 1e-7)
    if f is determinants:
        along = matrix(2, 2)
        moved = pb.jvp(f, (a,), (along,))[1]
        assert abs(moved - np.sum(gradient * along).real) < 1e-12


def least_squares(a, b):
    x, rest, rank, s = np.linalg.lstsq(a, b)
    return x, rest, rank, s, np.linalg.norm(a, "nuc")


def equations(h, b):
    x = scipy.linalg.cho_solve(scipy.linalg.cho_factor(h), b)
    y = scipy.linalg.solve_triangular(h, b, trans="C", lower=True)
    return x, y, scipy.linalg.cholesky(h), np.linalg.matrix_power(h, -2), np.linalg.vecdot(h, h)


def bases(a):
    return scipy.linalg.null_space(a.T), scipy.linalg.orth(a)


def stacks(a):
    whole = a + a.conj().swapaxes(-1, -2)
    return np.linalg.eigvalsh(whole), np.linalg.det(a)


def test_values_are_numpys() -> None:
    a, b = matrix(3, 2), matrix(3, 2)
    h = a @ a.conj().T + np.eye(3)
    for f, args in ((least_squares, (a, b)), (equations, (h, b)), (bases, (a,)),
                    (stacks, (np.array([h[:2, :2], a[:2], b[1:]]),))):  # fmt: skip
        want, got = f(*args), pb.jit(f)(*args)
        for one, other in zip(want, got, strict=True):
            assert np.shape(one) == np.shape(other)
            np.testing.assert_allclose(other, one, 1e-12, 1e-13)


def test_what_numpy_raises() -> None:
    for f, a in (
        (np.linalg.cholesky, -np.eye(2) + 0j),
        (np.linalg.svdvals, np.full((2, 2), np.nan * 1j)),
    ):  # fmt: skip
        messages = []
        for call in (f, pb.jit(lambda a, f=f: f(a))):
            with pytest.raises(np.linalg.LinAlgError) as caught:
                call(a)
            messages.append(str(caught.value))
        assert messages[0] == messages[1]


@pytest.mark.parametrize(("f", "without"), [
    (lambda a: np.linalg.eigvalsh(a), "eigenvectors"), (lambda a: np.linalg.qr(a)[0], "cholesky"),
    (lambda a: np.linalg.svd(a, compute_uv=False), "right_vectors"),
], ids=["eigvalsh", "qr", "svd"])  # fmt: skip
def test_what_is_there_for_derivatives_is_not_computed_without(
    f: Loss, without: str, capsys: Any
) -> None:
    a = np.array([[2.0, 1.0], [1.0, 3.0]])
    pb.show(pb.jit(f), a)
    assert without not in capsys.readouterr().out
    pb.show(pb.grad(lambda a: np.sum(f(a))), a)
    assert without in capsys.readouterr().out
