"""``rvs`` of distributions of SciPy with a seed: its numbers to the bit, which move with loc and
scale."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import pullback as pb


def several(p):
    a = stats.norm.rvs(loc=p, scale=2.0 * p, size=3, random_state=1)
    b = stats.gamma(2.0, scale=p).rvs((1, 2), random_state=5)
    return np.concatenate((a, b[0], [stats.expon.rvs(scale=p, random_state=7)]))


def test_the_numbers_are_those_of_scipy():
    assert pb.jit(several)(1.3).tolist() == several(1.3).tolist()
    h = 1e-6
    slope = (several(1.3 + h) - several(1.3 - h)) / (2.0 * h)
    np.testing.assert_allclose(pb.jacrev(several)(1.3), slope, rtol=1e-8)


def test_a_derivative_by_a_shape_is_not_told():
    assert not np.isfinite(pb.grad(lambda p: stats.t.rvs(p, random_state=3))(4.0))


def test_errors_are_those_of_scipy():
    def f(p):
        return stats.norm.rvs(p, -1.0, size=2, random_state=3)

    with pytest.raises(ValueError, match="Domain error in arguments") as wanted:
        f(1.3)
    with pytest.raises(ValueError, match="Domain error in arguments") as found:
        pb.jit(f)(1.3)
    assert found.value.args == wanted.value.args
