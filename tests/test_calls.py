"""Calls with lists, tuples and dicts: what goes in and comes out without Python's help is what the
general way would make of it, and what is of another type is seen."""

import gc
import sys
import threading
import tracemalloc
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.core.waiting import join


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
    assert f([1.0, "two"]) == [2.0, "twotwo"]
    with pytest.raises(TypeError, match="NoneType"):
        f([1.0, None])
    assert f([1.0, "two"] * 300) == [2.0, "twotwo"] * 300
    with pytest.raises(TypeError, match=r"a list of a float and .* more than 64"):
        f([1.0, np.ones(2)] * 300)
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
    with pytest.raises(TypeError, match="can't multiply sequence by non-int of type 'float'"):
        gradient(([1.0, 1.0, 2.0], 2.0))
    weights[1] = memoryview(b"")
    with pytest.raises(pb.PullbackError, match="weights"):
        gradient(([1.0, 1.0, 2.0], 2.0))


def test_nothing_of_a_list_is_left_behind():
    xs, ys = [float(i) for i in range(200)], [1.0] * 200
    gradient, wrong = pb.grad(dot), [1.0] * 199 + [memoryview(b"")]
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
        join(t)
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


def net(params, x):
    w, b = params
    return np.sum(np.tanh(w @ x + b))


def deep(nested, depth=1):
    """Numbers in lists in lists, each as often as it lies deep."""
    s = 0
    for item in nested:
        s += deep(item, depth + 1) if isinstance(item, (list, tuple)) else item * depth
    return s


def told(items, x):
    for item in items:
        match item:
            case "double":
                x = 2.0 * x
            case (k, v):
                x = x * v + k
            case None:
                x = -x
            case _:
                x = x * item
    return x


W, B, X = np.array([[0.1, 0.2], [0.3, -0.4]]), np.array([0.5, -1.0]), np.array([1.0, 2.0])
MIXED: list[tuple[Any, tuple[Any, ...]]] = [
    (net, ([W, B], X)),
    (net, ([W.astype(np.float32), 0.5], X)),
    (deep, ([1.0, [2.0, [3.0]], (4.0, 5.0)],)),
    (deep, ([1, 2.5, [3.0]],)),
    (told, (["double", 2.5, (1, 3.0), None, (2, 2.0), (0.5, 1)], 0.5)),
    (lambda rows, x: sum(w * np.sum(v) for w, v in rows) * x, ([[0.5, B], [2.0, W]], 0.5)),
    (lambda p: p[0] * len(p) + p[-1][0], ([1.5, B],)),
]


@pytest.mark.parametrize(("f", "args"), MIXED)
def test_lists_of_several_types(f: Any, args: Any) -> None:
    """As arguments, packed, and captured; their gradients are lists of the same form."""
    plain = f(*args)
    assert np.isclose(pb.jit(f)(*args), plain)
    pb.check_grads(f, args, rtol=1e-3, atol=1e-3)
    got = pb.grad(f)(*args)
    assert type(got) is list and len(got) == len(args[0])
    assert repr(pb.grad(f, method="dual")(*args)) == repr(got)
    assert repr(pb.unpack(pb.grad(f)(pb.pack(args[0]), *args[1:]))) == repr(got)
    assert np.isclose(pb.jit(lambda *rest: f(args[0], *rest))(*args[1:]), plain)


def scaled(x, *rest, scale, flag=True, **more):
    return np.sum(x * scale) * more.get("k", 1.0) + sum(rest) if flag else scale


NAMED: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((X,), {"scale": 2.0}),
    ((X, 3.0), {"scale": 2.0, "flag": False}),
    ((X, 3.0), {"k": 2.0, "scale": X}),
]


@pytest.mark.parametrize(("args", "named"), NAMED)
def test_arguments_that_only_have_a_name(args: Any, named: Any) -> None:
    def by_position(x, *rest):
        return scaled(x, *rest, **named)

    assert pb.jit(scaled)(*args, **named) == scaled(*args, **named)
    want = pb.grad(by_position)(*args)
    assert np.array_equal(pb.grad(scaled)(*args, **named), want)
    assert np.array_equal(pb.grad(scaled, method="dual")(*args, **named), want)
    assert np.array_equal(pb.jacobian(scaled)(*args, **named), want)


def test_the_derivative_by_an_argument_that_only_has_a_name() -> None:
    def f(x, *, scale, flag=True):
        return scale**2 * x if flag else 0.0

    assert pb.grad(f, "scale")(3.0, scale=2.0) == 12.0
    assert pb.value_and_grad(f, ("x", "scale"))(3.0, scale=2.0) == (12.0, (4.0, 12.0))
    assert pb.hessian(f, "scale")(3.0, scale=2.0) == 6.0
    assert pb.grad(f, "scale", method="chad.monadic")(3.0, scale=2.0) == 12.0
    assert pb.jit(lambda x: pb.grad(f, "scale")(x, scale=2.0))(3.0) == 12.0
    gradient = pb.grad(f)  # the same operator with and without
    assert [gradient(3.0, scale=s, flag=b) for s in (1.0, 2.0) for b in (True, False)] == [
        1.0, 0.0, 4.0, 0.0]  # fmt: skip
    with pytest.raises(TypeError, match="missing a required argument: 'scale'"):
        gradient(3.0)
    with pytest.raises(ValueError, match="no argument is called 'rest': there are x"):
        pb.grad(scaled, "rest")
