"""Jacobians, Hessians and their products, outside and inside of compiled code: values against the
operators that they are made of, forms against JAX's layout."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import pullback as pb
from tests import campaign

X = np.array([0.3, -0.7, 1.1, 0.4])
W = np.array([[0.5, -1.0, 2.0, 0.25], [1.5, 0.75, -0.5, 1.0]])
V = np.array([1.0, 0.5, -0.25, 2.0])


def layer(w: Any, x: Any) -> Any:
    return np.tanh(w @ x)


def energy(x: Any) -> Any:
    return np.sum(x[1:] * np.sin(x[:-1])) + x[0] ** 3


def columns(f: Any, x: Any) -> Any:
    return np.stack([pb.jvp(f, (x,), (e,))[1] for e in np.eye(len(x))], axis=-1)


def gradients(x: Any) -> Any:
    return np.stack([pb.jvp(pb.grad(energy), (x,), (e,))[1] for e in np.eye(len(x))])


@pytest.mark.parametrize("operator", [pb.jacfwd, pb.jacrev, pb.jacobian])
def test_jacobians_have_the_axes_of_the_result_first(operator: Any) -> None:
    by_x = operator(layer, 1)(W, X)
    assert by_x.shape == (2, 4)
    np.testing.assert_allclose(by_x, columns(lambda x: layer(W, x), X), rtol=1e-13)
    both = operator(layer, (0, "x"))(W, X)
    assert isinstance(both, tuple) and both[0].shape == (2, 2, 4)
    np.testing.assert_allclose(both[1], by_x, rtol=1e-13)
    for k in range(2):
        expected = pb.grad(lambda w, k=k: layer(w, X)[k])(W)
        np.testing.assert_allclose(both[0][k], expected, rtol=1e-13)
    by_name = operator(layer, "x")(w=W, x=X)
    np.testing.assert_allclose(by_name, by_x, rtol=1e-13)


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclass(frozen=True)
class Model:
    weights: Any
    scale: float
    name: str


def predictions(model: Model, x: Any) -> Any:
    y = model.scale * (model.weights @ x)
    return {"mean": np.sum(y), "all": Pair(y, (len(x), y * y))}


@pytest.mark.parametrize("operator", [pb.jacfwd, pb.jacrev])
def test_structures_are_the_result_s_outside_and_the_argument_s_inside(operator: Any) -> None:
    model = Model(W, 2.0, "linear")
    found = operator(predictions)(model, X)
    assert list(found) == ["mean", "all"] and isinstance(found["all"], Pair)
    mean, left, (size, right) = found["mean"], found["all"].left, found["all"].right
    assert size is None and all(isinstance(v, Model) for v in (mean, left, right))
    assert mean.name is None and np.shape(mean.scale) == ()
    np.testing.assert_allclose(mean.weights, np.broadcast_to(2.0 * X, (2, 4)))
    np.testing.assert_allclose(left.scale, W @ X)
    assert left.weights.shape == (2, 2, 4)
    np.testing.assert_allclose(right.scale, 4.0 * (W @ X) ** 2)


def test_scalars_and_short_floats() -> None:
    assert pb.jacfwd(math.sin)(0.5) == pb.jacrev(math.sin)(0.5) == math.cos(0.5)
    assert pb.hessian(lambda x: x**3)(2.0) == 12.0
    short = pb.jacfwd(np.tanh)(X.astype(np.float32))
    assert short.dtype == np.float32 and short.shape == (4, 4)
    assert pb.hessian(energy)(X.astype(np.float32)).dtype == np.float32
    assert pb.jacrev(np.tanh)(np.zeros(0)).shape == (0, 0)


def test_hessians_and_their_products() -> None:
    expected = gradients(X)
    np.testing.assert_allclose(pb.hessian(energy)(X), expected, rtol=1e-13)
    for operator in (pb.hvp, pb.vhp):
        (found,) = operator(energy, (X,), (V,))
        np.testing.assert_allclose(found, expected @ V, rtol=1e-13)
    found = pb.hvp(lambda n, x, y: n * x * y * y, (3, 2.0, 5.0), (None, 1.0, None))
    assert found == (None, 0.0, 30.0)
    blocks = pb.hessian(lambda x, y: np.sum(x) * y * y, (0, 1))(X, 2.0)
    np.testing.assert_allclose(blocks[0][1], np.full(4, 4.0))
    np.testing.assert_allclose(blocks[1][0], np.full(4, 4.0))
    assert blocks[0][0].shape == (4, 4) and blocks[1][1] == 2.0 * np.sum(X)


def test_has_aux() -> None:
    def f(x: Any) -> Any:
        return np.sum(x**3), {"n": len(x), "y": x * x}

    for operator, expected in (
        (pb.jacfwd, 3.0 * X**2), (pb.jacrev, 3.0 * X**2), (pb.jacobian, 3.0 * X**2),
        (pb.hessian, np.diag(6.0 * X)),
    ):  # fmt: skip
        found, aux = operator(f, has_aux=True)(X)
        np.testing.assert_allclose(found, expected)
        assert aux["n"] == 4 and np.allclose(aux["y"], X * X)


def test_linearize() -> None:
    x = X.copy()
    out, along = pb.linearize(layer, W, x)
    x[:] = 0.0
    np.testing.assert_allclose(out, layer(W, X), rtol=1e-15)
    np.testing.assert_allclose(along(None, V), pb.jvp(layer, (W, X), (None, V))[1])
    np.testing.assert_allclose(along(W, x), pb.jvp(layer, (W, X), (W, x))[1])


HESSIAN = pb.hessian(energy)


def newton(x: Any) -> Any:
    for _ in range(2):
        x = x - np.linalg.solve(pb.hessian(energy)(x) + 5.0 * np.eye(4), pb.grad(energy)(x))
    return np.sum(x * x)


def all_inside(x: Any) -> Any:
    out, along = pb.linearize(layer, W, x)
    rows = pb.jacobian(layer, 1)(W, x)
    curved = pb.hvp(energy, (x,), (V,))[0] - pb.vhp(energy, (x,), (V,))[0]
    return np.sum(along(None, x) - rows @ x) + np.sum(HESSIAN(x) @ x) + np.sum(curved) + out[0]


def test_inside_of_compiled_and_differentiated_code() -> None:
    expected = np.sum(gradients(X) @ X) + layer(W, X)[0]
    assert pb.jit(all_inside)(X) == pytest.approx(expected, rel=1e-12)
    pb.check_grads(all_inside, (X,))
    pb.check_grads(newton, (X,))


@dataclass(frozen=True)
class End:
    value: float


@dataclass(frozen=True)
class Row:
    here: np.ndarray
    rest: Row | End


def summed(row: Row | End, xs: list[float]) -> Any:
    match row:
        case End(v):
            return [v * xs[0], xs[1]]
        case Row(here, rest):
            found = summed(rest, xs)
            return [found[0] + np.sum(here), found[1] * here[0]]


@pytest.mark.parametrize("operator", [pb.jacfwd, pb.jacrev, pb.jacobian])
def test_trees_and_lists_of_any_length(operator: Any) -> None:
    row = Row(np.array([1.0, 2.0]), Row(np.array([3.0]), End(4.0)))
    by_row, by_list = operator(summed, (0, "xs"))(row, [0.5, 2.0])[1]
    assert isinstance(by_row, Row) and isinstance(by_row.rest, Row)
    np.testing.assert_allclose(by_row.here, [6.0, 0.0])
    np.testing.assert_allclose(by_row.rest.here, [2.0])
    assert isinstance(by_row.rest.rest, End) and by_row.rest.rest.value == 0.0
    assert by_list == [0.0, 3.0]
    squares = operator(lambda xs: [x * x for x in xs])([1.0, 3.0])
    assert squares == [[2.0, 0.0], [0.0, 6.0]]
    records = operator(lambda ps: np.stack([p.value * ps[0].value for p in ps]))
    found = records([End(2.0), End(3.0)])
    np.testing.assert_allclose([p.value for p in found], [[4.0, 3.0], [0.0, 2.0]])


def test_hessians_by_trees_and_lists() -> None:
    def product(row: Row | End, xs: list[float]) -> float:
        match row:
            case End(v):
                return v * v * xs[0]
            case Row(here, rest):
                return np.sum(here * here) * product(rest, xs)

    row = Row(np.array([1.0, 2.0]), End(3.0))
    by_row, by_list = pb.hessian(product, (0, 1))(row, [0.5])
    np.testing.assert_allclose(by_row.here[0].here, 9.0 * np.eye(2))
    np.testing.assert_allclose(by_row.here[0].rest.value, [6.0, 12.0])
    assert by_row.rest.value[0].rest.value == 5.0
    np.testing.assert_allclose(by_list[0][0].here, [18.0, 36.0])
    assert by_list[0][0].rest.value == 30.0 and by_list[0][1] == [0.0]


def test_what_does_not_fit_into_memory_is_refused_before_it_starts() -> None:
    large = np.zeros(10**7)
    with pytest.raises(MemoryError, match=r"100000000000000 derivatives .*pb\.sparse_hessian, or"):
        pb.hessian(energy)(large)
    for operator in (pb.jacfwd, pb.jacrev, pb.jacobian):
        with pytest.raises(MemoryError, match=r"do not fit into memory: use pb\.sparse_jacobian"):
            operator(lambda x: x[1:] * x[:-1])(large)
    with pytest.raises(MemoryError, match=r"products by pb\.hvp"):
        pb.jit(lambda x: np.sum(pb.hessian(energy)(x)))(large)


MISUSED: list[tuple[Any, type[Exception], str]] = [
    (lambda: pb.jacfwd(layer, 2)(W, X), TypeError, r"argnums=2 with 2 arguments given"),
    (lambda: pb.jacrev(layer, "z")(W, X), ValueError, r"no argument is called 'z': there are w, x"),
    (lambda: pb.grad(energy, "z")(X), ValueError, r"no argument is called 'z'"),
    (lambda: pb.hessian(energy, 0.5)(X), TypeError, r"argnums is a number or a name"),
    (lambda: pb.hessian(energy(X)), TypeError, r"pb\.hessian is applied to a function"),
    (lambda: pb.hvp(layer, (W, X), (W, X)), TypeError, r"pb\.hvp: the gradient of a function that"),
    (lambda: pb.hvp(energy), TypeError, r"missing a required argument: 'primals'"),
    (lambda: pb.hvp(energy, X, X), TypeError, r"a tuple with one value for each argument"),
    (lambda: pb.vhp(energy, (X,), (X, X)), TypeError, r"1 primals and 2 vectors"),
    (lambda: pb.jacfwd(math.gamma)(3), TypeError, r"pb\.jacfwd: an argument is an int"),
    (lambda: pb.hvp(energy, (X,), (X[1:],)), ValueError, r"another shape"),
    (
        lambda: pb.jit(lambda x: pb.jacfwd(lambda x: [k * x for k in range(len(x))])(x))(X),
        pb.UnsupportedError, r"a list of arrays of float64, rank 1 as a part of a structure",
    ),
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(MISUSED)))
def test_misuse_names_the_operator(k: int) -> None:
    call, error, message = MISUSED[k]
    with pytest.raises(error, match=message) as caught:
        call()
    assert "api/" not in str(caught.value)


def wrong_inside(x: Any) -> Any:
    return pb.jacfwd(energy, 3)(x)


def scaled(x: Any, scale: Any = 1.0, shift: float = 0.5) -> Any:
    return np.sum((x + shift) ** 3) * scale


def with_keywords(x: Any) -> Any:
    curved = np.sum(pb.hessian(scaled)(x=x, scale=x[0]) @ x) + pb.jacrev(scaled, 1)(x, shift=0.1)
    mapped = pb.vmap(pb.jacfwd(pb.jacrev(scaled, "x"), "x"), in_axes=(0, None, None))
    rows = mapped(W, scale=2.0)
    slope = pb.jacobian(scaled, "shift")(x, shift=x[1]) + np.sum(pb.grad(scaled)(x, shift=0.2))
    return curved + np.sum(rows) + slope


def test_keywords_are_those_of_the_function_inside_too() -> None:
    assert pb.jit(with_keywords)(X) == pytest.approx(with_keywords(X), rel=1e-13)
    pb.check_grads(with_keywords, (X,))


def test_inside_it_is_refused_where_the_user_calls() -> None:
    with pytest.raises(TypeError) as caught:
        pb.jit(wrong_inside)(X)
    assert "pb.jacfwd, which is called here: argnums=3" in str(caught.value)
    assert "return pb.jacfwd(energy, 3)(x)" in str(caught.value)
    assert "argnums=0" in str(caught.value)


def maybe(x: Any) -> Any:
    return 2.0 * x if np.sum(x) > 0.0 else None


def not_read(x: Any) -> Any:
    return open("file").read() and x


OUTSIDE: list[tuple[str, Any]] = [
    ("jacobian", lambda f: pb.jacobian(f)(X)),
    ("jacrev", lambda f: pb.jacrev(f)(X)),
    ("hessian", lambda f: pb.hessian(f)(X)),
    ("hessian", lambda f: pb.vjp(pb.hessian(f), X)),
    ("hessian", lambda f: pb.jit(pb.hessian(f))(X)),
    ("hessian", lambda f: pb.hessian(pb.hessian(f))(X)),
    ("hvp", lambda f: pb.hvp(f, (X,), (X,))),
    ("vmap", lambda f: pb.vmap(f)(np.ones((2, 3)))),
    ("vmap", lambda f: pb.vmap(pb.grad(f))(np.ones((2, 3)))),
    ("jet", lambda f: pb.jet(f, (X, X), ((X,), (X,)))),
]


@pytest.mark.parametrize("k", campaign.part("values", range(len(OUTSIDE)), 3))
def test_outside_the_users_function_is_named(k: int) -> None:
    name, call = OUTSIDE[k]
    with pytest.raises(pb.PullbackError) as caught:
        call(maybe)
    error = caught.value
    assert error.reason.startswith(f"pb.{name}: ")
    assert error.site is not None and error.site.function == "maybe"
    assert "def maybe(x: Any)" in str(error) and "pullback/" not in str(error)


@pytest.mark.parametrize("k", campaign.part("values", range(len(OUTSIDE)), 3))
def test_all_problems_are_in_the_users_function(k: int) -> None:
    with pytest.raises(pb.PullbackError) as caught:
        OUTSIDE[k][1](not_read)
    for error in (caught.value, *caught.value.others):
        assert error.site is not None and error.site.function == "not_read"
