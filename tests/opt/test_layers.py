"""Layers in lists, however the program goes through them: their products are BLAS's, and a list
costs what a tuple costs."""

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.call import driver
from pullback.call.request import Request, What
from pullback.core.terms import Prim
from pullback.core.thresholds import LIMITS
from pullback.core.traverse import all_lets

RNG = np.random.default_rng(29)


@dataclass(frozen=True)
class Layer:
    w: np.ndarray
    b: np.ndarray


class Dense:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def __call__(self, x):
        return np.tanh(x @ self.w + self.b)


def tuples(params, x):
    for w, b in params:
        x = np.tanh(x @ w + b)
    return np.sum(x * x)


def dicts(params, x):
    for p in params:
        x = np.tanh(x @ p["w"] + p["b"])
    return np.sum(x * x)


def records(params, x):
    for p in params:
        x = np.tanh(x @ p.w + p.b)
    return np.sum(x * x)


def objects(params, x):
    for layer in params:
        x = layer(x)
    return np.sum(x * x)


def counted(params, x):
    i = 0
    while i < len(params):
        w, b = params[i]
        x = np.tanh(x @ w + b)
        i += 1
    return np.sum(x * x)


def reduced(params, x):
    x = functools.reduce(lambda x, p: np.tanh(x @ p[0] + p[1]), params, x)
    return np.sum(x * x)


def recursive(params, x):
    def through(x, i):
        if i == len(params):
            return x
        w, b = params[i]
        return through(np.tanh(x @ w + b), i + 1)

    y = through(x, 0)
    return np.sum(y * y)


def in_arms(params, x):
    for i, (w, b) in enumerate(params):
        x = np.tanh(x @ w + b) if i % 2 == 0 else np.tanh((w.T @ x.T).T + b)
    return np.sum(x * x)


def layers(*sizes):
    return [
        (RNG.normal(size=(n, m)) * 0.2, RNG.normal(size=m))
        for n, m in itertools.pairwise(sizes)
    ]


FORMS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "tuples": (tuples, lambda w, b: (w, b)),
    "dicts": (dicts, lambda w, b: {"w": w, "b": b}),
    "records": (records, Layer),
    "objects": (objects, Dense),
    "counted": (counted, lambda w, b: (w, b)),
    "reduced": (reduced, lambda w, b: (w, b)),
    "recursive": (recursive, lambda w, b: (w, b)),
    "in_arms": (in_arms, lambda w, b: (w, b)),
}

LARGE, SMALL = layers(40, 30, 20, 30), layers(4, 3, 5)
X = RNG.normal(size=(25, 40))


def by_hand(params, x):
    """The loss and its gradients by all matrices and biases."""
    ys = [x]
    for w, b in params:
        ys.append(np.tanh(ys[-1] @ w + b))
    loss, ct, grads = np.sum(ys[-1] ** 2), 2.0 * ys[-1], []
    for (w, _), before, y in zip(params[::-1], ys[-2::-1], ys[:0:-1], strict=True):
        d = ct * (1.0 - y * y)
        grads.append((before.T @ d, d.sum(axis=0)))
        ct = d @ w.T
    return loss, grads[::-1]


def parts(layer: Any) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(layer, dict):
        return layer["w"], layer["b"]
    return tuple(layer) if isinstance(layer, tuple | list) else (layer.w, layer.b)


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_a_product(name: str) -> None:
    f, form = FORMS[name]
    for params, x in ((LARGE, X), (SMALL, X[:6, :4]), (LARGE[:1], X), (LARGE, X[:0])):
        loss, grads = by_hand(params, x)
        args = [form(*p) for p in params], x
        found, (back,) = driver.gradient(f, args, (0,), "native")
        assert np.isclose(found, loss, rtol=1e-12)
        assert len(back) == len(params)
        for got, want in zip(back, grads, strict=True):
            for a, b in zip(parts(got), want, strict=True):
                assert np.allclose(a, b, rtol=1e-11, atol=1e-12)
    request = Request(What.VALUE_AND_GRADIENT, (0,))
    program = driver.using(f, args, request, lambda _, unit: unit.program(True))
    lets = [let for g in program.functions.values() for let in all_lets(g.body)]
    assert sum(isinstance(x.op, Prim) and x.op.name == "product" for x in lets) >= 3


@pytest.mark.parametrize("what", [What.VALUE, What.GRADIENT])
def test_a_list_takes_the_steps_of_a_tuple(what: What) -> None:
    """The data need no cotangent in either: that product of the first layer is left out."""
    request = Request(what, (0,)) if what is What.GRADIENT else Request(what)
    few, x = layers(20, 8, 5), RNG.normal(size=(110, 20))
    took = driver.steps(tuples, (few, x), request)
    assert took <= 1.1 * driver.steps(tuples, (tuple(few), x), request)
    assert took <= 1.1 * driver.steps(recursive, (few, x), request)


def test_the_evaluator_and_both_methods_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(params, x):
        for i, (w, b) in enumerate(params):
            x = np.tanh(x @ w + b) if i % 2 == 0 else np.tanh((w.T @ x.T).T + b)
        return np.sum(x * x)

    monkeypatch.setattr(LIMITS, "product", 100)
    for params, x in ((layers(5, 6, 4), X[:7, :5]), (layers(3, 2, 2), X[:4, :3])):
        loss, grads = by_hand(params, x)
        for tier, method in (("native", "dual"), ("eval", "chad"), ("eval", "dual")):
            value, (found,) = driver.gradient(f, (params, x), (0,), tier, method)
            assert np.isclose(value, loss, rtol=1e-12)
            for got, want in zip(found, grads, strict=True):
                for a, b in zip(got, want, strict=True):
                    assert np.allclose(a, b, rtol=1e-11, atol=1e-11)


