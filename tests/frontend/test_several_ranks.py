"""What is a number at first and an array later is both, operation by operation."""

import copy

import numpy as np
import pytest

import pullback as pb
from tests.campaign import part, rotated
from tests.frontend import rank_programs, unlike_array_programs
from tests.frontend.harness import agrees
from tests.frontend.rank_programs import A

PROGRAMS = [*rank_programs.PROGRAMS, *unlike_array_programs.PROGRAMS]
SEEN = [*rank_programs.SEEN, *unlike_array_programs.SEEN]
SHARED = [*rank_programs.SHARED, *unlike_array_programs.SHARED]


@pytest.mark.parametrize("f", part("values", [*PROGRAMS, *SEEN], 3), ids=lambda f: f.__name__)
def test_as_in_python(f):
    for n in (0, 1, 4):
        agrees(f, 0.5, n)


@pytest.mark.parametrize("f", part("values", PROGRAMS, 3), ids=lambda f: f.__name__)
def test_derivatives(f):
    for n in (0, 1, 4):
        difference = (f(0.5 + 1e-6, n) - f(0.5 - 1e-6, n)) / 2e-6
        for method in rotated("values", f.__name__, ("chad", "dual")):
            slope = pb.grad(f, method=method)(0.5, n)
            assert slope == pytest.approx(difference, rel=1e-5, abs=1e-8)
        _, tangent = pb.jvp(lambda x, f=f, n=n: f(x, n), (0.5,), (1.0,))
        assert tangent == pytest.approx(difference, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("f", SHARED, ids=lambda f: f.__name__)
def test_an_update_that_somebody_else_sees_is_right_or_refused(f):
    try:
        found = pb.jit(f)(0.5)
    except pb.PullbackError:
        return
    assert found == pytest.approx(f(0.5), rel=1e-12)


def test_what_one_of_them_cannot_is_refused_where_the_run_comes_there():
    def f(x, n):
        m = 0
        for _ in range(n):
            m = m + np.eye(2) * x
        try:
            return np.linalg.inv(m)[0, 0]
        except Exception:
            return -1.0

    compiled = pb.jit(f)
    assert compiled(0.5, 2) == f(0.5, 2) == 1.0
    assert f(0.5, 0) == -1.0
    with pytest.raises(NotImplementedError, match="an array is needed here"):
        compiled(0.5, 0)


def test_what_the_caller_has_is_what_python_leaves():
    def f(d, x, n):
        for i in range(n):
            d["total"] = d["total"] + A[i % 3] * x
        return np.sum(d["total"]) + x

    for n in (0, 1, 4):
        ours, pythons = {"total": 0.0, "x": 1.0}, {"total": 0.0, "x": 1.0}
        assert pb.jit(f)(ours, 0.5, n) == pytest.approx(f(pythons, 0.5, n))
        assert list(map(repr, ours.values())) == list(map(repr, pythons.values()))


def test_an_argument_that_takes_the_place_of_a_number_stays():
    def f(a, n):
        s = 0
        for _ in range(n):
            s = a
        s = s + 1.0
        return s

    a = np.ones(2)
    kept = copy.deepcopy(a)
    assert np.array_equal(pb.jit(f)(a, 2), [2.0, 2.0]) and pb.jit(f)(a, 0) == 1.0
    assert np.array_equal(a, kept)
