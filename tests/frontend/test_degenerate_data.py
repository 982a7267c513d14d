"""Functions of the libraries at data where a formula would compute 0 / 0 or the logarithm of 0."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as sl
import scipy.stats as st

import pullback as pb


@pytest.mark.parametrize("method", ["chad", "dual"])
def test_logarithms_of_0_have_no_finite_derivative(method: str) -> None:
    for f in (lambda a: np.linalg.slogdet(a)[1], lambda a: np.linalg.cond(a, 1)):
        for a in (np.zeros((1, 1)), np.ones((2, 2)), np.array([[0.0, 1.0], [0.0, 0.0]])):
            value, slope = pb.value_and_grad(f, method=method)(a)
            assert value == f(a) and not np.isfinite(slope).all()
    for a in (np.zeros((1, 1)), np.zeros((3, 3))):
        assert pb.jit(np.linalg.cond)(a) == np.linalg.cond(a) == np.inf


def test_singular_matrices_are_refused_in_the_words_of_scipy() -> None:
    for f in (lambda a: sl.inv(a), lambda a: sl.solve(a, a[0]), lambda a: np.linalg.inv(a),
              lambda a: st.gaussian_kde(a[0]).pdf(a[0])):  # fmt: skip
        for n in (2, 3):
            said = []
            for g in (f, pb.jit(f)):
                with pytest.raises(np.linalg.LinAlgError) as raised:
                    g(np.zeros((n, n)))
                said.append(str(raised.value))
            assert said[0] == said[1]


def test_what_scipy_solves_with_infinities_is_refused() -> None:
    zeros = np.zeros((2, 2))
    for f in (lambda a: sl.lu_solve(sl.lu_factor(a), a[0]),
              lambda a: sl.solve_continuous_lyapunov(a, a)):  # fmt: skip
        with pytest.raises(NotImplementedError, match="singular"):
            pb.jit(f)(zeros)


def test_lines_through_points_of_one_height() -> None:
    x, y = np.array([0.0, 0.0, 0.0, 1.0, -2.0]), np.ones(5)
    mine, theirs = pb.jit(lambda y, x: st.theilslopes(y, x))(y, x), st.theilslopes(y, x)
    np.testing.assert_array_equal(tuple(mine), tuple(theirs))
    with pytest.raises(NotImplementedError, match="one place"):
        pb.jit(lambda y, x: st.siegelslopes(y, x))(x, y)
