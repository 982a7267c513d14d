"""Sequence patterns on lists: what matches, as in Python; what is not copied."""

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from tests.frontend.harness import run


def shape(xs):
    match xs:
        case []:
            return 0
        case [_]:
            return 1
        case [_, _, *more]:
            return 2 + len(more)
        case _:
            return -1


@pytest.mark.parametrize(
    "value",
    [[], [1.0], [1.0, 2.0, 3.0], (1.0, 2.0), "ab", np.zeros(2), 1.0, [[1.0], []], {"a": 1.0}],
    ids=repr,
)
def test_lists_and_tuples_are_sequences_strings_and_arrays_are_not(value):
    assert run(shape, value) == shape(value)


def test_a_range_is_a_sequence():
    def f(n):
        match range(n):
            case [0, *rest]:
                return sum(rest)
            case _:
                return -1

    assert [driver.run(f, (n,)) for n in (0, 1, 5)] == [f(n) for n in (0, 1, 5)] == [-1, 0, 10]


def test_the_last_case_needs_no_test_and_sets_its_names_surely():
    def f(xs):
        match xs:
            case []:
                y = 0.0
            case [x]:
                y = x
            case [x, *rest, z]:
                y = x * z + len(rest)
        return y

    text = pb.show(f, [1.0, 2.0], stage="core")
    assert "require" not in text and "ge " not in text
    for xs in ([3.0], [2.0, 5.0], [1.0, 2.0, 3.0]):
        assert driver.run(f, (xs,)) == f(xs)


def total(xs):
    match xs:
        case []:
            return 0.0
        case [x, *rest]:
            return x * x + total(rest)


def test_recursion_over_a_list_is_linear_and_deep():
    def of_own(n, x):
        return total([x * k for k in range(n)])

    costs = [pb.cost(of_own, n, 0.5, method="chad") for n in (100, 200, 400)]
    assert costs[2] - costs[1] <= 2.1 * (costs[1] - costs[0])
    n = 100_000
    value, gradient = pb.value_and_grad(total)([0.5] * n)
    assert value == 0.25 * n and gradient == [1.0] * n
    assert pb.grad(total, method="dual")([0.5] * 1000) == [1.0] * 1000


def test_an_unused_star_copies_nothing():
    def ends(n, x):
        xs = [x * k for k in range(n)]
        xs.append(x)
        s = 0.0
        for _ in range(n):
            match xs:
                case [first, *_, last]:
                    s += first * last
                case [*_unused]:
                    s += 1.0
        return s

    costs = [pb.cost(ends, n, 0.5) for n in (100, 200, 400)]
    assert costs[2] - costs[1] <= 2.1 * (costs[1] - costs[0])


def test_the_rest_is_a_list_of_its_own():
    def f(xs):
        ys = [v * 2.0 for v in xs]
        match ys:
            case [_, *rest]:
                ys[1] = 100.0
                rest[1] = rest[0] * 3.0
                rest.append(1.0)
                return rest[0] * rest[1] + ys[2] + len(rest)

    xs = [1.0, 2.0, 3.0]
    assert driver.run(f, (xs,)) == f(xs)
    assert pb.grad(f)(xs) == [0.0, 96.0 / 2.0, 2.0]

    def of_argument(xs):
        first, *rest = xs
        rest[0] = first
        return rest[0] * rest[1]

    assert pb.grad(of_argument)(xs) == [3.0, 0.0, 1.0]
    assert xs == [1.0, 2.0, 3.0]


def test_starred_targets_check_the_length():
    def f(xs):
        a, *_, b = xs
        return a * b

    assert pb.grad(f)([2.0, 5.0, 3.0]) == [3.0, 0.0, 2.0]
    with pytest.raises(ValueError, match=r"not enough values to unpack \(expected at least 2"):
        driver.run(f, ([1.0],))


def test_what_no_case_takes():
    def f(xs):
        match xs:
            case [x, y]:
                return x * y
            case [x, *_] if x > 0.0:
                return x

    with pytest.raises(ValueError, match="no case of the match takes"):
        driver.run(f, ([-1.0, 1.0, 1.0],))


def test_narrow_floats_and_nan():
    def f(xs):
        match xs:
            case [0.0, *_]:
                return xs[1]
            case [x, *rest] if x == x:
                return x * total(rest)
            case [*_, last]:
                return last

    for xs in ([0.0, 2.0], [float("nan"), 3.0], [1.5, 2.0, 0.5]):
        assert driver.run(f, (xs,)) == f(xs)
    single = [np.float32(1.5), np.float32(0.1)]
    assert driver.run(f, (single,)) == f(single)
