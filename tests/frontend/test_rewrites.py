"""The rewrites that refusals offer work."""

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
    advice = r"make arrays of them: \[np\.array\(x\) for x in xs\]"
    with pytest.raises(UnsupportedError, match=advice):
        pb.grad(lists)(xs)
    for f in (joined, filled):
        assert [g.tolist() for g in pb.grad(f)(xs)] == [[2.0, 4.0], [6.0]]


def test_lists_of_lists_have_a_name() -> None:
    def columns(rows):
        return total(*rows)

    def total(a=(), b=(), c=(), d=(), e=(), *rows):
        return sum(sum(row) for row in (a, b, c, d, e, *rows))

    with pytest.raises(UnsupportedError, match="the items of a list of lists of float items:"):
        pb.grad(columns)([[1.0, 2.0], [3.0, 4.0]])


def test_statements_that_are_refused_have_a_way_round() -> None:
    def caught(x, y):
        try:
            return x / y
        except ZeroDivisionError as error:
            raise error.args[0] from error

    def tested(x, y):
        try:
            return x / y
        except ZeroDivisionError:
            return 0.0

    def yields(x):
        for i in range(3):
            yield x * i
        return x

    def appends(x):
        out = []
        for i in range(3):
            out.append(x * i)
        return out

    for refused, args, rewrite in (
        (caught, (1.0, 0.0), "the class and what it is made of"), (yields, (2.0,), "out.append"),
    ):  # fmt: skip
        with pytest.raises(UnsupportedError) as found:
            pb.jit(refused)(*args)
        assert rewrite in found.value.rewrite
    assert [pb.jit(tested)(1.0, y) for y in (0.0, 4.0)] == [0.0, 0.25]
    assert pb.jit(appends)(2.0) == list(yields(2.0))
    assert pb.jit(lambda k: k in (1, 2))(2) is True
