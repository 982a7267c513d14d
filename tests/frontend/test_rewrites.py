"""What refusals offer instead works."""

import numpy as np
import pytest

import pullback as pb
from pullback.errors import UnsupportedError


def test_joining_lists_of_unknown_number_says_what_works() -> None:
    def joined(xs):
        return np.sum(np.concatenate(xs) ** 2)

    def lists(xs):
        return np.sum(np.concatenate([[x[0], 1.0] for x in xs]) ** 2)

    def filled(xs):
        out = np.zeros(sum(len(x) for x in xs))
        k = 0
        for x in xs:
            out[k : k + len(x)] = x
            k += len(x)
        return np.sum(out**2)

    xs = [np.array([1.0, 2.0]), np.array([3.0])]
    with pytest.raises(UnsupportedError, match=r"out\[k:k \+ len\(x\)\] = x"):
        pb.grad(lists)(xs)
    for f in (joined, filled):
        assert [g.tolist() for g in pb.grad(f)(xs)] == [[2.0, 4.0], [6.0]]


def test_lists_of_lists_have_a_name() -> None:
    def columns(rows):
        return total(*rows)

    def total(*rows):
        return sum(sum(row) for row in rows)

    with pytest.raises(UnsupportedError, match=r"\*a list of lists of float items:"):
        pb.grad(columns)([[1.0, 2.0], [3.0, 4.0]])


def test_how_to_do_without_nonlocal() -> None:
    def counted(x):
        n = 0.0

        def bump(v):
            nonlocal n
            n += v * v

        bump(x)
        bump(2.0 * x)
        return n

    def handed_back(x):
        n = 0.0

        def bump(v, n):
            n += v * v
            return n

        n = bump(x, n)
        n = bump(2.0 * x, n)
        return n

    rewrite = r"def bump\(v, n\): \.\.\.; return n   and where .* n = bump\(\.\.\., n\)"
    with pytest.raises(UnsupportedError, match=rewrite):
        pb.grad(counted)(1.5)
    assert pb.value_and_grad(handed_back)(1.5) == (counted(1.5), 15.0)
