"""What refusals offer instead works."""

import numpy as np
import pytest

import pullback as pb
from pullback.errors import UnsupportedError


def test_joining_a_list_of_arrays_says_what_works() -> None:
    def joined(xs):
        return np.sum(np.concatenate(xs) ** 2)

    def filled(xs):
        out = np.zeros(sum(len(x) for x in xs))
        k = 0
        for x in xs:
            out[k : k + len(x)] = x
            k += len(x)
        return np.sum(out**2)

    xs = [np.array([1.0, 2.0]), np.array([3.0])]
    with pytest.raises(UnsupportedError, match=r"out\[k:k \+ len\(x\)\] = x"):
        pb.grad(joined)(xs)
    assert [g.tolist() for g in pb.grad(filled)(xs)] == [[2.0, 4.0], [6.0]]


def test_lists_of_lists_have_a_name() -> None:
    def columns(rows):
        return sum(sum(c) for c in zip(*rows))

    with pytest.raises(UnsupportedError, match=r"\*a list of lists of float items:"):
        pb.grad(columns)([[1.0, 2.0], [3.0, 4.0]])
