"""Calls with lists, tuples and dicts: what goes in and comes out without Python's help is what the
general way would make of it, and what is of another type is seen."""

import gc
import sys
import threading
import tracemalloc

import numpy as np
import pytest

import pullback as pb


def dot(xs, ys):
    return sum(x * y for x, y in zip(xs, ys))


@pytest.mark.parametrize("n", [1, 2, 99, 100, 101, 1500])
def test_lists_of_numbers_in_and_out(n):
    xs, ys = [0.5 * i for i in range(n)], [1.0 - i for i in range(n)]
    assert pb.jit(dot)(xs, ys) == dot(xs, ys)
    assert pb.grad(dot, argnums=(0, 1))(xs, ys) == (ys, xs)
    value, gradient = pb.value_and_grad(dot)(xs, ys)
    assert (value, gradient) == (dot(xs, ys), ys)
    assert all(type(x) is float for x in gradient)


def test_lists_of_integers_and_truth_values():
    def chosen(flags, numbers, scale):
        return [scale * k if f else 0.0 for f, k in zip(flags, numbers)], numbers, flags

    flags, numbers = [True, False, True], [3, -(2**62), 7]
    found = pb.jit(chosen)(flags, numbers, 0.5)
    assert found == chosen(flags, numbers, 0.5)
    assert [[type(x) for x in row] for row in found] == [[float] * 3, [int] * 3, [bool] * 3]
    total = pb.grad(lambda s, f, k: sum(chosen(f, k, s)[0]))
    assert total(0.5, flags, numbers) == 10.0


def test_lists_of_other_items_are_seen():
    f = pb.jit(lambda xs: [2 * x for x in xs])
    assert f([1.0, 2.0]) == [2.0, 4.0]
    found = f([1, 2])
    assert found == [2, 4]
    assert [type(x) for x in found] == [int, int]
    found = f([np.float64(1.0), np.float64(2.0)])
    assert [type(x) for x in found] == [np.float64] * 2
    assert f([]) == []
    with pytest.raises(TypeError, match="a list of a float and 'two'"):
        f([1.0, "two"])
    with pytest.raises(OverflowError):
        f([1, 2**70])
    assert f([1.0, 2.0]) == [2.0, 4.0]
    assert f((1.0, 2.0)) == [2.0, 4.0]


def test_a_list_in_a_tuple_and_one_that_is_captured():
    weights = [1.0, 2.0, 3.0]

    def f(pair):
        xs, scale = pair
        return scale * dot(xs, weights)

    gradient = pb.grad(f)
    assert gradient(([1.0, 1.0, 2.0], 2.0)) == ([2.0, 4.0, 6.0], 9.0)
    weights[:] = [0.0, 0.0, 1.0]
    assert gradient(([1.0, 1.0, 2.0], 2.0)) == ([0.0, 0.0, 2.0], 2.0)
    weights[1] = "five"
    with pytest.raises(TypeError):
        gradient(([1.0, 1.0, 2.0], 2.0))


def test_nothing_of_a_list_is_left_behind():
    xs, ys = [float(i) for i in range(200)], [1.0] * 200
    gradient, wrong = pb.grad(dot), [1.0] * 199 + ["one"]
    gradient(xs, ys)
    before = sys.getrefcount(xs), sys.getrefcount(xs[7])

    def rounds(count):
        for _ in range(count):
            gradient(xs, ys)
            with pytest.raises(TypeError):
                gradient(xs, wrong)
        gc.collect()

    rounds(3)
    tracemalloc.start()
    rounds(3)
    first = tracemalloc.get_traced_memory()[0]
    rounds(30)
    assert tracemalloc.get_traced_memory()[0] - first < 20_000
    tracemalloc.stop()
    assert (sys.getrefcount(xs), sys.getrefcount(xs[7])) == before


def test_lists_by_many_threads():
    gradient = pb.grad(dot, argnums=(0, 1))
    wrong = []

    def work(k):
        xs, ys = [float(k)] * (k + 1), [1.0 + k] * (k + 1)
        for _ in range(300):
            if gradient(xs, ys) != (ys, xs):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def product(matrix, vector):
    return [dot(row, vector) for row in matrix]


def test_lists_of_lists_in_and_out():
    matrix, vector = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0.5, -1.0]
    assert pb.jit(product)(matrix, vector) == product(matrix, vector)

    def loss(m, v):
        return sum(product(m, v))

    both = pb.value_and_grad(loss, argnums=(0, 1))
    expected = loss(matrix, vector), ([vector] * 3, [9.0, 12.0])
    for _ in range(3):
        assert both(matrix, vector) == expected
    assert pb.grad(loss)([[1.0], [2.0, 3.0]], [2.0]) == [[2.0], [2.0, 0.0]]
    assert both(matrix, vector) == expected
    with pytest.raises(TypeError):
        both(matrix, [None])
    with pytest.raises(TypeError):
        both(matrix, vector, 1)
    with pytest.raises(TypeError):
        both(matrix)
    assert both(matrix, np.array(vector))[0] == expected[0]
    assert both(matrix, vector) == expected


def test_what_was_compiled_in_is_looked_at():
    mode, weights = "plain", [1.0, 2.0]

    def loss(matrix):
        scale = 1.0 if mode == "plain" else 3.0
        return scale * sum(product(matrix, weights))

    gradient = pb.grad(loss)
    assert gradient([[1.0, 1.0]]) == [[1.0, 2.0]]
    weights = [4.0, 5.0]
    assert gradient([[1.0, 1.0]]) == [[4.0, 5.0]]
    mode = "other"
    assert gradient([[1.0, 1.0]]) == [[12.0, 15.0]]
    mode = "plain"
    assert gradient([[1.0, 1.0]]) == [[4.0, 5.0]]


def test_auxiliary_data_beside_a_gradient():
    def loss(matrix):
        rows = product(matrix, [1.0, 1.0])
        return sum(rows), (rows, len(rows), matrix)

    matrix = [[1.0, 2.0], [3.0, 4.0]]
    ones = [[1.0, 1.0], [1.0, 1.0]]
    beside = ([3.0, 7.0], 2, matrix)
    for _ in range(2):
        assert pb.grad(loss, has_aux=True)(matrix) == (ones, beside)
        assert pb.value_and_grad(loss, has_aux=True)(matrix) == ((10.0, beside), ones)