def test_derivatives_of_other_orders() -> None:
    params = layers(40, 30, 20)
    v = [(RNG.normal(size=w.shape), RNG.normal(size=b.shape)) for w, b in params]
    g = pb.grad(tuples)
    back = g(params, X)
    _, tangent = pb.jvp(tuples, (params, X), (v, None))
    pairs = [ab for p, q in zip(back, v, strict=True) for ab in zip(p, q, strict=True)]
    assert np.isclose(tangent, sum(np.sum(a * b) for a, b in pairs), rtol=1e-10)
    second = pb.jvp(g, (params, X), (v, None))[1]
    h = 1e-6
    ends = [
        g([(w + s * h * dw, b + s * h * db) for (w, b), (dw, db) in zip(params, v, strict=True)], X)
        for s in (1, -1)
    ]
    for k, layer in enumerate(second):
        for j, found in enumerate(layer):
            want = (ends[0][k][j] - ends[1][k][j]) / (2 * h)
            assert np.allclose(found, want, rtol=1e-4, atol=1e-4 * np.max(np.abs(want)))


def test_matrices_of_a_stack() -> None:
    """Parts of an array of rank three, read at an index from outside of the product."""

    def f(ws, xs):
        h = xs[0] * 0.0 + 0.1
        for k in range(len(ws)):
            h = np.tanh(h @ ws[k] + xs[k] @ ws[k].T)
        return np.sum(h)

    ws, xs = RNG.normal(size=(3, 30, 30)) * 0.1, RNG.normal(size=(3, 25, 30))
    assert pb.show(f, ws, xs).count("= product ") == 2
    for count in (25, 4):  # above and below the size
        value, back = pb.value_and_grad(f, argnums=(0, 1))(ws, xs[:, :count])
        assert np.isclose(value, f(ws, xs[:, :count]), rtol=1e-12)
        v = RNG.normal(size=ws.shape)
        h = 1e-6
        ends = [f(ws + s * h * v, xs[:, :count]) for s in (1, -1)]
        assert np.isclose(np.sum(back[0] * v), (ends[0] - ends[1]) / (2 * h), rtol=1e-6)


def test_what_is_made_of_the_elements_stands_in_both_arms() -> None:
    """So small matrices keep one loop for the sums and what is made of them."""
    text = pb.show(tuples, LARGE, X)
    small = text[text.index("else", text.index("= product ")) :]
    small = small[: small.index("return a")]
    assert (small.count("build "), small.count("sum "), small.count("tanh ")) == (1, 1, 1)


def test_a_product_is_computed_before_its_matrix_changes() -> None:
    def f(x, w, n):
        total = 0.0
        for _ in range(n):
            a = x @ w
            x[0, 0] = 2.0 * x[0, 0]
            y = a + 1.0
            total = total + np.sum(y * y)
        return total

    for count in (25, 3):
        x, w = RNG.normal(size=(count, 30)), RNG.normal(size=(30, 30))
        value, (dx, dw) = pb.value_and_grad(lambda x, w: f(x.copy(), w, 3), argnums=(0, 1))(x, w)
        assert np.isclose(value, f(x.copy(), w, 3), rtol=1e-12)
        for at, back in (((0, 0), dx), ((1, 2), dx)):
            e = np.zeros_like(x)
            e[at] = 1e-6
            ends = [f(x + s * e, w, 3) for s in (1, -1)]
            assert np.isclose(back[at], (ends[0] - ends[1]) / 2e-6, rtol=1e-4)
        assert dw.shape == w.shape


def test_errors_come_in_the_order_of_the_program() -> None:
    bad = [LARGE[0], (LARGE[1][0], np.ones(7)), LARGE[2]]
    for params in (bad, [LARGE[0], LARGE[2]]):
        with pytest.raises(ValueError):
            tuples(params, X)
        for g in (pb.jit(tuples), pb.grad(tuples)):
            with pytest.raises(ValueError):
                g(params, X)


def test_a_pattern_sees_single_elements_in_loops_and_functions() -> None:
    def deep(x, w, n):
        return x if n == 0 else deep(np.outer(x @ np.ones((20, 1)), np.ones(40)) @ w, w, n - 1)

    w = RNG.normal(size=(40, 20))

    def f(v, w):
        x = np.outer(v, np.ones(20))
        for _ in range(2):
            x = (x * 0.5) @ np.eye(20)
        return deep(x, w, 1).ravel()

    v = RNG.normal(size=40)
    found = pb.sparse_jacobian(f)(v, w)
    assert found.nnz == 40 * 20
    assert np.allclose(found.toarray(), pb.jacobian(f)(v, w), rtol=1e-11)


def test_networks_side_by_side() -> None:
    """Where a function is mapped, its small products are in lanes or chunks of a parallel loop."""
    xs = RNG.normal(size=(7, 25, 40))
    found = pb.vmap(tuples, in_axes=(None, 0))(LARGE, xs)
    assert np.allclose(found, [tuples(LARGE, x) for x in xs], rtol=1e-12)


def test_directions_of_a_derivative_are_in_lanes() -> None:
    """So a Jacobian of small layers takes no longer for what large ones would gain."""

    def f(x, params):
        y = x.reshape(4, 6)
        for w, b in params:
            y = np.tanh(y @ w + b)
        return y.ravel()

    args = RNG.normal(size=24), layers(6, 6, 6)
    assert "product" not in pb.show(pb.jacobian(f), *args)
    assert "product" in pb.show(f, *args)
