"""The public names of ``pullback``, and the errors for names that it does not have yet."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest

import pullback as pb
from pullback.absent import ABSENT

X = np.array([0.5, -1.0, 2.0])
V = np.array([1.0, 0.5, -0.25])


def f(x):
    return np.sum(x**3) + x[0] * x[1]


def g(x):
    return np.stack([x[0] * x[1], np.sin(x[2])])


MISSING = sorted(set(ABSENT) - set(pb.__all__))
"""Names that have a row and are not public yet."""

JACOBIAN = np.array([[-1.0, 0.5, 0.0], [0.0, 0.0, math.cos(2.0)]])
HESSIAN = np.array([[3.0, 1.0, 0.0], [1.0, -6.0, 0.0], [0.0, 0.0, 12.0]])


def test_the_public_names():
    names = dir(pb)
    assert set(pb.__all__) <= set(names)
    assert [n for n in names if inspect.ismodule(getattr(pb, n))] == ["interop"]
    space: dict[str, object] = {}
    exec("from pullback import *", space)
    assert set(pb.__all__) == set(space) - {"__builtins__"}


@pytest.mark.parametrize("name", MISSING)
def test_what_is_not_there_says_what_to_write(name):
    assert not hasattr(pb, name)
    with pytest.raises(AttributeError) as caught:
        getattr(pb, name)
    assert str(caught.value) == f"pb.{name} is not there yet\n  Instead: {ABSENT[name]}"


def test_an_unknown_name_is_an_attribute_error_as_usual():
    with pytest.raises(AttributeError, match=r"^module 'pullback' has no attribute 'gradd'$"):
        pb.gradd  # noqa: B018  # the access raises
    with pytest.raises(ImportError):
        exec("from pullback import gradd")


def test_inside_compiled_code_it_is_refused():
    def inside(x):
        return pb.tree_map(f, x)  # type: ignore[attr-defined]  # it is absent

    with pytest.raises(pb.PullbackError, match=r"pb\.tree_map is not there yet") as caught:
        pb.jit(inside)(X)
    assert caught.value.rewrite == ABSENT["tree_map"]
    assert isinstance(caught.value, AttributeError)


def test_jacobians():
    columns = np.stack([pb.jvp(g, (X,), (e,))[1] for e in np.eye(len(X))], axis=-1)
    out, back = pb.vjp(g, X)
    rows = np.stack([back(e)[0] for e in np.eye(len(out))])
    linear = lambda t: pb.jvp(g, (X,), (t,))[1]
    assert np.allclose(columns, JACOBIAN) and np.allclose(rows, JACOBIAN)
    assert np.allclose(linear(V), JACOBIAN @ V)


def test_hessians():
    def inside(x):
        return np.stack([pb.jvp(pb.grad(f), (x,), (e,))[1] for e in np.eye(len(x))])

    assert np.allclose(inside(X), HESSIAN) and np.allclose(pb.jit(inside)(X), HESSIAN)
    assert np.allclose(pb.jvp(pb.grad(f), (X,), (V,))[1], HESSIAN @ V)
    second = pb.jvp(lambda x: pb.jvp(lambda y: y**3, (x,), (1.0,))[1], (2.0,), (1.0,))
    assert second == (12.0, 12.0)


def test_maps():
    rows = np.stack([X, V])
    assert np.allclose(pb.map(f, rows), [f(X), f(V)])
    assert np.allclose(pb.jit(lambda xs: np.stack([f(x) for x in xs]))(rows), [f(X), f(V)])
    found = pb.jit(lambda xs: np.array([pb.grad(lambda y: y**3)(x) for x in xs]))(X)
    assert np.allclose(found, 3.0 * X**2)


def test_rules_of_ones_own():
    def rounded(x):
        value, derivative = np.round(x), 2.0
        return pb.stop_gradient(value) + pb.stop_gradient(derivative) * (x - pb.stop_gradient(x))

    assert pb.value_and_grad(rounded)(np.float64(1.3)) == (1.0, 2.0)


def solve(x):
    y = 1.0
    for _ in range(60):
        y = y - (y**3 + y - x) / (3.0 * y**2 + 1.0)
    return y


def test_implicit_functions():
    def equation(y, x):
        return y**3 + y - x

    def root(x):
        y = pb.stop_gradient(solve(x))
        return y - equation(y, x) / pb.grad(equation)(y, x)

    def step(y, x):
        return math.cos(y) * x

    def fixed(x):
        y = 0.5
        for _ in range(200):
            y = step(y, x)
        y = pb.stop_gradient(y)
        return y - (y - step(y, x)) / (1.0 - pb.grad(step)(y, x))

    y, dy = pb.value_and_grad(root)(3.0)
    assert math.isclose(y**3 + y, 3.0) and math.isclose(dy, 1.0 / (3.0 * y**2 + 1.0))
    z, dz = pb.value_and_grad(fixed)(0.8)
    assert math.isclose(z, math.cos(z) * 0.8)
    assert math.isclose(dz, math.cos(z) / (1.0 + 0.8 * math.sin(z)))


