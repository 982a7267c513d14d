"""The operators as users meet them: structure, has_aux, pullbacks that live on, errors, nesting."""

import math
import threading
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.core.waiting import join
from tests.programs.records import Body, Point, nested_records


def weighted(x: Any, w: Any) -> Any:
    return np.sum(np.sin(x) * w)


def vector_valued(x: Any, a: Any) -> Any:
    return a * x * x


def with_aux(x: Any) -> Any:
    return x * x, (x, 2.0 * x)


def first_of(x: Any, i: Any) -> Any:
    return x[i] * 2.0


def product_of(x: Any, y: Any) -> Any:
    return np.sum(x * y)


def test_argnums_chooses_the_form_of_the_result() -> None:
    x, w = np.array([0.1, 0.2]), np.array([3.0, 4.0])
    alone = pb.grad(weighted, argnums=1)(x, w)
    both = pb.grad(weighted, argnums=(0, 1))(x, w)
    np.testing.assert_allclose(alone, np.sin(x))
    assert isinstance(both, tuple) and len(both) == 2
    np.testing.assert_allclose(both[0], np.cos(x) * w)
    np.testing.assert_allclose(both[1], np.sin(x))


def test_a_gradient_is_shaped_like_its_argument() -> None:
    body = Body(Point(0.3, 0.4), Point(-1.0, 2.0), 1.5)
    gradient = pb.grad(nested_records)(body, 0.1)
    assert isinstance(gradient, Body) and isinstance(gradient.place, Point)
    assert gradient.place.y == pytest.approx(1.5 * 9.81)


def test_discrete_leaves_get_none() -> None:
    def f(pair: Any) -> Any:
        x, n = pair
        return x * n

    assert pb.grad(f)((2.0, 3)) == (3.0, None)


def test_has_aux() -> None:
    assert pb.grad(with_aux, has_aux=True)(3.0) == (6.0, (3.0, 6.0))
    assert pb.value_and_grad(with_aux, has_aux=True)(3.0) == ((9.0, (3.0, 6.0)), 6.0)


def test_check_grads_accepts_a_right_gradient() -> None:
    pb.check_grads(weighted, (np.array([0.1, 0.2]), np.array([3.0, 4.0])))


def test_a_pullback_lives_on() -> None:
    """Called twice, after the arguments were overwritten, with other cotangents."""
    x, a = np.array([1.0, 2.0, 3.0]), 2.0
    out, pullback = pb.vjp(vector_valued, x, a)
    expected = [(2 * a * x * ct, float(np.sum(x * x * ct))) for ct in np.eye(3)]
    x[:] = np.nan
    np.testing.assert_allclose(out, [2.0, 8.0, 18.0])
    for ct, (dx, da) in zip(np.eye(3), expected):
        found = pullback(ct)
        np.testing.assert_allclose(found[0], dx)
        assert found[1] == pytest.approx(da)


