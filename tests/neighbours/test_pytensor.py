"""``pb.interop.pytensor``: operations with gradients, in graphs and in models of PyMC."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.gradient import Rop

import pullback as pb

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import pymc as pm

as_op = pb.interop.pytensor.as_op
X = np.random.default_rng(0).normal(size=5)


def path(x, k):
    y = 0.0
    for v in x:
        y = math.sin(y + k * v)
    return y * k


def test_a_value_and_gradients_in_a_graph() -> None:
    x, k = pt.dvector("x"), pt.dscalar("k")
    y = as_op(path)(x * 2.0, k)
    assert y.type.dtype == "float64" and y.type.ndim == 0
    f = pytensor.function([x, k], [y, *pt.grad(pt.exp(y), [x, k])])
    value, by_x, by_k = f(X, 0.7)
    wanted, (gx, gk) = pb.value_and_grad(lambda x, k: math.exp(path(x * 2.0, k)), (0, 1))(X, 0.7)
    assert math.exp(value) == pytest.approx(wanted)
    np.testing.assert_allclose(by_x, gx, rtol=1e-12)
    assert by_k == pytest.approx(gk)


def test_the_second_derivative() -> None:
    x = pt.dvector("x")
    found = pytensor.function([x], pt.hessian(as_op(lambda x: path(x, 0.7))(x), x))(X)
    np.testing.assert_allclose(found, pb.hessian(lambda x: path(x, 0.7))(X), rtol=1e-11)


def test_several_results_and_ints() -> None:
    def both(x, n):
        return x**2 * n, np.sum(x) + n

    x, n = pt.dmatrix("x"), pt.lscalar("n")
    square, total = as_op(both)(x, n)
    assert (square.type.ndim, total.type.ndim) == (2, 0)
    f = pytensor.function([x, n], [square, total, pt.grad(square.sum() * total, x)])
    m = np.arange(6.0).reshape(2, 3)
    found = f(m, 3)
    np.testing.assert_allclose(found[0], 3 * m**2)
    wanted = pb.grad(lambda x: np.sum(x**2 * 3) * (np.sum(x) + 3))(m)
    np.testing.assert_allclose(found[2], wanted, rtol=1e-13)
    only = pytensor.function([x, n], pt.grad(total, x))  # nothing depends on the other result
    np.testing.assert_allclose(only(m, 3), 1.0)
    with pytest.raises(pytensor.gradient.NullTypeGradError):
        pytensor.function([x, n], pt.grad(total, n))


@pytest.mark.parametrize("by_op", [False, True], ids=["two L_op", "R_op"])
def test_along_a_direction(by_op: bool) -> None:
    """PyTensor makes R from two L unless it is asked for the operation's own."""
    x, k, v = pt.dvector("x"), pt.dscalar("k"), pt.dvector("v")
    y = pt.exp(as_op(path)(x * 2.0, k))
    found = pytensor.function([x, k, v], Rop(y, x, v, use_op_rop_implementation=by_op))
    d = np.cos(np.arange(5.0))
    wanted = pb.jvp(lambda x: math.exp(path(x * 2.0, 0.7)), (X,), (d,))[1]
    assert found(X, 0.7, d) == pytest.approx(wanted, rel=1e-12)


def test_directions_of_several_results_and_ints() -> None:
    def three(x, n):
        return x**2 * n, n + 1, np.sum(x) * n

    x, n, v = pt.dvector("x"), pt.lscalar("n"), pt.dvector("v")
    square, count, total = as_op(three)(x, n)
    assert count.type.dtype == "int64"
    both = Rop([square, total], x, v, use_op_rop_implementation=True)
    found = pytensor.function([x, n, v], both)(X, 3, X + 1.0)
    np.testing.assert_allclose(found[0], 6.0 * X * (X + 1.0), rtol=1e-13)
    assert found[1] == pytest.approx(3.0 * np.sum(X + 1.0))
    again = Rop(both[0], x, v, use_op_rop_implementation=True)  # 2 n v², along the direction
    np.testing.assert_allclose(pytensor.function([x, n, v], again)(X, 3, X), 6.0 * X**2, rtol=1e-12)
    slope = pytensor.function([x, n, v], pt.grad(both[1] + pt.sum(both[0]), x))(X, 3, X)
    np.testing.assert_allclose(slope, 6.0 * X, rtol=1e-12)


def test_float32() -> None:
    x = pt.fvector("x")
    y = as_op(lambda x: np.sum(x * x))(x)
    f = pytensor.function([x], [y, pt.grad(y, x)])
    _, slope = f(X.astype(np.float32))
    assert slope.dtype == np.float32 and y.type.dtype == "float32"
    np.testing.assert_allclose(slope, 2 * X, rtol=1e-6)


def test_what_is_no_tensor() -> None:
    with pytest.raises(TypeError, match="no tensor"):
        as_op(lambda x: {"a": x})(pt.dscalar("x"))
    with pytest.raises(pb.PullbackError):
        as_op(lambda x: np.packbits(x))(pt.dvector("x"))


def test_equal_operations_are_one() -> None:
    x = pt.dvector("x")
    op = as_op(path)
    graph = pytensor.function([x], op(x, 0.5) + op(x, 0.5)).maker.fgraph
    compiled = [n for n in graph.apply_nodes if type(n.op).__name__ == "CompiledOp"]
    assert len(compiled) == 1


def test_a_model_of_pymc_is_sampled() -> None:
    """A logistic growth that is stepped in a loop; the data is made with r = 0.5, k = 10."""
    rng = np.random.default_rng(1)

    def growth(r, k):
        n, out = 1.0, np.empty(20)
        for i in range(20):
            n = n + r * n * (1.0 - n / k)
            out[i] = n
        return out

    data = growth(0.5, 10.0) + 0.2 * rng.normal(size=20)
    with pm.Model():
        r = pm.Uniform("r", 0.1, 1.0)
        k = pm.Uniform("k", 5.0, 20.0)
        pm.Normal("n", as_op(growth)(r, k), 0.2, observed=data)
        trace = pm.sample(
            400, tune=400, chains=2, cores=1, random_seed=1, progressbar=False,
            compute_convergence_checks=False,
        )  # fmt: skip
    assert float(trace.posterior["r"].mean()) == pytest.approx(0.5, abs=0.02)
    assert float(trace.posterior["k"].mean()) == pytest.approx(10.0, abs=0.3)
    assert float(trace.posterior["r"].std()) < 0.05