def test_a_pullback_in_two_threads() -> None:
    n = 2000
    x = np.linspace(0.0, 1.0, n)
    _, pullback = pb.vjp(vector_valued, x, 2.0)
    wrong: list[int] = []

    def work(which: int) -> None:
        ct = np.full(n, float(which))
        for _ in range(200):
            if not np.allclose(pullback(ct)[0], 4.0 * x * ct):
                wrong.append(which)

    threads = [threading.Thread(target=work, args=(which,)) for which in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        join(thread)
    assert wrong == []


def test_gradients_share_no_memory() -> None:
    x = np.array([1.0, 2.0])
    dx, dy = pb.grad(product_of, argnums=(0, 1))(x, x)
    assert not np.shares_memory(dx, dy)
    assert not np.shares_memory(dx, x) and not np.shares_memory(dy, x)
    np.testing.assert_allclose(dx, x)
    np.testing.assert_allclose(dy, x)


def test_a_gradient_inside_a_gradient() -> None:
    def inner(x: float, y: float) -> float:
        return x * x * math.sin(y)

    def outer(y: float) -> float:
        return pb.grad(inner)(1.5, y) * y

    expected = 3.0 * (math.sin(0.7) + 0.7 * math.cos(0.7))
    assert pb.grad(outer)(0.7) == pytest.approx(expected, rel=1e-12)


def test_forward_inside_reverse_is_free_of_confusion() -> None:
    def outer(x: float) -> float:
        return x * pb.jvp(lambda y: x + y, (1.0,), (1.0,))[1]

    assert pb.grad(outer)(3.0) == 1.0


def test_the_result_of_jvp() -> None:
    out, tangent = pb.jvp(weighted, (np.array([0.5]), np.array([2.0])), (np.ones(1), np.zeros(1)))
    assert out == pytest.approx(2.0 * math.sin(0.5))
    assert tangent == pytest.approx(2.0 * math.cos(0.5))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: pb.grad(weighted)("text", np.ones(2)), TypeError),
        (lambda: pb.grad(vector_valued)(np.ones(2), 1.0), TypeError),
        (lambda: pb.grad(first_of, argnums=1)(np.ones(2), 0), TypeError),
        (lambda: pb.grad(first_of)(np.ones(2), 5), IndexError),
        (lambda: pb.jit(first_of)(np.ones(2), -3), IndexError),
        (lambda: pb.jit(weighted)(np.ones(2), np.ones(3)), ValueError),
        (lambda: pb.grad(weighted)(np.ones(2)), TypeError),
    ],
)
def test_mistakes_raise_what_python_raises(call: Any, error: type[Exception]) -> None:
    """And nothing is left broken behind."""
    with pytest.raises(error):
        call()
    assert pb.grad(first_of)(np.ones(2), 1).tolist() == [0.0, 2.0]


def test_domain_errors_are_pythons() -> None:
    def root(x: float) -> float:
        return math.sqrt(x)

    def inverse(x: float) -> float:
        return 1.0 / x

    for f, x in ((root, -1.0), (inverse, 0.0)):
        with pytest.raises((ValueError, ZeroDivisionError)) as expected:
            f(x)
        with pytest.raises(expected.type):
            pb.jit(f)(x)


def test_a_refusal_shows_the_place_the_reason_and_the_way_out() -> None:
    def refused(x: float) -> float:
        try:
            return 1.0 / x
        except ZeroDivisionError as error:
            return float(error.args[0])

    with pytest.raises(pb.PullbackError) as caught:
        pb.grad(refused)(2.0)
    shown = str(caught.value)
    assert "test_operators.py:" in shown
    assert "return float(error.args[0])" in shown
    assert "^" in shown


def test_where_an_update_of_an_argument_is_refused_it_is_kept() -> None:
    def spoil(x: Any) -> Any:
        x[0] = 2.0
        return np.sum(x)

    x = np.ones(3)
    with pytest.raises(pb.PullbackError):
        pb.vmap(spoil)(x.reshape(1, 3))
    assert x.tolist() == [1.0, 1.0, 1.0]


def test_new_values_of_globals_and_cells_are_seen() -> None:
    def make(scale: float) -> Any:
        return lambda x: scale * x * x

    assert [pb.grad(make(scale))(1.0) for scale in (1.0, 2.5, -3.0)] == [2.0, 5.0, -6.0]


@pytest.mark.parametrize("n", [1, 2, 5])
def test_cotangents_of_another_shape_inside_compiled_code(n: int) -> None:
    """They are memory that is read by the shape of another array."""

    def pulled(x: Any, y: Any) -> Any:
        return np.sum(pb.vjp(lambda a: a * a, x)[1](y)[0])

    def pushed(x: Any, y: Any) -> Any:
        return np.sum(pb.jvp(lambda a: a * a, (x,), (y,))[1])

    for f in (pulled, pushed):
        assert pb.jit(f)(np.ones(3), np.ones(3)) == 6.0
        for operator in (f, pb.jit(f), pb.grad(f)):
            with pytest.raises(ValueError, match="shape"):
                operator(np.ones(3), np.ones(n))
